"""`if` and its kin: two arms, lowered from one state, that meet again.

Tests that are known are folded before they come here, so only live code is lowered.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.control.merge import Arm, meet
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Bound,
    Class,
    Closure,
    Derived,
    Functions,
    Generator,
    Lazy,
    Module,
    Named,
    Partial,
    Range,
    Ref,
    Seq,
    Struct,
    is_iterator,
    is_maybe,
)
from adjointgen.frontend.domain.structures import HELD
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.bound_flags import BOUND
from adjointgen.frontend.state.context import NO, YES, Context
from adjointgen.frontend.state.parting import NoReturnYet
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, hold, read
from adjointgen.ir.nodes import UNDEFINED, Const, Operand, Value
from adjointgen.ir.types import BOOL
from adjointgen.rules.framework.builder import const

VALUE = "%value"


def truth(ctx: Context, value: Abstract) -> bool | None:
    """What `bool(value)` is, where it is known."""
    match content(ctx, value):
        case Const(value=known) if known is not UNDEFINED:
            return bool(known)
        case Seq(items=items) | Struct(kind="dict", items=items):
            return bool(items)
        case Module() | Named() | Closure() | Partial() | Derived() | Functions():
            return True
        case Class() | Bound() | Lazy() | Generator():
            return True
        case Struct() as held if is_iterator(held):
            return True
        case Struct(kind=Class()) as whole if (inner := whole.get(HELD)) is not None:
            return truth(ctx, inner)
        case Struct(kind=Class(type=type)) if not hasattr(type, "__len__"):
            return None if hasattr(type, "__bool__") else True
        case Range(Const(value=int(a)), Const(value=int(b)), Const(value=int(c))) if c:
            return bool(range(a, b, c))
    return None


def test_of(ctx: Context, value: Abstract) -> Operand:
    """The value as a test: an array or a list is asked for its truth.

    So is an object, which may have another one when the reverse sweep comes to the test.
    """
    operand = read(ctx, value)
    if isinstance(operand, Value) and operand.type.kind == "object" and not ctx.outlines.primal:
        return verbatim(ctx, "bool(_0_)", (operand,), BOOL)
    if operand.type.kind in ("array", "list"):
        raises = "ValueError" if operand.type.is_array else ""
        return verbatim(ctx, "bool(_0_)", (operand,), BOOL, pure=True, raises=raises)
    return operand


def arm(ctx: Context, action: Callable[[], object]) -> Arm:
    """One path, from the present state."""
    frame, live = ctx.frame, ctx.live
    with ctx.block(ctx.state.fork()) as stmts:
        start = ctx.state
        try:
            action()
        except NoReturnYet:
            ctx.frame, ctx.live, ctx.state = frame, live, start
            ctx.state.dead = True
            return Arm(stmts, ctx.state, calls_itself=True)
        return Arm(stmts, ctx.state)


def branch(
    ctx: Context,
    test: Operand,
    then: Callable[[], object],
    orelse: Callable[[], object],
    live: Names,
    node: ast.AST | None,
) -> None:
    """`if test: then() else: orelse()`, after which `live` names may be read."""
    first, second = (
        arm(ctx, _knowing(ctx, test, holds, action))
        for holds, action in ((True, then), (False, orelse))
    )
    ctx.node = node
    if first.calls_itself and second.calls_itself:
        raise NoReturnYet
    try:
        meet(ctx, test, first, second, live)
    except AdjointgenError as error:
        ctx.parted.error = error
        raise


def _knowing(
    ctx: Context, test: Operand, holds: bool, action: Callable[[], object]
) -> Callable[[], None]:
    """The action where the test holds or fails.

    A flag that is the test, or its opposite, is set or not; names that are None or a value, of
    which the test says which, are that.
    """
    there = ctx.negated.get(test.name) if isinstance(test, Value) else None

    def act() -> None:
        _know_flags(ctx, test, holds)
        know(ctx, *((test, holds) if there is None else (there, not holds)))
        action()

    return act


def _know_flags(ctx: Context, test: Operand, holds: bool) -> None:
    """Let flags of the frames be what the test says; that an exception was raised is handled by
    the branch itself."""
    for key, flag in ctx.state.names.items():
        if not isinstance(flag, Value) or not key[1].startswith("%"):
            continue
        opposite = ctx.negated.get(flag.name) == test
        if not (flag is test or opposite):
            continue
        if holds == opposite or key[1].startswith(BOUND):
            ctx.state.names[key] = NO if holds == opposite else YES


def know(ctx: Context, there: Operand, holds: bool) -> None:
    """Let what is None or a value be what it is where the flag is known: names, and what is held in
    containers and objects."""

    def known(value: Abstract) -> Abstract:
        if not is_maybe(value):
            return value
        flag = value.items[0]
        opposite = isinstance(flag, Value) and ctx.negated.get(flag.name) == there
        if flag != there and not opposite:
            return value
        return value.items[1] if holds != opposite else const(None)

    for key, value in ctx.state.names.items():
        ctx.state.names[key] = known(value)
    for cell, held in ctx.state.cells.items():
        if is_maybe(held):
            made = known(held)
            ctx.state.cells[cell] = made if isinstance(made, Value | Const | Seq | Struct) else held
        elif isinstance(held, Seq | Struct) and any(map(is_maybe, held.items)):
            ctx.state.cells[cell] = held.of([known(item) for item in held.items])


def choose(
    ctx: Context,
    test: Operand,
    then: Callable[[], Abstract],
    orelse: Callable[[], Abstract],
    node: ast.AST,
) -> Abstract:
    """The value of one of two expressions, of which one only is evaluated."""
    if test in (YES, NO):
        return then() if test == YES else orelse()
    # Expressions nest, so each has a name of its own.
    name = f"{VALUE}{len(ctx.blocks)}"

    def setting(action: Callable[[], Abstract]) -> Callable[[], None]:
        return lambda: ctx.set(name, hold(ctx, action(), ""))

    # Names that the expression itself is inside of are still to be read.
    live = ctx.live | frozenset(n for f, n in ctx.state.names if f == ctx.frame.number)
    branch(ctx, test_of(ctx, test), setting(then), setting(orelse), live, node)
    found = ctx.state.names.pop(ctx.key(name), ABSENT)
    fresh = isinstance(found, Ref) and not found.steps and not ctx.info[found.cell].module
    if fresh and isinstance(found, Ref) and found.cell not in _shared(ctx):
        held = ctx.state.cells[found.cell]
        return held if isinstance(held, Value | Seq | Struct) else found
    return found


def _shared(ctx: Context) -> set[int]:
    """Cells that a name is bound to, or that may be the same as one of these."""
    return {v.cell for v in ctx.state.names.values() if isinstance(v, Ref)} | {*ctx.state.tangled}
