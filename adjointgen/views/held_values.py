"""What straight code holds for the reverse sweep: values that have names and need no tape.

They are defined before the reverse sweep begins, outside of loops, and read after that.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.ir.nodes import (
    Apply,
    Function,
    Operand,
    Record,
    Stmt,
    Value,
    blocks_of,
    operands_of,
    results_of,
)
from adjointgen.ir.sweep_marks import begins_reverse
from adjointgen.rules.framework.table import TABLE

Read = tuple[Stmt, Operand]


def held_values(program: Function) -> Iterator[tuple[Stmt, Value, Stmt]]:
    """The statements that define such values, the values, and who reads each first."""
    stmts = program.body.stmts
    turn = next((k for k, stmt in enumerate(stmts) if begins_reverse(stmt)), len(stmts))
    readers: dict[str, Stmt] = {}
    for stmt in stmts[turn:]:
        for reader, operand in _reads(stmt):
            if isinstance(operand, Value):
                readers.setdefault(operand.name, reader)
    for stmt in stmts[:turn]:
        for value in results_of(stmt):
            if value.name in readers and not isinstance(stmt, Record):
                yield stmt, value, readers[value.name]


def is_view(stmt: Stmt) -> bool:
    """Whether what a statement defines is memory of something else."""
    return isinstance(stmt, Apply) and bool(TABLE.get(stmt.op).alias)


def _asks_shape(stmt: Stmt) -> bool:
    """Whether a statement reads the lengths of an array, and none of its entries."""
    row = TABLE.get(stmt.op) if isinstance(stmt, Apply) else None
    return row is not None and (row.measures or row.shape_only)


def _reads(stmt: Stmt) -> Iterator[Read]:
    """The operands that a statement reads, and those inside of it."""
    stack = [stmt]
    while stack:
        one = stack.pop()
        if not _asks_shape(one):
            yield from ((one, operand) for operand in operands_of(one))
        for block in reversed(blocks_of(one)):
            yield from ((one, y) for y in block.yields)
            stack += reversed(block.stmts)
