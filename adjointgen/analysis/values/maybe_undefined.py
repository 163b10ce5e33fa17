"""Which values may not be defined on the path taken, and so have no shape.

What only some paths assign is `undefined` on the others; a loop or branch hands that on, and what
is made in the shape of such a value has no shape either. Nothing computes with these values where
they are not defined, but in their type they look like any other: whoever wants an array of a
certain type to ask for its shape has to pass them over.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.ir.edit import merged
from adjointgen.ir.nodes import UNDEFINED, Apply, Block, Const, Operand, Value, walk
from adjointgen.rules.framework.table import TABLE


def shape_read(op: str) -> int | None:
    """The operand of which an operation reads no more than the shape, which its result has."""
    row = TABLE.get(op)
    return row.shape_of if row.shape_only else None


def undefined(body: Block) -> frozenset[str]:
    """The names of the values that may not be defined, or have no shape."""
    sources = list(_sources(body))
    found = {value.name for value, source in sources if is_undefined(source)}
    if not found:
        return frozenset()
    readers: dict[str, list[str]] = {}
    for value, source in sources:
        if isinstance(source, Value):
            readers.setdefault(source.name, []).append(value.name)
    waiting = list(found)
    while waiting:
        new = [name for name in readers.get(waiting.pop(), ()) if name not in found]
        found.update(new)
        waiting += new
    return frozenset(found)


def is_undefined(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value == UNDEFINED


def _sources(body: Block) -> Iterator[tuple[Value, Operand]]:
    """Every value with what it may be, or has the shape of."""
    for stmt in walk(body):
        yield from merged(stmt)
        match stmt:
            case Apply(op=op, args=args) if (at := shape_read(op)) is not None:
                yield stmt.result, args[at]
            case Apply(op="copy"):
                yield stmt.result, stmt.args[0]
