"""Messages to a log about objects that the program has taken apart."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from adjointgen import AdjointgenError, grad, value_and_grad

logger = logging.getLogger("tests.log_calls")


class Player:
    def __init__(self, rating: Any) -> None:
        self.rating = rating

    def beats(self, other: Any) -> Any:
        logger.debug("%s beats %s", self, other)
        self.rating = self.rating + 0.1 * (self.rating - other.rating)
        return self.rating


def season(x: Any) -> Any:
    players = [Player(x), Player(2.0 * x), Player(1.0)]
    logger.debug("roster of %d: %s", len(players), players)
    for other in players[1:]:
        players[0].beats(other)
    return players[0].rating


def counted(x: Any) -> Any:
    players = [Player(x), Player(2.0 * x)]
    logger.warning("%d players", len(players))
    return sum(p.rating for p in players)


def told_of_what_is_called(x: Any) -> Any:
    player = Player(x)
    logger.debug("%s", player.beats(player), extra={"player": player})
    return player.rating


def test_where_the_log_is_not_told_nothing_is_lost() -> None:
    slope = (season(0.7 + 1e-6) - season(0.7 - 1e-6)) / 2e-6
    assert value_and_grad(season)(0.7) == pytest.approx((season(0.7), slope))


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler, level = Kept(), logger.level
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_where_it_is_told_the_program_ends(kept: Kept) -> None:
    slope = grad(season)
    slope(0.7)
    logger.setLevel(logging.DEBUG)
    with pytest.raises(RuntimeError, match="AG102"):
        slope(0.7)
    assert not kept.texts


def test_lengths_of_lists_of_objects_are_told(kept: Kept) -> None:
    assert grad(counted)(0.7) == 3.0
    assert kept.texts == ["2 players"]


def test_what_calls_more_is_refused() -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(told_of_what_is_called)(0.7)
    assert caught.value.code == "AG102"
