"""Operations that rearrange entries: the transpose puts them back where they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjointgen.ir.types import Dim, Shape, broadcast, never_one
from adjointgen.rules.framework.batching import (
    along,
    broadcasted,
    by_axes,
    flattened,
    reshaped,
    reshaped_like,
    transposed,
    unchanged,
    without_ones,
)
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.shape_helpers import length, rank_of, reshape_like
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    as_array,
    axes_of,
    fresh,
    of_ranks,
    shape_from,
    size_dim,
)

_ONE = Dim("", 1)


def _reshaped(shape: Shape | None, wanted: Sequence[Dim | None]) -> Shape:
    """The shape asked for, with the length that -1 stands for where it is certain."""
    automatic = Dim("", -1)
    if automatic not in wanted:
        return tuple(wanted)
    rest = size_dim(tuple(d for d in wanted if d != automatic))
    total = size_dim(shape)
    found: Dim | None = None
    if rest == _ONE:
        found = total
    elif rest is not None and total is not None and rest.known and total.known is not None:
        found = Dim("", total.known // rest.known)
    return tuple(found if d == automatic else d for d in wanted)


def _reshape_type(types: Types, options: Options) -> Types:
    a, *operands = types
    wanted = shape_from(operands)
    return (fresh(a.dtype, None if wanted is None else _reshaped(a.shape, wanted)),)


def _reshape_back(y_bar: Any, a: Any, *shape: Any, order: str) -> Any:
    if order == "C":
        return reshape_like(y_bar, a)
    lengths = [length(a, axis) for axis in range(rank_of(a, "reshape"))]
    return y_bar.apply("reshape", y_bar, *lengths, order=order)


def _flat_type(types: Types, options: Options) -> Types:
    return (fresh(types[0].dtype, (size_dim(types[0].shape),)),)


linear(
    "reshape",
    "a, *shape, order='C'",
    ["numpy.reshape", ".reshape"],
    {0: _reshape_back},
    infer=_reshape_type,
    view="layout",
    cost=0,
    domain=[
        ("float64[6]", 2, 3),
        ("float64[2,3]", -1),
        ("float64[2,3]", 3, -1),
        ("float64[2,3]", 3, 2, {"order": "F"}),
        ("float64[0]", 0, 2),
    ],
    batch=reshaped,
)
linear(
    "reshape_like",
    "a, like",
    [],
    {0: lambda y_bar, a, like: reshape_like(y_bar, a)},
    infer=lambda types, options: (fresh(types[0].dtype, types[1].shape),),
    code="np.reshape(_0_, np.shape(_1_))",
    view="layout",
    cost=0,
    domain=[("float64[6]", [[1, 2, 3], [4, 5, 6]])],
    shape_of=1,
    shape_only=True,
    batch=reshaped_like,
)
for _name, _spellings, _view in (
    ("ravel", ["numpy.ravel", ".ravel"], "layout"),
    ("flatten", [".flatten"], ""),
):
    linear(
        _name,
        "a, order='C'",
        _spellings,
        {0: _reshape_back},
        infer=_flat_type,
        batch=flattened,
        view=_view,
        cost=0,
        domain=[("float64[2,3]",), ("float64[3]",), ("float64[2,3]", {"order": "F"})],
    )


def _permuted(shape: Shape | None, axes: Sequence[int] | None) -> Shape | None:
    if shape is None:
        return None
    order = range(len(shape))[::-1] if axes is None else axes_of(axes, len(shape))
    return tuple(shape[k] for k in order)


def _transpose_type(types: Types, options: Options) -> Types:
    axes = options.get("axes")
    return (fresh(types[0].dtype, _permuted(types[0].shape, axes)),)


def _transpose_back(y_bar: Any, a: Any, axes: Sequence[int] | None) -> Any:
    if axes is None:
        return y_bar.apply("transpose", y_bar)
    inverse = np.argsort([k % len(axes) for k in axes])
    return y_bar.apply("transpose", y_bar, axes=tuple(int(k) for k in inverse))


linear(
    "transpose",
    "a, axes=None",
    ["numpy.transpose", ".transpose", ".T", "numpy.permute_dims"],
    {0: _transpose_back},
    noun="{}_T",
    infer=_transpose_type,
    view="whole",
    cost=0,
    domain=[
        ("float64[2,3]",),
        ("float64[3]",),
        ("float64[2,3,4]", {"axes": (-1, 0, 1)}),
    ],
    loop="part",
    batch=transposed,
)


def _swapped_type(types: Types, options: Options) -> Types:
    (a,) = types
    if a.shape is None:
        return (fresh(a.dtype, None),)
    dims = list(a.shape)
    i, j = options["axis1"], options["axis2"]
    dims[i], dims[j] = dims[j], dims[i]
    return (fresh(a.dtype, tuple(dims)),)


linear(
    "swapaxes",
    "a, axis1=None, axis2=None",
    ["numpy.swapaxes", ".swapaxes"],
    {0: lambda y_bar, a, axis1, axis2: y_bar.apply("swapaxes", y_bar, axis1=axis1, axis2=axis2)},
    infer=_swapped_type,
    view="whole",
    cost=0,
    domain=[("float64[2,3,4]", {"axis1": 0, "axis2": -1})],
    loop="part",
    batch=by_axes("axis1", "axis2"),
)


def moved_type(types: Types, options: Options) -> Types:
    """The shape after `moveaxis`."""
    (a,) = types
    if a.shape is None:
        return (fresh(a.dtype, None),)
    rank = len(a.shape)
    source = axes_of(options["source"], rank)
    order = [k for k in range(rank) if k not in source]
    for place, axis in sorted(zip(axes_of(options["destination"], rank), source, strict=True)):
        order.insert(place, axis)
    return (fresh(a.dtype, tuple(a.shape[k] for k in order)),)


linear(
    "moveaxis",
    "a, source=None, destination=None",
    ["numpy.moveaxis"],
    {
        0: lambda y_bar, a, source, destination: y_bar.apply(
            "moveaxis", y_bar, source=destination, destination=source
        )
    },
    infer=moved_type,
    view="whole",
    cost=0,
    domain=[
        ("float64[2,3,4]", {"source": 0, "destination": -1}),
        ("float64[2,3,4]", {"source": (0, 1), "destination": (2, 0)}),
    ],
    batch=by_axes("source", "destination"),
)


def _squeezed(shape: Shape | None, axis: Any) -> Shape | None:
    if shape is None:
        return None
    if axis is not None:
        axes = axes_of(axis, len(shape))
        return tuple(d for k, d in enumerate(shape) if k not in axes)
    # An axis whose length may be 1 makes the rank unknown.
    certain = all(d is not None and (d == _ONE or never_one(d)) for d in shape)
    return tuple(d for d in shape if d != _ONE) if certain else None


def _expanded(shape: Shape | None, axis: Any) -> Shape | None:
    if shape is None:
        return None
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    rank = len(shape) + len(axes)
    new = {k % rank for k in axes}
    rest = iter(shape)
    return tuple(_ONE if k in new else next(rest) for k in range(rank))


linear(
    "squeeze",
    "a, axis=None",
    ["numpy.squeeze", ".squeeze"],
    {0: lambda y_bar, a: reshape_like(y_bar, a)},
    infer=lambda types, options: (
        fresh(types[0].dtype, _squeezed(types[0].shape, options.get("axis"))),
    ),
    view="whole",
    cost=0,
    domain=[("float64[2,1,3,1]",), ("float64[1,3]", {"axis": 0})],
    batch=without_ones,
)
linear(
    "expand_dims",
    "a, axis=None",
    ["numpy.expand_dims"],
    {0: lambda y_bar, a: reshape_like(y_bar, a)},
    infer=lambda types, options: (
        fresh(types[0].dtype, _expanded(types[0].shape, options["axis"])),
    ),
    view="whole",
    cost=0,
    domain=[
        ("float64[3]", {"axis": 0}),
        ("float64[2,3]", {"axis": -1}),
        ("float64[3]", {"axis": (0, 2)}),
        ("float64", {"axis": 0}),
    ],
    loop="part",
    batch=by_axes("axis"),
)
linear(
    "broadcast_to",
    "a, *shape",
    ["numpy.broadcast_to"],
    {0: lambda y_bar, a, *shape: y_bar},
    infer=lambda types, options: (fresh(types[0].dtype, shape_from(types[1:])),),
    view="locked",
    cost=1,
    domain=[("float64[3]", 2, 3), ("float64[2,1]", 2, 3), ("float64", 4)],
    batch=broadcasted,
)
linear(
    "spread",
    "a, like",
    [],
    {0: lambda y_bar, a, like: y_bar},
    infer=lambda types, options: (fresh(types[0].dtype, broadcast(*(t.shape for t in types))),),
    code="np.broadcast_arrays(_0_, _1_)[0]",
    view="part",
    cost=1,
    domain=[
        ("float64[3]", [[1.0], [2.0]]),
        ("float64", [1.0, 2.0]),
        ("float64[2,1]", [1.0, 2.0, 3.0]),
        ("float64[2,3]", 1.0),
    ],
)
linear(
    "unshaped",
    "a",
    [],
    {0: lambda y_bar, a: y_bar},
    infer=lambda types, options: (fresh(types[0].dtype, None),),
    code="_0_",
    view="same",
    cost=0,
    domain=[("float64[3]",)],
)


def _whole_type(types: Types, options: Options) -> Types:
    return (as_array(types[0]),)


def _negative(shift: Any) -> Any:
    value = getattr(shift.operand, "value", None)
    return -value if isinstance(value, int) else -shift


linear(
    "roll",
    "a, shift, axis=None",
    ["numpy.roll"],
    {0: lambda y_bar, a, shift, axis: y_bar.apply("roll", y_bar, _negative(shift), axis=axis)},
    infer=_whole_type,
    domain=[
        ("float64[4]", 1),
        ("float64[2,3]", -1, {"axis": 1}),
        ("float64[2,3]", 2),
    ],
    shape_of=0,
    batch=along,
)


for _name in ("triu", "tril"):
    linear(
        _name,
        "a, k=0",
        [f"numpy.{_name}"],
        {0: lambda y_bar, a, k, _name=_name: y_bar.apply(_name, y_bar, k=k)},
        infer=of_ranks(_whole_type, tuple(range(2, 32))),
        domain=[("float64[3,3]",), ("float64[2,3]", {"k": 1})],
        entries="among zeros",
        batch=unchanged,
    )
