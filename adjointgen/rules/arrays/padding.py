"""Padding: the entries inside keep their adjoints, and get those of the copies around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, rank_of
from adjointgen.rules.framework.type_rules import Types, add_lengths, fresh

Options = Mapping[str, Any]
Args = Sequence[Any]


def widths_of(pad_width: Any, rank: int) -> list[tuple[int, int]]:
    """The widths before and after each axis, from any form that `np.pad` takes."""
    pairs = np.broadcast_to(np.asarray(pad_width), (rank, 2)) if rank else np.zeros((0, 2), int)
    return [(int(before), int(after)) for before, after in pairs]


def inside(widths: Sequence[tuple[int, int]]) -> str:
    """The index of what is not padding."""
    return ", ".join(f"{before or ''}:{-after or ''}" for before, after in widths)


def _padded_type(types: Types, options: Options) -> Types:
    (a,) = types
    if a.shape is None:
        return (fresh(a.dtype, None),)
    widths = widths_of(options["pad_width"], len(a.shape))
    dims = [add_lengths([d, Dim("", sum(w))]) for d, w in zip(a.shape, widths, strict=True)]
    return (fresh(a.dtype, tuple(dims)),)


_BY_PLACE = ("edge", "reflect", "symmetric", "wrap")


def _mode(options: Options) -> str:
    """How the padding is filled.

    Raises NoRule (AG201) for what is computed from entries.
    """
    mode = str(options["mode"])
    if mode not in ("constant", *_BY_PLACE):
        raise NoRule(
            f"no derivative rule for numpy.pad with mode {mode!r}",
            code="AG201",
            help="compute the border, and join it with np.concatenate",
        )
    return mode


def _padded_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """Padded alike; with zeros, whatever the constant."""
    width, mode = options["pad_width"], _mode(options)
    more = {} if mode == "constant" else {"mode": mode}
    return dots[0].apply("pad", dots[0], pad_width=width, **more)


def _padded_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """What is inside; entries that were repeated get the sum of all their copies."""
    a, mode = args[0], _mode(options)
    widths = widths_of(options["pad_width"], rank_of(a, "pad"))
    if not widths:
        return [y_bar]
    if mode == "constant":
        return [y_bar.apply("load", y_bar, index=inside(widths))]
    for axis, width in enumerate(widths):
        if width == (0, 0):
            continue
        places = y_bar.apply("arange", length(a, axis))
        places = places.apply("pad", places, pad_width=width, mode=mode)
        lengths = [length(a if k <= axis else y_bar, k) for k in range(len(widths))]
        base = y_bar.apply("zeros", *lengths, dtype=y_bar.type.dtype)
        y_bar = base.apply("accumulate", base, y_bar, places, index=":, " * axis + "_")
    return [y_bar]


general(
    "pad",
    "a, pad_width=None, mode='constant', constant_values=0",
    ["numpy.pad"],
    _padded_tangent,
    _padded_adjoint,
    infer=_padded_type,
    domain=[
        ("float64[3]", {"pad_width": 1}),
        ("float64[3]", {"pad_width": (1, 2), "constant_values": 7.0}),
        ("float64[2,3]", {"pad_width": ((1, 0), (0, 2))}),
        *(("float64[3]", {"pad_width": (2, 1), "mode": mode}) for mode in _BY_PLACE),
        ("float64[2,3]", {"pad_width": ((1, 0), (0, 2)), "mode": "edge"}),
    ],
    entries="among zeros",
)
