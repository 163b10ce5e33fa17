"""Why a value is active, in words: `heights` depends on `p` (differentiated; through line 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.errors import Span
from adjointgen.ir.nodes import Function, Operand, Value, defined_in, results_of, walk

MOST = 3


def why(function: Function, activity: Activity, operand: Operand, here: Span | None) -> str:
    """What makes an operand active, and the lines of the way to the place `here`."""
    if not isinstance(operand, Value) or operand.name not in activity.varied:
        return "it depends on what is differentiated"
    path = activity.path(operand.name)
    roots = {v.name: v.root for v in defined_in(function.body)}
    source = roots.get(path[0], "")
    through = _lines(list(_places(function, path[1:], here)))
    passed = f" ({through})" if through else ""
    if not source:
        return f"{_quoted(operand.root)} depends on what is differentiated{passed}"
    if operand.root == source:
        return f"`{source}` is differentiated{passed}"
    reason = f"differentiated; {through}" if through else "differentiated"
    return f"{_quoted(operand.root)} depends on `{source}` ({reason})"


def _quoted(root: str) -> str:
    return f"`{root}`" if root else "it"


def _places(function: Function, path: Sequence[str], here: Span | None) -> Iterator[str]:
    """Where the values of a path are made, this statement left out: lines, or files and lines."""
    spans = {
        result.name: stmt.span
        for stmt in walk(function.body)
        for result in results_of(stmt)
        if stmt.span is not None
    }
    for name in path:
        span = spans.get(name)
        if span is None or (here is not None and (span.file, span.line) == (here.file, here.line)):
            continue
        same = here is None or span.file == here.file
        yield str(span.line) if same else f"{span.file}:{span.line}"


def _lines(places: list[str]) -> str:
    """`through line 9`, `through lines 4, 7 and 9`; of many the first and the last."""
    distinct = list(dict.fromkeys(places))
    if len(distinct) > MOST:
        distinct = [*distinct[: MOST - 1], f"… {distinct[-1]}"]
        return f"through lines {', '.join(distinct[:-1])} {distinct[-1]}"
    if len(distinct) < 2:
        return f"through line {distinct[0]}" if distinct else ""
    return f"through lines {', '.join(distinct[:-1])} and {distinct[-1]}"
