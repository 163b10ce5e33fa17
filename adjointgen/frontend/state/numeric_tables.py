"""Tables of the module that hold numbers, as arrays, and objects of it that are numbers."""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.domain.module_tables import Living, Table, as_array
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import entries_key
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import Type


def numeric(ctx: Context, operand: Operand) -> Operand:
    """A table of the module as the array that NumPy makes of it, if it is one of numbers."""
    table = ctx.tables.get(operand.name) if isinstance(operand, Value) else None
    if isinstance(table, Living):
        return _number(ctx, operand, table.value)
    type = as_array(table)
    if type is None:
        return operand
    ctx.imports["import numpy as np"] = None
    # Of a table that the program changes, each read has the numbers of its time.
    live = table.live if isinstance(table, Table) else None
    steady = live is None or ctx.outlines.facts.fold(entries_key(live))
    if not steady:
        return verbatim(ctx, "np.array(_0_)", (operand,), type)
    return verbatim(ctx, "np.asarray(_0_)", (operand,), type, pure=True)


def _number(ctx: Context, operand: Operand, value: object) -> Operand:
    """A number of a subclass of the user's, which computes as Python's own does."""
    if not isinstance(value, float | int) or isinstance(value, bool):
        return operand
    base = float if isinstance(value, float) else int
    if any(
        name in vars(c) for c in type(value).__mro__ if c not in (base, object) for name in ASKED
    ):
        return operand
    kind = Type("float64" if base is float else "int64")
    return verbatim(ctx, f"{base.__name__}(_0_)", (operand,), kind, pure=True)


ASKED: Final = ("__float__", "__int__", "__index__", "__array__", "__array_ufunc__")
"""The methods by which an object says which number it is."""


def lone_number(ctx: Context, operand: Operand) -> Operand:
    """What a function of `math` makes of an array of unknown rank: one number."""
    operand = numeric(ctx, operand)
    type = operand.type
    lone = type.is_array and type.rank is None and type.dtype == "float64"
    return ctx.apply("number", operand) if lone else operand
