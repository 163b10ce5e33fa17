"""An infinite slope times a derivative that a choice has made zero is zero, in both modes.

Every function has a finite derivative at its point, though there is an infinite slope
on the way. What is expected is known in closed form.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent
from adjointgen.analysis.differentiation.chosen_zeros import is_steep
from adjointgen.ir.nodes import Apply
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import const


def clamped(x):
    return math.sqrt(max(x, 0.0)) + x


def clamped_array(x):
    return np.sum(np.sqrt(np.maximum(x, 0.0)) + x)


def clipped(x):
    return np.sum(np.arccos(np.clip(x, -1.0, 1.0)))


def branched(x):
    t = 1.0 - x if x < 1.0 else 0.0
    return t**0.35 + x


def exponent(x, y):
    t = 1.0 - x if x < 1.0 else 0.0
    return t**y + x * y


def returned(x):
    root = math.sqrt(x)
    if x > 0.0:
        return root
    return 3.0 * x


def both(x):
    root = math.sqrt(x)
    return 2.0 * root if x > 0.25 else x if x > 0.0 else 3.0 * x


def begun(x):
    total, found = 0.0, 0.0
    for _ in range(3):
        found += math.sqrt(total)
        total += x * x
    return found


def filled(x):
    u = np.zeros(3)
    u[1] = x
    return np.sum(np.sqrt(u))


def displayed(x):
    return np.sum(np.sqrt(np.array([x, 0.0])))


def diagonal(x):
    return np.sum(np.sqrt(np.diag(x)))


def inner(x):
    return np.sum(np.sqrt(x)[1:])


def overwritten(x):
    root = np.sqrt(x)
    root[0] = 0.0
    return np.sum(root)


def floor(x):
    return max(math.sqrt(x), 0.5) + x


def masked(x):
    return np.sum((x > 0.0) * np.sqrt(x))


def twice(x):
    root = np.sqrt(x)
    return np.sum(np.where(x > 0.0, root, 0.0) + np.where(x > 1.0, 2.0 * root, 0.0))


def helper(t):
    half = 0.5 * t
    return math.sqrt(half) + half


def in_a_helper(x):
    t = x if x > 0.0 else 0.0
    return helper(t) + x


def positive(x):
    low = 0.0 if x < 5.0 else 1.0
    return max(x, low)


def of_a_helper(x):
    return math.sqrt(positive(x)) + x


def last(x):
    root = 0.0
    for k in range(len(x)):
        root = math.sqrt(x[k])
    return root


def vector(x):
    _, vectors = np.linalg.eigh(np.array([[1.0, 0.0, x], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]).T)
    return vectors[0, 2] / vectors[2, 2]


def poles_of_unknown_shape(x):
    if x[0] == 5.0:
        x = x[1:]
    a = x[:, np.newaxis] - x[np.newaxis, :]
    w = (np.sin(a) / a) ** 2
    return np.sum(np.where(a == 0.0, 1.0, w))


def chosen_one_after_the_other(x):
    y = x * np.nan
    for low, high in ((0.0, 1.0), (1.0, 2.0), (2.0, 3.0)):
        y = np.where((x > low) & (x <= high), x * x * high, y)
    return y


def entries_chosen_one_after_the_other(x):
    y = x * np.nan
    for low, high in ((0.0, 1.0), (1.0, 2.0), (2.0, 3.0)):
        y = np.where((x > low) & (x <= high), x * x * high, y)
    return np.sum(y)


SLOPE = 4.0 * math.sin(1.0) * (math.sin(1.0) - math.cos(1.0))

POINTS: list[tuple[Callable[..., Any], Any, Any]] = [
    (clamped, -1.0, 1.0),
    (clamped, 4.0, 1.25),
    (clamped_array, np.array([-1.0, 4.0]), [1.0, 1.25]),
    (clipped, np.array([2.0, 0.0]), [0.0, -1.0]),
    (branched, 2.0, 1.0),
    (returned, 0.0, 3.0),
    (both, 0.0, 3.0),
    (both, 1.0, 1.0),
    (begun, 2.0, 1.0 + math.sqrt(2.0)),
    (filled, 4.0, 0.25),
    (displayed, 4.0, 0.25),
    (diagonal, np.array([1.0, 4.0]), [0.5, 0.25]),
    (inner, np.array([0.0, 4.0]), [0.0, 0.25]),
    (overwritten, np.array([0.0, 4.0]), [0.0, 0.25]),
    (floor, 0.0, 1.0),
    (masked, np.array([0.0, 4.0]), [0.0, 0.25]),
    (twice, np.array([0.0, 0.25, 4.0]), [0.0, 1.0, 0.75]),
    (in_a_helper, -1.0, 1.0),
    (of_a_helper, -1.0, 1.0),
    (last, np.array([0.0, 4.0]), [0.0, 0.25]),
    (vector, 0.0, 0.5),
    *((chosen_one_after_the_other, x, 2.0 * x * math.ceil(x)) for x in (0.5, 1.5, 2.5)),
    (entries_chosen_one_after_the_other, np.array([0.5, 1.5, 2.5]), [1.0, 6.0, 15.0]),
    (poles_of_unknown_shape, np.array([0.0, 1.0]), [SLOPE, -SLOPE]),
]


def turned_round(x):
    a, b = np.sqrt(min(x, 4.0)), x
    for _ in range(3):
        a, b = b, a
    return a * min(a, b) + b


def test_what_changes_places_comes_to_an_end() -> None:
    """Of two values that a loop exchanges, either may be the one that a choice made zero."""
    assert grad(turned_round)(2.25) == pytest.approx(1.5 * 1.5 + 0.5 / 1.5, rel=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("f", "x", "expected"), POINTS, ids=[f"{f.__name__}-{k}" for k, (f, *_) in enumerate(POINTS)]
)
def test_a_choice_beats_an_infinite_slope(f: Callable[..., Any], x: Any, expected: Any) -> None:
    by_adjoint = adjoint(f)(x, 1.0)[1]
    units = [1.0] if isinstance(x, float) else list(np.eye(len(x)))
    by_tangent = [tangent(f)(x, unit)[1] for unit in units]
    np.testing.assert_allclose(np.ravel(by_adjoint), np.ravel(expected), rtol=1e-12)
    np.testing.assert_allclose(by_tangent, np.ravel(expected), rtol=1e-12)


def test_an_unknown_exponent_counts_as_steep() -> None:
    assert tangent(exponent, "x,y")(2.0, 0.3, 1.0, 0.0)[1] == 0.3
    assert tangent(exponent, "x,y")(2.0, 0.3, 0.0, 1.0)[1] == 2.0
    assert grad(exponent, "x,y")(2.0, 0.3) == (0.3, 2.0)


def test_without_a_choice_the_text_is_the_product() -> None:
    def plain(x):
        return math.sqrt(x) * 2.0

    program = tangent(plain)
    program(4.0, 1.0)
    assert " if " not in program.source.partition("def plain_tangent")[2]
    assert grad(plain)(0.0) == np.inf


@pytest.mark.parametrize(
    ("exponent", "steep"), [(0.5, True), (2.0, False), (2, False), (-0.5, False)]
)
def test_the_exponents_that_are_steep(exponent: float, steep: bool) -> None:
    base = const(0.0)
    assert is_steep(Apply((), "pow", (base, const(exponent)))) == steep


def test_rows_that_say_infinite_of_a_finite_value_are_steep() -> None:
    finite = {"sqrt", "cbrt", "arcsin", "arccos", "arccosh"}
    assert {name for name in finite if TABLE[name].steep is None} == set()
