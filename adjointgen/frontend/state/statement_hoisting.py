"""Calls of functions with source as statements of their own, and tests of loops as branches.

    y = x[5] + boom(x)          boom_value = boom(x);  y = x[5] + boom_value
    while 1.0 / x > c: ...      while True: if not 1.0 / x > c: break; ...

This is how statements stand inside a `try`: out of each comes at most one jump, and nothing has
been assigned by then.
"""

from __future__ import annotations

import ast
from itertools import count
from typing import TypeVar

from adjointgen.frontend.domain.abstract_values import Closure
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.scope_lookup import lookup

Part = TypeVar("Part", ast.expr, ast.stmt)
LAZY = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.SetComp)
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.If, ast.For)


def hoisted(ctx: Context, stmt: ast.stmt) -> list[ast.stmt] | None:
    """The statements that stand for one in which functions are called; None where it can stay."""
    known = ctx.frame.split
    if stmt not in known:
        known[stmt] = _endless(ctx, stmt) if isinstance(stmt, ast.While) else _hoisted(ctx, stmt)
    return known[stmt]


def _hoisted(ctx: Context, stmt: ast.stmt) -> list[ast.stmt] | None:
    if not isinstance(stmt, SIMPLE):
        return None
    mover = _Mover(ctx)
    match stmt:
        case ast.If(test=test, body=body, orelse=orelse):
            last: ast.stmt = ast.If(mover.moved_in(test), body, orelse)
        case ast.For(target=target, iter=over, body=body, orelse=orelse):
            last = ast.For(target, mover.moved_in(over), body, orelse)
        case _:
            last = mover.moved_in(stmt)
    if not mover.moved:
        return None
    ctx.frame.split |= dict.fromkeys(mover.moved)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Name):
        return mover.moved
    return [*mover.moved, ast.copy_location(last, stmt)]


def _shallow(node: ast.AST) -> ast.AST:
    """A copy down to the calls, so that the tree of the text stays as it is."""
    copied = type(node)(**{name: _copied(value) for name, value in ast.iter_fields(node)})
    return ast.copy_location(copied, node) if hasattr(node, "lineno") else copied


def _copied(value: object) -> object:
    if isinstance(value, list):
        return [_copied(v) for v in value]
    return _shallow(value) if isinstance(value, ast.AST) and not isinstance(value, LAZY) else value


class _Mover(ast.NodeTransformer):
    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.moved: list[ast.stmt] = []

    def moved_in(self, part: Part) -> Part:
        """An expression or a simple statement without its calls."""
        changed = self.visit(_shallow(part))
        assert isinstance(changed, type(part) | ast.Name)
        return changed  # type: ignore[return-value]

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, LAZY):
            if any(is_ours(self.ctx, n) for n in ast.walk(node)):
                self.ctx.refuse(
                    "AG101",
                    "a function is called under a condition here, inside `try`",
                    "call it in a statement of its own",
                    node=node,
                )
            return node
        changed: ast.AST = super().visit(node)
        if not is_ours(self.ctx, node):
            return changed
        assert isinstance(node, ast.Call) and isinstance(changed, ast.expr)
        name = _name(self.ctx, node, self.moved)
        target = ast.copy_location(ast.Name(name, ast.Store()), node)
        self.moved.append(ast.copy_location(ast.Assign([target], changed), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def calls_ours(ctx: Context, node: ast.AST) -> bool:
    """Whether functions with source are called or handed on anywhere inside."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return any(isinstance(lookup(ctx, name), Closure) for name in sorted(names))


def is_ours(ctx: Context, node: ast.AST) -> bool:
    """Whether this is the call of a function with source."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return isinstance(lookup(ctx, name), Closure)
        case ast.Call(func=ast.Attribute() as function):
            with ctx.block(ctx.state.fork()):
                return isinstance(ctx.expression(function), Closure)
    return False


def _name(ctx: Context, node: ast.Call, now: list[ast.stmt]) -> str:
    stem = node.func.id if isinstance(node.func, ast.Name) else "call"
    moved = [s for s in (*ctx.frame.split, *now) if isinstance(s, ast.Assign)]
    taken = ctx.frame.locals | {t.id for s in moved for t in s.targets if isinstance(t, ast.Name)}
    return next(n for k in count(1) if (n := f"{stem}_value{k if k > 1 else ''}") not in taken)


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


def parts_of(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call, in the order in which they are evaluated."""
    return [a.value if isinstance(a, ast.Starred) else a for a in call.args] + [
        k.value for k in call.keywords
    ]
