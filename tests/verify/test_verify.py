"""Right derivatives are accepted, whatever the arguments look like, within the calls allowed."""

import dataclasses
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from adjointgen import check as check_generated
from adjointgen.errors import Unsupported
from adjointgen.verify.report import Report
from adjointgen.verify.verify import verify

Function = Callable[..., Any]

# f, f' by mpmath, and where.
SCALAR: dict[str, tuple[Function, Function, tuple[float, ...]]] = {
    "sin": (np.sin, mpmath.sin, (0.0, 0.3, 10.0, math.pi)),
    "exp": (math.exp, mpmath.exp, (-20.0, 0.0, 3.0)),
    "log": (math.log, mpmath.log, (1e-6, 1.0, 1e6)),
    "sqrt": (np.sqrt, mpmath.sqrt, (1e-9, 4.0)),
    "tanh": (np.tanh, mpmath.tanh, (-3.0, 0.0, 0.1)),
    "arctan": (math.atan, mpmath.atan, (-50.0, 0.7)),
    "arcsin": (np.arcsin, mpmath.asin, (-0.99, 0.0, 0.5)),
    "arccosh": (np.arccosh, mpmath.acosh, (1.01, 30.0)),
    "expm1": (np.expm1, mpmath.expm1, (-1e-7, 1e-7)),
    "erf": (math.erf, mpmath.erf, (-1.0, 2.5)),
    "gamma": (math.gamma, mpmath.gamma, (0.5, 5.0)),
    "square": (lambda x: x * x, lambda x: x * x, (0.0, -3.0, 1e150)),
    "tiny": (lambda x: 1e-200 * x * x, lambda x: mpmath.mpf(1e-200) * x * x, (2.0,)),
    "cancelling": (lambda x: 1 - np.cos(x), lambda x: 1 - mpmath.cos(x), (1e-3, 2.0)),
}
POINTS = [(name, x) for name, (_, _, points) in SCALAR.items() for x in points]


def check(function: Function, jacobian: Function, *args: Any, **options: Any) -> Report:
    """Verifies the programs that a Jacobian of a vector function makes."""

    def tangent(args: Any, dots: Any) -> Any:
        return function(*args), jacobian(*args) @ dots[0]

    def adjoint(args: Any, y_bar: Any) -> Any:
        return function(*args), (np.transpose(jacobian(*args)) @ y_bar,)

    return verify(function, tangent, adjoint, args, (0,), **options)


def check_scalar(function: Function, slope: float | complex, x: Any, **options: Any) -> Report:
    """Verifies the programs that a slope at one point makes."""
    return verify(
        function,
        lambda args, dots: (function(*args), slope * dots[0]),
        lambda args, y_bar: (function(*args), (slope * y_bar,)),
        (x,),
        (0,),
        **options,
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "x"), POINTS)
def test_elementary_derivatives_are_accepted(name: str, x: float) -> None:
    function, oracle, _ = SCALAR[name]
    with mpmath.workdps(400):
        slope = float(mpmath.diff(oracle, mpmath.mpf(x)))
    for seed in range(3):
        report = check_scalar(function, slope, x, seed=seed)
        assert report.ok and not report.kinks, str(report)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "x"), POINTS)
def test_elementary_derivatives_that_are_a_little_off_are_not(name: str, x: float) -> None:
    function, oracle, _ = SCALAR[name]
    with mpmath.workdps(400):
        slope = float(mpmath.diff(oracle, mpmath.mpf(x)))
    report = check_scalar(function, slope * (1 + 1e-7) if slope else 1e-7, x)
    assert [row.verdict for row in report.rows if row.test.startswith("tangent")] == ["fail"] * 3


def recurrence(x: Any, a: float) -> Any:
    y = np.zeros_like(x)
    y[0] = a * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
    return np.sum(y * y)


def recurrence_tangent(args: Any, dots: Any) -> Any:
    (x, a), (x_dot, a_dot) = args, dots
    y, y_dot = np.zeros_like(x), np.zeros_like(x)
    y[0], y_dot[0] = a * x[0], a_dot * x[0] + a * x_dot[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
        y_dot[i] = (a_dot * y[i - 1] + a * y_dot[i - 1]) * x[i] + a * y[i - 1] * x_dot[i]
    return np.sum(y * y), np.sum(2 * y * y_dot)


def recurrence_adjoint(args: Any, result_bar: Any) -> Any:
    x, a = args
    y = np.zeros_like(x)
    y[0] = a * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
    y_bar, x_bar, a_bar = 2.0 * result_bar * y, np.zeros_like(x), 0.0
    for i in range(len(x) - 1, 0, -1):
        x_bar[i] += y_bar[i] * a * y[i - 1]
        a_bar += y_bar[i] * y[i - 1] * x[i]
        y_bar[i - 1] += y_bar[i] * a * x[i]
    return np.sum(y * y), (x_bar + y_bar[0] * a * np.eye(len(x))[0], a_bar + y_bar[0] * x[0])


POINT = (np.array([1.0, 2.0, -0.5, 0.3]), 1.3)


def test_a_report_has_its_rows_in_order() -> None:
    report = verify(recurrence, recurrence_tangent, recurrence_adjoint, POINT, (0, 1), seed=4)
    assert report.ok and report.function == "recurrence" and report.seed == 4
    assert [row.test for row in report.rows] == [
        "value, tangent",
        "value, adjoint",
        "tangent 1, complex step",
        "Taylor order 1",
        "dot product 1",
        "tangent 2, complex step",
        "Taylor order 2",
        "dot product 2",
        "tangent 3, complex step",
        "Taylor order 3",
        "dot product 3",
        "arguments",
        "second call",
    ]
    assert POINT[0].tolist() == [1.0, 2.0, -0.5, 0.3]


def test_a_seed_repeats_a_report_and_another_does_not() -> None:
    programs = recurrence, recurrence_tangent, recurrence_adjoint
    one, again, other = (verify(*programs, POINT, (0, 1), seed) for seed in (1, 1, 2))
    assert one == again and one.rows != other.rows


HARD: dict[str, tuple[Function, Function, float]] = {
    "smooth": (np.sin, np.cos, 1.0),
    "kink": (abs, np.sign, 0.0),
    "kink close by": (lambda x: abs(x - 1), lambda x: np.sign(x - 1), 1.00001),
    "jump": (np.sign, lambda x: 0.0, 0.0),
    "edge": (np.sqrt, lambda x: math.inf, 0.0),
    "fast": (np.sin, np.cos, 1e7),
    "chaotic": (lambda x: [x := 3.9 * x * (1 - x) for _ in range(80)][-1], np.cos, 0.3),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("evaluations", [60, 31, 100])
def test_the_number_of_calls_is_bounded(name: str, evaluations: int) -> None:
    function, slope, x = HARD[name]
    calls = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return function(x)

    check_scalar(counted, slope(x), x, evaluations=evaluations)
    assert len(calls) <= evaluations


def test_directions_are_as_many_as_asked_for() -> None:
    report = check_scalar(np.sin, math.cos(1.0), 1.0, directions=5, evaluations=100)
    assert sum(row.test.startswith("dot product") for row in report.rows) == 5


Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass(frozen=True)
class Model:
    weights: Any
    size: int
    extra: dict[str, Any]


def apply(model: Model, pair: Pair, mode: str) -> Any:
    assert mode == "on" and model.size == 2
    total = model.weights @ pair.left * model.extra["scale"]
    return {"total": total, "pair": Pair(pair.right**2, [3, total[0] * pair.right])}


def apply_tangent(args: Any, dots: Any) -> Any:
    (m, p, mode), (m_dot, p_dot) = args, dots
    y, scale = apply(m, p, mode), m.extra["scale"]
    total = (m_dot.weights @ p.left + m.weights @ p_dot.left) * scale
    total = total + m.weights @ p.left * m_dot.extra["scale"]
    product = total[0] * p.right + y["total"][0] * p_dot.right
    return y, {"total": total, "pair": Pair(2 * p.right * p_dot.right, [3, product])}


def apply_adjoint(args: Any, y_bar: Any) -> Any:
    m, p, mode = args
    y, scale = apply(m, p, mode), m.extra["scale"]
    total_bar = y_bar["total"].copy()
    total_bar[0] += y_bar["pair"].right[1] * p.right
    right_bar = 2 * p.right * y_bar["pair"].left + y_bar["pair"].right[1] * y["total"][0]
    weights_bar = np.outer(total_bar, p.left) * scale
    extra_bar = {"scale": total_bar @ (m.weights @ p.left), "n": None}
    left_bar = m.weights.T @ total_bar * scale
    return y, (Model(weights_bar, 0, extra_bar), Pair(left_bar, right_bar))


STRUCTURED = (
    Model(np.array([[1.0, 2.0], [-1.0, 0.5]]), 2, {"scale": 0.3, "n": 7}),
    Pair(np.array([0.2, 1.5]), -2.0),
    "on",
)


def test_structures_are_verified() -> None:
    report = verify(apply, apply_tangent, apply_adjoint, STRUCTURED, (0, 1))
    assert report.ok, str(report)


def test_a_fault_in_a_structure_is_named_by_its_place() -> None:
    def wrong(args: Any, dots: Any) -> Any:
        y, y_dot = apply_tangent(args, dots)
        return y, {**y_dot, "pair": y_dot["pair"]._replace(left=0.0)}

    report = verify(apply, wrong, apply_adjoint, STRUCTURED, (0, 1))
    failed = [row for row in report.rows if row.verdict == "fail" and "tangent" in row.test]
    assert len(failed) == 3 and failed[0].note.startswith("at result['pair'].left: tangent differs")


def test_a_function_may_write_to_its_arguments() -> None:
    def scale(x: Any, a: float) -> Any:
        x *= a
        return np.sum(x**2)

    def tangent(args: Any, dots: Any) -> Any:
        (x, a), (x_dot, a_dot) = args, dots
        x_dot[:] = x_dot * a + x * a_dot
        x *= a
        return np.sum(x**2), np.sum(2 * x * x_dot)

    def adjoint(args: Any, y_bar: Any) -> Any:
        x, a = args
        old = x.copy()
        x *= a
        return np.sum(x**2), (2 * x * y_bar * a, np.sum(2 * x * y_bar * old))

    x = np.array([1.0, -2.0])
    report = verify(scale, tangent, adjoint, (x, 0.5), (0, 1))
    assert report.ok, str(report)
    assert x.tolist() == [1.0, -2.0]


def test_complex_arguments_have_adjoints_without_a_conjugate() -> None:
    z = np.array([1 + 2j, -0.5j])
    slope = np.exp(z) * (z * z + 2 * z)
    report = check_scalar(lambda z: z * z * np.exp(z), slope, z)
    assert report.ok, str(report)
    modulus = verify(
        np.abs,
        lambda args, dots: (np.abs(args[0]), np.real(np.conj(args[0]) * dots[0]) / np.abs(args[0])),
        lambda args, y_bar: (np.abs(args[0]), (y_bar * np.conj(args[0]) / np.abs(args[0]),)),
        (z,),
        (0,),
    )
    assert modulus.ok, str(modulus)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_precisions_are_verified_to_their_own(dtype: Any) -> None:
    x = np.linspace(0.5, 2.0, 50).astype(dtype)

    def function(x: Any) -> Any:
        return np.cumsum(np.sin(x) * x)

    def jacobian(x: Any) -> Any:
        return np.tril(np.ones((50, 50), dtype)) * (np.sin(x) + x * np.cos(x))

    assert check(function, jacobian, x).ok
    off = 1 + (1e-2 if dtype is np.float32 else 1e-9)
    report = check(function, lambda x: (jacobian(x) * off).astype(dtype), x)
    assert sum(row.verdict == "fail" for row in report.rows) >= 3


def test_mixed_sizes_are_all_seen() -> None:
    x = np.array([1e-6, 1.0, 1e6])
    for i in range(3):
        slope = np.where(np.arange(3) == i, 2.001, 2.0) * x
        report = check_scalar(lambda x: x * x, slope, x)
        assert not report.ok
    assert check_scalar(lambda x: x * x, 2.0 * x, x).ok


def test_nothing_to_differentiate_is_an_error_of_the_caller() -> None:
    for args, wrt in (((1,), (0,)), ((1.0, "a"), (0, 1)), ((1.0,), ())):
        with pytest.raises(ValueError, match="differentiate"):
            verify(lambda *_: 1.0, np.sin, np.cos, args, wrt)


def test_refusals_and_faults_of_the_function_pass_through() -> None:
    def refuse(*_: Any) -> Any:
        raise Unsupported("no", code="AG101")

    with pytest.raises(Unsupported):
        verify(math.sin, refuse, refuse, (1.0,), (0,))
    with pytest.raises(TypeError):
        verify(lambda x: x + "a", refuse, refuse, (1.0,), (0,))


@pytest.mark.parametrize(
    ("f", "z"),
    [
        (lambda x: x * (1 + 2j), 2.0),
        (lambda z: z * z, 2.0 + 1j),
        (lambda z: abs(z) ** 2, 1.0 + 2j),
        (lambda x: np.fft.fft(x), np.arange(4.0)),
        (lambda z: np.real(np.conj(z) * np.fft.ifft(z)), np.array([1 + 2j, 0.5j, -1.0])),
    ],
)
def test_generated_programs_of_complex_numbers_pass(f: Any, z: Any) -> None:
    report = check_generated(f, (z,))
    assert report.ok, str(report)


def test_of_arrays_without_entries_nothing_is_known() -> None:
    report = check_generated(lambda a: a * 2.0, (np.zeros(0),))
    assert {row.verdict for row in report.rows} == {"pass", "unclear"}
