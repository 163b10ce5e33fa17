"""Hypergeometric functions and elliptic integrals in `scipy.special`.

Numbers of equations are those of the Digital Library of Mathematical Functions (dlmf.nist.gov).
Carlson's integrals are homogeneous, which gives the derivative by one argument from the others.
"""

from __future__ import annotations

import math
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
_EQUAL = "NaN where the arguments that are divided by are equal"

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


def _complete(m: Any, complement: Any) -> Any:
    """`(K - E) / m`, which has a value at 0: 19.25.1."""
    return op("elliprd", 0.0, complement, 1.0) / 3.0


number(  # 19.4.1, for m = k²
    "ellipk",
    lambda y, x: (y - _complete(x, 1.0 - x)) / (2.0 * (1.0 - x)),
    (0.1, 0.9),
    edge="second derivatives are NaN at 0",
)
number(
    "ellipkm1",
    lambda y, x: -(y - _complete(1.0 - x, x)) / (2.0 * divisor(x)),
    (0.1, 0.9),
    edge="second derivatives are NaN at 1",
)
number(
    "ellipe",
    lambda y, x: -0.5 * _complete(x, 1.0 - x),
    (0.1, 0.9),
    edge="second derivatives are NaN at 0",
)


def _jacobi_by_argument(y: Any, u: Any, m: Any) -> Any:
    """22.13(i)."""
    sn, cn, dn, _ = y
    return cn * dn, -sn * dn, -m * sn * cn, dn


def _jacobi_by_parameter(y: Any, u: Any, m: Any) -> Any:
    """The amplitude is the inverse of `F(phi, m)`, whose derivative by m is 19.4.5."""
    sn, cn, dn, amplitude = y
    by_m = op("ellipeinc", amplitude, m) / (1.0 - m) - u - m * sn * cn / ((1.0 - m) * dn)
    moved = -dn * by_m / (2.0 * m)
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
    edge="second derivatives are NaN at equal arguments",
)


def _first_kind(x: Any, y: Any, z: Any) -> Any:
    """19.18.1: the derivative of R_F by the last of three."""
    return op("elliprd", x, y, z) / -6.0


numbers(
    "elliprf",
    "x, y, z",
    lambda v, x, y, z: _first_kind(y, z, x),
    lambda v, x, y, z: _first_kind(z, x, y),
    lambda v, x, y, z: _first_kind(x, y, z),
    on=_APART,
)


def _second_kind(v: Any, x: Any, y: Any, z: Any) -> Any:
    """The derivative of R_D by the first of two, by partial fractions of the integrand."""
    return -0.5 * (op("elliprd", y, z, x) - v) / divisor(z - x)


numbers(
    "elliprd",
    "x, y, z",
    lambda v, x, y, z: _second_kind(v, x, y, z),
    lambda v, x, y, z: _second_kind(v, y, x, z),
    lambda v, x, y, z: -(1.5 * v + x * _second_kind(v, x, y, z) + y * _second_kind(v, y, x, z))
    / divisor(z),
    on=_APART,
    edge=_EQUAL,
)


def _degenerate(v: Any, x: Any, y: Any) -> Any:
    return 0.5 * (v - 1.0 / np.sqrt(x)) / divisor(y - x)


numbers(
    "elliprc",
    "x, y",
    _degenerate,
    lambda v, x, y: -(0.5 * v + x * _degenerate(v, x, y)) / divisor(y),
    on=((0.5, 1), (1.5, 2)),
    edge=_EQUAL,
)


def _complete_kind(x: Any, y: Any, z: Any) -> Any:
    """The derivative of R_G by the last of three."""
    return 0.25 * (op("elliprf", x, y, z) - z * op("elliprd", x, y, z) / 3.0)


numbers(
    "elliprg",
    "x, y, z",
    lambda v, x, y, z: _complete_kind(y, z, x),
    lambda v, x, y, z: _complete_kind(z, x, y),
    lambda v, x, y, z: _complete_kind(x, y, z),
    on=_APART,
)


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
    edge=_EQUAL,
)
