"""Interpolators of SciPy that the module holds, called with what is differentiated.

SPLINE(x)            the spline itself knows its slope: SPLINE(x, 1)
GRID((x, y))         as in `scipy_interpolators.py`, with the points and values that it has
"""

from __future__ import annotations

import ast
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Method, Named, Outside, Seq
from adjointgen.frontend.domain.library_objects import beyond, told
from adjointgen.frontend.domain.module_tables import Interpolant, interpolant_of
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.expressions.special_methods import special as special_method
from adjointgen.frontend.functions.inlining import in_module, inline
from adjointgen.frontend.source import scipy_interpolators
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import keep, living
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const

_SPLINES = frozenset(
    f"scipy.interpolate.{name}"
    for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator")
)
_VECTOR = Type("float64", (None,), "array")


def called(ctx: Context, node: ast.Call, function: Abstract) -> Abstract | None:
    """The value of an interpolator; None for another object, or another way to call it."""
    table = _table(ctx, function)
    if table is None or not 1 <= len(node.args) <= 2 or any(k.arg != "nu" for k in node.keywords):
        return None
    place, *rest = (ctx.expression(a) for a in (*node.args, *(k.value for k in node.keywords)))
    ctx.node = node
    if table.kind == "spline":
        return _of_spline(ctx, read(ctx, function), place, rest)
    if rest:
        return None
    made = _grid if table.kind == "grid" else _line
    owner = made(ctx, table.value, read(ctx, function), node)
    method = special_method(ctx, owner, "__call__")
    assert method is not None
    return inline(ctx, method, [owner, place], {}, node)


def method(ctx: Context, node: ast.Call, method: Method) -> Abstract | None:
    """`SPLINE.derivative()`, a spline again."""
    table = _table(ctx, method.owner)
    known = table is not None and table.kind == "spline" and method.name == "derivative"
    if not known or node.args or node.keywords:
        return None
    holes = Holes(ctx)
    code = f"{holes.fill(method.owner)}.derivative()"
    result = verbatim(ctx, code, holes.operands, OBJECT, pure=True)
    ctx.tables[result.name] = Interpolant("spline", None)
    return result


def _table(ctx: Context, function: Abstract) -> Interpolant | None:
    match function:
        case Outside(table=Interpolant() as found):
            return found
        case Outside(text=text, table=None):
            return _read(ctx, text)
        case Value(name=name):
            table = ctx.tables.get(name)
            return table if isinstance(table, Interpolant) else _of_object(ctx, function)
    return None


def _of_object(ctx: Context, function: Abstract) -> Interpolant | None:
    """An attribute of an object of the module, for which another of its kind may be put."""
    own = living(ctx, function)
    found = None if own is None else interpolant_of(own.value)
    if own is None or found is None:
        return None
    keep(own, told, f"{own.steps} interpolates")
    return found


def _read(ctx: Context, name: str) -> Interpolant | None:
    """What the text says of it: `SPLINE = CubicSpline(x, y)` of a row `y`."""
    source = ctx.frame.source
    made = source.resolver.definition(name)
    if not isinstance(made, ast.Call) or len(made.args) < 2:
        return None
    cls = in_module(ctx, source, made.func)
    known = isinstance(cls, Named) and cls.spelling in _SPLINES
    row = ctx.actions.evaluated(ctx, made.args[1])
    return Interpolant("spline", None) if known and row.rank == 1 else None


def _of_spline(
    ctx: Context, spline: Operand, place: Abstract, rest: list[Abstract]
) -> Value | None:
    x = numeric(ctx, read(ctx, place))
    order = rest[0] if rest else const(0)
    if not isinstance(order, Const) or type(order.value) is not int or x.type.kind == "object":
        return None
    if order.value == 0:
        return ctx.apply("interpolant", x, spline)
    return ctx.apply("interpolant_slope", x, spline, order)


def _grid(ctx: Context, value: Any, owner: Operand, node: ast.Call) -> Abstract:
    """A grid with the points and values of one that there is."""
    points = Seq(
        tuple(
            verbatim(ctx, f"_0_.grid[{k}]", (owner,), _VECTOR, pure=True)
            for k in range(len(value.grid))
        )
    )
    type = Type(str(value.values.dtype), (None,) * value.values.ndim, "array")
    values = verbatim(ctx, "_0_.values", (owner,), type, pure=True)
    cls = Class(scipy_interpolators.Grid, "Grid")
    return construct(ctx, cls, [points, values], _beyond(value), node)


def _line(ctx: Context, value: Any, owner: Operand, node: ast.Call) -> Abstract:
    x, y = (verbatim(ctx, f"_0_.{name}", (owner,), _VECTOR, pure=True) for name in "xy")
    cls = Class(scipy_interpolators.Interpolated, "Interpolated")
    made = {"assume_sorted": const(True), **_beyond(value)}
    return construct(ctx, cls, [x, y, const("linear")], made, node)


def _beyond(value: Any) -> dict[str, Abstract]:
    """What stands beyond the ends."""
    return {name: const(known) for name, known in beyond(value).items()}
