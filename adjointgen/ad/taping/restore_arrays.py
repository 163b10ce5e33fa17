"""Prevalues: which overwritten arrays the reverse sweep restores by undoing their stores.

An array `u` that a loop writes in place and the reverse sweep reads can be had in two ways. Each
element read is recorded where it was read; or each element overwritten is recorded, the stores are
undone in the reverse sweep, and elements are read from the restored array. Restoring an array has
a price once per store, recording once per read; both count more in inner loops. An array that the
reverse sweep reads as a whole is restored in any case. (Prevalues on the tape: Griewank and Walther
2008, section 4.2.)
"""

from __future__ import annotations

from collections import defaultdict

from adjointgen.ad.modes.adjoint import Open
from adjointgen.analysis.loops.element_forwarding import Rereads
from adjointgen.analysis.values.storage_classes import storage
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Loop,
    Operand,
    Stmt,
    Value,
    blocks_of,
    defined_in,
    operands_of,
    results_of,
)
from adjointgen.ir.types import Type
from adjointgen.optimize.scalar.dce import dead


def worth_restoring(program: Open) -> frozenset[str]:
    """The names of the restored versions that are worth keeping alive."""
    held = {v.name for many in program.restored.values() for v, _ in many}
    if not held:
        return frozenset()
    classes = storage(program.function)
    pruned = dead(program.function)
    needed = read_across(pruned.body)
    depths = _depths(program.function.body)
    undo: dict[str, float] = defaultdict(float)
    read: dict[str, float] = defaultdict(float)
    for stmt, depth in depths:
        if not isinstance(stmt, Apply):
            continue
        if stmt.op in ("store", "accumulate") and stmt.result.name in held:
            old = stmt.args[1]
            if isinstance(old, Value) and old.name not in needed:
                undo[classes.of(stmt.args[0])] += _price(old.type, depth)
        else:
            value = _at_hand(stmt, program.passing)
            if value is None or value.name not in needed or value.name in program.standing:
                continue
            if classes.written(stmt.args[0]):
                read[classes.of(stmt.args[0])] += _price(value.type, depth)
    alive = {v.name for v in defined_in(pruned.body)}
    return frozenset(
        v.name
        for many in program.restored.values()
        for v, _ in many
        if _worth(classes.of(v), undo, read, v.name in alive)
    )


def _at_hand(stmt: Apply, passing: Rereads) -> Value | None:
    """What could be read of an array that is restored: what a statement reads of it or writes."""
    if stmt.op == "load":
        return stmt.result
    value = stmt.args[1] if stmt.op == "store" else None
    return value if isinstance(value, Value) and value.name in passing else None


def _worth(kind: str, undo: dict[str, float], read: dict[str, float], alive: bool) -> bool:
    return alive or undo[kind] < read[kind]


def _price(type: Type, depth: int) -> float:
    return (1.0 if type.is_scalar else 3.0) * 10.0**depth


def _depths(body: Block) -> list[tuple[Stmt, int]]:
    """All statements with the number of loops around them."""
    found: list[tuple[Stmt, int]] = []

    def visit(block: Block, depth: int) -> None:
        for stmt in block.stmts:
            found.append((stmt, depth))
            for inner in blocks_of(stmt):
                visit(inner, depth + bool(inner.params))

    visit(body, 0)
    return found


def read_across(body: Block) -> frozenset[str]:
    """Names that are read where no enclosing block defines them: across the two sweeps."""
    found: set[str] = set()
    visible: set[str] = set()

    def read(operands: tuple[Operand, ...]) -> None:
        found.update(o.name for o in operands if isinstance(o, Value) and o.name not in visible)

    def visit(block: Block, also: tuple[Value, ...]) -> None:
        mine = {v.name for v in (*block.params, *also)}
        visible.update(mine)
        for stmt in block.stmts:
            read(operands_of(stmt))
            index = (stmt.index,) if isinstance(stmt, Loop) else ()
            for inner in blocks_of(stmt):
                visit(inner, index)
            made = {v.name for v in results_of(stmt)}
            mine |= made
            visible.update(made)
        read(block.yields)
        visible.difference_update(mine)

    visit(body, ())
    return frozenset(found)
