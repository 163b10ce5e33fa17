"""Filters of `scipy.ndimage`: sums, extrema and medians of windows (`windows.py`).

A Gaussian is differentiated by its width, too: how far its window reaches is a number of entries,
which is constant between its jumps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.rules.filters.windows import Border, counted, named_border, windows
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import in_double, in_dtype_of, length, op, rank_of
from adjointgen.rules.framework.type_rules import mean_reduction, same_type, shaped

_ROW = [0.4, 1.7, -0.6, 2.2, 0.9]
_IMAGE = [[0.4, 1.7, -0.6], [2.2, 0.9, 1.1], [-0.3, 0.2, 1.4], [0.8, -1.2, 0.5]]
_MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
_BORDER = "mode='reflect', cval=0.0"
_EDGE = "windows have as many entries as the width rounds to"


def _refused(what: str) -> NoRule:
    return NoRule(
        f"no derivative rule for {what}",
        code="AG201",
        help="write the filter with NumPy, or keep its argument passive with stop_gradient",
    )


def _declare(
    name: str, signature: str, definition: Callable[..., Any], domain: Any, edge: str = ""
) -> None:
    composed(
        f"ndimage_{name}",
        signature,
        [f"scipy.ndimage.{name}"],
        definition,
        infer=same_type,
        cost=60,
        domain=domain,
        edge=edge,
    )


def _middle(size: Any, origin: int) -> Any:
    return size // 2 + origin


def correlated(a: Any, w: Any, axis: int, border: Border, origin: int = 0) -> Any:
    """Sums of windows along an axis, with weights."""
    size = length(w, 0)
    found = windows(a, (size,), (_middle(size, origin),), border, (axis % rank_of(a, "a filter"),))
    return found @ w


def _convolved(a: Any, w: Any, axis: int, border: Border, origin: int = 0) -> Any:
    """The weights turned around, whose middle is the other one if they are an even number."""
    size, place = length(w, 0), (axis % rank_of(a, "a filter"),)
    start = size // 2 - origin - 1 + size % 2
    return windows(a, (size,), (start,), border, place) @ op("flip", w)


def _correlate_1d(a: Any, weights: Any, axis: int, mode: Any, cval: Any, origin: int) -> Any:
    return correlated(a, weights, axis, named_border(mode, cval), origin)


def _convolve_1d(a: Any, weights: Any, axis: int, mode: Any, cval: Any, origin: int) -> Any:
    return _convolved(a, weights, axis, named_border(mode, cval), origin)


_ALONG: list[Any] = [
    *((_ROW, [0.3, 0.9, -0.4], {"mode": mode}) for mode in _MODES),
    (_IMAGE, [0.3, 0.9, -0.4, 0.2], {"axis": 0}),
    (_IMAGE, [0.3, 0.9, -0.4], {"mode": "constant", "cval": 0.5, "origin": 1}),
]
_OF_ONE = f"input, weights, axis=-1, {_BORDER}, origin=0"
_declare("correlate1d", _OF_ONE, _correlate_1d, _ALONG)
_declare("convolve1d", _OF_ONE, _convolve_1d, _ALONG)


def _of_all(a: Any, weights: Any, mode: Any, cval: Any, origin: Any, turned: bool) -> Any:
    rank = rank_of(a, "a filter")
    sizes = [length(weights, k) for k in range(rank)]
    if origin != 0 or rank_of(weights, "a filter") != rank:
        raise _refused("scipy.ndimage filters with an origin")
    starts = [(s - 1) // 2 if turned else s // 2 for s in sizes]
    w = op("flip", weights) if turned else weights
    found = windows(a, sizes, starts, named_border(mode, cval), range(rank)) * w
    return op("sum", found, axis=tuple(range(rank, 2 * rank)))


_KERNEL = [[0.3, 0.9, -0.4], [0.5, -0.2, 0.7]]
for _name, _turned in (("correlate", False), ("convolve", True)):
    _declare(
        _name,
        f"input, weights, output=None, {_BORDER}, origin=0",
        lambda a, weights, mode, cval, origin, _turned=_turned: _of_all(
            a, weights, mode, cval, origin, _turned
        ),
        [
            (_ROW, [0.3, 0.9, -0.4, 0.2]),
            (_IMAGE, _KERNEL),
            (_IMAGE, _KERNEL, {"mode": "wrap"}),
            (_IMAGE, _KERNEL, {"mode": "constant", "cval": 0.5}),
        ],
    )


def _gaussian_weights(a: Any, sigma: Any, order: int, truncate: float, radius: Any) -> Any:
    """A sampled Gaussian with the sum 1, times the polynomial of its derivative, turned around."""
    if radius is None:
        reach = truncate * sigma + 0.5
        radius = int(reach) if isinstance(reach, float) else op("cast", reach, dtype="int64")
    steps = counted(a, 2 * radius + 1) - radius
    z = steps / sigma
    bell = np.exp(-0.5 * z * z)
    bell = bell / np.sum(bell)
    if order == 0:
        return bell
    if order not in (1, 2, 3):
        raise _refused("a Gaussian filter of this order")
    polynomial = {1: z, 2: z * z - 1.0, 3: z * z * z - 3.0 * z}[order]
    return polynomial * bell / sigma**order


def _gaussian_1d(
    a: Any, sigma: Any, axis: int, order: int, mode: Any, cval: Any, truncate: float, radius: Any
) -> Any:
    weights = _gaussian_weights(a, sigma, order, truncate, radius)
    if a.type.dtype == "float32":
        weights = op("cast", weights, dtype="float32")
    return correlated(a, weights, axis, named_border(mode, cval))


_WIDE: list[Any] = [
    *((_ROW, 0.8, {"mode": mode}) for mode in _MODES),
    (_ROW, 0.8, {"order": 1}),
    (_IMAGE, 0.8, {"axis": 0, "order": 2}),
    (_ROW, 0.8, {"order": 3, "radius": 2}),
]
_declare(
    "gaussian_filter1d",
    f"input, sigma, axis=-1, order=0, output=None, {_BORDER}, truncate=4.0, radius=None",
    _gaussian_1d,
    _WIDE,
    _EDGE,
)


def _each(value: Any, rank: int) -> Sequence[Any]:
    """What is given for all axes, or for each of them."""
    return value if isinstance(value, tuple | list) else (value,) * rank


def _gaussian(
    a: Any,
    sigma: Any,
    order: Any,
    mode: Any,
    cval: Any,
    truncate: float,
    radius: Any,
) -> Any:
    rank = rank_of(a, "a filter")
    if sigma.type.is_array:
        sigmas: Sequence[Any] = [sigma[k] for k in range(rank)]
    else:
        sigmas = (sigma,) * rank
    for axis, (s, o, r) in enumerate(
        zip(sigmas, _each(order, rank), _each(radius, rank), strict=True)
    ):
        a = _gaussian_1d(a, s, axis, o, mode, cval, truncate, r)
    return a


_declare(
    "gaussian_filter",
    f"input, sigma, order=0, output=None, {_BORDER}, truncate=4.0, radius=None",
    _gaussian,
    [(_IMAGE, 0.8), (_IMAGE, 0.8, {"order": (1, 0)}), (_IMAGE, 0.8, {"mode": "wrap"})],
    _EDGE,
)


def _uniform_1d(a: Any, size: Any, axis: int, mode: Any, cval: Any, origin: int) -> Any:
    axis %= rank_of(a, "a filter")
    found = windows(a, (size,), (_middle(size, origin),), named_border(mode, cval), (axis,))
    return op("mean", found, axis=-1)


def _uniform(a: Any, size: Any, mode: Any, cval: Any) -> Any:
    rank = rank_of(a, "a filter")
    for axis, s in enumerate(_each(size, rank)):
        a = _uniform_1d(a, s, axis, mode, cval, 0)
    return a


_declare(
    "uniform_filter1d",
    f"input, size=None, axis=-1, output=None, {_BORDER}, origin=0",
    _uniform_1d,
    [(_ROW, {"size": 3, "mode": mode}) for mode in _MODES]
    + [(_IMAGE, {"size": 2, "axis": 0}), (_ROW, {"size": 3, "origin": 1})],
)
_declare(
    "uniform_filter",
    f"input, size=None, output=None, {_BORDER}",
    _uniform,
    [(_IMAGE, {"size": 3}), (_IMAGE, {"size": (2, 3)})],
)


def _chosen(name: str) -> Callable[..., Any]:
    """The greatest, least or middle entry of a window."""

    def definition(a: Any, size: Any, mode: Any, cval: Any) -> Any:
        rank = rank_of(a, "a filter")
        sizes = _each(size, rank)
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
        even = _odd and any(s % 2 == 0 for s in _each(size, 1))
        if footprint is not None or even:
            raise _refused("a filter with a footprint, or a median of an even number of entries")
        return _definition(a, size, mode, cval)

    _examples: list[Any] = [(_ROW, {"size": 3, "mode": m}) for m in ("mirror", "constant")]
    _declare(
        f"{_name}", _SIZED, _by_size, [*_examples, (_IMAGE, {"size": 3, "mode": "mirror"})], _TIES
    )
for _name, _op in (("maximum_filter1d", "amax"), ("minimum_filter1d", "amin")):

    def _along_axis(
        a: Any, size: int, axis: int, mode: Any, cval: Any, origin: int, _op: str = _op
    ) -> Any:
        axis %= rank_of(a, "a filter")
        start = (_middle(size, origin),)
        found = windows(a, (size,), start, named_border(mode, cval), (axis,))
        return op(_op, found, axis=-1)

    _declare(
        _name,
        f"input, size=None, axis=-1, output=None, {_BORDER}, origin=0",
        _along_axis,
        [(_ROW, {"size": 3, "mode": "mirror"}), (_IMAGE, {"size": 2, "axis": 0, "mode": "mirror"})],
        _TIES,
    )


def _weights(a: Any, *values: float) -> Any:
    parts = [a.builder.handle(a.builder.lower(v)) for v in values]
    return in_dtype_of(a, op("stack", *parts))


def _gradient(side: tuple[float, float, float]) -> Callable[..., Any]:
    """Differences along an axis, and weights along the others."""

    def definition(a: Any, axis: int, mode: Any, cval: Any) -> Any:
        border, rank = named_border(mode, cval), rank_of(a, "a filter")
        found = correlated(a, _weights(a, -1.0, 0.0, 1.0), axis, border)
        for other in range(rank):
            if other != axis % rank:
                found = correlated(found, _weights(a, *side), other, border)
        return found

    return definition


for _name, _side in (("sobel", (1.0, 2.0, 1.0)), ("prewitt", (1.0, 1.0, 1.0))):
    _declare(
        _name,
        f"input, axis=-1, output=None, {_BORDER}",
        _gradient(_side),
        [(_IMAGE, {"axis": 0}), (_ROW, {"mode": "constant"})],
    )


def _sum_over_axes(a: Any, second: Callable[[int], Any]) -> Any:
    terms = [second(axis) for axis in range(rank_of(a, "a filter"))]
    return sum(terms[1:], terms[0])


def _laplace(a: Any, mode: Any, cval: Any) -> Any:
    border = named_border(mode, cval)
    return _sum_over_axes(a, lambda axis: correlated(a, _weights(a, 1.0, -2.0, 1.0), axis, border))


def _derivatives(a: Any, sigma: Any, order: int, mode: Any, cval: Any) -> list[Any]:
    rank = rank_of(a, "a filter")
    return [
        _gaussian(a, sigma, tuple(order * (k == axis) for k in range(rank)), mode, cval, 4.0, None)
        for axis in range(rank)
    ]


def _gaussian_laplace(a: Any, sigma: Any, mode: Any, cval: Any) -> Any:
    terms = _derivatives(a, sigma, 2, mode, cval)
    return sum(terms[1:], terms[0])


def _gaussian_gradient(a: Any, sigma: Any, mode: Any, cval: Any) -> Any:
    terms = [d * d for d in _derivatives(a, sigma, 1, mode, cval)]
    return np.sqrt(sum(terms[1:], terms[0]))


_declare(
    "laplace", f"input, output=None, {_BORDER}", _laplace, [(_IMAGE,), (_ROW, {"mode": "wrap"})]
)
_declare(
    "gaussian_laplace", f"input, sigma, output=None, {_BORDER}", _gaussian_laplace, [(_IMAGE, 0.8)]
)
_declare(
    "gaussian_gradient_magnitude",
    f"input, sigma, output=None, {_BORDER}",
    _gaussian_gradient,
    [(_IMAGE, 0.8)],
    "infinite where the gradient is 0",
)


def _odd(name: str, size: Any, rest: Sequence[Any]) -> None:
    if any(v is not None for v in rest) or any(s % 2 == 0 for s in _each(size, 1)):
        raise _refused(f"{name} with a structure, or of an even number of entries")


def _morphological(*names: str) -> Callable[..., Any]:
    """Extrema of windows, one after the other."""

    def definition(a: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any) -> Any:
        _odd("a morphological filter", size, (footprint, structure))
        for name in names:
            a = _chosen(name)(a, size, mode, cval)
        return a

    return definition


_STRUCTURED = f"input, size=None, footprint=None, structure=None, output=None, {_BORDER}"
for _name, _names in (
    ("grey_dilation", ("amax",)),
    ("grey_erosion", ("amin",)),
    ("grey_opening", ("amin", "amax")),
    ("grey_closing", ("amax", "amin")),
):
    _declare(
        _name,
        _STRUCTURED,
        _morphological(*_names),
        [(_ROW, {"size": 3, "mode": "mirror"}), (_IMAGE, {"size": (3, 1)})],
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
    infer=same_type,
    cost=60,
    domain=[(_ROW,), (_IMAGE, {"kernel_size": 3})],
    edge=_TIES,
)
composed(
    "ndimage_sum",
    "input",
    ["scipy.ndimage.sum"],
    lambda a: op("sum", a),
    infer=mean_reduction,
    cost=20,
    domain=[(_ROW,), (_IMAGE,)],
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
        domain=[(_ROW,), (_IMAGE,)],
    )
