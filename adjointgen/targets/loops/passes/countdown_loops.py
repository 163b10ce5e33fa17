"""Loop normalisation: loops that run backwards, in the form that compilers handle best.

    for i in reversed(range(a, b, 2))    ->    for i in range(a + (b - a - 1) // 2 * 2, a - 2, -2)
    for i in reversed(range(n))          ->    for i in range(n):
                                                   i = n - 1 - i

They know no `reversed`. An innermost loop in steps of one counts up, since indices that count down
are looked at in each iteration for being negative. The printer writes other steps of one by itself.
"""

from __future__ import annotations

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    LOOPS,
    NESTED,
    Apply,
    Block,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    reads_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names, const


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
    if loop.index not in reads_of(loop.body) or step == const(-1):
        return loop
    if step == const(1):
        is_inner = not any(isinstance(stmt, LOOPS) for stmt in walk(loop.body))
        return _upwards(builder, loop) if is_inner else loop
    sign: Operand = builder.apply("sign", step)
    if isinstance(step, Const) and isinstance(step.value, int):
        sign = const(1 if step.value > 0 else -1)
    span = builder.apply("sub", _less(builder, stop, start), sign)
    last = builder.apply("mul", builder.apply("floordiv", span, step), step)
    first = last if start == const(0) else builder.apply("add", start, last)
    down = _less(builder, const(0), step)
    return replace(loop, bounds=(first, _less(builder, start, step), down), backwards=False)


def _upwards(builder: Builder, loop: Loop) -> Loop:
    """A loop in steps of one that counts up, and its index from there."""
    start, stop, step = loop.bounds
    count = builder.value(loop.index.root, loop.index.type)
    bounds = const(0), _less(builder, stop, start), step
    index = Apply((loop.index,), "sub", (_less(builder, stop, const(1)), count))
    body = replace(loop.body, stmts=(index, *loop.body.stmts))
    return replace(loop, index=count, bounds=bounds, body=body, backwards=False)


def _less(builder: Builder, a: Operand, b: Operand) -> Operand:
    """A difference of whole numbers."""
    if b == const(0):
        return a
    if isinstance(a, Const) and isinstance(b, Const):
        return const(int(str(a.value)) - int(str(b.value)))
    return builder.apply("neg", b) if a == const(0) else builder.apply("sub", a, b)
