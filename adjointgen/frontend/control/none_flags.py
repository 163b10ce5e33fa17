"""Names that are None on some paths round a loop and a number or array on others.

    best = None                               has_best = False
    for v in x:                               for v in x:
        if best is None or v < best:    as        if not has_best or v < best:
            best = v                                  has_best, best = True, v

A flag says which it is. `best is None` asks the flag, and under such a test the name is what the
test says; anywhere else `best` is what it is taken for, a value, and the program ends as the
function does where it has none. Flags are used only where a loop cannot be lowered without them:
where paths can be kept apart (`frontend/statements/path_splitting.py`), no test is left over.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.control.branches import branch, choose, know, test_of
from adjointgen.frontend.domain.abstract_values import Abstract, Struct, is_maybe
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.state.context import NO, RESULT, YES, Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import BOOL
from adjointgen.rules.framework.builder import const

T = TypeVar("T")


def optionally(ctx: Context, action: Callable[[], T]) -> T:
    """The result of an action; with flags where it is refused for a name that may be None."""
    if ctx.optional:
        return action()
    made = tried(ctx, action, Kind.MAYBE_NONE)
    if not isinstance(made, Mismatch):
        return made
    ctx.optional = True
    try:
        return action()
    finally:
        ctx.optional = False


def asked(ctx: Context, value: Struct) -> Operand:
    """The flag: whether there is a value."""
    there = value.items[0]
    assert isinstance(there, Value | Const)
    return there


def compared_with_none(
    ctx: Context, op: ast.cmpop, left: Abstract, right: Abstract
) -> Operand | None:
    """`value is None` and `value is not None`; None for other comparisons."""
    value = left if right == const(None) else right if left == const(None) else None
    if not is_maybe(value) or not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return None
    there = asked(ctx, value)
    if isinstance(op, ast.IsNot | ast.NotEq):
        return there
    if isinstance(there, Const):
        return const(not there.value)
    result = ctx.apply("not", there)
    ctx.negated[result.name] = there
    return result


def given(ctx: Context, value: Abstract) -> Abstract:
    """The value, where it may be None."""
    return settled(ctx, value) if is_maybe(value) else value


def truth_of(ctx: Context, value: Struct) -> Abstract:
    """`bool(value)`."""

    def of_value() -> Abstract:
        operand = test_of(ctx, value.items[1])
        return operand if operand.type == BOOL else ctx.apply("ne", operand, const(0))

    return choose(ctx, asked(ctx, value), of_value, lambda: const(False), ctx.node or ast.Pass())


def settled(ctx: Context, value: Struct) -> Abstract:
    """The value that a name has which is used as one."""
    there, held = asked(ctx, value), value.items[1]
    if there == YES:
        return held
    name = next((k[1] for k, v in ctx.state.names.items() if v == value), "this")
    name = "the result" if name == RESULT else name
    if there == NO or ctx.catching:
        what = f"{name} is None" if there == NO else f"{name} may be None, inside `try`"
        ctx.absent("AG411", what, "give it a number or array first", kind=TypeMismatch)

    def fails() -> None:
        statement(ctx, f"raise TypeError({f'{name} is None'!r})", ())
        ctx.state.dead = True

    live = ctx.live | frozenset(n for f, n in ctx.state.names if f == ctx.frame.number)
    branch(ctx, there, lambda: None, fails, live, ctx.node)
    know(ctx, there, True)
    return held
