"""Operations that put arrays together or repeat them: the transpose takes the parts apart.

`y = concatenate((a, b))` has `a_bar = y_bar[:len(a)]`, `b_bar = y_bar[len(a):]`; what was repeated
is summed over its copies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim, Shape
from adjointgen.rules.framework.batching import Batch, joined, stacked_entries
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general, linear
from adjointgen.rules.framework.shape_helpers import (
    length,
    rank_of,
    reduce_sum,
    reshape_like,
    size,
    zero_like,
)
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Types,
    add_lengths,
    as_array,
    fresh,
    result_dtype,
    size_dim,
)

Options = Mapping[str, Any]
Args = Sequence[Any]
_ONE = Dim("", 1)


def _dtype(types: Types) -> str:
    return result_dtype(types)


def _parts(y_bar: Any, lengths: Sequence[Any], axis: int) -> list[Any]:
    """`y_bar` cut along an axis into pieces of these lengths."""
    parts, start = [], 0
    for k, extent in enumerate(lengths):
        stop = extent if isinstance(start, int) and start == 0 else start + extent
        ends = [None if k == 0 else start, None if k == len(lengths) - 1 else stop]
        texts = ["" if e is None else str(e) if isinstance(e, int) else "_" for e in ends]
        operands = [e for e in ends if e is not None and not isinstance(e, int)]
        index = ":, " * axis + ":".join(texts)
        parts.append(y_bar.apply("load", y_bar, *operands, index=index))
        start = stop
    return parts


def _joined(dims: Sequence[Shape], axis: int) -> Shape:
    """The shape of arrays put together along an axis."""
    result = []
    for k, column in enumerate(zip(*dims, strict=True)):
        if k == axis:
            result.append(add_lengths(column))
        else:
            # They must be equal; any that is known will do.
            result.append(next((d for d in column if d is not None), None))
    return tuple(result)


def _concatenated_type(types: Types, options: Options) -> Types:
    axis, dtype = options.get("axis", 0), _dtype(types)
    shapes = [t.shape for t in types]
    if axis is None:
        return (fresh(dtype, (add_lengths([size_dim(s) for s in shapes]),)),)
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        rank = len(known[0]) if known else None
        return (fresh(dtype, None if rank is None else (None,) * rank),)
    return (fresh(dtype, _joined(known, axis % len(known[0]))),)


def _tangent(op: str) -> Callable[..., Any]:
    """Joining is linear in all parts together."""

    def tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        parts = [zero_like(a) if d is None else d for a, d in zip(args, dots, strict=True)]
        return y.apply(op, *parts, **_plain(options))

    return tangent


def _plain(options: Options) -> dict[str, Any]:
    return {k: v for k, v in options.items() if k != "spelling"}


def _concatenated_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    axis = options["axis"]
    if axis is None:
        parts = _parts(y_bar, [size(a) for a in args], 0)
        return [reshape_like(p, a) for p, a in zip(parts, args, strict=True)]
    along = axis % rank_of(y_bar, "concatenate")
    return _parts(y_bar, [length(a, along) for a in args], along)


def _joining(
    name: str,
    signature: str,
    spellings: Sequence[str],
    adjoint: Any,
    infer: Infer,
    domain: Sequence[tuple[Any, ...]],
    batch: Batch | None = None,
) -> None:
    general(
        name,
        signature,
        spellings,
        _tangent(name),
        adjoint,
        infer=infer,
        domain=domain,
        entries="assembled",
        batch=batch,
    )


_joining(
    "concatenate",
    "*arrays, axis=0",
    ["numpy.concatenate", "numpy.concat"],
    _concatenated_adjoint,
    _concatenated_type,
    [
        ("float64[2]", "float64[3]"),
        ("float64[2]", "float64[3]", "float64[1]"),
        ("float64[2,3]", "float64[2,2]", {"axis": -1}),
        ("float64[2,3]", "float64[2]", {"axis": None}),
        ("float64[0]", "float64[2]"),
    ],
    joined,
)


def _stacked_type(types: Types, options: Options) -> Types:
    shape = types[0].shape
    if shape is None:
        return (fresh(_dtype(types), None),)
    axis = options.get("axis", 0) % (len(shape) + 1)
    dims = list(shape)
    dims.insert(axis, Dim("", len(types)))
    return (fresh(_dtype(types), tuple(dims)),)


def _stacked_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    axis = options.get("axis", 0) % rank_of(y_bar, "stack")
    lead = ":, " * axis
    return [y_bar.apply("load", y_bar, index=f"{lead}{k}") for k in range(len(args))]


_joining(
    "stack",
    "*arrays, axis=0",
    ["numpy.stack"],
    _stacked_adjoint,
    _stacked_type,
    [
        ("float64[3]", "float64[3]"),
        ("float64[2,3]", "float64[2,3]", {"axis": -1}),
        ("float64", "float64"),
    ],
    joined,
)
# `np.array([a, b, c])` of scalars or of arrays of one shape.
_joining(
    "array_of",
    "*items",
    ["numpy.array"],
    _stacked_adjoint,
    _stacked_type,
    [("float64", "float64", "float64"), ("float64[2]", "float64[2]")],
    stacked_entries,
)


def _lifted(shape: Shape, name: str) -> Shape:
    """How `vstack`, `hstack` and `column_stack` see an operand before they join it."""
    if name == "hstack":
        return shape or (_ONE,)
    if len(shape) >= 2:
        return shape
    dim = shape[0] if shape else _ONE
    return (_ONE, dim) if name == "vstack" else (dim, _ONE)


def _axis_of(name: str, shapes: Sequence[Shape]) -> int:
    return 0 if name == "vstack" or (name == "hstack" and len(shapes[0]) <= 1) else 1


def _along_fixed_axis(name: str) -> tuple[Infer, Any]:
    """The type rule and the adjoint of a function that joins along an axis of its own."""

    def infer(types: Types, options: Options) -> Types:
        if any(t.shape is None for t in types):
            return (fresh(_dtype(types), None),)
        shapes = [_lifted(t.shape, name) for t in types if t.shape is not None]
        return (fresh(_dtype(types), _joined(shapes, _axis_of(name, shapes))),)

    def adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        ranks = [rank_of(a, name) for a in args]
        axis = _axis_of(name, [a.type.shape for a in args])
        lengths = [
            length(a, axis) if rank > axis and (rank > 1 or name == "hstack") else 1
            for a, rank in zip(args, ranks, strict=True)
        ]
        parts = _parts(y_bar, lengths, axis)
        return [
            part if rank == part.type.rank else reshape_like(part, a)
            for part, rank, a in zip(parts, ranks, args, strict=True)
        ]

    return infer, adjoint


for _name, _domain in {
    "vstack": [("float64[3]", "float64[3]"), ("float64[2,3]", "float64[3]")],
    "hstack": [
        ("float64[3]", "float64[2]"),
        ("float64[2,3]", "float64[2,1]"),
        ("float64", "float64"),
    ],
    "column_stack": [("float64[3]", "float64[3]"), ("float64[3,2]", "float64[3]")],
}.items():
    _infer, _adjoint = _along_fixed_axis(_name)
    _joining(_name, "*arrays", [f"numpy.{_name}"], _adjoint, _infer, _domain)


def _appended(types: Types, options: Options) -> Types:
    return _concatenated_type(types, {"axis": options.get("axis")})


_joining(
    "append",
    "a, values, axis=None",
    ["numpy.append"],
    _concatenated_adjoint,
    _appended,
    [
        ("float64[3]", "float64"),
        ("float64[3]", "float64[2]"),
        ("float64[2,3]", "float64[1,3]", {"axis": 0}),
    ],
)


def _times(dim: Dim | None, number: Dim | None) -> Dim | None:
    if dim is None or number is None:
        return None
    if _ONE in (dim, number):
        return number if dim == _ONE else dim
    known = dim.known is not None and number.known is not None
    return Dim("", dim.offset * number.offset) if known else None


def _tiled_type(types: Types, options: Options) -> Types:
    a, *reps = as_array(types[0]), *types[1:]
    if a.shape is None or any(not r.is_scalar for r in reps):
        return (fresh(a.dtype, None),)
    rank = max(len(a.shape), len(reps))
    dims = (_ONE,) * (rank - len(a.shape)) + a.shape
    counts = [_ONE] * (rank - len(reps)) + [r.value for r in reps]
    return (fresh(a.dtype, tuple(_times(d, n) for d, n in zip(dims, counts, strict=True))),)


def _tiled_back(y_bar: Any, a: Any, *reps: Any) -> Any:
    """Summed over the copies: `y_bar` with each axis split into (copies, length)."""
    rank = rank_of(a, "tile")
    if any(not r.type.is_scalar for r in reps):
        what = "no adjoint of tile where the number of copies is not one integer for each axis"
        raise NoRule(what, code="AG201", help="give np.tile a tuple of integers")
    lengths = [1] * (len(reps) - rank) + [length(a, k) for k in range(rank)]
    counts = [1] * (rank - len(reps)) + list(reps)
    split = [n for pair in zip(counts, lengths, strict=True) for n in pair]
    axes = tuple(range(0, len(split), 2))
    summed = reduce_sum(y_bar.apply("reshape", y_bar, *split), axes if len(axes) > 1 else axes[0])
    return summed if len(reps) <= rank else reshape_like(summed, a)


linear(
    "tile",
    "a, *reps",
    ["numpy.tile"],
    {0: _tiled_back},
    infer=_tiled_type,
    domain=[
        ("float64[3]", 2),
        ("float64[2,3]", 2),
        ("float64[2]", 2, 1, 2),
        ("float64[2,3]", 2, 1),
    ],
)


def _repeated_type(types: Types, options: Options) -> Types:
    a, number = as_array(types[0]), types[1].value
    axis = options.get("axis")
    if axis is None:
        return (fresh(a.dtype, (_times(size_dim(a.shape), number),)),)
    if a.shape is None:
        return (a,)
    dims = list(a.shape)
    dims[axis] = _times(dims[axis], number)
    return (fresh(a.dtype, tuple(dims)),)


def _repeated_back(y_bar: Any, a: Any, repeats: Any, axis: Any) -> Any:
    """Summed over the copies, which stand side by side."""
    flat = axis is None
    along = 0 if flat else axis % rank_of(a, "repeat")
    lengths = [size(a)] if flat else [length(a, k) for k in range(rank_of(a, "repeat"))]
    if repeats.type.is_scalar:
        split = [*lengths[: along + 1], repeats, *lengths[along + 1 :]]
        summed = reduce_sum(y_bar.apply("reshape", y_bar, *split), along + 1)
    else:
        numbers = y_bar.apply("arange", lengths[along])
        places = numbers.apply("repeat", numbers, repeats)
        base = y_bar.apply("zeros", *lengths)
        index = ":, " * along + "_"
        summed = y_bar.apply("accumulate", base, y_bar, places, index=index)
    return reshape_like(summed, a) if flat else summed


linear(
    "repeat",
    "a, repeats, axis=None",
    ["numpy.repeat", ".repeat"],
    {0: _repeated_back},
    infer=_repeated_type,
    domain=[
        ("float64[3]", 2),
        ("float64[2,3]", 2),
        ("float64[2,3]", 2, {"axis": 1}),
        ("float64[3]", [2, 0, 1]),
        ("float64[2,3]", [2, 1], {"axis": 0}),
    ],
)
