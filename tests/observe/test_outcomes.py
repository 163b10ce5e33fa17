"""Tests that go the way of one run, call by call and iteration by iteration."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjointgen import adjoint, grad, tangent
from adjointgen.errors import Unsupported
from adjointgen.observe.isolated import observed_outcomes
from adjointgen.observe.outcomes import held_tests


def rows(x: Any, n: Any) -> Any:
    """Entries of several kinds, by what is in an array."""
    out: list[Any] = []
    for k in range(n):
        if x[k] > 0.5:
            out.append({"a": x[k], "k": k})
        elif x[k] > 0.2:
            out.append((x[k], 2.0))
    total = 0.0
    for one in out:
        total = total + (one["a"] * one["k"] if isinstance(one, dict) else one[0] * one[1])
    return total


def halved(x: Any) -> Any:
    """The same in a `while` whose length depends on the number."""
    hist: list[Any] = []
    while x > 1.0:
        hist.append([x, len(hist)] if x > 2.0 else {"v": x})
        x = x / 2.0
    return 0.0 * x + sum(p["v"] if isinstance(p, dict) else p[0] * p[1] for p in hist)


class Level:
    def __init__(self, name: str, at: float) -> None:
        self.name, self.at = name, at

    def grade(self, x: Any) -> Any:
        return 1.0 - (x - self.at) ** 2


class Sharp(Level):
    def grade(self, x: Any) -> Any:
        return 1.0 - 4.0 * (x - self.at) ** 4


LOW = Level("low", 0.0)
HIGHER = [Sharp("mid", 0.5), Level("high", 1.0)]


def best(x: Any) -> Any:
    """An object that is chosen by what it gives."""
    found = LOW
    for level in HIGHER:
        if found.grade(x) <= level.grade(x):
            found = level
    return found.grade(x) * x


def scaled(x: Any, k: Any) -> Any:
    """A helper that is called twice, and goes another way each time."""
    return {"v": x * k} if x > 1.0 else [x * k]


def twice(x: Any) -> Any:
    a = scaled(x, 2.0)
    b = scaled(x * 4.0, 3.0)
    return a[0] * b["v"]


def drawn(x: Any) -> Any:
    """One of two distributions with their parameters."""
    d = stats.norm(x, 1.0) if x > 0.5 else stats.logistic(x)
    return d.cdf(0.9)


def filtered(x: Any) -> Any:
    """Entries of several kinds that a condition leaves, and one that chooses."""
    kept = [{"v": v, "k": k} for k, v in enumerate(x) if v > 0.4]
    named = [("big", v) if v > 0.8 else {"small": v} for v in x]
    total = sum(one["v"] * (k + 1) for k, one in enumerate(kept))
    first = named[0]
    return total + (first[1] * 3.0 if isinstance(first, tuple) else first["small"])


POINTS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (rows, (np.array([0.7, 0.1, 0.3, 0.9]), 4)),
    (rows, (np.array([0.9, 0.3, 0.1, 0.7]), 4)),
    (rows, (np.array([0.1, 0.1, 0.1]), 3)),
    (halved, (7.0,)),
    (halved, (3.0,)),
    (halved, (0.5,)),
    (best, (0.1,)),
    (best, (0.45,)),
    (best, (0.95,)),
    (twice, (0.5,)),
    (filtered, (np.array([0.9, 0.1, 0.5]),)),
    (filtered, (np.array([0.3, 0.6, 0.5]),)),
    (drawn, (0.6,)),
    (drawn, (0.3,)),
]


def slope(f: Callable[..., Any], x: Any, *rest: Any) -> Any:
    if np.ndim(x) == 0:
        return (f(x + 1e-6, *rest) - f(x - 1e-6, *rest)) / 2e-6
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + h, *rest) - f(x - h, *rest)) / 2e-6 for h in steps])


@pytest.mark.parametrize(("f", "args"), POINTS)
def test_each_path_has_its_program(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert grad(f, wrt="x")(*args) == pytest.approx(slope(f, *args), abs=1e-7)
    y, x_bar = adjoint(f, wrt="x")(*args, 1.0)
    assert y == f(*args) and x_bar == pytest.approx(slope(f, *args), abs=1e-7)


def test_another_path_makes_another_program() -> None:
    """The test that stands in a program is violated by other arguments of one derivative."""
    of = grad(rows, wrt="x")
    first = np.array([0.7, 0.1, 0.3, 0.9])
    for x in (first, first[::-1].copy(), 1.0 - first, first):
        assert of(x, 4) == pytest.approx(slope(rows, x, 4), abs=1e-7)
    for other in (halved, best):
        derivative = grad(other)
        for at in (3.0, 0.3, 0.95, 5.0, 0.1):
            assert derivative(at) == pytest.approx(slope(other, at), abs=1e-7)


def test_more_paths_than_are_kept_are_refused() -> None:
    of = grad(rows, wrt="x")
    with pytest.raises(Unsupported, match="different sets of paths") as refusal:
        for number in range(16):
            bits = [(number >> k) & 1 for k in range(4)]
            of(np.array([0.3 + 0.6 * bit for bit in bits]), 4)
    assert refusal.value.code == "AG132"


def test_the_program_says_what_it_takes_to_hold_and_tests_it() -> None:
    of = tangent(rows, wrt="x")
    of(np.array([0.7, 0.1, 0.3, 0.9]), 4, np.ones(4))
    says = "no derivative where `x[k] > 0.5` turns out otherwise"
    assert says in of.source.split('"""')[1]
    assert of.source.count("if not (x[") + of.source.count("if x[") == 6


def test_where_paths_can_meet_nothing_is_taken_to_hold() -> None:
    def plain(x: Any) -> Any:
        total = 0.0
        for k in range(4):
            if x[k] > 0.5:
                total = total + x[k] ** 2
        return total

    of = grad(plain)
    of(np.array([0.7, 0.1, 0.3, 0.9]))
    assert "NotImplementedError" not in of.source and "for " in of.source


def test_a_handler_around_does_not_go_on_from_the_test() -> None:
    def tried(x: Any) -> Any:
        try:
            out: list[Any] = []
            for k in range(3):
                out.append((x[k], 2.0) if x[k] > 0.5 else {"v": x[k]})
            first = out[0]
            return first[0] if isinstance(first, tuple) else first["v"]
        except Exception:
            return 0.0

    x = np.array([0.7, 0.1, 0.9])
    try:
        found = grad(tried)(x)
    except Unsupported:
        return
    assert found.tolist() == [1.0, 0.0, 0.0]
    assert grad(tried)(1.0 - x).tolist() == [1.0, 0.0, 0.0]


def test_what_is_noted_tells_calls_and_iterations_apart() -> None:
    found = observed_outcomes(lambda: rows(np.array([0.7, 0.1, 0.9]), 3))
    by_text = {said.said.split("`")[1]: found[said.file, said.key] for said in held_tests(found)}
    asked = by_text["x[k] > 0.5"]
    assert [went for *_, went in asked] == [True, False, True]
    assert [max(count for _, _, count in loops) for _, loops, _ in asked] == [0, 1, 2]
    found = observed_outcomes(lambda: twice(0.5))
    (said,) = held_tests(found)
    lines = [calls[-1] for calls, *_ in found[said.file, said.key]]
    assert lines[1] == lines[0] + 1
