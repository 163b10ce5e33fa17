"""Branch coverage, held against what the functions themselves say of the ways they went."""

from collections.abc import Callable
from typing import Any

import pytest

from adjointgen.verify import branches
from adjointgen.verify.branches import branches_taken, joined


def helper(v: float) -> float:
    return 1.0 if v > 2 else -1.0


def walk(x: float, n: int) -> float:
    s = 0.0
    for k in range(n):
        if k % 2 and x > 0:
            s += x
        elif x < -5:
            s -= 1
        else:
            s *= 2
    while s > 3:
        s -= 1
    try:
        1.0 / x
    except ZeroDivisionError:
        s = 0.0
    if x > 100: s = 1.0  # fmt: skip  # noqa: E701
    match n:
        case 1:
            pass
        case _:
            s += helper(s)
    for _ in ():
        s += 1
    return s


def seen(function: Callable[..., Any], *args: Any) -> dict[str, str]:
    """The text of every branch, with its ways."""
    rows = branches_taken(function, function, args)
    return {row.text: str(row).partition(f"{row.text}: ")[2] for row in rows}


def test_every_kind_of_branch() -> None:
    assert seen(walk, 1.0, 5) == {
        "1.0 if v > 2 else -1.0": "true, never false",
        "for k in range(n)": "entered",
        "if k % 2 and x > 0": "true and false",
        "if x < -5": "false, never true",
        "while s > 3": "true and false",
        "except ZeroDivisionError": "never entered",
        "if x > 100": "false, never true",
        "case 1": "never entered",
        "case _": "entered",
        "for _ in ()": "never entered",
    }


@pytest.mark.parametrize("v", [1.0, 3.0])
def test_the_arms_of_an_expression(v: float) -> None:
    (said,) = seen(helper, v).values()
    assert said == ("true, never false" if v > 2 else "false, never true")


def test_a_function_that_raises_at_its_end_is_seen_up_to_there() -> None:
    def fails(x: float) -> float:
        if x > 0:
            raise ValueError(x)
        return x

    assert seen(fails, 1.0) == {"if x > 0": "true, never false"}


def test_runs_are_joined() -> None:
    one = branches_taken(walk, walk, (1.0, 5))
    other = branches_taken(walk, walk, (0.0, 1))
    rows = {row.text: row.missing for row in joined([one, other])}
    assert rows["except ZeroDivisionError"] == rows["case 1"] == rows["case _"] == ()
    assert rows["if x > 100"] == ("true",)


def test_arguments_are_left_alone_and_tracing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [1.0]

    def clears(u: list[float]) -> None:
        if u:
            u.clear()

    assert seen(clears, given) == {"if u": "true, never false"} and given == [1.0]
    monkeypatch.setattr(branches, "MOST", 5)
    assert seen(walk, 1.0, 9)["while s > 3"].startswith("never")


def test_without_source_there_is_nothing_to_see() -> None:
    home: dict[str, Any] = {}
    exec("def f(x):\n    return x if x else 1\n", home)
    assert seen(home["f"], 1.0) == {} and seen(len, [1]) == {}
