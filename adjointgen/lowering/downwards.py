"""Loops that run backwards in steps, with bounds that say so: compilers know no `reversed`.

    for i in reversed(range(a, b, 2))    ->    for i in range(a + (b - a - 1) // 2 * 2, a - 2, -2)

The printer writes steps of one by itself.
"""

from __future__ import annotations

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import NESTED, Block, Const, Function, Loop, Operand, Stmt, reads_of
from adjointgen.records import replace
from adjointgen.rules.build import Builder, Names, const


def downwards(function: Function) -> Function:
    """The function with every such loop, of which the index is read, as one that counts down."""
    builder = Builder(Names.of(function))

    def inner(block: Block) -> Block:
        with builder.block() as made:
            for stmt in block.stmts:
                builder.span = stmt.span
                builder.add(statement(stmt))
        return replace(block, stmts=tuple(made))

    def statement(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, NESTED):
            return stmt
        made = rebuild(stmt, lambda operand: operand, inner)
        return _turned(builder, made) if isinstance(made, Loop) and made.backwards else made

    return replace(function, body=inner(function.body))


def _turned(builder: Builder, loop: Loop) -> Loop:
    start, stop, step = loop.bounds
    if (isinstance(step, Const) and step.value in (1, -1)) or loop.index not in reads_of(loop.body):
        return loop
    sign: Operand = builder.apply("sign", step)
    if isinstance(step, Const) and isinstance(step.value, int):
        sign = const(1 if step.value > 0 else -1)
    span = builder.apply("sub", _less(builder, stop, start), sign)
    last = builder.apply("mul", builder.apply("floordiv", span, step), step)
    first = last if start == const(0) else builder.apply("add", start, last)
    down = _less(builder, const(0), step)
    return replace(loop, bounds=(first, _less(builder, start, step), down), backwards=False)


def _less(builder: Builder, a: Operand, b: Operand) -> Operand:
    """A difference of whole numbers."""
    if b == const(0):
        return a
    if isinstance(a, Const) and isinstance(b, Const):
        return const(int(str(a.value)) - int(str(b.value)))
    return builder.apply("neg", b) if a == const(0) else builder.apply("sub", a, b)
