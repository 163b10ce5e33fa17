"""Filters of `scipy.ndimage`: sums, extrema and medians of windows (`windows.py`).

A Gaussian is differentiated by its width, too: how far its window reaches is a number of entries,
which is constant between its jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Const
from adjointgen.rules.filters.windows import Border, counted, named_border, windows
from adjointgen.rules.framework.builder import Handle
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import in_dtype_of, length, op, rank_of
from adjointgen.rules.framework.type_rules import same_type

ROW = [0.4, 1.7, -0.6, 2.2, 0.9]
IMAGE = [[0.4, 1.7, -0.6], [2.2, 0.9, 1.1], [-0.3, 0.2, 1.4], [0.8, -1.2, 0.5]]
_MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
BORDER = "mode='reflect', cval=0.0"
_EDGE = "windows have as many entries as the width rounds to"


def refused(what: str) -> NoRule:
    return NoRule(
        f"no derivative rule for {what}",
        code="AG201",
        help="write the filter with NumPy, or keep its argument passive with stop_gradient",
    )


def declare(
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


def middle(size: Any, origin: int) -> Any:
    return size // 2 + origin


def correlated(a: Any, w: Any, axis: int, border: Border, origin: int = 0) -> Any:
    """Sums of windows along an axis, with weights."""
    size = length(w, 0)
    found = windows(a, (size,), (middle(size, origin),), border, (axis % rank_of(a, "a filter"),))
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
    *((ROW, [0.3, 0.9, -0.4], {"mode": mode}) for mode in _MODES),
    (IMAGE, [0.3, 0.9, -0.4, 0.2], {"axis": 0}),
    (IMAGE, [0.3, 0.9, -0.4], {"mode": "constant", "cval": 0.5, "origin": 1}),
]
_OF_ONE = f"input, weights, axis=-1, {BORDER}, origin=0"
declare("correlate1d", _OF_ONE, _correlate_1d, _ALONG)
declare("convolve1d", _OF_ONE, _convolve_1d, _ALONG)


def _of_all(a: Any, weights: Any, mode: Any, cval: Any, origin: Any, turned: bool) -> Any:
    rank = rank_of(a, "a filter")
    sizes = [length(weights, k) for k in range(rank)]
    if origin != 0 or rank_of(weights, "a filter") != rank:
        raise refused("scipy.ndimage filters with an origin")
    starts = [(s - 1) // 2 if turned else s // 2 for s in sizes]
    w = op("flip", weights) if turned else weights
    found = windows(a, sizes, starts, named_border(mode, cval), range(rank)) * w
    return op("sum", found, axis=tuple(range(rank, 2 * rank)))


_KERNEL = [[0.3, 0.9, -0.4], [0.5, -0.2, 0.7]]
for _name, _turned in (("correlate", False), ("convolve", True)):
    declare(
        _name,
        f"input, weights, output=None, {BORDER}, origin=0",
        lambda a, weights, mode, cval, origin, _turned=_turned: _of_all(
            a, weights, mode, cval, origin, _turned
        ),
        [
            (ROW, [0.3, 0.9, -0.4, 0.2]),
            (IMAGE, _KERNEL),
            (IMAGE, _KERNEL, {"mode": "wrap"}),
            (IMAGE, _KERNEL, {"mode": "constant", "cval": 0.5}),
        ],
    )


def _gaussian_weights(a: Any, sigma: Any, order: int, truncate: float, radius: Any) -> Any:
    """A sampled Gaussian with the sum 1, times the polynomial of its derivative, turned around."""
    if radius is None:
        reach = truncate * sigma + 0.5
        radius = int(reach) if not isinstance(reach, Handle) else op("cast", reach, dtype="int64")
    steps = counted(a, 2 * radius + 1) - radius
    z = steps / sigma
    bell = np.exp(-0.5 * z * z)
    bell = bell / np.sum(bell)
    if order == 0:
        return bell
    if order not in (1, 2, 3):
        raise refused("a Gaussian filter of this order")
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
    *((ROW, 0.8, {"mode": mode}) for mode in _MODES),
    (ROW, 0.8, {"order": 1}),
    (IMAGE, 0.8, {"axis": 0, "order": 2}),
    (ROW, 0.8, {"order": 3, "radius": 2}),
]
declare(
    "gaussian_filter1d",
    f"input, sigma, axis=-1, order=0, output=None, {BORDER}, truncate=4.0, radius=None",
    _gaussian_1d,
    _WIDE,
    _EDGE,
)


def each(value: Any, rank: int) -> Sequence[Any]:
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
        zip(sigmas, each(order, rank), each(radius, rank), strict=True)
    ):
        a = _along_axis(a, s, axis, o, mode, cval, truncate, r)
    return a


def _along_axis(
    a: Any, sigma: Any, axis: int, order: int, mode: Any, cval: Any, truncate: float, radius: Any
) -> Any:
    """An axis with a `sigma` of 0 is left alone."""
    if isinstance(sigma.operand, Const):
        if float(sigma.operand.value) <= 1e-15:  # type: ignore[arg-type]
            return a
        return _gaussian_1d(a, sigma, axis, order, mode, cval, truncate, radius)
    used = sigma > 1e-15
    filtered = _gaussian_1d(
        a, np.where(used, sigma, 1.0), axis, order, mode, cval, truncate, radius
    )
    return np.where(used, filtered, a)


declare(
    "gaussian_filter",
    f"input, sigma, order=0, output=None, {BORDER}, truncate=4.0, radius=None",
    _gaussian,
    [(IMAGE, 0.8), (IMAGE, 0.8, {"order": (1, 0)}), (IMAGE, 0.8, {"mode": "wrap"})],
    _EDGE,
)


def _uniform_1d(a: Any, size: Any, axis: int, mode: Any, cval: Any, origin: int) -> Any:
    axis %= rank_of(a, "a filter")
    found = windows(a, (size,), (middle(size, origin),), named_border(mode, cval), (axis,))
    return op("mean", found, axis=-1)


def _uniform(a: Any, size: Any, mode: Any, cval: Any) -> Any:
    rank = rank_of(a, "a filter")
    for axis, s in enumerate(each(size, rank)):
        a = _uniform_1d(a, s, axis, mode, cval, 0)
    return a


declare(
    "uniform_filter1d",
    f"input, size=None, axis=-1, output=None, {BORDER}, origin=0",
    _uniform_1d,
    [(ROW, {"size": 3, "mode": mode}) for mode in _MODES]
    + [(IMAGE, {"size": 2, "axis": 0}), (ROW, {"size": 3, "origin": 1})],
)
declare(
    "uniform_filter",
    f"input, size=None, output=None, {BORDER}",
    _uniform,
    [(IMAGE, {"size": 3}), (IMAGE, {"size": (2, 3)})],
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
    declare(
        _name,
        f"input, axis=-1, output=None, {BORDER}",
        _gradient(_side),
        [(IMAGE, {"axis": 0}), (ROW, {"mode": "constant"})],
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


declare("laplace", f"input, output=None, {BORDER}", _laplace, [(IMAGE,), (ROW, {"mode": "wrap"})])
declare(
    "gaussian_laplace", f"input, sigma, output=None, {BORDER}", _gaussian_laplace, [(IMAGE, 0.8)]
)
declare(
    "gaussian_gradient_magnitude",
    f"input, sigma, output=None, {BORDER}",
    _gaussian_gradient,
    [(IMAGE, 0.8)],
    "infinite where the gradient is 0",
)
