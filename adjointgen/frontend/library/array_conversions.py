"""What makes an array of its argument: the argument itself where it is one already, or a copy.

np.asarray(a)              a, where dtype and order are those asked for; else a copy
a.astype(float, copy=False)    the same
np.array(a)                always a copy
np.ascontiguousarray(a)    a or a copy, by how it lies in memory

Whether the dtype is another is known when the program is generated. How the array lies in memory
often is not: then the result may be read, and written to where `a` is read no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.control.row_lists import columns_of, is_rows
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Method,
    Outside,
    Range,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.domain.module_tables import as_array
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.functions.numpy_definitions import defined
from adjointgen.frontend.library.array_protocol import converted
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.ranges import as_numbers
from adjointgen.frontend.state.static_options import dtype_of, static
from adjointgen.frontend.state.storage_cells import (
    content,
    is_flat,
    lies_in_order,
    perhaps,
    read,
    view,
)
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import COMPLEX, INTEGER, REAL, Type
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import const


@dataclass(frozen=True, slots=True)
class Wanted:
    """The array that is asked for: its dtype, its order in memory, at least so many axes.

    `copy` is true for new storage, None for the argument itself where it fits, and false where it
    has to; a copy is made by the function of that `spelling`.
    """

    dtype: str | None
    order: str
    axes: int
    copy: bool | None
    spelling: str


def _converted(
    names: tuple[str, ...], order: str = "K", copy: bool | None = None, axes: int = 0
) -> Special:
    """A function of NumPy that takes parameters of these names by position, after the array.

    What it gives has so many axes, at least.
    """

    def convert(call: Call) -> Abstract | None:
        given = _given(call, names)
        if given is None:
            return None
        if is_rows(rows := content(call.ctx, call.args[0])):
            return None if given else _of_rows(call, rows)
        if call.ctx.outlines.primal and given.get("order", const("K")) != const("K"):
            # How it lies in memory can be asked for.
            return None
        wanted = _wanted(call.ctx, given, order, copy, "numpy.array")
        if wanted is None:
            return None
        wanted = replace(wanted, axes=max(axes, wanted.axes))
        value, copies = converted(
            call.ctx, call.args[0], given.get("dtype"), wanted.copy, call.node
        )
        if wanted.dtype is None and _is_unsure(call.ctx, value):
            return unknown(call.ctx, call.whole(), call.discarded, call.function)
        return _array(call.ctx, value, replace(wanted, copy=copies))

    return convert


def _of_rows(call: Call, rows: Struct) -> Abstract:
    """An array of a list of tuples of which it is not known how many there are."""
    made = defined("adjointgen.array_of_rows")
    assert made is not None
    columns = [read(call.ctx, column) for column in columns_of(rows)]
    return inline(call.ctx, made, columns, {}, call.node)


def _given(call: Call, names: tuple[str, ...]) -> dict[str, Abstract] | None:
    """What is given beside the array, by name."""
    given = dict(zip(names, call.args[1:], strict=False)) | call.keywords
    known = call.args and len(call.args) <= len(names) + 1 and given.keys() <= _KNOWN
    return given if known else None


_KNOWN = {"dtype", "order", "casting", "subok", "copy", "ndmin", "requirements", "like", "device"}


def _wanted(
    ctx: Context, given: Mapping[str, Abstract], order: str, copy: bool | None, spelling: str
) -> Wanted | None:
    """What is asked for; None where that is no array of numbers."""
    dtype = given.get("dtype")
    named = None if dtype is None else dtype_of(ctx, dtype)
    found = {n: static(ctx, given[n], n) for n in ("order", "copy", "ndmin") if n in given}
    if not _is_numeric(named):
        return None
    if "requirements" in given:
        order = _required(static(ctx, given["requirements"], "requirements"))
    order, copy = found.get("order") or order, found.get("copy", copy)
    least = found.get("ndmin", 0)
    return Wanted(named, order, least, copy, spelling) if isinstance(least, int) else None


def _required(requirements: Any) -> str:
    """The order that `np.require` asks for; of storage of its own nothing is known either."""
    listed = [requirements] if isinstance(requirements, str) else [*(requirements or ())]
    flags = {str(one).upper()[:1] for one in listed}
    return "F" if "F" in flags else "C" if flags - {"E", "A"} else "K"


def _is_unsure(ctx: Context, value: Abstract) -> bool:
    """Whether an array of this may be one of anything: of texts, of integers, or of other objects.

    Where there is something to differentiate, what stands beside a float is taken for a number.
    """
    known = content(ctx, value)
    match known:
        case Seq(items=items):
            sure = not ctx.outlines.primal and any(_is_float(ctx, item) for item in items)
            return not sure and any(_is_unsure(ctx, item) for item in items)
        case Const(value=str() | bytes() | None):
            return True
        case Outside(type=Type(kind="object"), table=table):
            return as_array(table) is None
        case Value() | Ref() if (held := read(ctx, known)).type.kind == "object":
            table = ctx.tables.get(held.name) if isinstance(held, Value) else None
            return as_array(table) is None
    return False


def _is_float(ctx: Context, value: Abstract) -> bool:
    """Whether this is a float, or has one among its entries."""
    known = content(ctx, value)
    if isinstance(known, Seq):
        return any(_is_float(ctx, item) for item in known.items)
    return isinstance(known, Const | Value | Ref) and read(ctx, known).type.is_differentiable


def _array(ctx: Context, value: Abstract, wanted: Wanted) -> Abstract | None:
    known = content(ctx, value)
    if isinstance(known, Zipped):
        return None
    plain = as_numbers(ctx, known) if isinstance(known, Range) else read(ctx, value)
    operand = numeric(ctx, plain)
    if operand.type.kind == "object":
        return None
    if operand.type.kind == "array" and not isinstance(known, Seq):
        value = value if operand == plain and not isinstance(known, Range) else operand
        made = _of_array(ctx, value, operand, wanted)
    else:
        made = _new(ctx, operand, wanted)
    return made if made is None else _with_axes(ctx, made, wanted.axes)


def _new(ctx: Context, operand: Operand, wanted: Wanted) -> Operand:
    """An array of a number, or of the entries of a list."""
    other = wanted.dtype not in (None, operand.type.dtype)
    if operand.type.kind == "array":
        return ctx.apply("cast", operand, dtype=wanted.dtype) if other else operand
    # The entries of a list may be of a narrower dtype than the list counts as.
    narrow = operand.type.kind == "list" and ctx.narrow.mixes
    other |= wanted.dtype is not None and (narrow or ctx.narrow.of(operand) != wanted.dtype)
    return ctx.apply("array", operand, **({"dtype": wanted.dtype} if other else {}))


def _of_array(ctx: Context, value: Abstract, operand: Operand, wanted: Wanted) -> Abstract | None:
    if wanted.dtype is not None and wanted.dtype != operand.type.dtype:
        # NumPy raises where it may not copy.
        return None if wanted.copy is False else ctx.apply("cast", operand, dtype=wanted.dtype)
    if isinstance(value, Ref) and is_flat(value):
        # NumPy's iterator gives a view of an array that is contiguous.
        return perhaps(ctx, operand, (value,))
    if wanted.copy:
        return ctx.apply("copy", operand, spelling=wanted.spelling)
    if wanted.order not in ("C", "F") or wanted.copy is False or not isinstance(value, Ref):
        return value
    return value if lies_in_order(ctx, value, wanted.order) else perhaps(ctx, operand, (value,))


def _is_numeric(dtype: str | None) -> bool:
    """Whether a dtype is one of numbers, and not one of dates or texts."""
    return dtype is None or dtype in (*REAL, *COMPLEX, *INTEGER)


def _with_axes(ctx: Context, made: Abstract, least: int) -> Abstract | None:
    """With axes of length 1 before the others, until there are enough."""
    rank = read(ctx, made).type.rank
    if least == 0 or (rank is not None and rank >= least):
        return made
    if rank is None:
        return None
    index = ", ".join(["None"] * (least - rank) + [":"] * rank)
    return view(ctx, made, "load", index=index)


def astype(call: Call) -> Abstract | None:
    """`a.astype(dtype)` is new, `a.astype(dtype, copy=False)` only where the dtype is another."""
    ctx = call.ctx
    method = call.function.__class__ is Method
    given = _given(call, ("dtype", "order", "casting", "subok", "copy")[: 5 if method else 1])
    operand = read(ctx, call.args[0])
    if given is None or "dtype" not in given or operand.type.kind != "array":
        return None
    wanted = _wanted(ctx, given, "K", True, "numpy.copy")
    if wanted is None or wanted.dtype is None:
        return None
    return _of_array(ctx, call.args[0], operand, replace(wanted, copy=wanted.copy or None))


CONVERSIONS: dict[str, Special] = {
    "numpy.array": _converted(("dtype",), copy=True),
    "numpy.asarray": _converted(("dtype", "order")),
    "numpy.asanyarray": _converted(("dtype", "order")),
    "numpy.ascontiguousarray": _converted(("dtype",), order="C", axes=1),
    "numpy.asfortranarray": _converted(("dtype",), order="F", axes=1),
    "numpy.require": _converted(("dtype", "requirements")),
    "numpy.astype": astype,
    ".astype": astype,
}
