"""The limit of fusion: so many arrays that alias checks keep a compiler from vectorising.

A compiler does not know that two arrays have no memory in common, and asks before the loop, for
each pair of which one is written. Where that is too much, it takes one iteration after the other,
and where exponentials are computed, this costs several times as much as another loop.
(Kennedy and McKinley 1993, for loops that are distributed.)
"""

from __future__ import annotations

from adjointgen.costs import PAIRS_COMPARED
from adjointgen.ir.edit import name_of
from adjointgen.ir.nodes import STORES, Apply, Loop, Operand
from adjointgen.rules.arrays.indexing import numbers_of

Row = tuple[str, tuple[Operand, ...]]
"""An array, and where in it."""
DEAR = ("vector_exp", "vector_tanh")
"""What is worth several iterations at once."""


def is_crowded(loop: Loop) -> bool:
    """Whether a loop of exponentials, with no loop inside, has too many pairs of arrays."""
    applies = [s for s in loop.body.stmts if isinstance(s, Apply)]
    if len(applies) != len(loop.body.stmts) or not any(s.op in DEAR for s in applies):
        return False
    array_of: dict[str, str] = {}
    read: set[Row] = set()
    written: set[Row] = set()
    for stmt in applies:
        if stmt.op not in ("load", *STORES):
            continue
        name = name_of(stmt.args[0])
        row = array_of.get(name, name), numbers_of(stmt)
        if stmt.op == "load":
            read.add(row)
        else:
            written.add(row)
            array_of[stmt.result.name] = row[0]
    writes, reads = len(written), len(read - written)
    return writes * (writes - 1) // 2 + writes * reads > PAIRS_COMPARED
