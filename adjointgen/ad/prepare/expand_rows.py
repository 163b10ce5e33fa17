"""Operations that stand for several, written as these: `Row.written`.

    t = scaled(x_bar, s)        t = select(x_bar != 0.0, x_bar * s, 0.0)

They have derivatives of their own, which what they are written as would not have. So this comes
when nothing is left to differentiate, and before the program is simplified.
"""

from __future__ import annotations

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Apply, Block, Function, Stmt, walk
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names
from adjointgen.rules.framework.table import TABLE, Rule


def written_out(function: Function) -> Function:
    """The function with such operations written out."""
    if not any(isinstance(s, Apply) and _rule(s) for s in walk(function.body)):
        return function
    builder = Builder(Names.of(function))
    return replace(function, body=_block(builder, function.body))


def _rule(stmt: Apply) -> Rule | None:
    row = TABLE.rows.get(stmt.op)
    return None if row is None else row.written


def _block(builder: Builder, block: Block) -> Block:
    with builder.block() as made:
        for stmt in block.stmts:
            _statement(builder, stmt)
    return Block(block.params, tuple(made), block.yields)


def _statement(builder: Builder, stmt: Stmt) -> None:
    rule = _rule(stmt) if isinstance(stmt, Apply) else None
    if rule is None or not isinstance(stmt, Apply):
        builder.add(rebuild(stmt, lambda o: o, lambda inner: _block(builder, inner)))
        return
    builder.span = stmt.span
    with builder.called_as(stmt):
        made = rule(*map(builder.handle, stmt.args), **stmt.settings)
    builder.name_last(made.operand, stmt.result)
