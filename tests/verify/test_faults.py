"""Planted faults are found, each by the test that is meant for it.

The function is small; the faults are those of derivative programs: a sign, a term, an index, an
adjoint that is zeroed too late, a value that is overwritten before it is read.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen.errors import CheckFailed
from adjointgen.verify.report import Report
from adjointgen.verify.verify import verify

Program = Callable[..., Any]

X = np.array([0.7, -1.2, 2.0])
B = 0.4


def function(x: Any, b: float) -> Any:
    y = x * np.sin(x)
    y[1:] += b * y[:-1]
    return y


def tangent(args: Any, dots: Any) -> Any:
    (x, b), (x_dot, b_dot) = args, dots
    y, y_dot = x * np.sin(x), x_dot * np.sin(x) + x * np.cos(x) * x_dot
    y_dot[1:] += b_dot * y[:-1] + b * y_dot[:-1]
    y[1:] += b * y[:-1]
    return y, y_dot


def adjoint(args: Any, y_bar: Any) -> Any:
    x, b = args
    y = x * np.sin(x)
    b_bar = np.sum(y_bar[1:] * y[:-1])
    t_bar = y_bar.copy()
    t_bar[:-1] += b * y_bar[1:]
    y[1:] += b * y[:-1]
    return y, (t_bar * (np.sin(x) + x * np.cos(x)), b_bar)


def check(f: Program = function, t: Program = tangent, a: Program = adjoint, **more: Any) -> Report:
    return verify(f, t, a, (X, B), (0, 1), **more)


def failing(report: Report) -> set[str]:
    """The kinds of tests that failed."""
    return {row.test.split(" ")[0].strip(",") for row in report.rows if row.verdict == "fail"}


def of_tangent(change: Callable[[Any, Any, Any], Any]) -> Program:
    """A tangent program whose derivative is changed."""

    def program(args: Any, dots: Any) -> Any:
        y, y_dot = tangent(args, dots)
        return y, change(y_dot, args, dots)

    return program


def of_adjoint(change: Callable[[Any, Any, Any], Any]) -> Program:
    """An adjoint program whose derivative is changed."""

    def program(args: Any, y_bar: Any) -> Any:
        y, x_bars = adjoint(args, y_bar)
        return y, change(x_bars, args, y_bar)

    return program


def test_without_a_fault_all_is_fine() -> None:
    for seed in range(20):
        report = check(seed=seed)
        assert report.ok and not report.kinks, str(report)


TANGENT_FAULTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sign": lambda y_dot, args, dots: -y_dot,
    "sign of one": lambda y_dot, args, dots: y_dot * [1, -1, 1],
    "zero": lambda y_dot, args, dots: 0 * y_dot,
    "missing term": lambda y_dot, args, dots: y_dot - args[0] * np.cos(args[0]) * dots[0],
    "missing argument": lambda y_dot, args, dots: y_dot
    - [0, *(dots[1] * function(args[0], 0)[:2])],
    "shifted": lambda y_dot, args, dots: np.roll(y_dot, 1),
    "twice": lambda y_dot, args, dots: 2 * y_dot,
    "a millionth off": lambda y_dot, args, dots: y_dot * (1 + 1e-6),
    "a billionth off in one": lambda y_dot, args, dots: y_dot * [1, 1, 1 + 1e-9],
    "not linear": lambda y_dot, args, dots: y_dot * np.abs(dots[1]),
    "not a number": lambda y_dot, args, dots: y_dot * [1, math.nan, 1],
    "infinite": lambda y_dot, args, dots: y_dot * math.inf,
}


@pytest.mark.parametrize("name", TANGENT_FAULTS)
@pytest.mark.parametrize("seed", range(5))
def test_a_wrong_tangent_is_found(name: str, seed: int) -> None:
    report = check(t=of_tangent(TANGENT_FAULTS[name]), seed=seed)
    found = [row for row in report.rows if row.test.startswith("tangent") and row.verdict == "fail"]
    assert len(found) == 3 and not report.ok
    # The adjoint is right and has to contradict the tangent, if that is a number.
    assert "dot" in failing(report) or name == "infinite"
    with pytest.raises(CheckFailed, match="tangent 1") as caught:
        report.raise_on_failure()
    assert "the tangent program is wrong or the point is a kink" in caught.value.help


def test_large_faults_leave_taylor_a_power_short() -> None:
    found = failing(check(t=of_tangent(TANGENT_FAULTS["missing term"])))
    assert found == {"tangent", "Taylor", "dot"}


ADJOINT_FAULTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sign": lambda x_bars, args, y_bar: (-x_bars[0], x_bars[1]),
    "sign of a scalar": lambda x_bars, args, y_bar: (x_bars[0], -x_bars[1]),
    "missing argument": lambda x_bars, args, y_bar: (x_bars[0], 0.0),
    "order": lambda x_bars, args, y_bar: (x_bars[0][::-1].copy(), x_bars[1]),
    "added twice": lambda x_bars, args, y_bar: (x_bars[0] * [1, 2, 1], x_bars[1]),
    "constant": lambda x_bars, args, y_bar: (np.ones(3), 1.0),
    "a millionth off": lambda x_bars, args, y_bar: (x_bars[0], x_bars[1] * (1 + 1e-6)),
    "a billionth off": lambda x_bars, args, y_bar: (x_bars[0] * (1 + 1e-9), x_bars[1]),
    "not a number": lambda x_bars, args, y_bar: (x_bars[0] * [1, 1, math.nan], x_bars[1]),
    "the transpose forgotten": lambda x_bars, args, y_bar: (
        tangent(args, (y_bar, 0.0))[1],
        x_bars[1],
    ),
}


@pytest.mark.parametrize("name", ADJOINT_FAULTS)
@pytest.mark.parametrize("seed", range(5))
def test_a_wrong_adjoint_is_found(name: str, seed: int) -> None:
    report = check(a=of_adjoint(ADJOINT_FAULTS[name]), seed=seed)
    assert failing(report) == {"dot"}
    with pytest.raises(CheckFailed, match="dot product") as caught:
        report.raise_on_failure()
    assert "not the transpose" in caught.value.help


def test_faults_in_both_that_agree_are_found() -> None:
    report = check(
        t=of_tangent(lambda y_dot, args, dots: 2 * y_dot),
        a=of_adjoint(lambda x_bars, args, y_bar: (2 * x_bars[0], 2 * x_bars[1])),
    )
    assert failing(report) == {"tangent", "Taylor"}


def wrong_value(program: Program) -> Program:
    def changed(args: Any, given: Any) -> Any:
        y, derivative = program(args, given)
        return y * [1, 1, 1 + 1e-12], derivative

    return changed


def test_a_wrong_value_is_found() -> None:
    for programs in ({"t": wrong_value(tangent)}, {"a": wrong_value(adjoint)}):
        report = check(**programs)
        assert failing(report) == {"value"} and "forward sweep" in str(report)


def test_a_wrong_passive_result_is_found() -> None:
    report = verify(
        lambda x: (2 * x, 3, "steps"),
        lambda args, dots: ((2 * args[0], 4, "steps"), (2 * dots[0], 3, None)),
        lambda args, y_bar: ((2 * args[0], 3, "steps"), (2 * y_bar[0],)),
        (1.5,),
        (0,),
    )
    assert [row.got for row in report.rows if row.verdict == "fail"] == ["another result[1]"]


def writing(program: Program, which: Callable[[Any, Any], Any]) -> Program:
    """A program that writes to one of its arguments after the work is done."""

    def changed(args: Any, given: Any) -> Any:
        result = program(args, given)
        which(args, given)[0] += 1e-13
        return result

    return changed


WRITES: dict[str, tuple[dict[str, Program], str]] = {
    "adjoint, arguments": (
        {"a": writing(adjoint, lambda args, y_bar: args[0])},
        "args[0] by the adjoint program",
    ),
    "adjoint, seed": (
        {"a": writing(adjoint, lambda args, y_bar: y_bar)},
        "y_bar by the adjoint program",
    ),
    "tangent, arguments": (
        {"t": writing(tangent, lambda args, dots: args[0])},
        "args[0] by the tangent program",
    ),
    "tangent, direction": (
        {"t": writing(tangent, lambda args, dots: dots[0])},
        "x_dots[0] by the tangent program",
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_writing_to_an_argument_is_found(name: str) -> None:
    programs, note = WRITES[name]
    report = check(**programs)
    assert failing(report) == {"arguments"}
    assert report.rows[-2].note == f"changed: {note}"


def test_writing_to_what_the_function_writes_to_is_not_a_fault() -> None:
    def moves(x: Any, b: float) -> Any:
        y = function(x, b)
        x[0] += 1e-13
        return y

    assert check(f=moves, a=writing(adjoint, lambda args, y_bar: args[0])).ok
    report = check(f=moves, a=writing(adjoint, lambda args, y_bar: y_bar))
    assert failing(report) == {"arguments"}


@pytest.mark.parametrize("name", ["function", "tangent", "adjoint"])
def test_hidden_state_is_found(name: str) -> None:
    count: Iterator[int] = itertools.count()
    original = {"function": function, "tangent": tangent, "adjoint": adjoint}[name]

    def stateful(*given: Any) -> Any:
        result = original(*given)
        factor = 1.0 + 1e-15 * next(count)
        return result * factor if name == "function" else (result[0] * factor, result[1])

    report = check(**{name[0]: stateful})
    assert report.rows[-1].verdict == "fail" and f"the {name}" in report.rows[-1].note


FORMS: dict[str, tuple[dict[str, Program], str]] = {
    "a scalar for an array": (
        {"t": of_tangent(lambda y_dot, args, dots: 0.0)},
        "derivative of the tangent program has another form: the whole: float where float64 array",
    ),
    "another shape": (
        {"a": of_adjoint(lambda x_bars, args, y_bar: (x_bars[0][:, None], x_bars[1]))},
        "[0]: float64 array of shape (3, 1) where float64 array of shape (3,) is expected",
    ),
    "another dtype": (
        {"a": of_adjoint(lambda x_bars, args, y_bar: (x_bars[0].astype("f4"), x_bars[1]))},
        "[0]: float32 array of shape (3,) where float64 array of shape (3,) is expected",
    ),
    "too few": (
        {"a": of_adjoint(lambda x_bars, args, y_bar: x_bars[:1])},
        "tuple of 1 where tuple of 2 is expected",
    ),
    "a list": (
        {"a": of_adjoint(lambda x_bars, args, y_bar: list(x_bars))},
        "list of 2 where tuple of 2 is expected",
    ),
    "none": (
        {"a": of_adjoint(lambda x_bars, args, y_bar: (x_bars[0], None))},
        "[1]: NoneType where float is expected",
    ),
    "no pair": ({"t": lambda args, dots: tangent(args, dots)[1]}, "the value and the derivative"),
    "complex": (
        {"a": of_adjoint(lambda x_bars, args, y_bar: (x_bars[0], x_bars[1] + 0j))},
        "complex128 where float is expected",
    ),
    "an exception": ({"a": lambda args, y_bar: [][0]}, "raises where the function does not"),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_derivative_of_another_form_is_found(name: str) -> None:
    programs, text = FORMS[name]
    report = check(**programs)
    assert not report.ok and text in str(report)


@pytest.mark.parametrize("wrong", [-0.5, 1.5, 2.0, math.nan])
def test_a_slope_outside_of_a_kink_is_found(wrong: float) -> None:
    def report(slope: float) -> Report:
        return verify(
            lambda x: np.maximum(x, 1.0),
            lambda args, dots: (np.maximum(args[0], 1.0), slope * dots[0]),
            lambda args, y_bar: (np.maximum(args[0], 1.0), (slope * y_bar,)),
            (1.0,),
            (0,),
        )

    for slope in (0.0, 0.5, 1.0):
        right = report(slope)
        assert right.ok and [kink.kind for kink in right.kinks] == ["kink"]
    assert not report(wrong).ok


def test_a_kink_inside_a_smooth_function_is_blamed_on_the_program() -> None:
    # relu(x) - relu(-x) is x, and a program that takes 0 for both slopes at 0 has the slope 0.
    def relus(x: float) -> float:
        return max(x, 0.0) - max(-x, 0.0)

    report = verify(
        relus,
        lambda args, dots: (relus(*args), 0.0 * dots[0]),
        lambda args, y_bar: (relus(*args), (0.0 * y_bar,)),
        (0.0,),
        (0,),
    )
    assert not report.kinks and failing(report) == {"tangent", "Taylor"}


@pytest.mark.parametrize(
    ("f", "slope", "x"),
    [
        (math.log, 1.0, 0.0),
        (lambda x: 1.0 / x, 1.0, 0.0),
        (np.log, 1.0, -1.0),
        (lambda x: np.array([1.0, np.inf]) * x, np.array([1.0, np.inf]), 2.0),
        (np.sqrt, math.inf, 0.0),
        (np.sign, 0.0, 0.0),
        (lambda x: 3, 0.0, 1.0),
    ],
)
def test_what_cannot_be_verified_is_reported(f: Program, slope: Any, x: float) -> None:
    report = verify(
        f,
        lambda args, dots: (f(*args), slope * dots[0]),
        lambda args, y_bar: (f(*args), (float(np.sum(slope * y_bar)),)),
        (x,),
        (0,),
    )
    assert not report.ok and not failing(report)
    assert any(row.verdict == "unclear" and row.note for row in report.rows)
    with pytest.raises(CheckFailed):
        report.raise_on_failure()


def test_a_loud_function_can_still_be_checked_coarsely() -> None:
    def loud(x: float) -> float:
        return math.sin(x) + 1e-9 * math.sin(1e15 * x)

    def report(slope: float) -> Report:
        return verify(
            loud,
            lambda args, dots: (loud(*args), slope * dots[0]),
            lambda args, y_bar: (loud(*args), (slope * y_bar,)),
            (1.2,),
            (0,),
        )

    assert report(math.cos(1.2)).ok
    assert failing(report(math.cos(1.2) * 1.001)) >= {"tangent"}
