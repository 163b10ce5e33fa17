"""Nested functions, lambdas, and helpers that are no functions of values, lowered in their place.

Arrays are passed by reference, so a helper that writes into its argument writes into the caller's.
The name and the flags of a helper live in a frame of its own; an early return in it ends only the
helper.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from adjointgen.frontend.control.none_flags import optionally
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Closure,
    Derived,
    Generator,
    Lazy,
    Partial,
    Ref,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.functions.cached_results import through_cache
from adjointgen.frontend.source.definite_assignment import maybe_unbound
from adjointgen.frontend.source.directives import hooked
from adjointgen.frontend.source.generator_bodies import unsuited
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.bound_flags import BOUND
from adjointgen.frontend.state.context import CALLER, NO, RESULT, Context, Frame
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.shared_defaults import is_as_written, mark, refuse
from adjointgen.frontend.state.statement_hoisting import is_ours
from adjointgen.frontend.state.storage_cells import hold
from adjointgen.frontend.state.tape_lists import tape_names
from adjointgen.rules.framework.builder import const

DEPTH = 24
SHALLOW, COPIES = 6, 2000
"""How many calls are written out inside calls that are deeper than `SHALLOW` themselves."""
RECURSIONS = 5
"""How often a function is lowered inside itself: what it is given may decide where it ends."""
_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
_CALL = "call it as it is defined"


def inline(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Abstract:
    """The result of a helper, lowered here."""
    if is_generator(closure.source.node):
        return _generator(ctx, closure, args, keywords, node)
    if closure.source.has_equation:
        made = ctx.actions.directed(ctx, closure, args, keywords, node)
        if made is not None:
            return made
    return through_cache(ctx, closure, lambda: _in_place(ctx, closure, args, keywords, node), node)


def _in_place(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Abstract:
    source: Source = closure.source
    _check(ctx, source, node)
    if closure.home is not None and ctx.catching and not _stands_alone(ctx, args, node):
        help = "call it before, or in a function that is called here"
        what = "a method is called by an operator or setter inside `try`"
        ctx.refuse("AG101", what, help, node=node)
    if ctx.catching and _is_ours_that_raises(source) and not is_ours(ctx, node):
        ctx.refuse("AG101", "this may raise inside `try`", "call it before", node=node)
    parent, live = ctx.frame, ctx.live
    frame = ctx.frame = _entered(ctx, closure, args, keywords, node)
    lower = ctx.actions.statements
    optionally(ctx, lambda: lower(ctx, with_return(ctx, source), frozenset()))
    result = ctx.state.names.get(ctx.key(RESULT), const(None))
    ctx.frame, ctx.live, ctx.node = parent, live, node
    if not mentions(ctx, result, frame.number) and not _is_held(ctx, source, frame.number):
        for key in [k for k in ctx.state.names if k[0] == frame.number]:
            del ctx.state.names[key]
    return result


def _is_ours_that_raises(source: Source) -> bool:
    """Whether a function of a library is one of our definitions, with a `raise` of its own."""
    return "adjointgen/runtime/" in source.file.replace("\\", "/") and any(
        isinstance(node, ast.Raise) for node in ast.walk(source.node)
    )


def _is_held(ctx: Context, source: Source, frame: int) -> bool:
    """Whether an object or list holds a function that a call has defined."""
    held = (one for one in ctx.state.cells.values() if isinstance(one, Seq | Struct))
    return _defines(source.node) and any(mentions(ctx, one, frame) for one in held)


@lru_cache(maxsize=512)
def _defines(node: ast.AST) -> bool:
    """Whether there are functions in a function."""
    inside = (inner for inner in ast.walk(node) if inner is not node)
    return any(isinstance(inner, ast.Lambda | ast.FunctionDef) for inner in inside)


def _stands_alone(ctx: Context, args: Sequence[Abstract], node: ast.AST) -> bool:
    """Whether a jump out of a method leaves nothing half done: its call is a statement."""
    return bool(args and living(ctx, args[0])) or is_ours(ctx, node)


def _entered(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Frame:
    """The frame of a call, in which parameters have their values."""
    source: Source = closure.source
    parent = ctx.frame
    bound = bind(ctx, closure, args, keywords, node)
    frame = new_frame(ctx, source, parent, closure.frame, node)
    frame.home = closure.home
    ctx.frame = frame
    for name, value in bound.items():
        if isinstance(value, ast.expr):
            node, value = value, hold(ctx, default_of(ctx, source, name, value), name)
            mark(ctx, value, name, node)
        ctx.set(name, value)
    ctx.frame = parent
    return frame


def _generator(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Generator:
    """A generator: its arguments are evaluated, and nothing of its body."""
    source: Source = closure.source
    _check(ctx, source, node)
    why = unsuited(source.node)
    if why is not None or ctx.catching:
        what = "a generator is made inside `try`" if why is None else f"in {source.name}, {why[0]}"
        ctx.refuse("AG101", what, "write the loop out", node=node)
    return Generator(_entered(ctx, closure, args, keywords, node).number)


def _check(ctx: Context, source: Source, node: ast.AST) -> None:
    if isinstance(source.node, ast.AsyncFunctionDef):
        ctx.refuse("AG101", f"{source.name} is a coroutine", "write the loop out", node=node)
    frames = list(ctx.frame.around())
    if sum(frame.source.node is source.node for frame in frames) > RECURSIONS:
        ctx.refuse("AG120", f"{source.name} calls itself", "write it as a loop", node=node)
    if (depth := len(frames)) > DEPTH:
        ctx.refuse("AG121", f"helpers call each other {depth} deep", "flatten them", node=node)
    if depth > SHALLOW:
        ctx.outlines.written += 1
        if ctx.outlines.written > COPIES:
            what = f"more than {COPIES} calls are written out in functions that call each other"
            ctx.refuse("AG121", what, "define them in the module, with what they read", node=node)


@lru_cache(maxsize=64)
def own_nodes(node: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes of a function, without those of functions inside it."""
    stack, found = list(ast.iter_child_nodes(node)), list[ast.AST]()
    while stack:
        inner = stack.pop()
        found.append(inner)
        if not isinstance(inner, _SCOPES):
            stack.extend(ast.iter_child_nodes(inner))
    return tuple(found)


def is_generator(node: ast.AST) -> bool:
    """Whether a function yields; functions inside it do not count."""
    yields = (ast.Yield, ast.YieldFrom, ast.Await)
    return any(isinstance(inner, yields) for inner in own_nodes(node))


def new_frame(
    ctx: Context, source: Source, parent: Frame | None, outer: int, node: ast.AST | None
) -> Frame:
    """A frame for a function; its number is never used again."""
    for stmt, reads, name in hooked(source):
        ctx.liveness.beside(stmt, reads, frozenset({name}))
    facts = ctx.liveness.sequence(source.body)
    arguments = frozenset(a.arg for a in parameters(source.arguments))
    lent, shared = declared(source.node)
    local = (facts.binds | facts.updates | arguments) - lent - shared
    frame = Frame(
        len(ctx.frames),
        source,
        parent,
        (*parent.path, node) if parent else (),
        tape_names(source.node),
        outer if outer >= 0 else CALLER,
        local,
        facts.pinned,
        lent=lent,
        shared=shared,
        unsure=maybe_unbound(source.node, local, arguments),
    )
    ctx.frames[frame.number] = frame
    ctx.state.names |= {(frame.number, f"{BOUND}{name}"): NO for name in sorted(frame.unsure)}
    return frame


def declared(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function declares to be those of a function around it, or of the module."""
    lent: list[str] = []
    shared: list[str] = []
    for inner in own_nodes(node):
        if isinstance(inner, ast.Nonlocal):
            lent += inner.names
        elif isinstance(inner, ast.Global):
            shared += inner.names
    return frozenset(lent), frozenset(shared)


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters, in the order of the signature."""
    rest, named = ([a] if a else [] for a in (arguments.vararg, arguments.kwarg))
    return [*arguments.posonlyargs, *arguments.args, *rest, *arguments.kwonlyargs, *named]


def defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The default expressions by parameter, in the order in which they are evaluated."""
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    pairs = list(zip(positional[first:], arguments.defaults, strict=True))
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d]
    return {a.arg: d for a, d in pairs}


def with_return(ctx: Context, source: Source) -> list[ast.stmt]:
    """The statements, with the `return` that ends a function that runs off its end."""
    body = source.body
    if ctx.liveness.sequence(body).kill is None:
        return body
    place = body[-1] if body else source.node
    return [*body, ast.copy_location(ast.Return(value=None), place)]


def bind(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
    hold: Callable[[Context, Abstract, str], Abstract] = hold,
) -> dict[str, Abstract | ast.expr]:
    """What each parameter stands for; a default of a module's function is an expression."""
    source: Source = closure.source
    signature = source.arguments
    positional = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    if len(args) > len(positional) and signature.vararg is None:
        ctx.refuse("AG103", f"too many arguments for {source.name}", _CALL, node=node)
    given = zip(positional, args, strict=False)
    bound: dict[str, Abstract | ast.expr] = {name: hold(ctx, v, name) for name, v in given}
    if signature.vararg is not None:
        bound[signature.vararg.arg] = Seq(tuple(hold(ctx, v, "") for v in args[len(positional) :]))
    named = {a.arg for a in (*signature.args, *signature.kwonlyargs)}
    more: dict[str, Abstract] = {}
    for name, value in keywords.items():
        if name in bound if name in named else signature.kwarg is None:
            ctx.refuse("AG103", f"{source.name} has no free parameter {name}", _CALL, node=node)
        (bound if name in named else more)[name] = hold(ctx, value, name)
    if signature.kwarg is not None:
        bound[signature.kwarg.arg] = hold(ctx, Struct("dict", (*more,), (*more.values(),)), "")
    _add_defaults(ctx, closure, bound)
    if missing := sorted({*positional, *named} - bound.keys()):
        names = ", ".join(missing)
        ctx.refuse("AG103", f"{source.name} lacks an argument for {names}", _CALL, node=node)
    return bound


def fits(source: Source, args: Sequence[Abstract], keywords: Mapping[str, Abstract]) -> bool:
    """Whether a function takes so many arguments, and arguments of these names."""
    signature = source.arguments
    positional = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    by_name = {a.arg for a in (*signature.args, *signature.kwonlyargs)}
    given = {*positional[: len(args)]}
    if len(args) > len(positional) and signature.vararg is None:
        return False
    if given & keywords.keys() & by_name or (
        not keywords.keys() <= by_name and not signature.kwarg
    ):
        return False
    needed = {*positional, *(a.arg for a in signature.kwonlyargs)} - defaults(signature).keys()
    return needed <= given | (keywords.keys() & by_name)


def _add_defaults(ctx: Context, closure: Closure, bound: dict[str, Abstract | ast.expr]) -> None:
    """Defaults of a nested function were evaluated where it was defined."""
    known = dict(closure.defaults)
    for name, default in defaults(closure.source.arguments).items():
        if name not in bound:
            check_default(ctx, closure.source, name, default)
            bound[name] = known.get(name, default)


def check_default(
    ctx: Context, source: Source, name: str, default: ast.expr, given: bool = False
) -> None:
    """Refuse a default that is one object for all calls, and has been written to, or may be.

    A live call of a derivative has `given` the object itself.
    """
    if isinstance(default, ast.Constant | ast.UnaryOp | ast.Name | ast.Attribute):
        return
    resolver = source.resolver
    lives = resolver.default_object(name) if isinstance(resolver, LiveResolver) else None
    known = None if lives is None or given else is_as_written(lives, default)
    facts = ctx.liveness.sequence(source.body)
    if known is False or (known is None and name in facts.writes | facts.updates):
        refuse(ctx, name, default)


def default_of(ctx: Context, source: Source, name: str, node: ast.expr) -> Abstract:
    """The default of a parameter of a module's function, whose names are those of the module.

    It was evaluated when the function was defined: of a live function the number is known.
    """
    known = source.resolver.default(name)
    if known is not None:
        return known
    resolver = source.resolver
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    if isinstance(resolver, LiveResolver) and any(map(resolver.lacks, names)):
        # It was evaluated where it stands: in a class, or in a function.
        what = f"the default of {name} is made of names that are not the module's"
        ctx.refuse("AG102", what, "give the argument in the call", node=node)
    return in_module(ctx, source, node)


def in_module(ctx: Context, source: Source, node: ast.expr) -> Abstract:
    """What an expression stands for among the names of the module alone."""
    thunk = ast.copy_location(ast.Lambda(ast.arguments([], [], None, [], [], None, []), node), node)
    inner = Source(source.file, source.text, "", node.lineno, thunk, source.resolver)
    frame, live, at = ctx.frame, ctx.live, ctx.node
    ctx.frame = new_frame(ctx, inner, frame, CALLER, node)
    try:
        return ctx.expression(node)
    finally:
        ctx.frame, ctx.live, ctx.node = frame, live, at


def mentions(ctx: Context, value: Abstract, frame: int) -> bool:
    """Whether a value leads back to the names of a frame."""
    match value:
        case Generator(frame=number):
            return number == frame or _reads(ctx, number, frame)
        case Lazy(over=over, make=make):
            return make.frame == frame or mentions(ctx, over, frame)
        case Ref() if is_iterator(held := ctx.state.cells[value.cell]):
            return mentions(ctx, held, frame)
        case Zipped(parts=parts):
            return any(mentions(ctx, part, frame) for part in parts)
        case Closure(frame=number):
            return number == frame
        case Partial(function=function, args=args, keywords=keywords):
            inside = (function, *args, *(v for _, v in keywords))
            return any(mentions(ctx, v, frame) for v in inside)
        case Derived(function=function, args=args):
            return any(mentions(ctx, v, frame) for v in (function, *args))
        case Seq(items=items) | Struct(items=items):
            return any(mentions(ctx, i, frame) for i in items)
    return False


def _reads(ctx: Context, generator: int, frame: int) -> bool:
    """Whether the body of a generator may read the names of a frame."""
    own = (v for (f, _), v in ctx.state.names.items() if f == generator)
    return ctx.frames[generator].outer == frame or any(mentions(ctx, v, frame) for v in own)
