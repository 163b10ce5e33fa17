"""SciPy's splines of given knots and coefficients: `splev`, and interpolators as objects.

A derivative of a spline is the spline of the next order at the same knots, which SciPy evaluates
under `der` (de Boor 1978, chapter X). Knots and coefficients are constants: where
they depend on what is differentiated, the operation is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.type_rules import entrywise

Args = Sequence[Any]
Types = tuple[Type, ...]
Options = Mapping[str, Any]


class Spline:
    """Knots, coefficients and degrees as one value, for the tests of the rows."""

    def __init__(self, *parts: Any) -> None:
        self.parts = tuple(np.array(p) if isinstance(p, list) else p for p in parts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __repr__(self) -> str:
        return "spline"


def _refused(what: str, help: str) -> NoRule:
    return NoRule(f"no derivative rule for {what}", code="AG201", help=help)


def _constant(dot: Any) -> None:
    if dot is not None:
        raise _refused(
            "the coefficients of a spline", "sum the basis functions, weighted by the coefficients"
        )


def _slope(args: Args, options: Options) -> Any:
    if options["ext"] == 3:
        raise _refused("splev with ext=3", "clip the argument with np.clip")
    x, spline = args
    return x.apply("splev", x, spline, der=options["der"] + 1, ext=options["ext"])


def _tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    _constant(dots[1])
    return _slope(args, options) * dots[0]


def _adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [_slope(args, options) * y_bar, None]


def _type(types: Types, options: Options) -> Types:
    return (entrywise(types[:1], "float64"),)


_CUBIC = Spline(
    [-2.0, -2.0, -2.0, -2.0, 3.0, 3.0, 3.0, 3.0], [0.5, 1.5, -0.5, 2.0, 0.0, 0.0, 0.0, 0.0], 3
)
general(
    "splev",
    "x, tck, der=0, ext=0",
    ["scipy.interpolate.splev"],
    _tangent,
    _adjoint,
    infer=_type,
    domain=[("float64", _CUBIC), ([0.3, 0.7, 1.4], _CUBIC), ("float64", _CUBIC, {"der": 1})],
    cost=50,
)


def _object_slope(x: Any, spline: Any, order: int) -> Any:
    return x.apply("interpolant_slope", x, spline, order)


def _object_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    return _object_slope(args[0], args[1], _order(args) + 1) * dots[0]


def _object_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [_object_slope(args[0], args[1], _order(args) + 1) * y_bar, *[None] * (len(args) - 1)]


def _order(args: Args) -> int:
    """Which derivative of the spline this is."""
    return int(args[2].operand.value) if len(args) > 2 else 0


class Curve:
    """A parabola as an interpolator, for the tests of the rows."""

    def __call__(self, x: Any, nu: int = 0) -> Any:
        x = 1.0 * np.asarray(x, np.float64)
        return (3.0 * x * x - x, 6.0 * x - 1.0, 6.0 + 0.0 * x, 0.0 * x)[min(nu, 3)]

    def __repr__(self) -> str:
        return "spline"


for _name, _signature, _code, _more in (
    ("interpolant", "x, spline", "_1_(_0_)", ()),
    ("interpolant_slope", "x, spline, order", "_1_(_0_, _2_)", (1,)),
):
    general(
        _name,
        _signature,
        [],
        _object_tangent,
        _object_adjoint,
        infer=_type,
        domain=[("float64", Curve(), *_more), ([0.3, 0.7, 1.4], Curve(), *_more)],
        code=_code,
        cost=50,
    )
