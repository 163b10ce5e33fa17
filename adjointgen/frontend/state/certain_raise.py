"""Expressions that fail for certain: the program ends there, as the function does.

    length / None       raise TypeError(...)

On another path the function may be fine, so this is no refusal.
"""

from __future__ import annotations

import ast
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Named, Outside, Seq, SliceOf
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.index_pattern import Index
from adjointgen.frontend.state.passthrough import Holes, statement
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INTEGER, REAL, Type
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def fails(ctx: Context, kind: str, message: str, known: bool = True) -> Const:
    """Append the end of this path; what is left of its expression is given a number.

    That this exception ends it is `known` inside of `try`.
    """
    given = f'"{message}"' if message else ""
    options: dict[str, Any] = {"raises": kind} if known else {}
    statement(ctx, f"raise {kind}({given})", (), **options)
    ctx.state.dead = True
    return const(0.0)


def fails_in(ctx: Context, code: str, *operands: Operand, raises: str = "") -> Const:
    """The same for code that raises Python's own exception, on every path that leads to it."""
    for operand in operands:
        ctx.check_dtype(operand)
    options: dict[str, Any] = {"raises": raises} if raises else {}
    statement(ctx, code, operands, **options)
    ctx.state.dead = True
    return const(0.0)


def fails_at(ctx: Context, base: Abstract, key: Abstract, then: str = "", *more: Abstract) -> bool:
    """Whether an element is asked of a number, which has none: Python says so, and it ends there.

    What is a number here may be an array without axes, which takes masks, and no more places.
    `then` is what follows, with `{}` for each of what is `more`: an element may be read or set.
    """
    python = isinstance(base, Const) and isinstance(base.value, int | float)
    python = python or (_is_whole(key) and is_number(ctx, base))
    if not python and (not isinstance(base, Value) or base.type.kind != "scalar"):
        return False
    known = content(ctx, key)
    dtype = known.type.dtype if isinstance(known, Const | Value) and known.type.is_scalar else ""
    is_place = dtype in (*REAL, *INTEGER) and dtype != "bool"
    if not (python or is_place or isinstance(known, SliceOf)):
        return False
    holes = Holes(ctx)
    text = f"{holes.fill(base)}[{holes.fill(key)}]"
    fails_in(ctx, text + then.format(*map(holes.fill, more)), *holes.operands)
    return True


def is_outranked(ctx: Context, base: Abstract, type: Type, index: Index, *value: Operand) -> bool:
    """Whether an index asks an array for more axes than it has: NumPy says so, and it ends there.

    A mask stands for all its axes; how many another index stands for may not be known. A `value`
    is set at that index.
    """
    parts = index.pattern.split(", ")
    asked = sum(part not in ("None", "...", "()") for part in parts)
    known = type.kind == "array" and type.rank is not None
    plain = all(o.type.is_scalar and o.type.dtype != "bool" for o in index.operands)
    fits = not plain or asked <= (type.rank or 0)
    if not known or (fits and parts.count("...") < 2):
        return False
    holes = Holes(ctx)
    array, places = holes.fill(base), map(holes.fill, index.operands)
    pattern = "".join(next(places) if c == "_" else c for c in index.pattern)
    given = f" = {holes.fill(value[0])}" if value else ""
    fails_in(ctx, f"{array}[{pattern}]{given}", *holes.operands)
    return True


def _is_whole(key: Abstract) -> bool:
    """Whether a key is for all of an array: `...` or `()`."""
    match key:
        case Outside(text="...") | Named(spelling="builtins.Ellipsis"):
            return True
        case Seq(items=(), kind="tuple"):
            return True
    return False


def is_number(ctx: Context, base: Abstract) -> bool:
    """Whether what has the type of a number is no array without axes: an argument, or a result of
    arithmetic."""
    if not isinstance(base, Value):
        return False
    made = maker(ctx, base)
    if made is None:
        # A variable that is bound anew has a value of another name.
        return base.name == base.root and base.name in _own(ctx)
    return TABLE.get(made.op).kind == "elementwise"


def _own(ctx: Context) -> set[str]:
    """The names of the parameters of the program."""
    arguments = ctx.frames[0].source.arguments
    return {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}
