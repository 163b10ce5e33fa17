"""The reference derivative against mpmath, which knows nothing of steps or rounding.

The error that is claimed has to cover the error that is made, for functions that are easy, noisy,
close to an edge, or not what the complex step takes them for.
"""

import cmath
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from adjointgen.verify.complexstep import complex_step
from adjointgen.verify.differences import Reference, directional_derivative
from adjointgen.verify.line import line_through

Function = Callable[[Any], Any]

# A function, the same for mpmath, and where to ask.
ELEMENTARY: dict[str, tuple[Function, Function, tuple[float, ...]]] = {
    "sin": (np.sin, mpmath.sin, (-3.0, 0.3, 1.5707, 40.0)),
    "cos": (math.cos, mpmath.cos, (-3.0, 1e-3, 2.0)),
    "tan": (np.tan, mpmath.tan, (-1.5, 0.2, 1.2)),
    "exp": (np.exp, mpmath.exp, (-30.0, 0.5, 30.0)),
    "expm1": (np.expm1, mpmath.expm1, (-1e-8, 1.0)),
    "log": (math.log, mpmath.log, (1e-9, 0.999, 1e9)),
    "log1p": (np.log1p, mpmath.log1p, (-0.999, 1e-9, 5.0)),
    "sqrt": (np.sqrt, mpmath.sqrt, (1e-12, 2.0)),
    "cbrt": (np.cbrt, mpmath.cbrt, (1e-6, 5.0)),
    "power": (lambda x: x**3.7, lambda x: x ** mpmath.mpf(3.7), (0.01, 2.0)),
    "reciprocal": (lambda x: 1.0 / x, lambda x: 1 / x, (-1e-5, 3.0)),
    "arcsin": (np.arcsin, mpmath.asin, (-0.9999, 0.3, 1.0 - 1e-6)),
    "arctan": (np.arctan, mpmath.atan, (-1e3, 0.1, 2.0)),
    "arccosh": (np.arccosh, mpmath.acosh, (1.0001, 4.0)),
    "arctanh": (np.arctanh, mpmath.atanh, (-0.9999, 0.4)),
    "sinh": (np.sinh, mpmath.sinh, (-20.0, 0.01)),
    "tanh": (np.tanh, mpmath.tanh, (-4.0, 1e-4)),
    "erf": (math.erf, mpmath.erf, (-2.0, 0.3)),
    "lgamma": (math.lgamma, lambda x: mpmath.log(mpmath.gamma(x)), (0.1, 7.5)),
    "gaussian": (lambda x: np.exp(-50 * x * x), lambda x: mpmath.exp(-50 * x * x), (-1.0, 0.3)),
    "fast": (lambda x: np.sin(1000 * x), lambda x: mpmath.sin(1000 * x), (0.2, 1.1)),
    "faster": (np.sin, mpmath.sin, (12345.6, -2e4)),
    "cancelling": (lambda x: 1 - np.cos(x), lambda x: 1 - mpmath.cos(x), (1e-3, 0.5)),
    "hidden rounding": (lambda x: (1e6 + np.sin(x)) - 1e6, mpmath.sin, (0.3, 1.2)),
    "modulus": (lambda x: abs(x) ** 1.5, lambda x: abs(x) ** 1.5, (-1.0, 1e-3)),
    "kink close by": (lambda x: np.abs(x - 1), lambda x: abs(x - 1), (1.001, 0.9999, 2.0)),
}
POINTS = [(name, x) for name, (_, _, points) in ELEMENTARY.items() for x in points]


def counted(function: Function, calls: list[int]) -> Function:
    def call(*args: Any) -> Any:
        calls.append(1)
        return function(*args)

    return call


def slope(function: Function, x: float, direction: float | None = None) -> Reference:
    return directional_derivative(function, (x,), (x if direction is None else direction,))


@pytest.mark.parametrize(("name", "x"), POINTS)
def test_the_claimed_error_covers_the_error(name: str, x: float) -> None:
    function, oracle, _ = ELEMENTARY[name]
    calls: list[int] = []
    found = slope(counted(function, calls), x)
    with mpmath.workdps(60):
        exact = float(mpmath.diff(oracle, mpmath.mpf(x)) * mpmath.mpf(x))
    # The function's own rounding error is not the reference's: 1000 x and x + h round.
    own = 4e-16 * abs(exact) * max(1.0, abs(x))
    assert found.resolved[0] and not found.kinks
    assert abs(found.value[0] - exact) <= 2.0 * found.error[0] + own
    assert found.error[0] <= 1e-6 * abs(exact)
    assert len(calls) <= 27


@pytest.mark.parametrize("name", ["sin", "exp", "log1p", "sqrt", "tanh", "power", "reciprocal"])
def test_the_complex_step_is_taken_where_it_applies(name: str) -> None:
    function, _, points = ELEMENTARY[name]
    found = slope(function, points[-1])
    assert found.believed[0] and found.error[0] <= 1e-12 * abs(found.value[0])


def quiet_break(x: Any) -> Any:
    """Keeps the imaginary part of one factor only."""
    return np.exp(x) * np.exp(np.real(x))


def into_real_array(x: Any) -> Any:
    store = np.zeros(2)
    store[:] = x
    return store * x


BREAKING: dict[str, tuple[Function, float, float]] = {
    # function, point, slope
    "abs": (lambda x: np.abs(x) * x, 2.0, 4.0),
    "abs alone": (np.abs, -2.0, -1.0),
    "real": (quiet_break, 0.5, 2.0 * math.e),
    "conjugate": (lambda x: x * np.conj(x), 3.0, 6.0),
    "maximum": (lambda x: np.maximum(x, 2.0 - x) * x, 1.0 + 2.0**-30, 2.0 + 2.0**-29),
    "maximum of squares": (lambda x: np.maximum(np.abs(x), 0.5) ** 2, 2.0, 4.0),
    "sort by size": (lambda x: sorted([abs(x), abs(2 - x)])[0] * 3.0, 0.5, 3.0),
    "angle": (lambda x: np.angle(x + 1j * x * x), 1.0, 0.5),
    "float": (lambda x: math.sin(float(x)), 1.0, math.cos(1.0)),
    "array of floats": (into_real_array, 1.5, 3.0),
    "comparison": (lambda x: x * x if x > 0 else -x, 1.5, 3.0),
    "type": (lambda x: 2 * x if isinstance(x, float) else 3 * x, 1.5, 2.0),
    "phase": (lambda x: x if np.imag(x) == 0 else 1.5 + 7j * np.imag(x), 1.5, 1.0),
    "constant to rounding": (lambda x: np.abs(1 + 1e-13 * x), 1.0, 1e-13),
    "another branch": (lambda x: x if isinstance(x, float) else x + 1, 1.5, 1.0),
    "norm": (lambda x: np.linalg.norm(np.array([x, 2 * x])), 1.0, math.sqrt(5.0)),
}


@pytest.mark.parametrize("name", BREAKING)
def test_a_broken_complex_step_is_not_believed(name: str, recwarn: pytest.WarningsRecorder) -> None:
    function, x, exact = BREAKING[name]
    found = slope(function, x, 1.0)
    assert not np.any(found.believed) and not recwarn.list
    if not found.kinked[0]:
        assert found.value == pytest.approx(exact, rel=1e-6)
    assert found.low[0] - found.error[0] <= exact <= found.high[0] + found.error[0]


def test_a_candidate_from_a_broken_step_would_be_wrong() -> None:
    # What the comparison with differences is for: this candidate looks flawless by itself.
    line = line_through(quiet_break, (0.5,), (0,), (1.0,))
    candidate = complex_step(line, np.zeros(1))
    assert np.isfinite(candidate.error[0])
    assert candidate.value[0] == pytest.approx(math.e)


def test_a_complex_step_that_numpy_truncates_is_quiet(recwarn: pytest.WarningsRecorder) -> None:
    found = directional_derivative(into_real_array, (np.array([1.5, 2.0]),), (np.ones(2),))
    assert not found.believed.any() and not recwarn.list
    assert found.value == pytest.approx([3.0, 4.0])


def test_leaves_are_judged_one_by_one() -> None:
    found = directional_derivative(
        lambda x: {"a": np.sin(x), "b": np.abs(x), "c": 3}, (np.array([0.5, -1.0]),), (np.ones(2),)
    )
    assert found.believed.tolist() == [True, True, False, False]
    assert found.value == pytest.approx([math.cos(0.5), math.cos(-1.0), 1.0, -1.0], rel=1e-9)


KINKS: dict[str, tuple[Function, float, str, float, float]] = {
    # function, point, kind, left slope, right slope
    "abs": (abs, 0.0, "kink", -1.0, 1.0),
    "relu": (lambda x: np.maximum(x, 1.0), 1.0, "kink", 0.0, 1.0),
    "weak": (lambda x: x + 1e-4 * abs(x - 1), 1.0, "kink", 1 - 1e-4, 1 + 1e-4),
    "curved": (lambda x: np.exp(x) + abs(x - 1), 1.0, "kink", math.e - 1, math.e + 1),
    "within rounding": (lambda x: abs(x - 1), 1.0 + 1e-12, "kink", -1.0, 1.0),
    "floor": (lambda x: math.floor(x) + x * x, 2.0, "jump", math.nan, 4.0),
    "step": (lambda x: x * x if x <= 2 else x * x + 1, 2.0, "jump", 4.0, math.nan),
    "sign": (lambda x: np.sign(x - 2) + x, 2.0, "jump", math.nan, math.nan),
    "root of abs": (lambda x: np.sqrt(abs(x)), 0.0, "vertical", math.nan, math.nan),
    "cube root": (np.cbrt, 0.0, "vertical", math.nan, math.nan),
    "root": (np.sqrt, 0.0, "edge", math.nan, math.nan),
    "logarithm": (lambda x: math.log1p(x) if x >= 0 else math.nan, 0.0, "edge", math.nan, 1.0),
    "rough": (lambda x: abs(x) ** 1.5, 0.0, "rough", math.nan, math.nan),
}


@pytest.mark.parametrize("name", KINKS)
def test_kinks_are_told_apart(name: str) -> None:
    function, x, kind, left, right = KINKS[name]
    found = slope(function, x, 1.0)
    assert [kink.kind for kink in found.kinks] == [kind]
    assert found.kinks[0].where == "result"
    sides = (found.kinks[0].left, found.kinks[0].right)
    assert sides == pytest.approx((left, right), abs=1e-5, nan_ok=True)
    assert found.kinked[0] == (kind != "rough") and not found.smooth[0]


@pytest.mark.parametrize("name", KINKS)
def test_a_kink_elsewhere_in_a_leaf_spoils_no_other_result(name: str) -> None:
    function, x, _, _, _ = KINKS[name]
    found = directional_derivative(
        lambda v: np.array([function(v[0]), np.sin(v[1])]), (np.array([x, 0.5]),), (np.ones(2),)
    )
    assert {kink.where for kink in found.kinks} == {"result[0]"}
    assert found.resolved[1] and found.value[1] == pytest.approx(math.cos(0.5), rel=1e-5)


@pytest.mark.parametrize("function", [abs, np.sign, np.floor, np.cbrt])
@pytest.mark.parametrize("x", [0.5, -3.7, 1e-3, 2.5e6])
def test_smooth_points_of_broken_functions_have_no_kinks(function: Function, x: float) -> None:
    found = slope(function, x)
    assert not found.kinks and found.resolved[0]


def test_where_nothing_is_known_nothing_is_claimed() -> None:
    chaotic = slope(lambda x: [x := 3.9 * x * (1 - x) for _ in range(80)][-1], 0.3)
    assert not chaotic.resolved[0]
    loud = slope(lambda x: math.sin(x) + 0.01 * math.sin(1e15 * x), 1.2)
    assert not loud.resolved[0]


def test_results_that_are_not_finite_leave_the_others_alone() -> None:
    found = directional_derivative(np.log, (np.array([-1.0, 0.0, 2.0]),), (np.ones(3),))
    assert found.value[2] == pytest.approx(0.5, rel=1e-12)
    assert found.resolved.tolist() == [False, False, True] and not found.kinks


def test_complex_arguments_are_differentiated_as_pairs() -> None:
    z, v = 0.5 + 1j, 1.0 - 2j
    found = directional_derivative(cmath.exp, (z,), (v,))
    exact = cmath.exp(z) * v
    assert found.value == pytest.approx([exact.real, exact.imag], rel=1e-10)
    assert not found.believed.any() and found.resolved.all()


def test_single_precision_is_stepped_in_double() -> None:
    x = np.array([0.5, 1.5], np.float32)
    found = directional_derivative(lambda x: np.sin(x) * x, (x,), (x,))
    exact = x * (np.sin(x.astype(float)) + x * np.cos(x.astype(float)))
    assert found.value == pytest.approx(exact, rel=1e-12)


def test_arguments_are_left_alone_and_may_be_written_to() -> None:
    def scale(table: dict[str, Any], count: list[int], x: Any) -> Any:
        table["w"] *= x
        count[0] += 1
        return np.sum(table["w"]) * count[0]

    table, count = {"w": np.array([1.0, 2.0]), "n": 3}, [1]
    direction = {"w": np.ones(2), "n": 0}
    found = directional_derivative(scale, (table, count, 2.0), (direction, 1.0), wrt=(0, 2))
    assert found.value == pytest.approx(2 * (2.0 * 2.0 + 3.0))
    assert table["w"].tolist() == [1.0, 2.0] and count == [1]


def test_what_the_function_raises_at_the_point_is_raised() -> None:
    with pytest.raises(ValueError, match=r"domain|positive"):
        slope(math.log, 0.0)
