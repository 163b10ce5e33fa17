"""`with`: managers whose body is lowered in place.

    with np.errstate(...): S      S, as what is only warned of changes no number
    with nullcontext(v) as a: S   a = v;  S
    with suppress(E): S           try: S  except E: pass
    with np.nditer(x) as it: S    it = np.nditer(x);  S
    with Own() as a: S            m = Own();  a = m.__enter__();  try: S  finally: m.__exit__(…)
    with m as a: S                with m as a: S

Any other manager is passive, like all that is copied, and stands around the statements of the
program that stand for the body. It is told of an exception, as in Python. One that may take it
(`manager_exits.py`) would have the program go on without what the body had computed, so its body is
tried as that of a `try` is (`try_flags.py`), and it is asked on the path of the exception:

    with m as a: S                a = m.__enter__();  try: S
                                  except BaseException as e: if not m.__exit__(…, e, …): raise
                                  else: m.__exit__(None, None, None)

Where this is not known of a manager, one that takes an exception ends the program in an error
(`runtime/managers.py`). A program that stands for the function goes on as Python does where the
body computes nothing that is read later.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.frontend.calls.opaque_effects import is_library
from adjointgen.frontend.control.branches import branch, truth
from adjointgen.frontend.control.try_flags import around, attempted, raise_again
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Closure, Named, Struct
from adjointgen.frontend.domain.own_managers import leaves_alone
from adjointgen.frontend.source.desugar import placed
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.source.numpy_nditer import NdIter
from adjointgen.frontend.state.context import JUMPED, NO, STOPPED, Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.introspection import tell
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.program_state import State
from adjointgen.frontend.state.runtime_helpers import operation_of
from adjointgen.frontend.state.scope_lookup import read_later
from adjointgen.frontend.state.statement_hoisting import calls_ours, made_by
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.frontend.statements.copied_definitions import bound_statement
from adjointgen.frontend.statements.manager_exits import may_take, takes_itself
from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.ir.types import BOOL
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const

RAISING = ("raise", "call")


def with_(ctx: Context, node: ast.With) -> None:
    """The managers from the outside in, and the body within."""
    primal = ctx.outlines.primal
    if primal or not any(_steers(ctx, item.context_expr) for item in node.items):
        facts, ours = ctx.liveness.of(node), calls_ours(ctx, node)
        # What it ends in may be for a handler around it.
        seen = facts.hands_on(read_later(ctx)) or ctx.actions.may_change(ctx, node)
        if not (ctx.catching or seen or ours):
            ctx.actions.copied(ctx, node)
            return
        if primal and not ours and not ctx.catching:
            bound_statement(ctx, node)
            return
    after = ctx.live
    _within(ctx, node, node.items, lambda: _body(ctx, node.body, after))


def _body(ctx: Context, body: Sequence[ast.stmt], after: frozenset[str]) -> None:
    ctx.actions.statements(ctx, body, after)


def _maker(ctx: Context, node: ast.expr) -> Abstract | None:
    """The function or class that makes a manager; it is only asked what it is."""
    call = made_by(node)
    if isinstance(call, ast.Name):
        return _made_before(ctx, call)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name | ast.Attribute):
        return None
    with ctx.block(ctx.state.fork()):
        return ctx.actions.callee(ctx, call.func)


def _made_before(ctx: Context, node: ast.Name) -> Abstract | None:
    """What has made a manager that has a name, where it is an object of this block."""
    value = ctx.expression(node)
    made = maker(ctx, value) if isinstance(value, Value) else None
    callee = "" if made is None else str(made.option("callee", ""))
    return Named(callee, node.id) if callee else None


def _manager(ctx: Context, node: ast.expr) -> tuple[str, ast.Call | None]:
    """The qualified name of the function that makes a manager, and its call."""
    found = _maker(ctx, node)
    call = node if isinstance(node, ast.Call) else None
    return (found.spelling if isinstance(found, Named) else ""), call


def _steers(ctx: Context, node: ast.expr) -> bool:
    return _manager(ctx, node)[0] == "numpy.errstate"


def _within(
    ctx: Context, node: ast.With, items: Sequence[ast.withitem], body: Callable[[], None]
) -> None:
    if not items:
        body()
        return
    item, *others = items
    spelling, call = _manager(ctx, item.context_expr)

    def inside() -> None:
        _within(ctx, node, others, body)

    named = isinstance(item.context_expr, ast.Name)
    if (named or spelling == "numpy.nditer") and _iterates(ctx, item, inside):
        return
    if not spelling and hasattr(_class_of(ctx, item.context_expr), "__exit__"):
        _own(ctx, node, item, others)
        return
    _by_function(ctx, node, (item, others), (spelling, call), inside)


def _by_function(
    ctx: Context,
    node: ast.With,
    items: tuple[ast.withitem, list[ast.withitem]],
    made_by: tuple[str, ast.Call | None],
    inside: Callable[[], None],
) -> None:
    """A manager of a library, or one that stands as it is."""
    (item, others), (spelling, call) = items, made_by
    if call is not None and spelling == "numpy.errstate" and not _raises(ctx, call):
        inside()
    elif call is not None and spelling == "contextlib.nullcontext":
        value = ctx.expression(call.args[0]) if call.args else const(None)
        _bind(ctx, item, value)
        inside()
    elif call is not None and spelling == "contextlib.suppress":
        _suppress(ctx, node, call, others)
    elif ctx.catching and not is_library(spelling):
        _caught(ctx, node, item, others)
    else:
        silent = spelling == "numpy.errstate"
        takes = False if silent else _may_take(ctx, item.context_expr)
        ctx.strict += silent
        if takes:
            _asked(ctx, node, item, inside)
        else:
            _entered(ctx, item, inside, silent, takes is False)
        ctx.strict -= silent


def _may_take(ctx: Context, node: ast.expr) -> bool | None:
    """Whether a manager may take an exception, where that is known."""
    cls = _class_in_module(ctx, node)
    return may_take(ctx, _maker(ctx, node)) if cls is None else takes_itself(cls)


def _class_in_module(ctx: Context, node: ast.expr) -> type | None:
    """The class of a manager that is an object of the module."""
    with ctx.block(ctx.state.fork()):
        owner = living(ctx, ctx.expression(node))
    return None if owner is None else type(owner.value)


def _class_of(ctx: Context, node: ast.expr) -> type | None:
    """The class of a manager that is an instance which the program has made."""
    with ctx.block(ctx.state.fork()):
        held = content(ctx, ctx.expression(node))
    kind = held.kind if isinstance(held, Struct) else None
    return kind.type if isinstance(kind, Class) else None


def _iterates(ctx: Context, item: ast.withitem, inside: Callable[[], None]) -> bool:
    """Lower the body of an iterator that is ours, which has nothing to close."""
    ours = _class_of(ctx, item.context_expr) is NdIter
    if ours:
        _bind(ctx, item, ctx.expression(item.context_expr))
        inside()
    return ours


def _own(ctx: Context, node: ast.With, item: ast.withitem, others: list[ast.withitem]) -> None:
    """A manager that leaves exceptions alone: its methods, with the second in `finally`."""
    entered, leave, _ = _entering(ctx, item)
    _lower(ctx, item, [*entered, ast.Try(_inside(node, others), [], [], [leave])])


def _caught(ctx: Context, node: ast.With, item: ast.withitem, others: list[ast.withitem]) -> None:
    """A manager of the user's inside `try`: a handler around it may be for what its methods end in,
    so that these are called in statements.

    Raises Unsupported (AG101) where the body leaves by a jump.
    """
    cls = _class_in_module(ctx, item.context_expr)
    if cls is not None and leaves_alone(cls):
        _own(ctx, node, item, others)
        return
    if ctx.liveness.sequence(node.body).jumps:
        what = "what this manager ends in may be for a handler around it"
        ctx.refuse("AG101", what, "leave `with` by its end", node=item.context_expr)
    entered, leave, called = _entering(ctx, item)
    error = ast.Name(_fresh(ctx, "error"), ast.Load())
    tell(ctx, error.id)
    told: list[ast.expr] = [ast.Call(ast.Name("type", ast.Load()), [error], []), error]
    told.append(ast.Attribute(error, "__traceback__", ast.Load()))
    ask = ast.If(called("__exit__", *told), [ast.Pass()], [ast.Raise(None, None)])
    handler = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), error.id, [ask])
    _lower(ctx, item, [*entered, ast.Try(_inside(node, others), [handler], [leave], [])])


def _entering(
    ctx: Context, item: ast.withitem
) -> tuple[list[ast.stmt], ast.stmt, Callable[..., ast.expr]]:
    """The statements that make and enter a manager, the one that leaves it without exceptions,
    and what calls its methods."""
    name = _fresh(ctx, "manager")

    def called(method: str, *args: ast.expr) -> ast.expr:
        function = ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load())
        return ast.Call(function, [*args], [])

    enter: ast.stmt = ast.Expr(called("__enter__"))
    if item.optional_vars is not None:
        enter = ast.Assign([item.optional_vars], called("__enter__"))
    make = ast.Assign([ast.Name(name, ast.Store())], item.context_expr)
    leave = ast.Expr(called("__exit__", *(ast.Constant(None) for _ in range(3))))
    return [make, enter], leave, called


def _fresh(ctx: Context, name: str) -> str:
    """A name that the function does not use."""
    while ctx.key(name) in ctx.state.names or name in ctx.frame.locals:
        name += "_"
    return name


def _inside(node: ast.With, others: list[ast.withitem]) -> list[ast.stmt]:
    return [ast.With(others, node.body)] if others else node.body


def _lower(ctx: Context, item: ast.withitem, made: list[ast.stmt]) -> None:
    place = item.context_expr
    ctx.actions.statements(ctx, [placed(stmt, place) for stmt in made], ctx.live)


def _raises(ctx: Context, call: ast.Call) -> bool:
    """Whether a state is set in which NumPy raises exceptions."""
    values = [ctx.expression(keyword.value) for keyword in call.keywords]
    return any(not isinstance(v, Const) or v.value in RAISING for v in values)


def _bind(ctx: Context, item: ast.withitem, value: Abstract) -> None:
    if item.optional_vars is not None:
        ctx.actions.assign(ctx, item.optional_vars, value)


def _suppress(ctx: Context, node: ast.With, call: ast.Call, others: list[ast.withitem]) -> None:
    body: list[ast.stmt] = node.body
    if others:
        body = [ast.copy_location(ast.With(others, node.body), node)]
    kinds = ast.copy_location(ast.Tuple(call.args, ast.Load()), call)
    nothing = ast.copy_location(ast.Pass(), call)
    handler = ast.copy_location(ast.ExceptHandler(kinds, None, [nothing]), call)
    ctx.statement(ast.copy_location(ast.Try(body, [handler], [], []), node))


def _asked(ctx: Context, node: ast.With, item: ast.withitem, inside: Callable[[], None]) -> None:
    """A manager that may take an exception: what the body ends in is found out, and it is asked."""
    live, dead = ctx.live, ctx.state.dead
    manager = ctx.named(read(ctx, ctx.expression(item.context_expr)), "manager")
    _bind(ctx, item, verbatim(ctx, "_0_.__enter__()", (manager,)))
    raised, error = attempted(ctx, inside, live)
    if ctx.state.dead and not dead:
        what = "an exception that a manager may take is not known as one"
        ctx.refuse("AG101", what, "raise it in a statement", node=node)
    jumps = ctx.liveness.sequence(node.body).jumps

    def hand_over() -> None:
        assert isinstance(error, Value)
        for name in (JUMPED, STOPPED):
            ctx.set(name, NO)
        code = "bool(_0_.__exit__(type(_1_), _1_, _1_.__traceback__))"
        taken = verbatim(ctx, code, (manager, error), BOOL)
        branch(ctx, taken, lambda: None, lambda: raise_again(ctx, error, node), live, node)

    def leave() -> None:
        for name in () if jumps else (JUMPED, STOPPED):
            ctx.set(name, NO)
        statement(ctx, "_0_.__exit__(None, None, None)", (manager,))

    ctx.node = item.context_expr
    known = truth(ctx, raised)
    if known is not None:
        hand_over() if known else leave()
        return
    branch(ctx, raised, hand_over, leave, live, node)


def _entered(
    ctx: Context, item: ast.withitem, inside: Callable[[], None], silent: bool, harmless: bool
) -> None:
    """A manager around statements; a `silent` one does nothing about exceptions.

    A `harmless` one is certain to hand them on.
    """
    holes = Holes(ctx)
    holes.fill(read(ctx, ctx.expression(_within_kept(ctx, item.context_expr))))
    if ctx.state.dead:
        # What gives the manager fails: there is none to enter.
        return
    code = "_0_" if harmless else "_kept(_0_)"
    stmts, place, live = ctx.blocks[-1], len(ctx.blocks[-1]), ctx.live
    entered = verbatim(ctx, code, holes.operands, region="with")
    flags = [ctx.state.names.get(handler.flag) for handler in around(ctx)]
    _bind(ctx, item, entered)
    before = ctx.state.fork()
    inside()
    if not silent and flags != [ctx.state.names.get(handler.flag) for handler in around(ctx)]:
        ctx.refuse(
            "AG101",
            "an exception leaves `with` for a handler around it",
            "catch it inside of `with`, or enter the manager outside of `try`",
            node=item.context_expr,
        )
    ctx.node = item.context_expr
    statement(ctx, "", (), region="end")
    if not harmless and ctx.outlines.primal and _hands_nothing_on(ctx, before, live):
        # What follows is the same, whether or not the manager takes an exception.
        made = stmts[place]
        assert isinstance(made, Apply)
        options = {**dict(made.options), "code": "_0_"}
        stmts[place] = replace(made, options=tuple(sorted(options.items())))
        for name in ("names", "cells", "tangled", "reads", "dead", "lent"):
            setattr(ctx.state, name, getattr(before, name))


def _hands_nothing_on(ctx: Context, before: State, live: Names) -> bool:
    """Whether nothing that is read later was bound or written to since."""
    names, cells = ctx.state.names, ctx.state.cells
    mine = ctx.frame.number
    for key in {**before.names, **names}:
        new = key not in before.names
        if new and (key[0] != mine or not (key[1] in live or key[1].startswith("%"))):
            continue
        if names.get(key, NO) != before.names.get(key, NO):
            return False
    return all(cells.get(cell) == value for cell, value in before.cells.items())


def _within_kept(ctx: Context, node: ast.expr) -> ast.expr:
    """The manager, where a program that is read again has it in its helper."""
    match node:
        case ast.Call(func=ast.Name() as function, args=[inner]):
            found = ctx.expression(function)
            if isinstance(found, Closure) and operation_of(found.source) == "kept":
                return inner
    return node


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.With: with_}
