"""What a statement inside a `try` may end in, found out before it is run.

    y = math.sqrt(x)      failed = _caught(lambda: math.sqrt(x), ValueError) is not None

The statement is lowered once for the operations in it, and watched only if one of them may end in
an exception that a handler is for. What ends in one for certain, such as the length of a number, is
known when the program is generated. A statement with calls that are not known is run once, and its
value is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from adjointgen.frontend.calls.opaque_calls import writes_somewhere
from adjointgen.frontend.control.branches import branch
from adjointgen.frontend.control.try_flags import around, set_raised
from adjointgen.frontend.domain.abstract_values import Abstract, Named, Range, Seq
from adjointgen.frontend.domain.exception_classes import catches, failures, watched_for
from adjointgen.frontend.state.context import NO, YES, Catch, Context
from adjointgen.frontend.state.lent_storage import lend, reach
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.statement_hoisting import hoisted, is_ours, parts_of
from adjointgen.frontend.statements.certain_failures import certain_failure
from adjointgen.frontend.statements.local_imports import assigned
from adjointgen.frontend.statements.none_in_try import by_none
from adjointgen.frontend.statements.tried_code import evaluated, is_append, text, type_of
from adjointgen.frontend.statements.tried_statements import value_of, with_value
from adjointgen.frontend.statements.unbound_in_try import by_bound
from adjointgen.ir.nodes import Block, Const, Value
from adjointgen.ir.types import BOOL, OBJECT

HELPER = "_caught"
CALLEE = f"builtins.{HELPER}"
"""What it catches comes of operations that are known: an exception that holds no argument."""


def before(ctx: Context, stmt: ast.stmt) -> list[ast.stmt] | None:
    """Watch a statement inside a `try`; or the statements that stand for it."""
    if not ctx.catching:
        return None
    if (parted := by_bound(ctx, stmt) or by_none(ctx, stmt)) is not None:
        return [parted]
    split = hoisted(ctx, stmt)
    if split is None and isinstance(stmt, ast.ImportFrom):
        split = ctx.frame.split[stmt] = assigned(ctx, stmt)
    if split is not None:
        return split
    if certain := certain_failure(ctx, stmt):
        _fail(ctx, stmt, Named(f"builtins.{certain}", certain))
        return None
    found = _failures(ctx, stmt)
    watched = [h for h in around(ctx) if watched_for(h.kinds, found)]
    if not watched:
        return None
    if BaseException in found:
        return _run_once(ctx, stmt, watched)
    if not is_append(stmt):
        _refuse_changes(ctx, stmt)
    holes = Holes(ctx)
    code = _alive(ctx, stmt, partial(evaluated, ctx, stmt, holes))
    _flag(ctx, stmt, watched, holes, code)
    return None


def _alive(ctx: Context, stmt: ast.stmt, write: Callable[[], str]) -> str:
    """The code that is tried, which must not end the path where it is written: before the trial."""
    dead = ctx.state.dead
    code = write()
    if ctx.state.dead and not dead:
        what = "this fails for certain inside `try`, in a part of what it evaluates"
        ctx.refuse("AG101", what, "evaluate that part in a statement of its own", node=stmt)
    return code


def _failures(ctx: Context, stmt: ast.stmt) -> set[type[BaseException]]:
    """What a statement may end in: it is lowered for that, and thrown away."""
    nodes: Sequence[ast.AST]
    match stmt:
        case ast.Assign(value=call) if is_ours(ctx, call):
            nodes = parts_of(call)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Return() | ast.Expr():
            nodes = [stmt]
        case ast.If(test=part) | ast.While(test=part):
            nodes = [ast.copy_location(ast.UnaryOp(ast.Not(), part), part)]
        case ast.For(iter=part):
            nodes = [part]
        case _:
            return set()
    catching, ctx.catching = ctx.catching, []
    live = ctx.live
    with ctx.block(ctx.state.fork()) as stmts:
        ctx.live = live | ctx.liveness.of(stmt).gen
        steps = False
        for node in nodes:
            if isinstance(node, ast.stmt):
                ctx.statement(node)
            else:
                steps |= _may_stand_still(ctx.expression(node))
    ctx.catching, ctx.live = catching, live
    found = failures(Block((), tuple(stmts), ()), ctx.strict > 0)
    return found | {ValueError} if steps else found


def _may_stand_still(value: Abstract) -> bool:
    """Whether a range may have the step 0."""
    return isinstance(value, Range) and not isinstance(value.step, Const)


def _refuse_changes(ctx: Context, stmt: ast.stmt) -> None:
    """What is tried runs twice, so it must not change an array or a list."""
    parts = [getattr(stmt, name, None) for name in ("value", "test", "iter")]
    part = next((p for p in parts if p is not None), None)
    if part is None or not any(isinstance(n, ast.Call) for n in ast.walk(part)):
        return
    catching, ctx.catching, cells = ctx.catching, [], ctx.state.cells
    held = {cell: value for cell, value in cells.items() if isinstance(value, Value)}
    with ctx.block(ctx.state.fork()):
        ctx.expression(part)
        changed = any(ctx.state.cells.get(cell) != value for cell, value in held.items())
    ctx.catching = catching
    if changed:
        ctx.refuse(
            "AG101",
            "a call inside `try` that changes an array or a list, and may fail",
            "do what may fail in a statement before it",
            node=stmt,
        )


def _flag(ctx: Context, stmt: ast.stmt, handlers: Sequence[Catch], holes: Holes, code: str) -> None:
    """Set the flags of the handlers by running the expressions of a statement."""
    kinds = ", ".join(holes.fill(kind) for h in handlers for kind in h.kinds)
    code = f"{HELPER}(lambda: {code}, {kinds})"
    ctx.node = stmt
    if len(handlers) == 1 and handlers[0].error is None:
        flag = verbatim(ctx, f"{code} is not None", holes.operands, BOOL, pure=True, once=True)
        set_raised(ctx, handlers[0].flag, flag)
        return
    error = verbatim(ctx, code, holes.operands, OBJECT, pure=True, once=True, callee=CALLEE)
    set_raised(ctx, handlers[0].flag, NO)
    _dispatch(ctx, error, list(handlers), stmt)


def _run_once(ctx: Context, stmt: ast.stmt, handlers: Sequence[Catch]) -> list[ast.stmt]:
    """A statement with calls that are not known: they are run once, and their value is kept."""
    part = value_of(stmt)
    if part is None and isinstance(stmt, ast.Assign) and not isinstance(stmt.value, ast.Name):
        return _value_first(ctx, stmt)
    if part is None:
        ctx.refuse(
            "AG101",
            "a call that is not known, in a statement of this kind inside `try`",
            "assign its value to a name first",
            node=stmt,
        )
    if isinstance(part, ast.Name):
        what = f"what this does with {part.id} may fail inside `try`, in a way that is not known"
        ctx.refuse("AG101", what, "do it before or after `try`", node=stmt)
    type = type_of(ctx, part)
    # A list that a call changes is what the call leaves of it.
    holes = Holes(ctx, writes=writes_somewhere(ctx, part))
    code = _alive(ctx, stmt, partial(text, ctx, part, holes))
    kinds = ", ".join(holes.fill(kind) for h in handlers for kind in h.kinds)
    ctx.node = stmt
    code, through = f"_outcome(lambda: {code}, {kinds})", reach(ctx, holes)
    pair = verbatim(ctx, code, holes.operands, OBJECT, holes.refs, **through)
    lend(ctx, () if type.is_scalar else [*holes.refs, *holes.inside])
    value = verbatim(ctx, "_0_[0]", (pair,), type if type.is_scalar else OBJECT, pure=True)
    error = verbatim(ctx, "_0_[1]", (pair,), OBJECT, pure=True)
    set_raised(ctx, handlers[0].flag, NO)
    _dispatch(ctx, error, list(handlers), stmt)
    name = _new_name(ctx, "outcome")
    ctx.set(name, value)
    return [with_value(stmt, ast.copy_location(ast.Name(name, ast.Load()), part))]


def _value_first(ctx: Context, stmt: ast.Assign) -> list[ast.stmt]:
    """`self.a = f(x)` is `value = f(x); self.a = value`: targets are evaluated last."""
    name = _new_name(ctx, "value")
    taken = ast.copy_location(ast.Name(name, ast.Store()), stmt.value)
    read = ast.copy_location(ast.Name(name, ast.Load()), stmt.value)
    first = ast.copy_location(ast.Assign([taken], stmt.value), stmt)
    return [first, ast.copy_location(ast.Assign(stmt.targets, read), stmt)]


def _new_name(ctx: Context, name: str) -> str:
    while name in ctx.frame.locals:
        name += "_"
    return name


def _dispatch(ctx: Context, error: Value, handlers: list[Catch], node: ast.stmt) -> None:
    """The first of the handlers that is for an exception takes it; None is for none."""
    if not handlers:
        return
    first, *others = handlers

    def take() -> None:
        if first.error is not None:
            ctx.state.names[first.error] = error
        set_raised(ctx, first.flag, YES)

    holes = Holes(ctx)
    code = f"isinstance({holes.fill(error)}, {holes.fill(Seq(first.kinds))})"
    if not others:
        code = f"{holes.fill(error)} is not None"
    test = verbatim(ctx, code, holes.operands, BOOL, pure=True)
    branch(ctx, test, take, lambda: _dispatch(ctx, error, others, node), ctx.live, node)


def caught(ctx: Context, node: ast.Call, helper: str) -> Abstract:
    """The call of the helper, in a program that is read again."""
    attempt, *kinds = node.args
    assert isinstance(attempt, ast.Lambda)
    holes = Holes(ctx)
    code = text(ctx, attempt.body, holes)
    classes = ", ".join(holes.fill(ctx.expression(kind)) for kind in kinds)
    return verbatim(ctx, f"{helper}(lambda: {code}, {classes})", holes.operands, pure=True)


def _fail(ctx: Context, stmt: ast.stmt, kind: Abstract) -> None:
    """Take the way to the handler that an exception is for."""
    for handler in around(ctx):
        if any(catches(one, kind) for one in handler.kinds):
            if handler.error is not None:
                holes = Holes(ctx)
                code = _alive(ctx, stmt, partial(evaluated, ctx, stmt, holes))
                code = f"{HELPER}(lambda: {code}, {holes.fill(kind)})"
                error = verbatim(ctx, code, holes.operands, OBJECT, pure=True)
                ctx.state.names[handler.error] = error
            set_raised(ctx, handler.flag, YES)
            return
