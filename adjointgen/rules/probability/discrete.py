"""Discrete distributions of `scipy.stats`, by their parameters: a number of events is an integer.

The mass is differentiated along its logarithm, and the cumulated mass along a formula in terms of
incomplete beta and gamma functions, where there is one. Beyond the support both are constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import Chain, varies
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import as_numpy, in_double, is_given, op
from adjointgen.rules.framework.type_rules import double_type
from adjointgen.rules.probability.families import STATS, Formula

Options = Mapping[str, Any]
Args = Sequence[Any]
_SHIFT = (0, 0)


@dataclass(frozen=True, slots=True)
class _Counted:
    """Both modes of a function of a number of events, which is no argument to differentiate by."""

    name: str
    chain: Chain

    def passive(self, by: Sequence[Any]) -> None:
        if by[0]:
            raise NoRule(
                f"no derivative rule for {self.name} by a number of events",
                code="AG201",
                help="a number of events is an integer",
            )

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        self.passive([dot is not None for dot in dots])
        return self.chain.tangent(b, y, args, dots, options)

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        self.passive([(not b.wanted or b.wanted[0]) and varies(args[0])])
        return self.chain.adjoint(b, y, y_bar, args, options)


def _declare(name: str, kind: str, parameters: str, domain: Any, definition: Formula) -> None:
    spelling = f"{STATS}{name}.{kind}"
    rule = _Counted(spelling, Chain(definition))
    general(
        f"{name}_{kind}",
        ", ".join(["k", *parameters.split(), "loc="]),
        [spelling],
        rule.tangent,
        rule.adjoint,
        infer=double_type,
        cost=40,
        follows=True,
        domain=domain,
        edge="0 beyond the support",
    )


def _events(k: Any, place: Sequence[Any]) -> Any:
    k = as_numpy(in_double(k))
    return k - place[0] if place and is_given(place[0]) else k


def _inside(k: Any, low: float, high: Any) -> tuple[Any, Any]:
    """Where `k` is beyond the support, and `k` where it is not."""
    beyond = k < low if high is None else (k < low) | (k > high)
    return beyond, np.where(beyond, low, k)


def _mass(count: int, formula: Formula, low: float, last: Any, logarithm: bool) -> Formula:
    def definition(k: Any, *more: Any) -> Any:
        parameters = more[:count]
        high = None if last is None else last(*parameters)
        beyond, n = _inside(_events(k, more[count:]), low, high)
        found = formula(n, *map(as_numpy, parameters))
        found = found if logarithm else np.exp(found)
        return np.where(beyond, -math.inf if logarithm else 0.0, found)

    return definition


def _summed(count: int, formula: Formula, low: float, last: Any, kind: str) -> Formula:
    """`F(k, a)`; at the last number and beyond it is 1, whatever the parameters are."""

    def definition(k: Any, *more: Any) -> Any:
        parameters = more[:count]
        high = None if last is None else last(*parameters) - 1.0
        beyond, n = _inside(np.floor(_events(k, more[count:])), low, high)
        found = formula(n, *map(as_numpy, parameters))
        found = 1.0 - found if kind in ("sf", "logsf") else found
        return np.where(beyond, 0.0, np.log(found) if kind.startswith("log") else found)

    return definition


def _counted(
    name: str,
    parameters: str,
    values: Sequence[Any],
    log_mass: Formula,
    cumulated: Formula | None = None,
    low: float = 0.0,
    last: Callable[..., Any] | None = None,
    passive: int | None = None,
    points: tuple[int, int] = (2, 3),
) -> None:
    """Declare a distribution of the integers from `low` to `last`, or without an end.

    By the `passive` parameter the cumulated mass has no derivative in closed form.
    """
    count = len(parameters.split())
    held = [[v] if isinstance(v, float) else v for v in values]
    domain = [(points, *held), (points[::-1], *held, _SHIFT)]
    for kind, logarithm in (("logpmf", True), ("pmf", False)):
        definition = _mass(count, log_mass, low, last, logarithm)
        _declare(name, kind, parameters, domain, definition)
    held = [
        v if k == passive else each for k, (v, each) in enumerate(zip(values, held, strict=True))
    ]
    domain = [(points, *held), (points[::-1], *held, _SHIFT)]
    for kind in ("cdf", "sf", "logcdf", "logsf") if cumulated else ():
        assert cumulated is not None
        definition = _summed(count, cumulated, low, last, kind)
        _declare(name, kind, parameters, domain, definition)


def _chosen(n: Any, k: Any) -> Any:
    """The logarithm of the binomial coefficient."""
    return -np.log(n + 1.0) - op("betaln", n - k + 1.0, k + 1.0)


_counted(
    "poisson",
    "mu",
    [1.7],
    lambda k, mu: op("xlogy", k, mu) - op("gammaln", k + 1.0) - mu,
    lambda k, mu: op("gammaincc", k + 1.0, mu),
)
_counted(
    "binom",
    "n p",
    [5, 0.4],
    lambda k, n, p: _chosen(n, k) + op("xlogy", k, p) + op("xlog1py", n - k, -p),
    lambda k, n, p: op("betainc", n - k, k + 1.0, 1.0 - p),
    last=lambda n, p: n,
)
_counted(
    "bernoulli",
    "p",
    [0.4],
    lambda k, p: op("xlogy", k, p) + op("xlog1py", 1.0 - k, -p),
    lambda k, p: 1.0 - p + 0.0 * k,
    last=lambda p: 1.0,
    points=(0, 0),
)
_counted(
    "geom",
    "p",
    [0.4],
    lambda k, p: op("xlog1py", k - 1.0, -p) + np.log(p),
    lambda k, p: -np.expm1(k * np.log1p(-p)),
    low=1.0,
)
_counted(
    "nbinom",
    "n p",
    [4.5, 0.4],
    lambda k, n, p: op("gammaln", n + k)
    - op("gammaln", k + 1.0)
    - op("gammaln", n)
    + n * np.log(p)
    + op("xlog1py", k, -p),
    lambda k, n, p: op("betainc", n, k + 1.0, p),
    passive=0,
)
_counted(
    "betabinom",
    "n a b",
    [5, 2.3, 0.6],
    lambda k, n, a, b: _chosen(n, k) + op("betaln", k + a, n - k + b) - op("betaln", a, b),
    last=lambda n, a, b: n,
)
_counted(
    "planck",
    "lambda_",
    [0.6],
    lambda k, rate: np.log(-np.expm1(-rate)) - rate * k,
    lambda k, rate: -np.expm1(-rate * (k + 1.0)),
)
_counted(
    "logser",
    "p",
    [0.6],
    lambda k, p: k * np.log(p) - np.log(k) - np.log(-np.log1p(-p)),
    low=1.0,
)
_counted(
    "dlaplace",
    "a",
    [0.8],
    lambda k, a: np.log(np.tanh(0.5 * a)) - a * abs(k),
    lambda k, a: np.where(
        k >= 0.0,
        1.0 - np.exp(-a * (k + 1.0)) / (1.0 + np.exp(-a)),
        np.exp(a * k) / (1.0 + np.exp(-a)),
    ),
    low=-math.inf,
)
_counted(
    "yulesimon",
    "alpha",
    [2.5],
    lambda k, alpha: np.log(alpha) + op("betaln", k, alpha + 1.0),
    lambda k, alpha: 1.0 - k * op("beta", k, alpha + 1.0),
    low=1.0,
)
