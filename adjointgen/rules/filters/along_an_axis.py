"""Functions of `scipy.signal`, `scipy.integrate` and `scipy.fft` that are linear along an axis.

The transpose of a linear function is the product with the transpose of its matrix, whose columns
are what the function makes of the unit vectors. A function of n entries takes n times its time for
that, and a matrix of n times as many entries as the result; an orthogonal transform has its inverse
for a transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Type
from adjointgen.records import dataclass
from adjointgen.rules.filters.windows import number
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed, varies
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, op, rank_of
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Types,
    fresh,
)

Options = Mapping[str, Any]
Args = Sequence[Any]
_ROW = [0.4, 1.7, -0.6, 2.2, 0.9]
_LONG = [0.4, 1.7, -0.6, 2.2, 0.9, 1.3, -0.2, 0.5, 1.1, -1.4, 0.3, 0.8, 0.1]
_IMAGE = [[0.4, 1.7, -0.6], [2.2, 0.9, 1.1], [-0.3, 0.2, 1.4], [0.8, -1.2, 0.5]]


@dataclass(frozen=True, slots=True)
class _Linear:
    """Both modes of a function that is linear in one of its operands, along an axis."""

    name: str
    place: int

    def own(self, options: Options, axis: Any) -> dict[str, Any]:
        """The options of the linear part: what is set beyond the border belongs to the rest."""
        return {**options, "axis": axis} | ({"cval": 0.0} if "cval" in options else {})

    def passive(self, by: Sequence[Any]) -> None:
        if any(by[k] for k in range(len(by)) if k != self.place):
            raise NoRule(
                f"no derivative rule for {self.name} by its coefficients",
                code="AG201",
                help="keep them passive with stop_gradient",
            )

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        self.passive(dots)
        given = [dots[k] if k == self.place else a for k, a in enumerate(args)]
        return op(self.name, *given, **self.own(options, options["axis"]))

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        asked = b.wanted or (True,) * len(args)
        self.passive([want and varies(a) for want, a in zip(asked, args, strict=True)])
        found: list[Any] = [None] * len(args)
        found[self.place] = self.transposed(y_bar, args, options)
        return found

    def transposed(self, y_bar: Any, args: Args, options: Options) -> Any:
        a = args[self.place]
        rank, n = rank_of(a, self.name), number(a, length(a, options["axis"]))
        axis = options["axis"] % rank
        given = [op("eye", n) if k == self.place else v for k, v in enumerate(args)]
        matrix = op(self.name, *given, **self.own(options, 0))
        last = y_bar if axis == rank - 1 else op("moveaxis", y_bar, source=axis, destination=-1)
        made = last @ matrix
        return made if axis == rank - 1 else op("moveaxis", made, source=-1, destination=axis)


def _dtype(a: Type) -> str:
    return "float32" if a.dtype in ("float32", "float16") else "float64"


def _kept(place: int) -> Infer:
    """An array of which only the axis may have another length."""

    def infer(types: Types, options: Options) -> Types:
        a = types[place]
        if a.shape is None:
            return (fresh(_dtype(a), None),)
        axis = options.get("axis", -1) % len(a.shape)
        dims = tuple(None if k == axis else d for k, d in enumerate(a.shape))
        return (fresh(_dtype(a), dims),)

    return infer


def _same(place: int) -> Infer:
    def infer(types: Types, options: Options) -> Types:
        return (fresh(_dtype(types[place]), types[place].shape),)

    return infer


def _double(infer: Infer) -> Infer:
    """In double precision whatever it is given."""
    return lambda types, options: tuple(t.with_dtype("float64") for t in infer(types, options))


def _declare(spelling: str, signature: str, infer: Infer, domain: Any, place: int = 0) -> None:
    name = spelling.replace("scipy.", "").replace(".", "_")
    rule = _Linear(name, place)
    general(
        name,
        signature,
        [spelling],
        rule.tangent,
        rule.adjoint,
        infer=infer,
        cost=100,
        domain=domain,
        source="the matrix of a linear function by unit vectors",
    )


_NUMERATOR, _DENOMINATOR = (2, 1), (3, -1)
_declare(
    "scipy.signal.savgol_filter",
    "x, window_length=None, polyorder=None, deriv=0, delta=1.0, axis=-1, mode='interp', cval=0.0",
    _same(0),
    [
        (_ROW, {"window_length": 5, "polyorder": 2}),
        (_IMAGE, {"window_length": 3, "polyorder": 1, "axis": 0, "mode": "nearest"}),
    ],
)
_declare(
    "scipy.signal.detrend",
    "data, axis=-1, type='linear'",
    _same(0),
    [(_ROW,), (_IMAGE, {"axis": 0, "type": "constant"})],
)
_declare(
    "scipy.signal.resample",
    "x, num=None, axis=0",
    lambda types, options: _kept(0)(types, {"axis": 0, **options}),
    [(_ROW, {"num": 7}), (_IMAGE, {"num": 3, "axis": 0})],
)
_declare(
    "scipy.signal.resample_poly",
    "x, up=None, down=None, axis=0",
    lambda types, options: _kept(0)(types, {"axis": 0, **options}),
    [(_ROW, {"up": 3, "down": 2})],
)
_declare(
    "scipy.signal.decimate",
    "x, q=None, n=None, ftype='iir', axis=-1, zero_phase=True",
    _kept(0),
    [(_LONG * 3, {"q": 2, "n": 2})],
)
_declare(
    "scipy.signal.filtfilt",
    "b, a, x, axis=-1, padtype='odd', padlen=None, method='pad', irlen=None",
    _double(_same(2)),
    [(_NUMERATOR, _DENOMINATOR, _LONG), (_NUMERATOR, _DENOMINATOR, _IMAGE, {"padlen": 1})],
    place=2,
)
_declare(
    "scipy.signal.upfirdn",
    "h, x, up=1, down=1, axis=-1",
    _double(_kept(1)),
    [(_NUMERATOR, _ROW, {"up": 2}), (_NUMERATOR, _IMAGE, {"axis": 0})],
    place=1,
)
_declare(
    "scipy.ndimage.spline_filter1d",
    "input, order=3, axis=-1",
    _double(_same(0)),
    [(_ROW,), (_IMAGE, {"axis": 0, "order": 2})],
)


def _analytic_signal(x: Any, N: Any, axis: int) -> Any:
    """Without the negative frequencies (Marple 1999)."""
    if N is not None:
        raise NoRule("no derivative rule for hilbert of another length", code="AG201")
    n = length(x, axis)
    k = number(x, n).apply("arange", number(x, n))
    once = (k == 0) | (2 * k == n)
    weights = np.where(once, 1.0, np.where(2 * k < n, 2.0, 0.0))
    if _dtype(x.type) == "float32":
        weights = op("cast", weights, dtype="float32")
    after = rank_of(x, "hilbert") - axis % rank_of(x, "hilbert") - 1
    spread = weights[(slice(None), *(None,) * after)] if after else weights
    return op("ifft", op("fft", x, axis=axis) * spread, axis=axis)


composed(
    "signal_hilbert",
    "x, N=None, axis=-1",
    ["scipy.signal.hilbert"],
    _analytic_signal,
    infer=lambda types, options: (
        fresh("complex64" if _dtype(types[0]) == "float32" else "complex128", types[0].shape),
    ),
    cost=100,
    domain=[(_ROW,), (_IMAGE, {"axis": 0})],
)
_declare(
    "scipy.integrate.cumulative_simpson",
    "y, dx=1.0, axis=-1, initial=None",
    _double(_kept(0)),
    [(_ROW,), (_IMAGE, {"axis": 0, "initial": 0})],
)


@dataclass(frozen=True, slots=True)
class _Trigonometric:
    """A transform of cosines or sines, whose inverse is its transpose where it is orthogonal."""

    linear: _Linear
    inverse: str

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        if options["norm"] != "ortho" or options["n"] is not None:
            return self.linear.adjoint(b, y, y_bar, args, options)
        return [op(self.inverse, y_bar, **options)]


for _name in ("dct", "idct", "dst", "idst"):
    _linear = _Linear(f"fft_{_name}", 0)
    _inverse = _name[1:] if _name.startswith("i") else f"i{_name}"
    general(
        f"fft_{_name}",
        "x, type=2, n=None, axis=-1, norm=None",
        [f"scipy.fft.{_name}", f"scipy.fftpack.{_name}"],
        _linear.tangent,
        _Trigonometric(_linear, f"fft_{_inverse}").adjoint,
        infer=lambda types, options: (
            _same(0)(types, options) if options.get("n") is None else _kept(0)(types, options)
        ),
        cost=100,
        domain=[
            (_ROW,),
            (_IMAGE, {"norm": "ortho", "axis": 0}),
            (_ROW, {"type": 3}),
            (_ROW, {"type": 1}),
            (_ROW, {"n": 7}),
        ],
        source="the matrix of a linear function by unit vectors; Strang 1999",
    )


def _over_all_axes(name: str) -> Callable[..., Any]:
    def definition(x: Any, type: int, axes: Any, norm: Any) -> Any:
        named = range(rank_of(x, name)) if axes is None else axes
        for axis in named if isinstance(named, tuple | list | range) else (named,):
            x = op(f"fft_{name}", x, type=type, axis=axis, norm=norm)
        return x

    return definition


for _name in ("dct", "idct", "dst", "idst"):
    composed(
        f"fft_{_name}n",
        "x, type=2, axes=None, norm=None",
        [f"scipy.fft.{_name}n"],
        _over_all_axes(_name),
        infer=_same(0),
        cost=100,
        domain=[(_IMAGE,), (_IMAGE, {"norm": "ortho", "axes": (0,)})],
    )
