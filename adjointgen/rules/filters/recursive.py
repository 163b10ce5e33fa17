"""`scipy.signal.lfilter`: the solution y of `a * y = b * x`, a convolution on both sides.

    a * y_dot = b_dot * x - a_dot * y + b * x_dot
    g = A^-T y_bar,    b_bar_k = sum_n g_n x_(n-k),    a_bar_k = -sum_n g_n y_(n-k)

The transpose of a filter is the filter that runs backwards, so `x_bar` and `g` are filtered from
the end. (Oppenheim and Schafer 2010, section 6.4.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.rules.filters.windows import number
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed, varies
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, op, rank_of
from adjointgen.rules.framework.type_rules import (
    Types,
    as_array,
    float_dtype,
    fresh,
    of_entries,
    of_ranks,
    result_dtype,
)

Options = Mapping[str, Any]
Args = Sequence[Any]
_ROW = [0.4, 1.7, -0.6, 2.2, 0.9]
_IMAGE = [[0.4, 1.7, -0.6], [2.2, 0.9, 1.1]]


def _axis(options: Options) -> dict[str, Any]:
    return {} if options["axis"] == -1 else {"axis": options["axis"]}


def _filtered_type(types: Types, options: Options) -> Types:
    arrays = [as_array(t) for t in types]
    return (fresh(float_dtype(result_dtype(arrays)), types[2].shape),)


def _filtered_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    numerator, denominator, x = args
    axis = _axis(options)
    terms = []
    if dots[0] is not None:
        terms.append(op("lfilter", dots[0], denominator, x, **axis))
    if dots[1] is not None:
        terms.append(-op("lfilter", dots[1], denominator, y, **axis))
    if dots[2] is not None:
        terms.append(op("lfilter", numerator, denominator, dots[2], **axis))
    return sum(terms[1:], terms[0])


def _backwards(numerator: Any, denominator: Any, y_bar: Any, axis: int) -> Any:
    turned = op("lfilter", numerator, denominator, op("flip", y_bar, axis=axis), axis=axis)
    return op("flip", turned, axis=axis)


def _lagged(g: Any, x: Any, like: Any) -> Any:
    """`sum_n g_n x_(n-k)` for each coefficient."""
    if rank_of(x, "lfilter") != 1 or rank_of(like, "lfilter") != 1:
        raise NoRule(
            "no derivative rule for lfilter of several signals by its coefficients",
            code="AG201",
            help="filter one signal at a time",
        )
    n, count = length(x, 0), length(like, 0)
    lags = number(x, count).apply("arange", number(x, count))
    places = number(x, n).apply("arange", number(x, n))[None, :] - lags[:, None]
    inside = places >= 0
    return np.where(inside, x[np.where(inside, places, 0)], 0.0) @ g


def _filtered_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    numerator, denominator, x = args
    asked = b.wanted or (True,) * 3
    wanted = [want and varies(a) for want, a in zip(asked, args, strict=True)]
    found: list[Any] = [None] * 3
    if wanted[2]:
        found[2] = _backwards(numerator, denominator, y_bar, options["axis"])
    if wanted[0] or wanted[1]:
        one = b.handle(b.lower(1.0))
        g = _backwards(op("stack", one), denominator, y_bar, options["axis"])
        found[0] = _lagged(g, x, numerator) if wanted[0] else None
        found[1] = -_lagged(g, y, denominator) if wanted[1] else None
    return found


general(
    "lfilter",
    "b, a, x, axis=-1",
    ["scipy.signal.lfilter"],
    _filtered_tangent,
    _filtered_adjoint,
    infer=_filtered_type,
    cost=40,
    domain=[
        ([0.5, 0.2], [1.1, -0.3, 0.1], _ROW),
        ([0.5, 0.2, 0.4, 0.1, 0.3, 0.7], [1.0, -0.3], [0.4, 1.7, -0.6]),
        ((2, 1), (3, 1), _IMAGE, {"axis": 0}),
    ],
    source="Oppenheim and Schafer 2010, section 6.4",
)


def _full(a: Any, v: Any) -> Any:
    """The convolution of arrays of one rank, by the indices of the entries that are multiplied."""
    rank = rank_of(a, "a convolution")
    if rank_of(v, "a convolution") != rank:
        raise NoRule("no derivative rule for arrays of unlike ranks", code="AG201")
    for axis in range(rank):
        m, k = length(a, axis), length(v, axis)
        total = number(v, m + k - 1)
        # The axes of windows go behind those of the result.
        places = total.apply("arange", total)[:, None] - number(v, k).apply("arange", number(v, k))
        inside = (places >= 0) & (places < m)
        lead = (slice(None),) * axis
        found = a[(*lead, np.where(inside, places, 0))]
        after = rank - axis - 1 + axis
        mask = inside[(..., *(None,) * after)] if after else inside
        a = op("moveaxis", np.where(mask, found, 0.0), source=axis + 1, destination=-1)
    return op("sum", a * v, axis=tuple(range(rank, 2 * rank)))


def _part(full: Any, a: Any, v: Any, mode: str, upper: bool = False) -> Any:
    """What `same`, as long as the first, and `valid`, without the borders, take of it.

    The middle of an even number is one of two, the `upper` one for `correlate2d`.
    """
    if mode == "full":
        return full
    ends = []
    for axis in range(rank_of(a, "a convolution")):
        m, k = length(a, axis), length(v, axis)
        if mode == "same":
            start = k // 2 if upper else (k - 1) // 2
            ends.append(slice(start, start + m))
        else:
            low, high = (op(name, number(a, m), k) for name in ("min", "max"))
            ends.append(slice(low - 1, high))
    return full[tuple(ends)]


def _convolved(a: Any, v: Any, mode: str) -> Any:
    return _part(_full(a, v), a, v, mode)


def _correlated(a: Any, v: Any, mode: str) -> Any:
    """With the second turned around."""
    return _convolved(a, op("conj", op("flip", v)), mode)


def _correlated_plane(a: Any, v: Any, mode: str) -> Any:
    v = op("conj", op("flip", v))
    return _part(_full(a, v), a, v, mode, upper=True)


def _any_shape(types: Types, options: Options) -> Types:
    dtype = float_dtype(result_dtype(types))
    a = types[0]
    if options.get("mode") == "same":
        return (fresh(dtype, a.shape),)
    return (fresh(dtype, None if a.shape is None else (None,) * len(a.shape)),)


_PLANES = ([[0.4, 1.7, -0.6], [2.2, 0.9, 1.1]], [[0.3, 0.9], [0.5, -0.2]])
_EXAMPLES = [
    *(
        (*pair, {"mode": mode})
        for pair in ((_ROW, [0.3, 0.9]), _PLANES)
        for mode in ("same", "valid")
    ),
    (_ROW, [0.3, 0.9, -0.4]),
    _PLANES,
]
for _name, _definition, _spellings in (
    ("fftconvolve", _convolved, ("fftconvolve", "oaconvolve")),
    ("signal_correlate", _correlated, ("correlate",)),
    ("convolve2d", _convolved, ("convolve2d",)),
    ("correlate2d", _correlated_plane, ("correlate2d",)),
):
    composed(
        _name,
        "in1, in2, mode='full'",
        [f"scipy.signal.{s}" for s in _spellings],
        _definition,
        infer=of_entries(of_ranks(_any_shape, (1, 2, 3))),
        cost=60,
        domain=[e for e in _EXAMPLES if e[0] is not _ROW or not _name.endswith("2d")],
    )
