"""Lists and tuples that NumPy makes arrays of before it computes.

    np.reshape(l, (2, 2))       np.reshape(np.array(l), (2, 2)), which shows nothing of the list

A row takes a list for the array of its entries. Where a function gives a view of its argument, or
the argument itself, that is not the same: the array is a new one, and it is no list.
"""

from __future__ import annotations

from typing import Final

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.functions.numpy_definitions import NUMPY, POLYNOMIALS
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, hold, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.table import TABLE, Row

FIRST: Final = frozenset(
    f"numpy.{name}" for name in ("real_if_close", "float64", "double", "piecewise")
)
"""Functions without a row that take their first argument for an array."""

LISTS: Final = frozenset(f"numpy.{n}" for n in ("select", "piecewise", "choose", "block", "ix_"))
"""Functions that are defined by others and take lists of arrays."""

MAKING: Final = frozenset(
    f"numpy.{name}"
    for name in (
        *("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require"),
        *("astype", "fromiter"),
    )
)
"""Functions that make the array themselves."""


def as_arrays(
    ctx: Context, spelling: str, args: list[Abstract], written: Source | None
) -> list[Abstract]:
    """The arguments, arrays in the place of lists where NumPy makes arrays of them."""
    if not spelling.startswith("numpy.") or spelling in MAKING:
        return args
    row = TABLE.find(spelling)
    defined = written is not None and written.file in (NUMPY, POLYNOMIALS) and spelling not in LISTS
    ruled = row is not None and _rules_on_arrays(row)
    if spelling.endswith(".outer") or defined or ruled:
        return [_as_array(ctx, value, k == 0) for k, value in enumerate(args)]
    if spelling == "numpy.copy" and len(args) == 1 and _is_number(ctx, args[0]):
        return [hold(ctx, ctx.apply("array", read(ctx, args[0])), "")]
    if spelling in FIRST or (row is not None and (row.view or _gives_list(row))):
        return [_as_array(ctx, value, True) for value in args[:1]] + args[1:]
    return args


def _gives_list(row: Row) -> bool:
    """Whether the result of a row counts as a list where its first operand is one."""
    if row.kind not in ("structural", "linear", "elementwise"):
        return False
    if sum(parameter.operand for parameter in row.parameters) != 1:
        return False
    try:
        return any(type.kind == "list" for type in row.infer((_LIST,), row.defaults))
    except (AdjointgenError, ArithmeticError, LookupError, TypeError, ValueError):
        # It is for arrays of other ranks.
        return False


_LIST: Final = Type("float64", (None,), "list")


def _is_number(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    return isinstance(known, Const | Value) and known.type.is_scalar


def _rules_on_arrays(row: Row) -> bool:
    """Whether the rules of a row index its operands, or compute with them by an operator; one that
    takes a list of arrays joins them."""
    several = row.view == "each" and any(parameter.separate for parameter in row.parameters)
    general = row.kind == "general" or row.written is not None or row.symbol == "@"
    return several or (general and not any(parameter.variadic for parameter in row.parameters))


def _as_array(ctx: Context, value: Abstract, first: bool) -> Abstract:
    """An array of a list or tuple of numbers; another value as it is.

    Integers that are not the first argument may be lengths or axes.
    """
    known = content(ctx, value)
    if isinstance(known, Seq):
        made = read(ctx, value)
        numbers = made.type.kind == "array" and (
            first or (bool(known.items) and made.type.is_differentiable)
        )
        return hold(ctx, made, "") if numbers else value
    listed = isinstance(known, Value | Ref) and read(ctx, known)
    if not listed or listed.type.kind != "list":
        return value
    return hold(ctx, ctx.apply("array", listed), "")
