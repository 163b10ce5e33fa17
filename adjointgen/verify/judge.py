"""Verdicts: each function turns the numbers of one test into rows of the report.

Numbers are held against the tolerances of tolerance.py; Taylor orders may be 0.4 short, which is
far from the whole order that a wrong derivative costs.
"""

from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np

from adjointgen.verify.attempt import Outcome
from adjointgen.verify.differences import Reference
from adjointgen.verify.dotproduct import dot_product
from adjointgen.verify.line import OUTSIDE, Line
from adjointgen.verify.report import Row, Verdict
from adjointgen.verify.structures import (
    Mask,
    Vector,
    changes,
    flatten,
    misfit,
    place,
    unflatten,
)
from adjointgen.verify.taylor import TaylorTable
from adjointgen.verify.tolerance import of_products, of_value

ORDER_SLACK = 0.4

WRONG_TANGENT = "the tangent program is wrong or the point is a kink"
CLOSE_KINK = "try another point; a kink or an edge of the domain is close"
SOLVER = "a solver that the function calls may leave so much; make it more exact, or give rtol"


def undefined(raised: str) -> Row:
    """The function raises at the point."""
    note = "the function is not defined here; try another point"
    return Row("value", "a number", raised, nan, nan, "unclear", note)


def finite(y: Any) -> tuple[Row, ...]:
    """A row if some result is not finite, or none is float-valued."""
    values = flatten(y)
    bad = np.flatnonzero(~np.isfinite(values))
    if not values.size:
        note = "the result has no float-valued leaf, so there is no derivative to verify"
        return (Row("value", "a float", type(y).__name__, nan, nan, "unclear", note),)
    if not bad.size:
        return ()
    where = place(y, int(bad[0]), "result")
    note = f"{bad.size} of {values.size} results are not finite, first {where}; try another point"
    got = f"{values[bad[0]]:g}"
    return (Row("finite value", "finite", got, nan, nan, "unclear", note),)


def form(program: str, number: int, outcome: Outcome, y: Any, *like: Any) -> tuple[Row, ...]:
    """A row if a program does not return a pair of the forms of `y` and `like`.

    Without `like`, one of `y` alone.
    """
    test = f"{program} {number}"
    if outcome.raised:
        note = f"the {program} program raises where the function does not"
        return (Row(test, "a result", outcome.raised, nan, nan, "fail", note),)
    if not isinstance(outcome.result, tuple) or len(outcome.result) != 1 + len(like):
        note = f"the {program} program has to return the value and the derivative"
        return (Row(test, "a pair", type(outcome.result).__name__, nan, nan, "fail", note),)
    parts = ("value", "derivative")[: 1 + len(like)]
    for part, tree, model in zip(parts, outcome.result, (y, *like), strict=True):
        fault = misfit(model, tree)
        if fault:
            note = f"the {part} of the {program} program has another form: {fault}"
            return (Row(test, "same form", "another form", nan, nan, "fail", note),)
    return ()


def value(program: str, y: Any, given: Any, noise: Vector) -> Row:
    """Whether a program computes the function's value, passive parts included."""
    test = f"value, {program}"
    note = f"the {program} program computes another value: its forward sweep is wrong"
    for path in changes(y, given, floats=False):
        return Row(test, "equal", f"another result{path}", nan, nan, "fail", note)
    expected, got = flatten(y), flatten(given, like=y)
    if not expected.size:
        return Row(test, "equal", "equal", 0.0, 0.0, "pass")
    same = (expected == got) | (np.isnan(expected) & np.isnan(got))
    with np.errstate(all="ignore"):
        error = np.where(same, 0.0, np.nan_to_num(np.abs(got - expected), nan=inf))
    allowed = of_value(y, noise)
    worst = _worst(error, allowed)
    numbers = float(expected[worst]), float(got[worst]), float(error[worst])
    verdict: Verdict = "pass" if error[worst] <= allowed[worst] else "fail"
    note = _note(place(y, worst, "result"), verdict, note)
    return Row(test, *numbers, float(allowed[worst]), verdict, note)


def tangent(
    number: int,
    found: Reference,
    line: Line,
    y_dot: Vector,
    allowed: Vector,
    open: Vector,
) -> Row:
    """The tangent against the reference; at a kink, against all that is possible there.

    An error up to `open` beyond the tolerance decides nothing.
    """
    known = np.isfinite(line.here)
    if not np.any(known):
        return Row(f"tangent {number}", "a derivative", "none", nan, nan, "unclear", CLOSE_KINK)
    with np.errstate(all="ignore"):
        error = np.maximum(np.maximum(found.low - y_dot, y_dot - found.high), 0.0)
    error = np.where(np.isnan(error), inf, error)
    verdict, among = _verdict(found, known, error <= allowed, error <= allowed + open)
    worst = _worst(error, allowed, among)
    low, high = float(found.low[worst]), float(found.high[worst])
    method = "complex step" if found.believed[worst] else "differences"
    meaning = f"tangent differs from {method}: {SOLVER if verdict == 'unclear' else WRONG_TANGENT}"
    if not found.resolved[worst]:
        meaning = f"no sharp reference, its error is {found.error[worst]:.1e}; {CLOSE_KINK}"
    return Row(
        f"tangent {number}, {method}",
        f"{low:.4g} to {high:.4g}" if low < high else low,
        float(y_dot[worst]),
        float(error[worst]),
        float(allowed[worst]),
        verdict,
        _note(place(line.result, worst, "result"), verdict, meaning),
    )


def _verdict(found: Reference, known: Mask, near: Mask, possible: Mask) -> tuple[Verdict, Mask]:
    """The worst verdict on any result, and the results that have it."""
    order: tuple[tuple[Verdict, Mask], ...] = (
        ("fail", known & found.resolved & ~possible),
        ("unclear", known & ~(found.resolved & near)),
        ("kink", known & found.kinked),
    )
    for verdict, mask in order:
        if np.any(mask):
            return verdict, mask
    return "pass", known


def taylor(number: int, found: Reference, line: Line, table: TaylorTable) -> Row:
    """The order of the remainder after the first derivative."""
    test = f"Taylor order {number}"
    judged = found.smooth & found.resolved
    if not np.any(judged) or len(table.rows) < 2:
        smooth = not np.any(np.isfinite(line.here) & ~found.smooth)
        verdict: Verdict = "unclear" if smooth else "kink"
        return Row(test, 2.0, "none", nan, ORDER_SLACK, verdict, CLOSE_KINK)
    order = table.order(1)
    if order == inf:
        return Row(test, 2.0, "exact", 0.0, ORDER_SLACK, "pass", "the remainder is all rounding")
    error = max(0.0, 2.0 - order)
    verdict = "pass" if error <= ORDER_SLACK else "fail"
    note = f"the remainder does not shrink like h^2: {WRONG_TANGENT}" if error > ORDER_SLACK else ""
    return Row(test, 2.0, order, error, ORDER_SLACK, verdict, note)


def transpose(
    number: int,
    x_bars: Any,
    x_dots: Any,
    y_bar: Any,
    y_dot: Vector,
    lost: Vector,
    rtol: float = 0.0,
) -> Row:
    """<x_bar, x_dot> against <y_bar, y_dot>, where rounding may have cost y_dot `lost`."""
    found = dot_product(x_bars, x_dots, y_bar, unflatten(y_bar, y_dot))
    error = abs(found.of_arguments - found.of_results)
    slack = (of_products(y_bar, x_dots) + rtol) * found.size
    slack += float(np.sum(np.abs(flatten(y_bar)) * lost))
    verdict: Verdict = "pass" if np.isfinite(found.size) and error <= slack else "fail"
    note = "the adjoint is not the transpose of the tangent: one of them is wrong"
    finite = np.all(np.isfinite(y_dot)) and np.all(flatten(y_bar))
    if not (np.isfinite(found.size) or finite):
        # Results that are not finite have the adjoint 0, which still meets infinite slopes inside.
        verdict, note = "unclear", f"the derivative is infinite here; {CLOSE_KINK}"
    return Row(
        f"dot product {number}",
        found.of_results,
        found.of_arguments,
        error,
        slack,
        verdict,
        "" if verdict == "pass" else note,
    )


def by_differences(row: Row, number: int, found: Reference, here: Vector) -> Row:
    """The row of an adjoint whose dot product was taken with differences, not with a tangent."""
    known = np.isfinite(here)
    row = replace(row, test=f"adjoint {number}, differences")
    if np.all(found.resolved & found.smooth | ~known) and np.any(known):
        wrong = "adjoint differs from differences: the adjoint program is wrong"
        return row if row.verdict == "pass" else replace(row, note=wrong)
    return replace(row, verdict="unclear", note=f"no sharp reference; {CLOSE_KINK}")


def unchanged(found: tuple[str, ...]) -> Row:
    """Whether the programs left alone what the function leaves alone."""
    if not found:
        return Row("arguments", "unchanged", "unchanged", 0.0, 0.0, "pass")
    note = f"changed: {', '.join(found)}"
    return Row("arguments", "unchanged", "changed", nan, nan, "fail", note)


def apart(found: tuple[str, ...]) -> tuple[Row, ...]:
    """A row if results of the programs share storage that those of the function do not."""
    if not found:
        return ()
    note = f"one storage: {', '.join(found)}"
    return (Row("aliases", "as the function", "more", nan, nan, "fail", note),)


def raises(function: Outcome, program: Outcome) -> tuple[Row, ...]:
    """A row if one of a program and its function raises, or each something else.

    At a point outside of the domain, `math.log(0.0)`, the slope may raise before the value.
    """
    outside = isinstance(program.error, OUTSIDE) and isinstance(function.error, OUTSIDE)
    if type(program.error) is type(function.error) or outside:
        return ()
    expected, got = (outcome.raised or "a result" for outcome in (function, program))
    note = "the program has to raise what the function raises, and nothing else"
    return (Row("exception", expected, got, nan, nan, "fail", note),)


def repeatable(found: tuple[str, ...]) -> Row:
    """Whether second calls gave the same bits."""
    if not found:
        return Row("second call", "identical", "identical", 0.0, 0.0, "pass")
    note = f"differs for the {' and the '.join(found)}: hidden state, or a random choice"
    return Row("second call", "identical", "different", nan, nan, "fail", note)


def _worst(error: Vector, allowed: Vector, among: Mask | None = None) -> int:
    """The coordinate with the largest error for its tolerance."""
    with np.errstate(all="ignore"):
        ratio = np.where(error > 0.0, error / allowed, 0.0)
    ratio = np.where(np.isnan(ratio), 0.0, ratio)
    return int(np.argmax(ratio if among is None else np.where(among, ratio, -1.0)))


def _note(where: str, verdict: Verdict, meaning: str) -> str:
    return f"at {where}" if verdict in ("pass", "kink") else f"at {where}: {meaning}"
