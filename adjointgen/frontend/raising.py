"""What the user computes and nobody reads is kept where it may raise: `x[10]`, `1.0 / n`.

Kept is what may end in an exception of Python's on a number or at an index, and what fails for
singular matrices. Whether arrays fit each other is not asked where nobody reads what they give.
Slices and elements at the index of a loop need no check; calls of functions are kept for their
effects alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.frontend.failures import failures
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Const,
    Loop,
    Operand,
    Stmt,
    Value,
    blocks_of,
    operands_of,
    results_of,
    walk,
)
from adjointgen.records import replace


def kept(body: Block) -> Block:
    """The body in which statements that may raise, and that nothing reads, have an effect."""
    indices = {stmt.index.name for stmt in walk(body) if isinstance(stmt, Loop)}
    return _block(body, set(), indices)


def _block(block: Block, read: set[str], indices: set[str]) -> Block:
    """One block, from its end, with the names that are read after each statement."""
    _note(read, block.yields)
    stmts: list[Stmt] = []
    for stmt in reversed(block.stmts):
        unread = not any(result.name in read for result in results_of(stmt))
        if unread and isinstance(stmt, Apply) and _may_raise(stmt, indices):
            stmt = replace(stmt, options=tuple(sorted((*stmt.options, ("effect", True)))))
            unread = False
        if blocks_of(stmt):
            stmt = rebuild(stmt, lambda o: o, lambda b: _block(b, read, indices))
        if not unread or not isinstance(stmt, Apply) or stmt.op in ("statement", "verbatim"):
            _note(read, operands_of(stmt))
        stmts.append(stmt)
    return Block(block.params, tuple(stmts[::-1]), block.yields)


def _note(read: set[str], operands: Iterable[Operand]) -> None:
    read.update(operand.name for operand in operands if isinstance(operand, Value))


def _may_raise(stmt: Apply, indices: set[str]) -> bool:
    if stmt.op in ("verbatim", "statement", "comment", "store", "accumulate"):
        return False
    if stmt.op == "load":
        return _may_miss(stmt, indices)
    if stmt.op in ("div", "floordiv", "mod") and _is_number(stmt.args[-1]):
        return False
    if stmt.op == "pow" and all(isinstance(a, Const) for a in stmt.args[1:]):
        return False
    found = failures(Block((), (stmt,), ()), False)
    arrays = any(operand.type.is_array for operand in stmt.args)
    return bool(found - {ValueError} if arrays else found)


def _is_number(operand: Operand) -> bool:
    return isinstance(operand, Const) and bool(operand.value)


def _may_miss(stmt: Apply, indices: set[str]) -> bool:
    """Whether an element may not be there: of one index, which is not that of a loop."""
    if stmt.result.type.is_array:
        # What is written through a row is not read from it.
        return False
    array, *index = stmt.args
    pattern = str(stmt.option("index"))
    if any(isinstance(i, Value) and (i.name in indices or i.type.is_array) for i in index):
        return False
    if "_" in pattern:
        return ":" not in pattern
    length = array.type.shape[0].known if array.type.shape and array.type.shape[0] else None
    if not pattern.lstrip("-").isdigit():
        return False
    at = int(pattern)
    return length is None or not -length <= at < length
