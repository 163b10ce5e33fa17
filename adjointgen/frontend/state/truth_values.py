"""Whether a truth value is Python's own `True` or `False`, or may be one of NumPy's.

r = not x > 0.0         Python's: `r is True` asks whether it holds
r = x > 0.0             that of the numbers, and asked as it stands
r = a < x < g(x)        one or the other, by the path: refused
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from adjointgen.frontend.state.context import Context
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import Apply, Block, Branch, Const, Loop, Operand, Stmt, Value, While, walk
from adjointgen.rules.framework.table import TABLE

Origin = Literal["python", "as it stands", "unknown"]


def origin(ctx: Context, value: Operand) -> Origin:
    """Whose truth value this is."""
    return _Origins(ctx).of(value)


class _Origins:
    def __init__(self, ctx: Context) -> None:
        stmts = (s for block in ctx.blocks for s in walk(Block((), tuple(block), ())))
        self.sources = {value.name: ends for stmt in stmts for value, ends in _sources(stmt)}
        self.open: set[str] = set()

    def of(self, value: Operand) -> Origin:
        if isinstance(value, Const):
            return "python"
        if value.name in self.open:
            return "python"
        source = self.sources.get(value.name)
        truth = TABLE.get(source.op).truth if isinstance(source, Apply) else "operand"
        if truth != "operand":
            return "python" if truth == "own" else "as it stands"
        if source is None:
            return "unknown"
        self.open.add(value.name)
        found = {self.of(v) for v in (source.args if isinstance(source, Apply) else source)}
        self.open.discard(value.name)
        if found == {"python"}:
            return "python"
        return "as it stands" if isinstance(source, Apply) and "unknown" not in found else "unknown"


def _sources(stmt: Stmt) -> Iterator[tuple[Value, Apply | tuple[Operand, ...]]]:
    """What a statement gives, each with what it may be; or with the operation."""
    match stmt:
        case Apply():
            yield from ((value, stmt) for value in stmt.results)
        case Branch(results=results, then=then, orelse=orelse):
            for value, one, other in zip(results, then.yields, orelse.yields, strict=True):
                yield value, (one, other)
        case Loop() | While():
            for param, first, last, result in carried(stmt):
                yield param, (first, last)
                yield result, (first, last)
