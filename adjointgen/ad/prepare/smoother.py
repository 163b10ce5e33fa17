"""Results of operations that are differentiated as other values which they are equal to.

`through(p, t)` is p with the derivatives of t, and is p again once these are taken.
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.ir.edit import rebuild, substitute_in
from adjointgen.ir.nodes import Apply, Block, Function, Operand
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names

Smoother = Callable[[Builder, Apply], Operand | None]


def differentiated_as(function: Function, smoother: Smoother) -> Function:
    """The function in which a result is differentiated as what `smoother` builds for it."""
    return replace(function, body=_block(function.body, Names.of(function), smoother))


def _block(block: Block, names: Names, smoother: Smoother) -> Block:
    builder, by = Builder(names), dict[str, Operand]()
    for stmt in block.stmts:
        stmt = substitute_in(Block((), (stmt,), ()), by).stmts[0]
        stmt = rebuild(stmt, lambda o: o, lambda inner: _block(inner, names, smoother))
        builder.add(stmt)
        same = smoother(builder, stmt) if isinstance(stmt, Apply) else None
        if isinstance(stmt, Apply) and same is not None:
            result = stmt.result
            through = builder.apply("through", result, same, root=result.root)
            by[result.name] = builder.retyped(through, result.type)
    inside = substitute_in(Block((), (), block.yields), by).yields
    return Block(block.params, builder.stmts, inside)
