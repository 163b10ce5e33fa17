"""Programs that do otherwise than their function, each found by the row that is meant for it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen.errors import CheckFailed
from adjointgen.verify.report import Report
from adjointgen.verify.verify import verify

X = np.array([0.7, -1.2, 2.0])


def function(x: Any, out: Any, log: list[Any]) -> Any:
    """Writes to `out`, notes it in `log`, and returns an array of its own and `out`."""
    out[:2] = 2.0 * x[:2]
    log.append("done")
    return x * x, out


def tangent(args: Any, dots: Any) -> Any:
    (x, out, log), (x_dot,) = args, dots
    y, kept = function(x, out.copy(), [*log])
    kept_dot = np.zeros(3)
    kept_dot[:2] = 2.0 * x_dot[:2]
    return (y, kept), (2.0 * x * x_dot, kept_dot)


def adjoint(args: Any, y_bar: Any) -> Any:
    (x, out, log), (bar, kept_bar) = args, y_bar
    y, kept = function(x, out.copy(), [*log])
    return (y, kept), (2.0 * x * bar + 2.0 * kept_bar * [1.0, 1.0, 0.0],)


def check(t: Any = tangent, a: Any = adjoint, f: Any = function) -> Report:
    return verify(f, t, a, (X, np.ones(3), []), (0,))


def failing(report: Report) -> set[str]:
    return {row.test.partition(",")[0].partition(" ")[0] for row in report.rows if not _good(row)}


def _good(row: Any) -> bool:
    return bool(row.verdict == "pass")


def of(program: Any, change: Callable[[Any, Any], Any]) -> Any:
    """A program that does something more."""

    def run(args: Any, seeds: Any) -> Any:
        result = program(args, seeds)
        changed = change(args, result)
        return result if changed is None else changed

    return run


def write(target: str, value: Any) -> Callable[[Any, Any], None]:
    def change(args: Any, _: Any) -> None:
        args[("x", "out", "log").index(target)][:] = value

    return change


def test_without_a_fault_all_is_fine() -> None:
    assert check().ok, str(check())


def test_a_program_may_do_what_the_function_does() -> None:
    def own(args: Any, _: Any) -> None:
        function(*args)

    assert check(of(tangent, own), of(adjoint, own)).ok


def test_one_effect_may_be_left_out_and_another_done() -> None:
    assert check(of(tangent, write("log", ["done"]))).ok


FAULTS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "an argument that is read is written": ("arguments", write("x", 3.0)),
    "another value is written": ("arguments", write("out", [2 * X[0], 2 * X[0], 1.0])),
    "more is written": ("arguments", write("out", [2 * X[0], 2 * X[1], 7.0])),
    "an effect happens twice": ("arguments", write("log", ["done", "done"])),
    "another effect": ("arguments", write("log", ["undone"])),
    "the value is an argument": ("aliases", lambda a, r: ((_into(a[0], r[0][0]), r[0][1]), r[1])),
    "two values are one": ("aliases", lambda a, r: ((_halves(r[0])), r[1])),
    "the derivative is the value": ("aliases", lambda a, r: (r[0], _into_all(r[0], r[1]))),
}


def _into(target: Any, value: Any) -> Any:
    """The value, in the memory of an argument that is as large."""
    target[:] = value
    return target


def _halves(pair: Any) -> Any:
    """Two arrays with the values of two, which overlap in memory that holds both."""
    whole = np.zeros(6)
    one, other = np.lib.stride_tricks.as_strided(whole, (2, 3), (24, 8))
    one[:], other[:] = pair
    return np.ndarray((3,), float, whole.data), whole[2:5]


def _into_all(values: Any, derivative: Any) -> Any:
    return tuple(values)[: len(derivative)]


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("program", ["tangent", "adjoint"])
def test_a_fault_is_found(name: str, program: str) -> None:
    row, change = FAULTS[name]
    wrong = of(tangent if program == "tangent" else adjoint, change)
    report = check(t=wrong) if program == "tangent" else check(a=wrong)
    assert row in failing(report), str(report)
    with pytest.raises(CheckFailed):
        report.raise_on_failure()


def test_storage_that_the_function_shares_may_be_shared() -> None:
    def returns_part(x: Any) -> Any:
        return x[1:], x

    def pushed(args: Any, dots: Any) -> Any:
        return returns_part(args[0]), (dots[0][1:].copy(), dots[0].copy())

    def pulled(args: Any, bars: Any) -> Any:
        bar = bars[1].copy()
        bar[1:] += bars[0]
        return returns_part(args[0].copy()), (bar,)

    assert verify(returns_part, pushed, pulled, (X,), (0,)).ok

    def handed(args: Any, dots: Any) -> Any:
        return returns_part(args[0]), (dots[0][1:], dots[0])

    report = verify(returns_part, handed, pulled, (X,), (0,))
    (row,) = (row for row in report.rows if row.test == "aliases")
    assert "x_dots[0] and result_dot[1]" in row.note


def outside(x: Any) -> Any:
    return np.sqrt(float(x)) if x > 0 else [][0]


def no_number(x: Any) -> Any:
    raise ArithmeticError("none here")


def test_what_the_function_raises_the_tangent_raises() -> None:
    def same(args: Any, dots: Any) -> Any:
        raise ArithmeticError("none here")

    def similar(args: Any, dots: Any) -> Any:
        raise ZeroDivisionError

    def otherwise(args: Any, dots: Any) -> Any:
        raise KeyError

    def nothing(args: Any, dots: Any) -> Any:
        return 1.0, 1.0

    for program, wanted in ((same, ()), (similar, ()), (otherwise, (1,)), (nothing, (1,))):
        rows = verify(no_number, program, nothing, (1.0,), (0,)).rows
        assert tuple(k for k, row in enumerate(rows) if row.verdict == "fail") == wanted
