"""Extrema and medians of windows, in `scipy.ndimage` and `scipy.signal`, and measures of images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.rules.filters.image_filters import (
    BORDER,
    IMAGE,
    ROW,
    declare,
    each,
    middle,
    refused,
)
from adjointgen.rules.filters.windows import named_border, windows
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import in_double, length, op, rank_of
from adjointgen.rules.framework.type_rules import mean_reduction, of_ranks, same_type, shaped


def _chosen(name: str) -> Callable[..., Any]:
    """The greatest, least or middle entry of a window."""

    def definition(a: Any, size: Any, mode: Any, cval: Any) -> Any:
        rank = rank_of(a, "a filter")
        sizes = each(size, rank)
        starts = [s // 2 for s in sizes]
        found = windows(a, sizes, starts, named_border(mode, cval), range(rank))
        flat = found
        if rank > 1:
            lengths = [length(a, k) for k in range(rank)]
            flat = op("reshape", found, *lengths, math.prod(sizes))
        return op(name, flat, axis=-1)

    return definition


_SIZED = "input, size=None, footprint=None, output=None, mode='reflect', cval=0.0"
_TIES = "equal entries share an extremum; of a median in their order"
for _name, _op in (
    ("maximum_filter", "amax"),
    ("minimum_filter", "amin"),
    ("median_filter", "median"),
):
    _definition = _chosen(_op)

    def _by_size(
        a: Any,
        size: Any,
        footprint: Any,
        mode: Any,
        cval: Any,
        _definition: Callable[..., Any] = _definition,
        _odd: bool = _op == "median",
    ) -> Any:
        even = _odd and any(s % 2 == 0 for s in each(size, 1))
        if footprint is not None or even:
            raise refused("a filter with a footprint, or a median of an even number of entries")
        return _definition(a, size, mode, cval)

    _examples: list[Any] = [(ROW, {"size": 3, "mode": m}) for m in ("mirror", "constant")]
    declare(
        f"{_name}", _SIZED, _by_size, [*_examples, (IMAGE, {"size": 3, "mode": "mirror"})], _TIES
    )
for _name, _op in (("maximum_filter1d", "amax"), ("minimum_filter1d", "amin")):

    def _along_axis(
        a: Any, size: int, axis: int, mode: Any, cval: Any, origin: int, _op: str = _op
    ) -> Any:
        axis %= rank_of(a, "a filter")
        start = (middle(size, origin),)
        found = windows(a, (size,), start, named_border(mode, cval), (axis,))
        return op(_op, found, axis=-1)

    declare(
        _name,
        f"input, size=None, axis=-1, output=None, {BORDER}, origin=0",
        _along_axis,
        [(ROW, {"size": 3, "mode": "mirror"}), (IMAGE, {"size": 2, "axis": 0, "mode": "mirror"})],
        _TIES,
    )


def _odd(name: str, size: Any, rest: Sequence[Any]) -> None:
    if any(v is not None for v in rest) or any(s % 2 == 0 for s in each(size, 1)):
        raise refused(f"{name} with a structure, or of an even number of entries")


def _morphological(*names: str) -> Callable[..., Any]:
    """Extrema of windows, one after the other."""

    def definition(a: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any) -> Any:
        _odd("a morphological filter", size, (footprint, structure))
        for name in names:
            a = _chosen(name)(a, size, mode, cval)
        return a

    return definition


_STRUCTURED = f"input, size=None, footprint=None, structure=None, output=None, {BORDER}"
for _name, _names in (
    ("grey_dilation", ("amax",)),
    ("grey_erosion", ("amin",)),
    ("grey_opening", ("amin", "amax")),
    ("grey_closing", ("amax", "amin")),
):
    declare(
        _name,
        _STRUCTURED,
        _morphological(*_names),
        [(ROW, {"size": 3, "mode": "mirror"}), (IMAGE, {"size": (3, 1)})],
        _TIES,
    )


def _median_of_zeros(a: Any, kernel_size: Any) -> Any:
    """Beyond the border there are zeros."""
    size = 3 if kernel_size is None else kernel_size
    return _chosen("median")(a, size, "constant", 0.0)


composed(
    "signal_medfilt",
    "volume, kernel_size=None",
    ["scipy.signal.medfilt"],
    _median_of_zeros,
    infer=of_ranks(same_type, (1, 2, 3)),
    cost=60,
    domain=[(ROW,), (IMAGE, {"kernel_size": 3})],
    edge=_TIES,
)
composed(
    "ndimage_sum",
    "input",
    ["scipy.ndimage.sum"],
    lambda a: op("sum", a),
    infer=mean_reduction,
    cost=20,
    domain=[(ROW,), (IMAGE,)],
)
for _name, _op in (
    ("mean", "mean"),
    ("variance", "var"),
    ("standard_deviation", "std"),
    ("maximum", "amax"),
    ("minimum", "amin"),
):
    composed(
        f"ndimage_{_name}",
        "input",
        [f"scipy.ndimage.{_name}"],
        lambda a, _op=_op: op(_op, in_double(a)),
        infer=lambda types, options: (shaped("float64", ()),),
        cost=20,
        domain=[(ROW,), (IMAGE,)],
    )
