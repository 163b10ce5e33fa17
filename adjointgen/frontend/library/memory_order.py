"""The order in which entries lie in memory: `a.ravel("K")`, `np.zeros((n, m), order="F")`.

How an array lies is not kept by programs, so it has to be known: as in C for what is made so, and
for what is computed entry by entry from that. An array that is made in Fortran's order is the
transpose of one in C's.
"""

from __future__ import annotations

from typing import NoReturn

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.row_calls import apply_row
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.made_in_order import is_made_in_order
from adjointgen.frontend.state.storage_cells import (
    content,
    hold,
    lies_in_order,
    read,
    view,
)
from adjointgen.ir.nodes import Apply, Const, Operand
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def _flat(call: Call) -> Abstract | None:
    """Of an array that lies as in C, the orders K and A are that order."""
    if not _order(call, 1):
        return None
    array = read(call.ctx, call.args[0])
    if array.type.kind != "array":
        return None
    contiguous = isinstance(call.args[0], Ref) and lies_in_order(call.ctx, call.args[0])
    if not contiguous and not _is_in_c(call.ctx, array):
        _unknown(call.ctx)
    call.args[1:], call.keywords = [], {}
    return None


def _is_in_c(ctx: Context, operand: Operand) -> bool:
    """Whether a value certainly lies as in C in the function, too."""
    if operand.type.is_scalar or operand.type.rank in (0, 1):
        return True
    held = (cell for cell, value in ctx.state.cells.items() if value == operand)
    if any(lies_in_order(ctx, Ref(cell)) for cell in held):
        return True
    stmts = (s for s in reversed(ctx.blocks[-1]) if isinstance(s, Apply))
    made = next((s for s in stmts if operand in s.results), None)
    if made is None:
        return False
    entrywise = TABLE[made.op].kind == "elementwise"
    return is_made_in_order(made) or (entrywise and all(_is_in_c(ctx, arg) for arg in made.args))


def _order(call: Call, position: int) -> str:
    """The order, where it is one that depends on the array; else nothing."""
    order = call.take("order", position)
    how = content(call.ctx, order) if call.args and order is not None else const("C")
    found = how.value if isinstance(how, Const) else None
    return str(found) if found in ("K", "A") else ""


def _unknown(ctx: Context) -> NoReturn:
    what = "in which order the entries of this lie in memory is not known"
    ctx.unlike("AG104", what, "take the order C or F")


def _reshaped(call: Call) -> Abstract | None:
    """By the order A, what is read and made depends on the array as well."""
    how = _order(call, 2 if hasattr(call.function, "spelling") else -1)
    if how == "A" and read(call.ctx, call.args[0]).type.rank not in (0, 1):
        _unknown(call.ctx)
    return None


def _made(name: str) -> Special:
    """`np.zeros((n, m), order="F")` is `np.zeros((m, n)).T`."""

    def make(call: Call) -> Abstract | None:
        ctx, place = call.ctx, 3 if name == "full" else 2
        if call.take("order", place) != const("F"):
            return None
        shape = call.take("shape", 0)
        lengths = None if shape is None else content(ctx, shape)
        value = call.take("fill_value", 1) if name == "full" else None
        if not isinstance(lengths, Seq) or (value is not None and read(ctx, value).type.rank):
            return None
        turned = Seq(lengths.items[::-1])
        keywords = {k: v for k, v in call.keywords.items() if k not in ("order", "shape")}
        one = replace(call, args=[turned, *call.args[1:place]], keywords=keywords)
        made = apply_row(one, TABLE[name], f"numpy.{name}")
        return view(ctx, hold(ctx, made, ""), "transpose", spelling=".T")

    return make


ORDERS: dict[str, Special] = {
    "numpy.ravel": _flat,
    ".ravel": _flat,
    ".flatten": _flat,
    "numpy.reshape": _reshaped,
    ".reshape": _reshaped,
} | {f"numpy.{name}": _made(name) for name in ("zeros", "ones", "empty", "full")}
