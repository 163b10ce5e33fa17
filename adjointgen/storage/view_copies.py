"""Copies of views that are read after their base is overwritten, where the views are made.

    t = u[1:]                               t = u[1:].copy()
    u[2] = a                        ->      u[2] = a
    s = np.sum(t)                           s = np.sum(t)

Which views these are, `insert_copies.py` says.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Apply, Block, Stmt
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def with_copies(block: Block, names: Iterable[str], fresh: Names) -> Block:
    """Replace `t = view(a)` by `v = view(a); t = copy(v)` for each name `t`."""
    wanted = frozenset(names)
    if not wanted:
        return block

    def visit(block: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            stmts.extend(
                _copied(stmt) if _is_wanted(stmt) else (rebuild(stmt, lambda o: o, visit),)
            )
        return replace(block, stmts=tuple(stmts))

    def _is_wanted(stmt: Stmt) -> bool:
        return isinstance(stmt, Apply) and any(r.name in wanted for r in stmt.results)

    def _copied(stmt: Stmt) -> tuple[Stmt, ...]:
        assert isinstance(stmt, Apply)
        view = replace(stmt.result, name=fresh.fresh("t"), root="")
        made = replace(stmt, results=(view,))
        return made, Apply((stmt.result,), "copy", (view,), span=stmt.span)

    return visit(block)
