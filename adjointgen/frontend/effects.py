"""Which functions of a program do more than compute, so that calls of them stay.

A function has an effect if a statement of its own has one, or if it calls one that has.
"""

from __future__ import annotations

from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Apply, Block, Call, Function, Stmt, blocks_of, walk
from adjointgen.records import replace
from adjointgen.rules.table import TABLE


def with_effects(function: Function) -> Function:
    """The program with every call marked that has an effect."""
    every = (function, *function.callees)
    found = {f.name for f in every if any(map(_is_effect, walk(f.body)))}
    calls = {f.name: {s.function for s in walk(f.body) if isinstance(s, Call)} for f in every}
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    root, *callees = (replace(f, body=_marked(f.body, found)) for f in every)
    return replace(root, callees=tuple(callees))


def may_act(stmt: Stmt) -> bool:
    """Whether a statement may do more than compute: one with blocks, if one inside may."""
    inside = (s for block in blocks_of(stmt) for s in walk(block))
    return any(isinstance(s, Call) or _is_effect(s) for s in (stmt, *inside))


def _is_effect(stmt: Stmt) -> bool:
    if not isinstance(stmt, Apply) or stmt.op == "comment" or stmt.option("pure"):
        return False
    return bool(stmt.option("effect", TABLE[stmt.op].effect))


def _marked(block: Block, found: set[str]) -> Block:
    def marked(stmt: Stmt) -> Stmt:
        return replace(stmt, effect=stmt.function in found) if isinstance(stmt, Call) else stmt

    return with_simple(block, marked)
