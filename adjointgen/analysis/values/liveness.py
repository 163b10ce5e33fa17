"""Liveness: the statement of a block after which a value is not read again.

A value dies at its last use. Kept per statement is only what dies there, so that the facts of a
block are as large as the block; the set of live values after every statement would be quadratic.
A loop reads in every iteration what its body reads from outside, so nothing from outside dies in
the body: `last_use(loop.body, live_out=free(loop.body))`.
"""

from __future__ import annotations

from collections import Counter

from adjointgen.ir.nodes import (
    Apply,
    Block,
    Stmt,
    Value,
    defined_in,
    reads_of,
)


def uses(block: Block) -> Counter[str]:
    """How often each value is read in a block, at any depth and by its own yields."""
    return Counter(v.name for v in reads_of(block))


def free(block: Block) -> frozenset[str]:
    """The names that a block reads but does not define."""
    return frozenset(uses(block).keys() - {v.name for v in defined_in(block)})


def reads(stmt: Stmt) -> frozenset[str]:
    """The names of outer values that a statement reads, at any depth."""
    if isinstance(stmt, Apply):
        return frozenset(a.name for a in stmt.args if isinstance(a, Value))
    return free(Block((), (stmt,), ()))


def last_use(block: Block, live_out: frozenset[str] = frozenset()) -> list[frozenset[str]]:
    """For each statement the names that die at it.

    These are the names that the statement reads, at any depth, and that no later statement, no
    yield and nothing in `live_out` reads again. What is never read dies nowhere.
    """
    live = set(live_out).union(y.name for y in block.yields if isinstance(y, Value))
    dying = []
    for stmt in reversed(block.stmts):
        dies = reads(stmt) - live
        live |= dies
        dying.append(frozenset(dies))
    return dying[::-1]
