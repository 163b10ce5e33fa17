"""Joins of what is not known entry by entry: an array, or a list of any length.

    np.stack(a, axis=1)      np.moveaxis(a, 0, 1)
    np.concatenate(a)        a.reshape(-1, *a.shape[2:])
    np.hstack(a)             np.moveaxis(a, 0, 1).reshape(a.shape[1], -1)

The entries are the rows of one array: their axis is moved to where they are joined, and made one
with the axis that it meets there.
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Named, Ref
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.library.broadcasting import moved
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import const


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A function that joins along an axis of its own, after it has given its entries more axes.

    Both are by the rank of the entries; `rest` is the axis of those of a higher rank.
    """

    lifted: tuple[str, ...]
    axes: tuple[int, ...]
    rest: int

    def axis(self, rank: int) -> int:
        return self.axes[rank] if rank < len(self.axes) else self.rest


FIXED: Final = {
    "numpy.vstack": _Fixed((":, None, None", ":, None, :"), (), 0),
    "numpy.hstack": _Fixed((":, None",), (0, 0), 1),
    "numpy.column_stack": _Fixed((":, None, None", ":, :, None"), (), 1),
    "numpy.dstack": _Fixed((":, None, None, None", ":, None, :, None", ":, :, :, None"), (), 2),
}


def _joined(call: Call) -> Abstract | None:
    """The join of one argument that is a value; None for all others, and where its rank is open."""
    assert isinstance(call.function, Named)
    rows = _rows(call)
    axis = call.take("axis", 1, const(0))
    if rows is None or set(call.keywords) - {"axis"} or axis is None:
        return None
    rank = (rows.type.rank or 0) - 1
    if (fixed := FIXED.get(call.function.spelling)) is not None:
        if rank < len(fixed.lifted):
            rows = call.ctx.apply("load", rows, index=fixed.lifted[rank])
        return _merged(call, rows, fixed.axis(rank))
    place = static(call.ctx, axis, "axis")
    if call.function.spelling == "numpy.stack":
        return moved(call, rows, 0, place % (rank + 1))
    if place is None:
        return call.ctx.apply("ravel", rows)
    return _merged(call, rows, place % rank) if rank else None


def _rows(call: Call) -> Operand | None:
    """What is joined as an array that nothing else holds."""
    ctx = call.ctx
    if not call.args or not isinstance(content(ctx, call.args[0]), Value | Const | Ref):
        return None
    operand = numeric(ctx, read(ctx, call.args[0]))
    if not operand.type.rank or operand.type.kind == "object" or is_loose(ctx.loose, operand):
        return None
    _check_filled(call, operand)
    return ctx.apply("array" if operand.type.kind == "list" else "copy", operand)


def _check_filled(call: Call, rows: Operand) -> None:
    """The program says, as NumPy does, where there is nothing to join."""
    length = rows.type.shape[0] if rows.type.shape else None
    if length is not None and length.known:
        return
    assert isinstance(call.function, Named)
    done = "stack" if call.function.spelling == "numpy.stack" else "concatenate"
    code = f'if _0_ == 0:\n    raise ValueError("need at least one array to {done}")'
    number = call.ctx.apply("dim", rows, axis=0)
    statement(call.ctx, code, (number,), raises="ValueError")


def _merged(call: Call, rows: Operand, axis: int) -> Operand:
    """The rows one after the other along an axis of theirs."""
    ctx, rank = call.ctx, (rows.type.rank or 0) - 1
    lengths: list[Operand] = [ctx.apply("dim", rows, axis=k + 1) for k in range(rank)]
    lengths[axis] = const(-1)
    return ctx.apply("reshape", moved(call, rows, 0, axis), *lengths)


STACKING: dict[str, Special] = {
    **dict.fromkeys(FIXED, _joined),
    "numpy.concatenate": _joined,
    "numpy.concat": _joined,
    "numpy.stack": _joined,
}
