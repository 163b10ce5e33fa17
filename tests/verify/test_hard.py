"""Points where a plain difference quotient is confidently wrong, or a plain tolerance unfair."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen.verify.differences import directional_derivative
from adjointgen.verify.report import Report
from adjointgen.verify.verify import verify

RNG = np.random.default_rng(5)


def check(f: Callable[..., Any], jacobian: Any, x: Any, **options: Any) -> Report:
    """Verifies the programs that a Jacobian, or a diagonal one given as a vector, makes."""
    full = np.ndim(jacobian) == 2
    forward = (lambda v: jacobian @ v) if full else (lambda v: jacobian * v)
    backward = (lambda v: jacobian.T @ v) if full else forward
    return verify(
        f,
        lambda args, dots: (f(*args), forward(dots[0])),
        lambda args, y_bar: (f(*args), (backward(y_bar),)),
        (x,),
        (0,),
        **options,
    )


def verdicts(report: Report, test: str) -> set[str]:
    return {row.verdict for row in report.rows if row.test.startswith(test)}


# Halving steps that begin at 1/64 sample these sines like a straight line.
ALIASED = [
    (14799.879238078322, -19267.675347430475),
    (11951.073984568051, -12879.527735754158),
    (17037.857692667978, 22508.76641741202),
    (10405.107111884347, -12819.156428311659),
]


@pytest.mark.parametrize(("x", "direction"), ALIASED)
def test_a_period_that_the_steps_sample_is_noticed(x: float, direction: float) -> None:
    found = directional_derivative(math.sin, (x,), (direction,))
    assert found.resolved[0]
    assert abs(found.value[0] - math.cos(x) * direction) <= 2.0 * found.error[0]
    assert found.error[0] <= 1e-5 * abs(direction)


@pytest.mark.parametrize("width", [1e-3, 1e-4])
def test_a_sharp_bend_is_no_kink(width: float) -> None:
    found = directional_derivative(lambda x: np.sqrt(x * x + width**2), (0.0,), (1.0,))
    assert not found.kinks and found.resolved[0] and abs(found.value[0]) < 1e-9


def test_steps_shrink_where_an_edge_is_close() -> None:
    x = 1.0 - 1e-6
    found = directional_derivative(math.asin, (x,), (1.0,))
    exact = 1.0 / math.sqrt(1.0 - x * x)
    assert abs(found.value[0] - exact) <= 2.0 * found.error[0] <= 5e-6 * exact


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4, 1e-5, -1e-5, 3e-6])
@pytest.mark.parametrize("seed", range(3))
def test_a_kink_close_by_is_not_the_point(distance: float, seed: int) -> None:
    report = check(lambda x: abs(x - 1.0), math.copysign(1.0, distance), 1.0 + distance, seed=seed)
    assert report.ok and not report.kinks, str(report)


@pytest.mark.parametrize("x", [3e3, -4.7e4, 1e5])
def test_fast_functions_are_verified(x: float) -> None:
    assert check(np.sin, math.cos(x), x).ok
    assert verdicts(check(np.sin, -math.cos(x), x), "tangent") == {"fail"}


def expanded(x: Any) -> Any:
    return x**7 - 7 * x**6 + 21 * x**5 - 35 * x**4 + 35 * x**3 - 21 * x**2 + 7 * x - 1


def expanded_slope(x: Any) -> Any:
    return 7 * x**6 - 42 * x**5 + 105 * x**4 - 140 * x**3 + 105 * x**2 - 42 * x + 7


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cancellation_inside_is_not_the_programs_fault(dtype: Any) -> None:
    far = dtype(0.3) if dtype is np.float32 else dtype(0.05)
    x = np.array([1.0 + far, 1.0 - far, 2.0], dtype)
    report = check(expanded, expanded_slope(x), x)
    assert report.ok, str(report)
    wrong = check(expanded, expanded_slope(x) * np.array([1, 1, 1.01], dtype), x)
    assert verdicts(wrong, "tangent") == {"fail"}


@pytest.mark.parametrize("offset", [1.0, 1e6])
def test_slopes_that_are_small_beside_the_value_are_verified(offset: float) -> None:
    def nearly_constant(x: Any) -> Any:
        return offset + 1e-6 * np.sin(x)

    slope = 1e-6 * math.cos(0.7)
    assert check(nearly_constant, slope, 0.7).ok
    wrong = verify(
        nearly_constant,
        lambda args, dots: (nearly_constant(*args), slope * dots[0]),
        lambda args, y_bar: (nearly_constant(*args), (slope * y_bar * (1 + 1e-4),)),
        (0.7,),
        (0,),
    )
    assert verdicts(wrong, "dot product") == {"fail"}


@pytest.mark.parametrize("x", [0.3, np.array([0.3, -40.0, 7.0])])
def test_a_zero_that_rounding_makes_is_a_zero(x: Any) -> None:
    # x - x is 0, and so is its tangent; the adjoint adds the terms up in another order.
    def report(dust: float) -> Report:
        return verify(
            lambda x: x - x,
            lambda args, dots: (0.0 * args[0], 0.0 * dots[0]),
            lambda args, y_bar: (0.0 * args[0], (dust * y_bar,)),
            (x,),
            (0,),
        )

    assert report(2.0**-52).ok
    assert verdicts(report(1e-9), "dot product") == {"fail"}


HILBERT = 1.0 / (np.arange(5)[:, np.newaxis] + np.arange(5) + 1.0)
MIXING = RNG.normal(size=(30, 30))
SINGLE = RNG.normal(size=(40, 40)).astype(np.float32)


def test_ill_conditioned_systems_are_verified() -> None:
    x = RNG.normal(size=5)
    inverse = np.linalg.inv(HILBERT)
    report = verify(
        lambda x: np.linalg.solve(HILBERT, x),
        lambda args, dots: (np.linalg.solve(HILBERT, args[0]), np.linalg.solve(HILBERT, dots[0])),
        lambda args, y_bar: (np.linalg.solve(HILBERT, args[0]), (inverse.T @ y_bar,)),
        (x,),
        (0,),
    )
    assert report.ok, str(report)


@pytest.mark.parametrize("seed", range(3))
def test_results_that_cancel_in_a_sum_do_not_raise_alarms(seed: int) -> None:
    # The first result is 12 digits smaller than the terms that it is the sum of.
    x = np.linspace(1.0, 2.0, 30)
    matrix = MIXING.copy()
    matrix[0] -= matrix[0] @ x / (x @ x) * x * (1.0 - 1e-12)
    report = check(lambda x: matrix @ x, matrix, x, seed=seed)
    assert report.ok, str(report)


def test_linear_functions_of_single_precision_leave_rounding_only() -> None:
    x = RNG.normal(size=40).astype(np.float32)
    transposed = np.ascontiguousarray(SINGLE.T)
    report = verify(
        lambda x: SINGLE @ x,
        lambda args, dots: (SINGLE @ args[0], (dots[0] @ transposed)[::1]),
        lambda args, y_bar: (SINGLE @ args[0], (y_bar @ SINGLE,)),
        (x,),
        (0,),
    )
    assert report.ok, str(report)


def test_a_result_that_is_all_rounding_hides_no_fault_of_another() -> None:
    def function(x: Any) -> Any:
        return np.array([(0.1 * x + 0.2 * x) - 0.3 * x, np.sin(x)])

    def report(slope: float) -> Report:
        return verify(
            function,
            lambda args, dots: (function(*args), np.array([5.5e-17, math.cos(0.7)]) * dots[0]),
            lambda args, y_bar: (function(*args), (float(y_bar[1] * slope),)),
            (0.7,),
            (0,),
        )

    assert "fail" not in verdicts(report(math.cos(0.7)), "dot product")
    assert verdicts(report(math.cos(0.7) * (1 + 1e-6)), "dot product") == {"fail"}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_fault_in_a_small_entry_is_seen(place: int) -> None:
    x = np.array([1e-6, 1.0, 1e6])
    slope, wrong = 2.0 * x, 2.0 * x
    wrong[place] *= 1.001
    assert verdicts(check(np.square, wrong, x), "tangent") == {"fail"}
    report = verify(
        np.square,
        lambda args, dots: (args[0] ** 2, slope * dots[0]),
        lambda args, y_bar: (args[0] ** 2, (wrong * y_bar,)),
        (x,),
        (0,),
    )
    assert verdicts(report, "dot product") == {"fail"}
    assert verdicts(report, "tangent") == {"pass"}
    value = verify(
        np.square,
        lambda args, dots: (args[0] * slope / 2.0, slope * dots[0]),
        lambda args, y_bar: (args[0] * wrong / 2.0, (slope * y_bar,)),
        (x,),
        (0,),
    )
    assert (verdicts(value, "value, t"), verdicts(value, "value, a")) == ({"pass"}, {"fail"})


def test_zeros_and_their_rounding_dust_are_moved() -> None:
    # The derivative with respect to an argument that is 0, or nearly, is tested too.
    matrix = RNG.normal(size=(3, 3))
    for x in (np.array([0.0, 0.0, 0.0]), np.array([1.0, 0.0, 1e-17])):
        assert check(lambda x: matrix @ np.sin(x), matrix * np.cos(x), x).ok
        for place in range(3):
            wrong = matrix * np.cos(x)
            wrong[:, place] *= 1.001
            report = check(lambda x: matrix @ np.sin(x), wrong, x)
            assert verdicts(report, "tangent") == {"fail"}
