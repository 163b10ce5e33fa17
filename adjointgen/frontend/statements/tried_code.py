"""What a statement inside a `try` evaluates, as code that is run before it.

a[i] = f(x)     f(x), a[i]        y, z = f(x)     whether there are two
a[:2] = x       whether it fits   y += f(x)       y + f(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjointgen.frontend.domain.abstract_values import Seq
from adjointgen.frontend.expressions.arithmetic import BINARY
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.statement_hoisting import is_ours, parts_of
from adjointgen.frontend.state.storage_cells import content, read
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
            yield from _assigned(ctx, targets, text(ctx, value, holes), holes)
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
    """The sum that a statement computes; into an array it has to fit."""
    value, (_, symbol, function) = stmt.value, BINARY[type(stmt.op)]
    target = ast.copy_location(_loaded(stmt.target), stmt.target)
    old, added = text(ctx, target, holes), text(ctx, value, holes)
    kind = type_of(ctx, target)
    if isinstance(target, ast.Subscript) and _is_fixed(ctx, target):
        if not kind.is_scalar:
            what = "an entry of a tuple is changed and set inside `try`"
            ctx.refuse("AG101", what, "change it in a statement before", node=stmt)
        return _set(ctx, target, f"{old} {symbol} ({added})", holes)
    if kind.is_array and kind.rank:
        ctx.imports["import operator"] = None
        return f"operator.i{function.__name__.strip('_')}({old}.copy(), {added})"
    whole = isinstance(value, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript)
    return f"{old} {symbol} {added}" if whole else f"{old} {symbol} ({added})"


def _is_fixed(ctx: Context, target: ast.Subscript) -> bool:
    """Whether an entry of a tuple or set would be set, which takes none."""
    with ctx.block(ctx.state.fork()):
        known = content(ctx, ctx.expression(target.value))
    return isinstance(known, Seq) and known.kind != "list"


def _assigned(ctx: Context, targets: list[ast.expr], value: str, holes: Holes) -> Iterator[str]:
    """A value, and what fails where an entry is set: there is none, or it takes none."""
    yield value
    for target in targets:
        if isinstance(target, ast.Subscript):
            fixed = _is_fixed(ctx, target)
            yield _set(ctx, target, value, holes) if fixed else text(ctx, target, holes)


def _set(ctx: Context, target: ast.Subscript, value: str, holes: Holes) -> str:
    """An entry is set, in an expression."""
    ctx.imports["import operator"] = None
    base, key = text(ctx, target.value, holes), text(ctx, target.slice, holes)
    return f"operator.setitem({base}, {key}, {value})"


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
