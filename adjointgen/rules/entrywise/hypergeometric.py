"""Hypergeometric functions and elliptic integrals in `scipy.special`.

Numbers of equations are those of the Digital Library of Mathematical Functions (dlmf.nist.gov).
Carlson's integrals are homogeneous, which gives the derivative by one argument from the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from adjointgen.rules.entrywise.special_declarations import (
    SPECIAL,
    number,
    numbers,
    several,
)
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import divisor, op
from adjointgen.rules.framework.type_rules import floating_type, weak_type

_APART = ((0.5, 1), (1.5, 2), (2.5, 3))

numbers(  # 16.3.1
    "hyp0f1",
    "v, x",
    None,
    lambda y, v, x: op("hyp0f1", v + 1.0, x) / divisor(v),
    on=((0.5, 1.5), (-2, 2)),
)
numbers(  # 13.3.15
    "hyp1f1",
    "a, b, x",
    None,
    None,
    lambda y, a, b, x: a / divisor(b) * op("hyp1f1", a + 1.0, b + 1.0, x),
    on=((0.5, 1.5), (0.5, 1.5), (-1, 1)),
)
numbers(  # 13.3.22
    "hyperu",
    "a, b, x",
    None,
    None,
    lambda y, a, b, x: -a * op("hyperu", a + 1.0, b + 1.0, x),
    on=((0.5, 1.5), (0.5, 1.5), (0.5, 2)),
)
numbers(  # 15.5.1
    "hyp2f1",
    "a, b, c, x",
    None,
    None,
    None,
    lambda y, a, b, c, x: a * b / divisor(c) * op("hyp2f1", a + 1.0, b + 1.0, c + 1.0, x),
    on=((0.5, 1.5), (0.5, 1.5), (1.5, 2.5), (-0.8, 0.8)),
    infer=weak_type,
)


def _complete(m: Any) -> Any:
    """`(K - E) / m`, which has a value at 0."""
    return 0.25 * math.pi * op("hyp2f1", 0.5, 1.5, 2.0, m)


number("ellipk", lambda y, x: (y - _complete(x)) / (2.0 * (1.0 - x)), (0.1, 0.9))  # 19.4.1
number("ellipe", lambda y, x: -0.5 * _complete(x), (0.1, 0.9))
# Not by `1 - x`, in which a small x is lost: 19.25.1.
number(
    "ellipkm1",
    lambda y, x: -(y - op("elliprd", 0.0, x, 1.0) / 3.0) / (2.0 * divisor(x)),
    (0.1, 0.9),
)


def _incomplete(phi: Any) -> tuple[Any, Any, Any]:
    """The number of half periods, and of what is left the sine and the squared cosine."""
    turns = np.round(phi / math.pi)
    rest = phi - math.pi * turns
    return turns, np.sin(rest), np.cos(rest) ** 2


def _squared_delta(phi: Any, m: Any) -> Any:
    """`1 - m sin²`, without cancellation where both are near 1."""
    return np.cos(phi) ** 2 + (1.0 - m) * np.sin(phi) ** 2


def _first_by_parameter(phi: Any, m: Any) -> Any:
    """The derivative of `F(phi, m)` by m: 19.25.5, with 19.2.10 for the half periods."""
    turns, sine, square = _incomplete(phi)
    whole = op("hyp2f1", 1.5, 1.5, 2.0, np.where(turns == 0, 0.0, m))
    rest = op("elliprd", square, 1.0, square + (1.0 - m) * sine * sine)
    return 0.25 * math.pi * turns * whole + sine**3 * rest / 6.0


def _second_by_parameter(phi: Any, m: Any) -> Any:
    """The derivative of `E(phi, m)` by m: 19.25.9, with 19.2.10 for the half periods."""
    turns, sine, square = _incomplete(phi)
    whole = op("hyp2f1", 0.5, 1.5, 2.0, np.where(turns == 0, 0.0, m))
    rest = op("elliprd", square, square + (1.0 - m) * sine * sine, 1.0)
    return -0.25 * math.pi * turns * whole - sine**3 * rest / 6.0


numbers(  # 19.4.6
    "ellipeinc",
    "phi, m",
    lambda y, phi, m: np.sqrt(_squared_delta(phi, m)),
    lambda y, phi, m: _second_by_parameter(phi, m),
    on=((0.2, 0.8), (0.2, 0.8)),
    infer=weak_type,
)
numbers(  # 19.4.5
    "ellipkinc",
    "phi, m",
    lambda y, phi, m: 1.0 / np.sqrt(_squared_delta(phi, m)),
    lambda y, phi, m: _first_by_parameter(phi, m),
    on=((0.2, 0.8), (0.2, 0.8)),
    infer=weak_type,
)


def _jacobi_by_argument(y: Any, u: Any, m: Any) -> Any:
    """22.13(i)."""
    sn, cn, dn, _ = y
    return cn * dn, -sn * dn, -m * sn * cn, dn


def _jacobi_by_parameter(y: Any, u: Any, m: Any) -> Any:
    """The amplitude is the inverse of `F(phi, m)`."""
    sn, cn, dn, amplitude = y
    moved = -dn * _first_by_parameter(amplitude, m)
    return cn * moved, -sn * moved, -(sn * sn + 2.0 * m * sn * cn * moved) / (2.0 * dn), moved


several(
    "ellipj",
    "u, m",
    {0: _jacobi_by_argument, 1: _jacobi_by_parameter},
    4,
    [([0.4, 0.9], [0.3, 0.6]), (0.7, [0.4])],
    weak_type,
)


def _mean(a: Any, b: Any) -> Any:
    """19.8.5: a complete elliptic integral."""
    return 0.25 * math.pi * (a + b) / op("ellipk", ((a - b) / (a + b)) ** 2)


composed(
    "agm",
    "a, b",
    [f"{SPECIAL}agm"],
    _mean,
    infer=floating_type,
    cost=60,
    domain=[([0.5, 1.2], [1.5, 0.6]), (0.5, 1.5)],
)


def _symmetric(name: str, by_last: Callable[[Any, Any, Any], Any]) -> None:
    """A function of three that may change places, by its derivative by the last one."""
    numbers(
        name,
        "x, y, z",
        lambda v, x, y, z: by_last(y, z, x),
        lambda v, x, y, z: by_last(z, x, y),
        lambda v, x, y, z: by_last(x, y, z),
        on=_APART,
    )


def _first_kind(x: Any, y: Any, z: Any) -> Any:
    """19.18.1: the derivative of R_F by the last of three."""
    return op("elliprd", x, y, z) / -6.0


_symmetric("elliprf", _first_kind)


def _second_kind(v: Any, x: Any, y: Any, z: Any) -> Any:
    """The derivative of R_D by the first of two, by partial fractions of the integrand.

    Where x is near z, the power series of `((t + p)² - d²)**-1.5` in `d = (x - z) / 2`, with
    `p = (x + z) / 2`, under the integral over t.
    """
    near = np.abs(x - z) < 0.1 * np.abs(x + z)
    mean = np.where(near, 0.5 * (x + z), 1.0)
    ratio, terms, factor = (np.where(near, 0.5 * (x - z), 0.0) / mean) ** 2, [], 1.0
    for k in range(6):
        power = 2.5 + 2.0 * k
        terms.append(factor / power * op("hyp2f1", 0.5, power, power + 1.0, 1.0 - y / mean))
        factor *= (1.5 + k) / (k + 1.0)
    series = reduce(lambda total, term: total * ratio + term, reversed(terms))
    apart = (op("elliprd", y, z, x) - v) / divisor(np.where(near, 1.0, z - x))
    return np.where(near, -0.75 * mean**-2.5 * series, -0.5 * apart)


numbers(
    "elliprd",
    "x, y, z",
    lambda v, x, y, z: _second_kind(v, x, y, z),
    lambda v, x, y, z: _second_kind(v, y, x, z),
    lambda v, x, y, z: -(1.5 * v + x * _second_kind(v, x, y, z) + y * _second_kind(v, y, x, z))
    / divisor(z),
    on=_APART,
)


def _degenerate(v: Any, x: Any, y: Any) -> Any:
    """The derivative of R_C by x; near y, where this cancels, as a function of `x / y`."""
    near = np.abs(x - y) < 0.5 * y
    scale = np.where(near, y, 1.0)
    series = op("hyp2f1", 1.5, 1.5, 2.5, 1.0 - np.where(near, x, 1.0) / scale)
    apart = 0.5 * (v - 1.0 / np.sqrt(x)) / divisor(np.where(near, 1.0, y - x))
    return np.where(near, scale**-1.5 * series / -6.0, apart)


numbers(
    "elliprc",
    "x, y",
    _degenerate,
    lambda v, x, y: -(0.5 * v + x * _degenerate(v, x, y)) / divisor(y),
    on=((0.5, 1), (1.5, 2)),
)


def _complete_kind(x: Any, y: Any, z: Any) -> Any:
    """The derivative of R_G by the last of three."""
    return 0.25 * (op("elliprf", x, y, z) - z * op("elliprd", x, y, z) / 3.0)


_symmetric("elliprg", _complete_kind)


def _third_kind(v: Any, x: Any, y: Any, z: Any, p: Any) -> Any:
    return -0.5 * (op("elliprd", y, z, x) - v) / divisor(p - x)


def _by_pole(v: Any, x: Any, y: Any, z: Any, p: Any) -> Any:
    rest = (
        x * _third_kind(v, x, y, z, p)
        + y * _third_kind(v, y, z, x, p)
        + z * _third_kind(v, z, x, y, p)
    )
    return -(1.5 * v + rest) / divisor(p)


numbers(
    "elliprj",
    "x, y, z, p",
    _third_kind,
    lambda v, x, y, z, p: _third_kind(v, y, z, x, p),
    lambda v, x, y, z, p: _third_kind(v, z, x, y, p),
    _by_pole,
    on=(*_APART, (3.5, 4)),
    edge="NaN, and inexact near it, where the last argument is equal to another",
)
