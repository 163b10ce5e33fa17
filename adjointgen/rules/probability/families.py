"""Continuous distributions of `scipy.stats`: a logarithm of the density, and what follows from it.

Of a family with parameters `a`, location `m` and scale `s`, and `z = (x - m) / s`,

    logpdf = l(z, a) - log s                  the chain rule along the formula
    pdf    = exp(l(z, a)) / s                 likewise
    cdf    : by x, pdf; by a, the chain rule along a formula F(z, a), where there is one
    sf     : -cdf
    logcdf : by x, pdf / cdf; by a, F_a / cdf
    ppf    : of F(y) = q, by q, 1 / pdf(y); by m, 1; by s, z; by a, -s F_a / exp(l)

The values are SciPy's own. Beyond the support they are constant, and a formula says nothing of
them there: it is given a point inside, and what follows from it is not chosen. At an end of the
support the derivative is that of the inside. (Johnson, Kotz and Balakrishnan 1994, Continuous
univariate distributions.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Operand
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import Chain, along, pull, push, varies
from adjointgen.rules.framework.declare import general, refuse
from adjointgen.rules.framework.shape_helpers import as_numpy, in_double, is_given, op
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import double_type, of_entries

Formula = Callable[..., Any]
Options = Mapping[str, Any]
Args = Sequence[Any]
Example = tuple[Any, ...]
KINDS = ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")
LOG_ROOT = 0.5 * math.log(2.0 * math.pi)
STATS = "scipy.stats."
_PLACE, _SCALE = [0.1, -0.2], [0.7]


@dataclass(frozen=True, slots=True)
class Family:
    """A distribution: the names of its parameters, and formulas for location 0 and scale 1.

    `support` are its ends, and a point inside: numbers, or a function of the parameters that gives
    them. An end that is None is infinite. By a `passive` parameter there is no derivative; without
    a `log_density` there is none of the density, only of what is integrated from it. Where SciPy's
    density is `inexact`, what is integrated from it has the slope of the formula.
    """

    name: str
    parameters: tuple[str, ...]
    log_density: Formula | None
    cumulated: Formula | None
    support: Any
    passive: frozenset[str] = frozenset()
    inexact: bool = False
    filled: bool = False

    @property
    def infer(self) -> Infer:
        """The types of results; a `filled` family has other shapes for arrays without entries."""
        return of_entries(double_type) if self.filled else double_type

    def row(self, kind: str) -> str:
        return f"{self.name}_{kind}"

    def ends(self, parameters: Args) -> tuple[Any, Any, Any]:
        found = self.support(*parameters) if callable(self.support) else self.support
        return found[0], found[1], found[2]

    def split(self, args: Args) -> tuple[list[Any], Any, Any]:
        """The parameters, the location and the scale of a call, after its first argument."""
        count = len(self.parameters)
        place, scale, *_ = [*args[count:], None, None]
        place, scale = (v if is_given(v) else None for v in (place, scale))
        # As NumPy's, no division by one raises where SciPy does not.
        return [as_numpy(a) for a in args[:count]], place, scale

    def inside(self, z: Any, parameters: Args) -> tuple[Any, Any]:
        """Where `z` is beyond the support, None for nowhere, and `z` where it is not."""
        low, high, middle = self.ends(parameters)
        beyond = None if low is None else z < low
        if high is not None:
            beyond = z > high if beyond is None else beyond | (z > high)
        return beyond, z if beyond is None else np.where(beyond, middle, z)


def _standard(x: Any, place: Any, scale: Any) -> Any:
    """`(x - m) / s`, as a number of NumPy's: no slope raises where SciPy does not."""
    z = as_numpy(in_double(x))
    z = z if place is None else z - place
    return z if scale is None else z / scale


def _density(family: Family, log_density: Formula, logarithm: bool) -> Formula:
    def definition(x: Any, *more: Any) -> Any:
        parameters, place, scale = family.split(more)
        beyond, z = family.inside(_standard(x, place, scale), parameters)
        found = log_density(z, *parameters)
        found = found if scale is None else found - np.log(as_numpy(scale))
        found = found if logarithm else np.exp(found)
        rest = -math.inf if logarithm else 0.0
        return found if beyond is None else np.where(beyond, rest, found)

    return definition


def _dense(family: Family, *args: Any) -> Any:
    """The density, by its formula where SciPy's is not exact."""
    if family.inexact and family.log_density is not None:
        return _density(family, family.log_density, False)(*args)
    return op(family.row("pdf"), *args)


def _slope(family: Family, kind: str, y: Any, args: Args) -> Any:
    """The derivative by the first argument; of a quantile, by the number that it belongs to."""
    sign = -1.0 if kind in ("sf", "logsf", "isf") else 1.0
    if kind in ("ppf", "isf"):
        return sign / as_numpy(_dense(family, y, *args[1:]))
    if kind in ("cdf", "sf"):
        return sign * _dense(family, *args)
    if family.inexact:
        density = as_numpy(np.log(as_numpy(_dense(family, *args))))
    else:
        density = as_numpy(op(family.row("logpdf"), *args))
    # Beyond the support the value is constant, and both logarithms may be infinite.
    return sign * np.where(density == -math.inf, 0.0, np.exp(density - y))


def _factor(family: Family, kind: str, y: Any, args: Args) -> Any:
    """What the derivative of `F(z, a)` by the parameters is multiplied with."""
    sign = -1.0 if kind in ("sf", "logsf") else 1.0
    if kind in ("ppf", "isf"):
        return -1.0 / as_numpy(_dense(family, y, *args[1:]))
    return sign if kind in ("cdf", "sf") else sign * np.exp(-as_numpy(y))


def _no_rule(family: Family, kind: str) -> NoRule:
    return NoRule(
        f"no derivative rule for scipy.stats.{family.name}.{kind} by a shape parameter",
        code="AG201",
        help="the derivative has no closed form; keep it passive with stop_gradient",
    )


def _cumulated(family: Family, kind: str, y: Any, args: Args) -> Any:
    """`F(z, a)`, with its parameters to be differentiated by."""
    if family.cumulated is None:
        raise _no_rule(family, kind)
    parameters, place, scale = family.split(args[1:])
    x = y if kind in ("ppf", "isf") else args[0]
    beyond, z = family.inside(_standard(x, place, scale), parameters)
    found = family.cumulated(z, *parameters)
    return found if beyond is None else np.where(beyond, 0.0, found)


def _present(dots: Args) -> list[bool]:
    """Which arguments have a tangent."""
    return [dot is not None for dot in dots]


def _moved(family: Family, kind: str, y: Any, args: Args, by: Args) -> list[tuple[int, Any]]:
    """The derivatives by the first argument, the location and the scale, of those in `by`."""
    count = 1 + len(family.parameters)
    wanted = [k for k in range(len(args)) if by[k] and not 0 < k < count]
    if not wanted:
        return []
    _, place, scale = family.split(args[1:])
    slope = _slope(family, kind, y, args)
    if kind in ("ppf", "isf"):
        rest = {0: slope, count: 1.0, count + 1: _standard(y, place, scale)}
    else:
        z = _standard(args[0], place, scale)
        # Where the slope is zero `z` may be infinite.
        rest = {0: slope, count: -slope, count + 1: -np.where(slope == 0.0, 0.0, z) * slope}
    return [(k, rest[k]) for k in wanted]


@dataclass(frozen=True, slots=True)
class _Both:
    """Both modes of what follows from the density."""

    family: Family
    kind: str

    def parameters(self, by: Args) -> list[int]:
        return [k for k in range(1, 1 + len(self.family.parameters)) if by[k]]

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        terms = [f * dots[k] for k, f in _moved(self.family, self.kind, y, args, _present(dots))]
        if inner := self.parameters(_present(dots)):
            given = {args[k].operand.name: dots[k].operand for k in inner}
            stmts, end = along(b, lambda: _cumulated(self.family, self.kind, y, args))
            push(b, stmts, given)
            change = given.get(getattr(end, "name", ""))
            if change is not None:
                terms.append(_factor(self.family, self.kind, y, args) * b.handle(change))
        return sum(terms[1:], terms[0]) if terms else None

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        asked = b.wanted or (True,) * len(args)
        asked = tuple(want and varies(a) for want, a in zip(asked, args, strict=True))
        found: list[Any] = [None] * len(args)
        for k, factor in _moved(self.family, self.kind, y, args, asked):
            found[k] = y_bar * factor
        if inner := self.parameters(asked):
            stmts, end = along(b, lambda: _cumulated(self.family, self.kind, y, args))
            bar = y_bar * _factor(self.family, self.kind, y, args)
            bars: dict[str, Operand] = {getattr(end, "name", ""): bar.operand}
            pull(b, stmts, bars, {args[k].operand.name for k in inner})
            for k in inner:
                made = bars.get(args[k].operand.name)
                found[k] = None if made is None else b.handle(made)
        return found


@dataclass(frozen=True, slots=True)
class _Density:
    """Both modes of a density, along its formula."""

    family: Family
    kind: str
    chain: Chain

    def _admit(self, asked: Args) -> None:
        """Refuse what is asked by a parameter without a derivative in closed form."""
        named = zip(self.family.parameters, asked[1:], strict=False)
        if any(want and name in self.family.passive for name, want in named):
            raise _no_rule(self.family, self.kind)

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        self._admit(_present(dots))
        return self.chain.tangent(b, y, args, dots, options)

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        asked = b.wanted or (True,) * len(args)
        self._admit([want and varies(a) for want, a in zip(asked, args, strict=True)])
        return self.chain.adjoint(b, y, y_bar, args, options)


def family(
    name: str,
    parameters: str,
    x: Sequence[float],
    values: Sequence[float],
    log_density: Formula | None,
    cumulated: Formula | None = None,
    support: Any = (None, None, 0.0),
    passive: str = "",
    inexact: bool = False,
    filled: bool = False,
) -> None:
    """Declare the functions of a distribution.

    `x` are points inside the support, and `values` those of the parameters, at which it is tested;
    by `passive` ones the density has no derivative in closed form.
    """
    held_back = frozenset(passive.split())
    made = Family(
        name, tuple(parameters.split()), log_density, cumulated, support, held_back, inexact, filled
    )
    named = zip(made.parameters, values, strict=True)
    held = [v if name in held_back else [v] for name, v in named]
    moved = [[_SCALE[0] * v + m for v, m in zip(x, _PLACE, strict=True)], *held, _PLACE, _SCALE]
    for kind in ("logpdf", "pdf"):
        _declare_density(made, kind, ([*x], *held), tuple(moved))
    fixed = held if cumulated is not None else [*values]
    for kind in KINDS:
        first = [0.3, 0.8] if kind in ("ppf", "isf") else [*x]
        _declare(made, kind, (moved[0] if first == [*x] else first, *fixed))


def _declare_density(made: Family, kind: str, plain: Example, moved: Example) -> None:
    if made.log_density is None:
        refuse(
            made.row(kind),
            _signature(made, "x"),
            _spellings(made, kind),
            infer=made.infer,
            cost=40,
            because="the derivative of this density has no closed form",
        )
        return
    logarithm = kind == "logpdf"
    rule = _Density(made, kind, Chain(_density(made, made.log_density, logarithm)))
    general(
        made.row(kind),
        _signature(made, "x"),
        _spellings(made, kind),
        rule.tangent,
        rule.adjoint,
        infer=made.infer,
        follows=True,
        cost=40,
        domain=[plain, moved] if logarithm else [moved],
        edge=_edge(made),
    )


def _declare(made: Family, kind: str, moved: Example) -> None:
    rule = _Both(made, kind)
    general(
        made.row(kind),
        _signature(made, "q" if kind in ("ppf", "isf") else "x"),
        _spellings(made, kind),
        rule.tangent,
        rule.adjoint,
        infer=made.infer,
        cost=40,
        domain=[(*moved, _PLACE, _SCALE)],
        edge=_edge(made),
    )


def _edge(made: Family) -> str:
    """What is taken where the support ends, if it does."""
    if not callable(made.support) and made.support[:2] == (None, None):
        return ""
    return "0 beyond the support; at its ends that of the inside"


def _signature(made: Family, first: str) -> str:
    return ", ".join([first, *made.parameters, "loc=", "scale="])


def _spellings(made: Family, kind: str) -> list[str]:
    """Functions of all numbers need no support: SciPy's private ones are the same there."""
    whole = not _edge(made)
    private = [f"{STATS}{made.name}._{kind}"] if whole else []
    return [f"{STATS}{made.name}.{kind}", *private]
