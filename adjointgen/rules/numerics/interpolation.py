"""Linear interpolation: `y = f0 + s (x - x0)`, with `s = (f1 - f0) / (x1 - x0)` in x0 <= x < x1.

With `t = (x - x0) / (x1 - x0)`, and by y = (1 - t) f0 + t f1,

    y_dot = s x_dot + (1 - t) f0_dot + t f1_dot - s ((1 - t) x0_dot + t x1_dot)

Outside of the knots both ends are the last knot, so that t and s are 0. The knots are taken from
the arrays by the places that `np.searchsorted` finds, and contributions go there again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import COMPLEX
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, zero_like
from adjointgen.rules.framework.type_rules import Types, entrywise

Options = Mapping[str, Any]
Args = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Interval:
    """The places of both ends, the slope, and how far in the interval, entry by entry of x.

    `own` is 0 where `left` or `right` was given for the value, and else 1.
    """

    first: Any
    last: Any
    slope: Any
    t: Any
    own: Any


def _array(a: Any) -> Any:
    return a.apply("asarray", a) if a.type.kind == "list" else a


def _at(a: Any, place: Any) -> Any:
    return a.apply("load", a, place, index="_")


def _interval(args: Args, options: Options) -> Interval:
    if options["period"] is not None:
        raise NoRule(
            "no derivative rule for np.interp with a period",
            code="AG201",
            help="bring the argument into one period with np.mod, and repeat the knots",
        )
    x, xp, fp = map(_array, args)
    end = length(xp, 0) - 1
    place = xp.apply("searchsorted", xp, x, side="right")
    first, last = np.clip(place - 1, 0, end), np.clip(place, 0, end)
    inside = last > first
    width = np.where(inside, _at(xp, last) - _at(xp, first), 1.0)
    slope = (_at(fp, last) - _at(fp, first)) / width
    t = np.where(inside, (x - _at(xp, first)) / width, 0.0)
    own: Any = 1.0
    if options["left"] is not None:
        own = own * (x >= _at(xp, 0))
    if options["right"] is not None:
        own = own * (x <= _at(xp, end))
    return Interval(first, last, slope, t, own)


def _tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    x_dot, xp_dot, fp_dot = dots
    found = _interval(args, options)
    total: Any = None
    for dot, scale in ((fp_dot, found.own), (xp_dot, -found.slope)):
        if dot is not None:
            dot = _array(dot)
            ends = (1.0 - found.t) * _at(dot, found.first) + found.t * _at(dot, found.last)
            total = scale * ends if total is None else total + scale * ends
    if x_dot is not None:
        total = found.slope * x_dot if total is None else total + found.slope * x_dot
    return total


def _adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    _, xp, fp = map(_array, args)
    found = _interval(args, options)
    weighted, sloped = found.own * y_bar, found.slope * y_bar
    return [
        sloped,
        _spread(zero_like(xp), found, -sloped),
        _spread(zero_like(fp), found, weighted),
    ]


def _spread(zeros: Any, found: Interval, value: Any) -> Any:
    """The value on both ends of its interval, each with its share."""
    part = zeros.apply("accumulate", zeros, (1.0 - found.t) * value, found.first, index="_")
    return part.apply("accumulate", part, found.t * value, found.last, index="_")


def _type(types: Types, options: Options) -> Types:
    heights = types[2].dtype if types[2].dtype in COMPLEX else "float64"
    return (entrywise(types[:1], heights),)


_KNOTS = [0.0, 0.4, 0.9, 1.5]
general(
    "interp",
    "x, xp, fp, left=None, right=None, period=None",
    ["numpy.interp"],
    _tangent,
    _adjoint,
    infer=_type,
    domain=[
        ("float64", _KNOTS, "float64[4]"),
        ([0.1, 1.2, 0.6, -0.3, 2.0], _KNOTS, "float64[4]"),
        ([[0.1, 1.2], [-0.3, 2.0]], _KNOTS, "float64[4]", {"left": 0.5, "right": -1.0}),
        ("float64", [0.5], [2.0]),
    ],
    cost=20,
    edge="the slope to the right at a knot; 0 at the last",
)
