"""Arithmetic with None, which fails for certain: what is evaluated before it must not fail.

a * 2.0 / None      TypeError, where a is a number; None[0] as well
f(a) + None         not known: f may raise something else
"""

from __future__ import annotations

import ast
from typing import Final, Literal

from adjointgen.frontend.calls.wrong_arguments import NUMBERS
from adjointgen.frontend.domain.abstract_values import Abstract, Named
from adjointgen.frontend.library.type_tests import class_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.statement_hoisting import is_ours
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Apply, Const
from adjointgen.rules.framework.builder import const

Found = Literal["number", "none", "fails", "unknown"]
_NEVER_FAILS: Final = (ast.Add, ast.Sub, ast.Mult)
"""Operators that give a number for two floats or integers, whatever these are."""


def fails_of_none(ctx: Context, node: ast.expr) -> bool:
    """Whether an expression ends in a TypeError, since an operand is None."""
    return _found(ctx, node) == "fails"


def _found(ctx: Context, node: ast.expr) -> Found:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(ctx, left, right, isinstance(op, _NEVER_FAILS))
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            return _operation(ctx, left, node.comparators[0], False)
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[_, _, *_], keywords=[]):
            return _compared(ctx, name, node.args)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            inner = _found(ctx, operand)
            return "fails" if inner == "none" else inner
        case ast.Subscript(
            value=ast.Name() | ast.Attribute() as of, slice=ast.Constant() | ast.Name() as key
        ):
            if isinstance(key, ast.Name) and _read(ctx, key) != "number":
                return "unknown"
            return "fails" if _read(ctx, of) == "none" else "unknown"
        case ast.Constant() | ast.Name() | ast.Attribute():
            return _read(ctx, node)
    return "unknown"


def _operation(ctx: Context, left: ast.expr, right: ast.expr, never_fails: bool) -> Found:
    one = _found(ctx, left)
    if one in ("fails", "unknown"):
        return one
    other = _found(ctx, right)
    if other in ("fails", "unknown"):
        return other
    if "none" in (one, other):
        return "fails"
    return "number" if never_fails else "unknown"


def _compared(ctx: Context, name: str, parts: list[ast.expr]) -> Found:
    """`max(a, b)` and `min(a, b)`, which hand on one of two numbers."""
    found = [_found(ctx, part) for part in parts]
    if lookup(ctx, name) != Named(f"builtins.{name}", name) or "unknown" in found:
        return "unknown"
    return "number" if set(found) == {"number"} else "fails"


def _read(ctx: Context, node: ast.Constant | ast.Name | ast.Attribute) -> Found:
    """What reading a name or an attribute gives, which has no code of its own to run."""
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if isinstance(inner, ast.Name):
        if ctx.key(inner.id) not in ctx.state.names:
            return _kind(ctx, lookup(ctx, inner.id)) if inner is node else "unknown"
        if isinstance(node, ast.Attribute) and is_ours(ctx, node):
            return "unknown"
    elif not isinstance(inner, ast.Constant):
        return "unknown"
    with ctx.block(ctx.state.fork()) as made:
        value = content(ctx, ctx.perhaps(node))
    # A number that an object holds is read without code of the object's.
    plain = all(isinstance(s, Apply) and s.option("quiet") and s.option("sure") for s in made)
    return _kind(ctx, value) if plain else "unknown"


def _kind(ctx: Context, value: Abstract) -> Found:
    if value == const(None):
        return "none"
    if isinstance(value, Const) and type(value.value) in (int, float):
        return "number"
    return "number" if class_of(ctx, value) in NUMBERS else "unknown"
