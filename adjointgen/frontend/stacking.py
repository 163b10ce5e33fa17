"""Joins that are given one array, or a list of equal arrays, for its entries along the first axis.

np.concatenate(a, axis=k)   the first axis before axis k, and both made one
np.stack(a, axis=k)         the first axis to the place k
np.column_stack(a)          for a matrix the transpose
"""

from __future__ import annotations

from adjointgen.frontend.calls import Call, Special
from adjointgen.frontend.cells import content, length, read
from adjointgen.frontend.options import static
from adjointgen.frontend.values import Abstract, Range, Seq
from adjointgen.ir.nodes import Operand
from adjointgen.rules.build import const


def _entries(call: Call) -> Operand | None:
    """The one array whose entries are joined."""
    if not call.args or isinstance(content(call.ctx, call.args[0]), Seq | Range):
        return None
    operand = read(call.ctx, call.args[0])
    if operand.type.kind == "list":
        operand = call.ctx.apply("asarray", operand)
    return operand if operand.type.is_array and operand.type.rank else None


def _axis(call: Call) -> int | None:
    found = static(call.ctx, call.take("axis", 1, const(0)) or const(0), "axis")
    return found if isinstance(found, int) else None


def _moved(call: Call, a: Operand, axis: int) -> Operand:
    return a if axis == 0 else call.ctx.apply("moveaxis", a, source=0, destination=axis)


def _merged(call: Call, a: Operand, axis: int) -> Operand:
    """The first axis moved before another one, and both made one."""
    moved, rank = _moved(call, a, axis), a.type.rank or 0
    lengths = [length(call.ctx, moved, k) for k in range(rank)]
    lengths[axis : axis + 2] = [call.ctx.apply("mul", *lengths[axis : axis + 2])]
    return call.ctx.apply("reshape", moved, *lengths)


def _concatenated(call: Call) -> Abstract | None:
    a = _entries(call)
    axis = None if a is None else _axis(call)
    if a is None or axis is None or (a.type.rank or 0) < 2 or call.keywords.keys() - {"axis"}:
        return None
    return _merged(call, a, axis % ((a.type.rank or 0) - 1))


def _stacked(call: Call) -> Abstract | None:
    a = _entries(call)
    axis = None if a is None else _axis(call)
    if a is None or axis is None or call.keywords.keys() - {"axis"}:
        return None
    moved = _moved(call, a, axis % (a.type.rank or 1))
    return call.ctx.apply("copy", moved) if moved == a else moved


def _of_rank(call: Call, matrix: str) -> Abstract | None:
    """Along the second axis of the entries, or the only one; `matrix` says what two axes give."""
    a = _entries(call)
    if a is None or call.keywords:
        return None
    ctx = call.ctx
    if a.type.rank == 1:
        column = ctx.apply("expand_dims", a, axis=1 if matrix != "column_stack" else 0)
        return ctx.apply("copy", a) if matrix == "hstack" else ctx.apply("copy", column)
    if a.type.rank == 2:
        if matrix == "column_stack":
            return ctx.apply("copy", ctx.apply("transpose", a))
        return ctx.apply("flatten", a) if matrix == "hstack" else ctx.apply("copy", a)
    return _merged(call, a, 0 if matrix == "vstack" else 1)


def _named(name: str) -> Special:
    return lambda call: _of_rank(call, name)


STACKING: dict[str, Special] = {
    "numpy.concatenate": _concatenated,
    "numpy.concat": _concatenated,
    "numpy.stack": _stacked,
    **{f"numpy.{name}": _named(name) for name in ("vstack", "hstack", "column_stack")},
}
