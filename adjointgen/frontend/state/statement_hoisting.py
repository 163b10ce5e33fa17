"""Calls of functions with source as statements of their own, and tests of loops as branches.

    y = x[5] + boom(x)          boom_value = boom(x);  y = x[5] + boom_value
    with f() as a, g(): S       manager = f();  with manager as a: with g(): S
    while 1.0 / x > c: ...      while True: if not 1.0 / x > c: break; ...
    raise E(a // b)             part_value = a // b;  raise E(part_value)

This is how statements stand inside a `try`: out of each comes at most one jump, and nothing has
been assigned by then.
"""

from __future__ import annotations

import ast
from inspect import getattr_static

from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Named,
    Struct,
)
from adjointgen.frontend.state.call_mover import Mover, copied
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.runtime_helpers import operation_of
from adjointgen.frontend.state.scope_lookup import lookup, mangled
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Apply

SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.If, ast.For)


def hoisted(ctx: Context, stmt: ast.stmt) -> list[ast.stmt] | None:
    """The statements that stand for one in which functions are called; None where it can stay."""
    known = ctx.frame.split
    if stmt not in known:
        match stmt:
            case ast.While():
                known[stmt] = _endless(ctx, stmt)
            case ast.With():
                known[stmt] = _entered(ctx, stmt)
            case ast.Raise():
                known[stmt] = _raised(ctx, stmt)
            case _:
                known[stmt] = _hoisted(ctx, stmt)
    return known[stmt]


def _entered(ctx: Context, stmt: ast.With) -> list[ast.stmt] | None:
    """The manager is made first; one that is known is made without fail."""
    (first, *rest), made = stmt.items, stmt.items[0].context_expr
    if not isinstance(made, ast.Call) or _is_known_manager(ctx, made):
        return None
    name, place = Mover(ctx, is_ours).name(made), made
    target = ast.copy_location(ast.Name(name, ast.Store()), place)
    assigned = ast.copy_location(ast.Assign([target], made), place)
    manager = ast.copy_location(ast.Name(name, ast.Load()), place)
    setattr(manager, _MADE_BY, made)
    item = ast.withitem(manager, first.optional_vars)
    body = stmt.body
    inner: list[ast.stmt] = [ast.copy_location(ast.With(rest, body), stmt)] if rest else body
    ctx.frame.split[assigned] = None
    return [assigned, ast.copy_location(ast.With([item], inner), stmt)]


def made_by(manager: ast.expr) -> ast.expr:
    """The call that makes a manager, where it has become a statement of its own."""
    call: ast.expr = getattr(manager, _MADE_BY, manager)
    return call


_MADE_BY = "made_by"


def _raised(ctx: Context, stmt: ast.Raise) -> list[ast.stmt] | None:
    """What an exception is made of is computed first, as that may end in another exception."""
    mover, made = Mover(ctx, is_ours), copied(stmt)
    assert isinstance(made, ast.Raise)
    for field in ("exc", "cause"):
        part = getattr(made, field)
        if isinstance(part, ast.Call):
            part.args = [mover.named(a) if _may_raise(a) else a for a in part.args]
            for keyword in filter(lambda k: _may_raise(k.value), part.keywords):
                keyword.value = mover.named(keyword.value)
        elif part is not None and _may_raise(part):
            setattr(made, field, mover.named(part))
    if not mover.moved:
        return None
    ctx.frame.split |= dict.fromkeys(mover.moved)
    return [*mover.moved, made]


def _may_raise(node: ast.expr) -> bool:
    """Whether more is computed than a text of what has names."""
    match node:
        case ast.Constant() | ast.Name() | ast.Starred():
            return False
        case ast.Attribute(value=inner):
            return _may_raise(inner)
        case ast.Tuple(elts=parts) | ast.JoinedStr(values=parts):
            return any(map(_may_raise, parts))
        case ast.FormattedValue(value=inner, format_spec=None):
            return _may_raise(inner)
    return True


def _is_known_manager(ctx: Context, made: ast.Call) -> bool:
    """Whether `with` knows what this call makes."""
    with ctx.block(ctx.state.fork()):
        found = ctx.actions.callee(ctx, made.func)
    known = isinstance(found, Named) and found.spelling in MANAGERS
    return known or (isinstance(found, Closure) and operation_of(found.source) == "kept")


MANAGERS = ("numpy.errstate", "contextlib.nullcontext", "contextlib.suppress")
"""What makes managers that are lowered."""


def _hoisted(ctx: Context, stmt: ast.stmt) -> list[ast.stmt] | None:
    if not isinstance(stmt, SIMPLE):
        return None
    mover = Mover(ctx, is_ours)
    match stmt:
        case ast.If(test=test, body=body, orelse=orelse):
            last: ast.stmt = ast.If(mover.value(test), body, orelse)
        case ast.For(target=target, iter=over, body=body, orelse=orelse):
            last = ast.For(target, mover.value(over), body, orelse)
        case _:
            *more, last = mover.statement(stmt)
            mover.moved += more
    if not mover.moved:
        return None
    ctx.frame.split |= dict.fromkeys(mover.moved)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Name):
        return mover.moved
    return [*mover.moved, ast.copy_location(last, stmt)]


def calls_ours(ctx: Context, node: ast.AST) -> bool:
    """Whether functions with source are called or handed on anywhere inside."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return any(isinstance(lookup(ctx, name), Closure) for name in sorted(names))


def is_ours(ctx: Context, node: ast.AST) -> bool:
    """Whether this calls a function or method with source, a class of the user's, a property, or a
    method by an operator or by name."""
    match node:
        case ast.Call(func=ast.Name(id="getattr" | "setattr" as name), args=[owner, _, *_]):
            return isinstance(lookup(ctx, name), Named) and _is_instance(ctx, owner)
        case ast.BinOp(left=left, right=right):
            return _is_instance(ctx, left) or _is_instance(ctx, right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=owner):
            return _is_instance(ctx, owner)
        case ast.Subscript(value=owner, ctx=ast.Load()):
            return _is_instance(ctx, owner)
        case ast.Call(func=ast.Name(id=name)):
            return isinstance(lookup(ctx, name), Closure | Class)
        case ast.Call(func=ast.Attribute() | ast.Subscript() | ast.Call() as function):
            with ctx.block(ctx.state.fork()):
                found = ctx.expression(function)
            if isinstance(found, Bound) and living(ctx, found.owner) is not None:
                return _is_lowered(ctx, node)
            return isinstance(found, Bound | Closure | Class)
        case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Load()):
            return _is_property(ctx, lookup(ctx, name), attr)
        case ast.Attribute(value=owner, attr=attr, ctx=ast.Load()):
            with ctx.block(ctx.state.fork()):
                return _is_property(ctx, ctx.expression(owner), attr)
    return False


def _is_lowered(ctx: Context, node: ast.expr) -> bool:
    """Whether a call of a method of an object of the module is lowered, not copied as it stands."""
    catching, ctx.catching = ctx.catching, []
    try:
        with ctx.block(ctx.state.fork()) as made:
            found = tried(ctx, lambda: ctx.perhaps(node))
    finally:
        ctx.catching = catching
    opaque = any(isinstance(s, Apply) and s.option("because") for s in made)
    return not isinstance(found, Mismatch) and not opaque


def _is_instance(ctx: Context, node: ast.expr) -> bool:
    """Whether this is an object that the program has made, or an operator gives one."""
    match node:
        case ast.BinOp(left=left, right=right):
            return _is_instance(ctx, left) or _is_instance(ctx, right)
        case ast.Name(id=name):
            found = content(ctx, lookup(ctx, name))
        case ast.Attribute(value=ast.Name()):
            with ctx.block(ctx.state.fork()):
                found = content(ctx, ctx.expression(node))
        case _:
            return False
    named = isinstance(found, Struct) and isinstance(found.kind, Class)
    return named and not issubclass(found.kind.type, tuple)  # type: ignore[union-attr]


def _is_property(ctx: Context, owner: Abstract, name: str) -> bool:
    """Whether an attribute is computed by a method of an instance that the program has made."""
    known = content(ctx, owner)
    if not isinstance(known, Struct) or not isinstance(known.kind, Class):
        return False
    return isinstance(getattr_static(known.kind.type, mangled(ctx, name), None), property)


def _endless(ctx: Context, node: ast.While) -> list[ast.stmt] | None:
    """The test becomes the first statement of the body."""
    if isinstance(node.test, ast.Constant) or (
        isinstance(node.test, ast.Compare)
        and not any(
            isinstance(n, ast.Call | ast.Subscript | ast.BinOp) for n in ast.walk(node.test)
        )
    ):
        return None
    if node.orelse:
        ctx.refuse("AG101", "`while` with `else` inside `try`", "use a flag", node=node)
    place = node.test
    test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), place)
    stop = ast.copy_location(ast.If(test, [ast.copy_location(ast.Break(), place)], []), place)
    always = ast.copy_location(ast.Constant(True), place)
    return [ast.copy_location(ast.While(always, [stop, *node.body], []), node)]


def parts_of(call: ast.expr) -> list[ast.expr]:
    """The arguments of a call, in the order in which they are evaluated; a property has none."""
    match call:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Subscript(slice=ast.expr() as key):
            return [key]
        case ast.Call():
            pass
        case _:
            return []
    return [a.value if isinstance(a, ast.Starred) else a for a in call.args] + [
        k.value for k in call.keywords
    ]
