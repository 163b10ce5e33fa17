"""Where everything stands: each statement of a function gets a position on one line.

Folding, live ranges and names all speak of the same positions. A statement with blocks takes the
stretch from `at` to `end`; a block's yields are read at its `end`. For a loop

    at       the initial values are read and the carried names are assigned
    at + 1   the bounds are read and the index is assigned
    ...      the body, whose end assigns the carried names for the next iteration
    end      after the loop
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.ir.nodes import (
    Block,
    Branch,
    Loop,
    Operand,
    Stmt,
    While,
)
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A statement at its position, with the layers of its blocks."""

    stmt: Stmt
    at: int
    end: int
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A block, its statements in place."""

    block: Block
    places: tuple[Place, ...]
    start: int
    end: int


def lay(block: Block, start: int = 0) -> Layer:
    """The layer of a block whose statements begin after `start`."""
    places, position = [], start + 1
    for stmt in block.stmts:
        place = _place(stmt, position)
        places.append(place)
        position = place.end + 1
    return Layer(block, tuple(places), start, position)


def _place(stmt: Stmt, at: int) -> Place:
    match stmt:
        case Loop():
            body = lay(stmt.body, at + 1)
            return Place(stmt, at, body.end + 1, (body,))
        case While():
            test = lay(stmt.test, at)
            body = lay(stmt.body, test.end)
            return Place(stmt, at, body.end + 1, (test, body))
        case Branch():
            then = lay(stmt.then, at)
            orelse = lay(stmt.orelse, then.end)
            return Place(stmt, at, orelse.end, (then, orelse))
        case _:
            return Place(stmt, at, at)


def every_place(layer: Layer) -> Iterator[Place]:
    """All places of a layer, outer before inner, in order."""
    stack = list(reversed(layer.places))
    while stack:
        place = stack.pop()
        yield place
        for inner in reversed(place.layers):
            stack.extend(reversed(inner.places))


def stop_flag(stmt: Loop | While) -> Operand | None:
    """What says that the loop is left after this iteration, if it can be."""
    leaves = stmt.breaks if isinstance(stmt, While) else stmt.trips is not None
    return stmt.body.yields[0] if leaves else None
