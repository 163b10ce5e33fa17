"""Copy propagation for statements of the reverse sweep: once there is one, nothing marks its place.

z = adjoint_of(y); ... z ...        ->        ... y ...
"""

from __future__ import annotations

from adjointgen.ir.edit import rebuild, substitute
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Stmt, walk
from adjointgen.records import replace
from adjointgen.rules.entrywise.adjoint_statements import is_hook


def without_hooks(function: Function) -> Function:
    """The program without the operations that had statements in the reverse sweep."""
    if not any(is_hook(stmt) for stmt in walk(function.body)):
        return function
    by: dict[str, Operand] = {}

    def operand(o: Operand) -> Operand:
        return substitute(o, by)

    def block(b: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in b.stmts:
            if isinstance(stmt, Apply) and is_hook(stmt):
                by[stmt.result.name] = operand(stmt.args[0])
            else:
                stmts.append(rebuild(stmt, operand, block))
        return replace(b, stmts=tuple(stmts), yields=tuple(map(operand, b.yields)))

    return replace(function, body=block(function.body))
