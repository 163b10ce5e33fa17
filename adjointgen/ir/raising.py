"""Which blocks end in an exception, whatever the values are."""

from __future__ import annotations

from adjointgen.ir.nodes import Apply, Block, Branch, Stmt


def raises(block: Block) -> bool:
    """Whether no path through a block reaches its end."""
    return any(map(_ends, block.stmts))


def _ends(stmt: Stmt) -> bool:
    match stmt:
        case Apply():
            return str(stmt.option("code") or "").startswith("raise ")
        case Branch(then=then, orelse=orelse):
            return raises(then) and raises(orelse)
    return False
