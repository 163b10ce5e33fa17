"""Messages to Python's loggers, and numbers of `scipy.constants`: both read what they are given."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.constants
from scipy import constants

from adjointgen import generate, grad, value_and_grad

logger = logging.getLogger(__name__)


def energy(x: Any) -> Any:
    y = x * 2.0
    logger.info("before %s", list(y))
    y[0] = x[1]
    if logger.isEnabledFor(logging.INFO):
        logger.info("after %s of %s", y[:1], list(x))
    return described(y, logger) * np.sum(x)


def described(y: Any, log: Any) -> Any:
    log.warning("sum of %s", list(y))
    return np.sum(y)


def physical(x: Any) -> Any:
    return scipy.constants.g * x + constants.pi * x + scipy.constants.kibi * x


class Messages(logging.Handler):
    """Keeps what is said; pytest's own handlers are off, for they take a third of a short test."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@pytest.fixture
def messages() -> Iterator[Messages]:
    handler = Messages()
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_messages_show_what_is_there(messages: Messages) -> None:
    x = np.array([1.0, 3.0])
    logger.setLevel(logging.INFO)
    expected, said = energy(x), [*messages.said]
    messages.said.clear()
    value, slope = value_and_grad(energy)(x)
    assert messages.said == said and len(said) == 3
    assert value == expected
    np.testing.assert_array_equal(slope, [9.0, 21.0])


def test_messages_in_a_written_program() -> None:
    made = generate(energy, modes=("adjoint",), example=(np.array([1.0, 3.0]),))
    assert made.body.count('logger.info("before') == 1


def test_physical_constants_are_numbers(tmp_path: Path) -> None:
    slope = scipy.constants.g + np.pi + 1024
    assert grad(physical)(0.5) == pytest.approx(slope)
    path = tmp_path / "model.py"
    path.write_text(
        "import scipy.constants\nfrom scipy import constants\n\n"
        "def f(x: float) -> float:\n    return scipy.constants.g * x + constants.pi * x\n"
    )
    made = generate(f"{path}::f", modes=("adjoint",))
    names: dict[str, Any] = {}
    exec(made.body, names)
    assert names["f_adjoint"](0.5)[1] == pytest.approx(scipy.constants.g + np.pi)
