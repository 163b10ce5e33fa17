"""What a statement inside a `try` evaluates, as code that is run before it.

a[i] = f(x)     f(x), a[i]        y, z = f(x)     whether there are two
a[:2] = x       whether it fits   y += f(x)       y + f(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjointgen.frontend.expressions.arithmetic import BINARY
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.statement_hoisting import is_ours, parts_of
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.types import Type

_NAMES = (ast.Tuple, ast.List, ast.Starred, ast.Name, ast.expr_context)


def evaluated(ctx: Context, stmt: ast.stmt, holes: Holes) -> str:
    """What a statement evaluates, as one expression."""
    several = list(_codes(ctx, stmt, holes))
    return several[0] if len(several) == 1 else f"({', '.join(several)})"


def _codes(ctx: Context, stmt: ast.stmt, holes: Holes) -> Iterator[str]:
    """The parts that a statement evaluates, in their order."""
    match stmt:
        case ast.Assign(value=call) if is_ours(ctx, call):
            for part in parts_of(call):
                yield text(ctx, part, holes)
        case ast.Expr(ast.Call(args=[value])) if is_append(stmt):
            yield text(ctx, value, holes)
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=value) if all(
            isinstance(part, _NAMES) for part in ast.walk(target)
        ):
            yield _for_value("None", _unnamed(target), value, text(ctx, value, holes))
        case ast.Assign(targets=[ast.Subscript(value=base) as target], value=value) if (
            type_of(ctx, base).kind == "array" and not type_of(ctx, value).is_scalar
        ):
            yield _filled(ctx, target, value, holes)
        case ast.Assign(targets=targets, value=value):
            yield text(ctx, value, holes)
            yield from (text(ctx, t, holes) for t in targets if isinstance(t, ast.Subscript))
        case ast.AugAssign():
            yield _updated(ctx, stmt, holes)
        case ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            yield text(ctx, value, holes)
        case (
            ast.If(test=ast.UnaryOp(ast.Not(), value)) | ast.If(test=value) | ast.While(test=value)
        ):
            yield f"not ({text(ctx, value, holes)})"
        case ast.Expr(value=value) | ast.For(iter=value):
            yield text(ctx, value, holes)


def _unnamed(target: ast.AST) -> str:
    """Targets that unpack as these do, and keep nothing."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return f"[{', '.join(map(_unnamed, parts))}]"
        case ast.Starred():
            return "*_"
    return "_"


def _filled(ctx: Context, target: ast.Subscript, value: ast.expr, holes: Holes) -> str:
    """Whether a value fits into a part of an array."""
    ctx.imports["import numpy as np"] = None
    new, place = text(ctx, value, holes), text(ctx, target, holes)
    return _for_value(f"np.copyto(np.empty_like({place}), _, casting='unsafe')", "_", value, new)


def _for_value(code: str, names: str, value: ast.expr, new: str) -> str:
    """What is evaluated with names of a value; `:=` may stand in no iterable of a comprehension."""
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(value)):
        return f"(lambda _: [{code} for {names} in [_]])({new})"
    return f"[{code} for {names} in [{new}]]"


def _updated(ctx: Context, stmt: ast.AugAssign, holes: Holes) -> str:
    value, symbol = stmt.value, BINARY[type(stmt.op)][1]
    old = text(ctx, ast.copy_location(_loaded(stmt.target), stmt.target), holes)
    added = text(ctx, value, holes)
    whole = isinstance(value, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript)
    return f"{old} {symbol} {added}" if whole else f"{old} {symbol} ({added})"


def _loaded(target: ast.expr) -> ast.expr:
    return ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target


def text(ctx: Context, node: ast.AST, holes: Holes) -> str:
    """The text of an expression, as one among others."""
    code = template(ctx, node, holes)
    return f"({code})" if isinstance(node, ast.Tuple | ast.NamedExpr) else code


def type_of(ctx: Context, node: ast.expr) -> Type:
    """The type of an expression, which is not evaluated."""
    with ctx.block(ctx.state.fork()):
        return read(ctx, ctx.expression(node)).type


def is_append(stmt: ast.stmt) -> bool:
    """Whether a statement only appends, which does not fail: what is appended may."""
    match stmt:
        case ast.Expr(ast.Call(func=ast.Attribute(ast.Name(), "append"), args=[_], keywords=[])):
            return True
    return False
