"""NumPy functions that give views, where that takes more than a row.

np.einsum("ij->ji", a)           a.transpose(1, 0)
np.einsum("ii->i", a)            a.ravel()[:: len(a) + 1], to be written to as well
sliding_window_view(a, 3)        a[i + j] for all places i and j in the window, never written to
np.meshgrid(a, b, copy=False)    a[None, :] and b[:, None], spread over each other
np.matrix_transpose(a)           a.swapaxes(-1, -2)
np.unstack(a)                    a[0], a[1], ...
"""

from __future__ import annotations

from typing import Any, Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.iteration.loop_plans import plus
from adjointgen.frontend.library.array_attributes import matrices
from adjointgen.frontend.library.numpy_expansions import contracted, letters_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import content, read, view
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import Shape
from adjointgen.rules.framework.builder import const
from adjointgen.rules.linalg.einsum import parse_einsum, rearranges

_TOO_LONG: Final = "window shape cannot be larger than input array shape"


def _einsum(call: Call) -> Abstract | None:
    """What only rearranges entries is a view; the rest is a row."""
    ctx = call.ctx
    found = None if call.keywords.keys() - {"optimize"} else letters_of(call)
    base = found[1][0] if found is not None and len(found[1]) == 1 else None
    if found is None or not isinstance(base, Ref) or isinstance(content(ctx, base), Seq):
        return contracted(call)
    subscripts, array = found[0], read(ctx, base)
    if array.type.rank is None or not rearranges([array.type], {"subscripts": subscripts}):
        return contracted(call)
    (part,), output = parse_einsum(subscripts, [array.type.rank])
    if len(part) == len(output):
        return view(ctx, base, "transpose", axes=tuple(part.index(c) for c in output))
    if not _agree(array.type.shape or (), part):
        return contracted(call)
    number = length(ctx, array, 0)
    if len(output) == 1 and len(part) == 2:
        flat = view(ctx, base, "ravel")
        return view(ctx, flat, "load", plus(ctx, number, const(1)), index="::_")
    places = [_along(ctx, length(ctx, array, part.index(c)), output, c) for c in part]
    return view(ctx, base, "load", *places, index=", ".join("_" * len(part)))


def _agree(shape: Shape, part: str) -> bool:
    """Whether axes of one letter are certain to be as long as each other."""
    pairs = [(shape[part.index(c)], dim) for c, dim in zip(part, shape, strict=True)]
    return all(first is not None and first == dim for first, dim in pairs)


def _along(ctx: Context, number: Operand, axes: str, axis: str) -> Operand:
    """0, 1, 2, ... along one axis of several."""
    index = ", ".join(":" if c == axis else "None" for c in axes)
    counted = ctx.apply("arange", number)
    return counted if index == ":" else ctx.apply("load", counted, index=index)


def _windows(call: Call) -> Abstract | None:
    """Every part of a certain shape, one along each place where it begins."""
    ctx = call.ctx
    given = dict(zip(("window_shape", "axis"), call.args[1:], strict=False)) | call.keywords
    writes = static(ctx, given.pop("writeable", const(False)), "writeable")
    given.pop("subok", None)
    array = read(ctx, call.args[0])
    sizes = content(ctx, given.get("window_shape", const(None)))
    plain = given.keys() <= {"window_shape", "axis"} and array.type.kind == "array" and not writes
    if not plain or array.type.rank is None or sizes == const(None):
        return None
    shape = [read(ctx, n) for n in sizes.items] if isinstance(sizes, Seq) else [read(ctx, sizes)]
    axes = _axes(static(ctx, given.get("axis", const(None)), "axis"), array.type.rank)
    if len(axes) != len(shape) or not all(n.type.is_scalar for n in shape):
        return None
    places = _places(ctx, array, dict(zip(axes, shape, strict=True)))
    return view(ctx, call.args[0], "load", *places, index=", ".join("_" * len(places)), locked=True)


def _axes(axis: Any, rank: int) -> list[int]:
    named = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = [k % rank for k in named]
    return found if len({*found}) == len(found) else []


def _places(ctx: Context, array: Operand, windows: dict[int, Operand]) -> list[Operand]:
    """The index along each axis of the array: where the window begins, and the place in it."""
    rank = array.type.rank or 0
    names = "abcdefghijklmnopqrstuvwxyz"[: rank + len(windows)]
    places: list[Operand] = []
    for axis in range(rank):
        number = length(ctx, array, axis)
        if axis not in windows:
            places.append(_along(ctx, number, names, names[axis]))
            continue
        size, inner = windows[axis], names[rank + [*windows].index(axis)]
        _check_window(ctx, number, size)
        begins = _along(ctx, plus(ctx, _less(ctx, number, size), const(1)), names, names[axis])
        places.append(ctx.apply("add", begins, _along(ctx, size, names, inner)))
    return places


def _check_window(ctx: Context, number: Operand, size: Operand) -> None:
    """The program says, as NumPy does, where a window is longer than the axis."""
    match number, size:
        case Const(value=int(known)), Const(value=int(wanted)) if known >= wanted:
            return
    statement(
        ctx, f"if _0_ < _1_: raise ValueError({_TOO_LONG!r})", (number, size), raises="ValueError"
    )


def _less(ctx: Context, a: Operand, b: Operand) -> Operand:
    negative = const(-b.value) if isinstance(b, Const) and isinstance(b.value, int) else None
    return ctx.apply("sub", a, b) if negative is None else plus(ctx, a, negative)


def _grid(call: Call) -> Abstract | None:
    """Each vector along an axis of its own; with copies it is a row."""
    ctx = call.ctx
    options = {n: static(ctx, v, n) for n, v in call.keywords.items()}
    count = len(call.args)
    types = [read(ctx, a).type for a in call.args]
    plain = options.keys() <= {"copy", "sparse", "indexing"} and all(t.rank == 1 for t in types)
    if options.get("copy", True) or not plain:
        return None
    swapped = options.get("indexing", "xy") == "xy" and count > 1
    axes = [1 - k if swapped and k < 2 else k for k in range(count)]
    lengths = [length(ctx, read(ctx, call.args[axes.index(k)]), 0) for k in range(count)]
    made: list[Abstract] = []
    for value, axis in zip(call.args, axes, strict=True):
        index = ", ".join(":" if k == axis else "None" for k in range(count))
        part = value if count == 1 else view(ctx, value, "load", index=index)
        spread = not options.get("sparse") and count > 1
        made.append(view(ctx, part, "broadcast_to", *lengths) if spread else part)
    return Seq(tuple(made))


def _turned(call: Call) -> Abstract | None:
    rank = read(call.ctx, call.args[0]).type.rank
    return matrices(call.ctx, call.args[0], rank) if rank and len(call.args) == 1 else None


def _diagonals(call: Call) -> Abstract | None:
    """`np.linalg.diagonal(a)`: of each matrix of a stack."""
    rank = read(call.ctx, call.args[0]).type.rank
    if len(call.args) > 1 or call.keywords.keys() - {"offset"} or not rank or rank < 2:
        return None
    offset = static(call.ctx, call.keywords.get("offset", const(0)), "offset")
    options: dict[str, Any] = {"axis1": rank - 2, "axis2": rank - 1} if rank > 2 else {}
    options |= {"offset": offset} if offset else {}
    return view(call.ctx, call.args[0], "diagonal", **options)


def _unstacked(call: Call) -> Abstract | None:
    ctx = call.ctx
    array = read(ctx, call.args[0])
    if len(call.args) > 1 or call.keywords.keys() - {"axis"} or not array.type.rank:
        return None
    axis = static(ctx, call.keywords.get("axis", const(0)), "axis") % array.type.rank
    number = length(ctx, array, axis)
    if not isinstance(number, Const) or not isinstance(number.value, int):
        return None
    before = ":, " * axis
    return Seq(
        tuple(view(ctx, call.args[0], "load", index=f"{before}{k}") for k in range(number.value))
    )


VIEWING: dict[str, Special] = {
    "numpy.einsum": _einsum,
    "numpy.lib.stride_tricks.sliding_window_view": _windows,
    "numpy.meshgrid": _grid,
    "numpy.matrix_transpose": _turned,
    "numpy.linalg.matrix_transpose": _turned,
    "numpy.linalg.diagonal": _diagonals,
    "numpy.unstack": _unstacked,
}
