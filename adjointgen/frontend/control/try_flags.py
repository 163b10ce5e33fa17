"""`try`: the path taken is known when the program runs, and the derivative is that of the path.

    try:                          failed = _caught(lambda: 1.0 / x, ZeroDivisionError) is not None
        y = 1.0 / x               if failed:
    except ZeroDivisionError:         y = 0.0
        y = 0.0                   else:
                                      y = 1.0 / x

A statement that may end in an exception that is watched for is tried before it is run, so what
stood before it stands in the handler, as in Python. A `raise` is a jump to its handler: its flag is
set, and what follows on its path is left out, through loops and functions. Calls of functions with
source are statements of their own in here (`statement_hoisting.py`), so a jump out of one leaves
nothing half done. How statements are tried is in `frontend/statements/try_analysis.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.control.branches import branch, truth
from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Named, Outside, Seq
from adjointgen.frontend.domain.exception_classes import catches, failures, watched_for
from adjointgen.frontend.source.generator_bodies import hands
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.call_effects import may_act
from adjointgen.frontend.state.context import JUMPED, NO, RAISED, STOPPED, YES, Catch, Context
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.program_state import Key
from adjointgen.frontend.state.scope_lookup import read_later
from adjointgen.frontend.state.statement_hoisting import calls_ours
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.frontend.state.untaken_paths import begins_untaken
from adjointgen.ir.nodes import WRITES, Apply, Block, Operand, Value, defined_in, reads_of, walk
from adjointgen.ir.types import BOOL, OBJECT
from adjointgen.records import replace


def try_(ctx: Context, node: ast.Try) -> None:
    """A `try`, with its parts lowered in place."""
    facts = ctx.liveness.of(node)
    # What it ends in may be for a handler around it.
    seen = facts.hands_on(read_later(ctx)) or hands(node) or ctx.actions.may_change(ctx, node)
    if not (ctx.catching or seen or calls_ours(ctx, node)):
        ctx.actions.copied(ctx, node)
        return
    after = ctx.live
    paths = _without_handlers if _is_left(ctx, node) else _paths
    ending = ctx.liveness.sequence(node.finalbody)
    if ending.jumps or ending.kill is None:
        ctx.refuse("AG101", "`finally` leaves by a jump", "leave after it", node=node.finalbody[0])
    if node.finalbody:
        finally_(ctx, node, lambda: paths(ctx, node, after | ending.gen), after)
    else:
        paths(ctx, node, after)


def _is_left(ctx: Context, node: ast.Try) -> bool:
    """Whether any exception in a `try` leaves the program, which is not made for the handlers."""
    found = [_only_raises(ctx, handler) for handler in node.handlers]
    return bool(found) and all(found) and not ctx.catching


def _without_handlers(ctx: Context, node: ast.Try, after: Names) -> None:
    """The body and `else`: one exception or another ends the program."""
    ctx.actions.statements(ctx, [*node.body, *node.orelse], after)


def finally_(ctx: Context, node: ast.Try, paths: Callable[[], None], after: Names) -> None:
    """The paths of a `try`, and then what follows them all: the exceptions that leave, too."""
    stmts, start = ctx.blocks[-1], len(ctx.blocks[-1])
    ctx.node = node
    statement(ctx, "", (), region="try")
    paths()
    middle = len(stmts)
    ctx.node = node
    statement(ctx, "", (), region="finally")
    replaced = _last(ctx, node.finalbody, after)
    ctx.node = node
    statement(ctx, "", (), region="end")
    inside = Block((), tuple(stmts[start + 1 : middle]), ())
    if replaced != NO and any(_passes(ctx, k) for k in failures(inside, ctx.strict > 0)):
        what = "an exception in `finally` takes the place of one that no handler is for"
        ctx.refuse("AG101", what, "catch the first one", node=node.finalbody[0])
    made = {value.name for value in defined_in(inside)}
    last = Block((), tuple(stmts[middle + 1 : -1]), ())
    seen = any(may_act(s) or (isinstance(s, Apply) and s.op in WRITES) for s in walk(last))
    reads = not made.isdisjoint(v.name for v in reads_of(last))
    if seen and not reads:
        return
    # What only computes is not seen where an exception leaves.
    if seen and failures(inside, ctx.strict > 0) - {ValueError}:
        ctx.refuse(
            "AG101",
            "`finally` reads what is computed before it, which may have ended early",
            "compute it before `try`",
            node=node.finalbody[0],
        )
    for k in (len(stmts) - 1, middle, start):
        del stmts[k]


def _passes(ctx: Context, kind: type[BaseException]) -> bool:
    """Whether exceptions of a class are for none of the handlers around.

    That an integer is too large for a float is left aside.
    """
    if kind in (BaseException, OverflowError):
        return kind is BaseException
    return not any(watched_for(handler.kinds, {kind}) for handler in around(ctx))


def _last(ctx: Context, body: list[ast.stmt], after: Names) -> Operand:
    """The statements of `finally`, whichever way leads to them; that way goes on after them.

    An exception that they end in takes the place of one that was on its way: whether there is one.
    """
    jumped, dead = ctx.flag(JUMPED), ctx.state.dead
    raised = [(h.flag, ctx.state.names.get(h.flag, NO)) for h in around(ctx)]
    ctx.state.names |= dict.fromkeys((flag for flag, _ in raised), NO)
    ctx.state.dead = False
    ctx.set(JUMPED, NO)
    ctx.actions.statements(ctx, body, after)
    ctx.set(JUMPED, either(ctx, jumped, ctx.flag(JUMPED)))
    late = [read(ctx, ctx.state.names.get(flag, NO)) for flag, _ in raised]
    replaced: Operand = NO
    for now in late:
        replaced = either(ctx, replaced, now)
    for (flag, before), now in zip(raised, late, strict=True):
        ctx.state.names[flag] = either(ctx, _unless(ctx, read(ctx, before), replaced), now)
    ctx.state.dead |= dead
    return replaced


def _paths(ctx: Context, node: ast.Try, after: Names) -> None:
    """The body and what follows it: `else`, or a handler."""
    handlers = tuple(_handler(ctx, h, k) for k, h in enumerate(node.handlers))
    elsewhere = [ctx.liveness.sequence([*h.body]).gen for h in node.handlers]
    live = after.union(*elsewhere, ctx.liveness.sequence(node.orelse).gen)
    looping = ctx.frame.looping
    ctx.frame.looping = looping | live
    ctx.catching.append(handlers)
    lower = ctx.actions.statements
    lower(ctx, node.body, live)
    ctx.catching.pop()
    ctx.frame.looping = looping

    def follow(k: int) -> None:
        if k == len(handlers):
            if not ctx.liveness.sequence(node.body).jumps:
                _only_raised(ctx)
            lower(ctx, node.orelse, after)
            return
        flag = ctx.state.names.get(handlers[k].flag, NO)
        known = truth(ctx, flag)

        def handle() -> None:
            _handle(ctx, node.handlers[k], handlers[k], after)

        if known is not None:
            handle() if known else follow(k + 1)
            return
        branch(ctx, read(ctx, flag), handle, lambda: follow(k + 1), after, node.handlers[k])

    if not ctx.state.dead:
        follow(0)
    for handler in handlers:
        for key in (handler.flag, handler.error):
            ctx.state.names.pop(key, None)  # type: ignore[arg-type]


def _only_raises(ctx: Context, handler: ast.ExceptHandler) -> bool:
    """Whether a handler begins a path that the program is not made for, and ends in a `raise`."""
    facts = ctx.liveness.sequence(handler.body)
    leaves = facts.kill is None and not facts.jumps & {"return", "break", "continue"}
    return leaves and begins_untaken(ctx, handler)


def _only_raised(ctx: Context) -> None:
    """Where a body has no other jumps, what left it is on its way to a handler further out."""
    found: Operand = NO
    for handler in around(ctx):
        found = either(ctx, found, read(ctx, ctx.state.names.get(handler.flag, NO)))
    for name in (JUMPED, STOPPED):
        ctx.set(name, found)


def _handler(ctx: Context, node: ast.ExceptHandler, number: int) -> Catch:
    kinds: Abstract = Named("builtins.BaseException", "BaseException")
    if node.type is not None:
        kinds = content(ctx, ctx.expression(node.type))
    reraises = any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(node))
    named = node.name is not None or reraises
    made = _watched(ctx, kinds.items if isinstance(kinds, Seq) else (kinds,), number, named)
    return replace(made, place=ctx.span(node.body[0]), leaves=begins_untaken(ctx, node))


def _watched(ctx: Context, kinds: tuple[Abstract, ...], number: int, named: bool) -> Catch:
    number += sum(map(len, ctx.catching))
    place = f"{RAISED}_{number}" if number else RAISED
    flag = ctx.key(place)
    ctx.state.names[flag] = NO
    return Catch(kinds, flag, ctx.key(f"{place}_error") if named else None)


def attempted(ctx: Context, body: Callable[[], None], live: Names) -> tuple[Operand, Abstract]:
    """Statements of which every exception is caught: whether there was one, and which.

    After them `live` names may be read. What left them otherwise is still on its way.
    """
    handler = _watched(ctx, (Named("builtins.BaseException", "BaseException"),), 0, True)
    looping = ctx.frame.looping
    ctx.frame.looping = looping | live
    ctx.catching.append((handler,))
    body()
    ctx.catching.pop()
    ctx.frame.looping = looping
    raised = read(ctx, ctx.state.names.pop(handler.flag, NO))
    assert handler.error is not None
    return raised, ctx.state.names.pop(handler.error, ABSENT)


def raise_again(ctx: Context, error: Value, node: ast.AST) -> None:
    """Hand an exception on that has been looked at."""
    ctx.handling.append(error)
    raise_(ctx, ast.copy_location(ast.Raise(None, None), node))
    ctx.handling.pop()


def _handle(ctx: Context, node: ast.ExceptHandler, handler: Catch, after: Names) -> None:
    """The path of an exception: whatever it left, it goes on here."""
    for flag in (JUMPED, STOPPED):
        ctx.set(flag, NO)
    error = ABSENT if handler.error is None else ctx.state.names.get(handler.error, ABSENT)
    if node.name is not None:
        ctx.set(node.name, error)
    if isinstance(error, Value):
        ctx.handling.append(error)
    ctx.actions.statements(ctx, node.body, after)
    if isinstance(error, Value):
        ctx.handling.pop()
    if node.name is not None:
        ctx.state.names.pop(ctx.key(node.name), None)


# Exceptions that are raised


def raise_(ctx: Context, node: ast.Raise) -> None:
    """A jump to the handler that the exception is for, or the end."""
    if not ctx.catching:
        _leave(ctx, node)
        return
    if node.exc is None:
        kind: Abstract = ctx.handling[-1] if ctx.handling else ABSENT
    else:
        kind = ctx.expression(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        kind = read(ctx, kind) if isinstance(kind, Outside) else kind
    error = _raised(ctx, node, kind) if isinstance(kind, Value) else None
    _jump(ctx, node, kind, error, list(around(ctx)))


def _raised(ctx: Context, node: ast.Raise, kind: Value) -> Value:
    """The exception of a class, or an exception, that is known when the program runs."""
    if node.exc is None:
        return kind
    if not isinstance(node.exc, ast.Call):
        return verbatim(ctx, "_0_() if isinstance(_0_, type) else _0_", (kind,))
    made = read(ctx, ctx.expression(node.exc))
    assert isinstance(made, Value)
    return made


def around(ctx: Context) -> Iterator[Catch]:
    """The handlers, in the order in which they are asked."""
    for handlers in reversed(ctx.catching):
        yield from handlers


def _jump(
    ctx: Context, node: ast.Raise, kind: Abstract, error: Value | None, handlers: list[Catch]
) -> None:
    if not handlers:
        _leave(ctx, node)
        return
    first, *others = handlers
    known = _is_for(ctx, first, kind, error)
    if known is False:
        _jump(ctx, node, kind, error, others)
        return

    def take() -> None:
        if first.error is not None:
            ctx.state.names[first.error] = error or _made(ctx, node)
        set_raised(ctx, first.flag, YES)

    if known is True:
        take()
        return
    test = _asked(ctx, first, kind, error)
    branch(ctx, test, take, lambda: _jump(ctx, node, kind, error, others), ctx.live, node)


def _is_for(ctx: Context, handler: Catch, kind: Abstract, error: Value | None) -> bool | None:
    if error is not None:
        return None
    answers = [catches(one, kind) for one in handler.kinds]
    return True if True in answers else None if None in answers else False


def _asked(ctx: Context, handler: Catch, kind: Abstract, error: Value | None) -> Operand:
    """Whether a handler is for an exception, asked when the program runs."""
    holes = Holes(ctx)
    kinds = holes.fill(Seq(handler.kinds))
    raised = holes.fill(kind if error is None else error)
    ask = "isinstance" if error is not None else "issubclass"
    return verbatim(ctx, f"{ask}({raised}, {kinds})", holes.operands, BOOL, pure=True)


def _made(ctx: Context, node: ast.Raise) -> Value:
    """The exception that is raised, as a value."""
    assert node.exc is not None
    holes = Holes(ctx)
    code = template(ctx, node.exc, holes)
    code = code if isinstance(node.exc, ast.Call) else f"{code}()"
    made = verbatim(ctx, code, holes.operands, OBJECT, pure=True, effect=False)
    if node.cause is not None:
        cause = read(ctx, ctx.expression(node.cause))
        statement(ctx, "_0_.__cause__ = _1_", (made, cause))
    return made


def _leave(ctx: Context, node: ast.Raise) -> None:
    """The program ends here, as the function does."""
    if node.exc is None and ctx.handling:
        statement(ctx, "raise _0_", (ctx.handling[-1],))
    else:
        ctx.actions.copied(ctx, node)
    ctx.state.dead = True


def assert_(ctx: Context, node: ast.Assert) -> None:
    if isinstance(node.test, ast.Constant) and node.test.value:
        return
    if not ctx.catching or not any(
        watched_for(handler.kinds, {AssertionError}) for handler in around(ctx)
    ):
        # What cannot be copied, such as a call of a function of the user's, is lowered.
        copied = tried(ctx, lambda: ctx.actions.copied(ctx, node))
        if not isinstance(copied, Mismatch):
            return
    name = ast.copy_location(ast.Name("AssertionError", ast.Load()), node)
    made = ast.copy_location(ast.Call(name, [node.msg] if node.msg else [], []), node)
    test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node)
    fails = ast.copy_location(ast.Raise(made, None), node)
    as_if = ast.copy_location(ast.If(test, [fails], []), node)
    ctx.actions.statements(ctx, [as_if], ctx.live)


def set_raised(ctx: Context, flag: Key, value: Operand) -> None:
    ctx.state.names[flag] = value
    for name in (JUMPED, STOPPED):
        ctx.set(name, value)


def lower_flags(ctx: Context) -> None:
    """Where nothing has left its path, no exception is on its way."""
    for handler in around(ctx):
        ctx.state.names[handler.flag] = NO


@contextmanager
def leaving(ctx: Context) -> Iterator[None]:
    """A statement out of which exceptions may come: what follows is left out if one does."""
    flags = [h.flag for h in around(ctx)]
    known = [ctx.state.names.get(flag, NO) for flag in flags]
    yield
    found: Operand = NO
    for flag, old in zip(flags, known, strict=True):
        new = ctx.state.names.get(flag, NO)
        if new not in (NO, old):
            found = either(ctx, found, read(ctx, new))
    for name in (JUMPED, STOPPED) if found != NO and not ctx.state.dead else ():
        ctx.set(name, either(ctx, ctx.flag(name), found))


def either(ctx: Context, a: Operand, b: Operand) -> Operand:
    if NO in (a, b) or a == b:
        return b if a == NO else a
    return YES if YES in (a, b) else ctx.apply("or", a, b)


def _unless(ctx: Context, a: Operand, b: Operand) -> Operand:
    """Whether `a` and not `b`."""
    if NO in (a, b):
        return a
    return NO if b == YES else ctx.apply("and", a, ctx.apply("not", b))


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Try: try_,
    ast.Raise: raise_,
    ast.Assert: assert_,
}
