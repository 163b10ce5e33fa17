"""Orthogonal polynomials and functions of Legendre and Bessel type in `scipy.special`, by `x`.

The derivative of each is one of its kin of a degree less, which has a value at the ends of the
interval, too: table 18.9.2 and section 18.9(iii) of the Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from adjointgen.ir.nodes import Const
from adjointgen.rules.entrywise.special_declarations import (
    array_order,
    array_order_type,
    complex_type,
    counted_type,
    double_complex_type,
    numbers,
    wide_type,
)
from adjointgen.rules.framework.shape_helpers import divisor, op
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    entrywise,
    floating_type,
    weak_type,
)

_ON = (-0.8, 0.8)
_DEGREE = counted_type(1)


def _ultraspherical(n: Any, x: Any, alpha: float) -> Any:
    return op("eval_gegenbauer", n - 1, alpha, x)


def _examples(on: Any, *more: float) -> list[Any]:
    """A degree is an integer, which some of them insist on."""
    return [(3, *more, [*on]), (2, *more, on[1]), (1, *more, [*on]), (0, *more, [*on])]


def _unless_constant(n: Any, slope: Any) -> Any:
    """0 for the degree 0: of the degree -1 SciPy has no value everywhere."""
    if isinstance(n.operand, Const):
        return slope() if n.operand.value != 0 else 0.0
    return np.where(n == 0, 0.0, slope())


def _of_degree(
    name: str,
    slope: Any,
    on: Any = _ON,
    infer: Infer = _DEGREE,
    parameters: str = "",
    values: Sequence[float] = (),
) -> None:
    """A polynomial with parameters between its degree and its argument."""

    def partial(y: Any, n: Any, *rest: Any) -> Any:
        return _unless_constant(n, lambda: slope(n, *rest))

    signature = f"n, {parameters}x"
    held = [None] * signature.count(",")
    numbers(name, signature, *held, partial, domain=_examples(on, *values), infer=infer)


def _mirrored(n: Any) -> Any:
    """Polynomials of Legendre of the degrees `n` and `-n - 1` are the same: 14.9.5."""
    return np.maximum(n, -n - 1)


def _second_kind(n: Any, x: Any) -> Any:
    """The slope of one of Chebyshev's of the second kind, of which `U(-n - 2)` is `-U(n)`."""
    return 2.0 * np.sign(n + 1) * _ultraspherical(np.maximum(n, -n - 2), x, 2.0)


def _lower(n: Any) -> Any:
    """A degree less; what is of degree 0 has a factor 0."""
    return np.maximum(n - 1, 0)


_of_degree("eval_legendre", lambda n, x: _ultraspherical(_mirrored(n), x, 1.5))
_of_degree("eval_sh_legendre", lambda n, x: 2.0 * _ultraspherical(_mirrored(n), 2.0 * x - 1.0, 1.5))
_of_degree("eval_chebyt", lambda n, x: n * op("eval_chebyu", n - 1, x))
_of_degree("eval_chebyu", _second_kind)
_of_degree("eval_chebyc", lambda n, x: n * op("eval_chebys", n - 1, x))
_of_degree("eval_chebys", lambda n, x: 0.5 * _second_kind(n, 0.5 * x))
_of_degree("eval_sh_chebyt", lambda n, x: 2.0 * n * op("eval_chebyu", n - 1, 2.0 * x - 1.0))
_of_degree("eval_sh_chebyu", lambda n, x: 2.0 * _second_kind(n, 2.0 * x - 1.0))
_of_degree(
    "eval_hermite",
    lambda n, x: 2.0 * n * op("eval_hermite", _lower(n), x),
    infer=wide_type,
)
_of_degree(
    "eval_hermitenorm",
    lambda n, x: n * op("eval_hermitenorm", _lower(n), x),
    infer=wide_type,
)
_of_degree("eval_laguerre", lambda n, x: -op("eval_genlaguerre", n - 1, 1.0, x), (0.2, 2.0))
_of_degree(
    "eval_gegenbauer",
    lambda n, alpha, x: 2.0 * alpha * op("eval_gegenbauer", n - 1, alpha + 1.0, x),
    parameters="alpha, ",
    values=[0.7],
)
_of_degree(
    "eval_genlaguerre",
    lambda n, alpha, x: -op("eval_genlaguerre", n - 1, alpha + 1.0, x),
    (0.2, 2.0),
    parameters="alpha, ",
    values=[0.7],
)


def _jacobi(n: Any, a: Any, b: Any, x: Any) -> Any:
    """`2 / (n + a + b + 1)` of the derivative."""
    return op("eval_jacobi", n - 1, a + 1.0, b + 1.0, x)


def _shifted_jacobi(n: Any, p: Any, q: Any, x: Any) -> Any:
    """`P_n^(p - q, q - 1)(2x - 1)` over a binomial coefficient."""
    slope = (n + p) * _jacobi(n, p - q, q - 1.0, 2.0 * x - 1.0)
    return slope / op("binom", 2.0 * n + p - 1.0, n)


_of_degree(
    "eval_jacobi",
    lambda n, a, b, x: 0.5 * (n + a + b + 1.0) * _jacobi(n, a, b, x),
    parameters="alpha, beta, ",
    values=[0.7, 1.2],
)
_of_degree("eval_sh_jacobi", _shifted_jacobi, (0.2, 0.8), parameters="p, q, ", values=[3.1, 1.2])
numbers(  # 14.10.5
    "lpmv",
    "m, v, x",
    None,
    None,
    lambda y, m, v, x: ((v - m + 1.0) * op("lpmv", m, v + 1, x) - (v + 1.0) * x * y)
    / (x * x - 1.0),
    domain=[(1, 2, [*_ON]), (0, 3, 0.4)],
    edge="NaN at ±1",
)


def _argument_type(types: Types, options: Options) -> Types:
    """By the argument alone, whatever the order is."""
    (found,) = floating_type(types[1:], options)
    return (entrywise(types, found.dtype),)


def _spherical(name: str, sign: float, infer: Infer = wide_type) -> None:
    """A spherical Bessel function, or its derivative, which satisfy one equation: 10.47.1."""

    def slope(y: Any, n: Any, x: Any, derivative: bool) -> Any:
        if not derivative:
            return op(name, n, x, derivative=True)
        rest = sign - n * (n + 1) / (divisor(x) * x)
        return -2.0 * y / divisor(x) - rest * op(name, n, x)

    numbers(
        name,
        "n, z, derivative=False",
        None,
        slope,
        domain=[(2, [0.5, 1.7]), (0, 0.7), (2, [0.5, 1.7], {"derivative": True})],
        edge="NaN at 0 of the derivative",
        infer=infer,
    )


_spherical("spherical_jn", 1.0)
_spherical("spherical_yn", 1.0)
_spherical("spherical_in", -1.0)
_spherical("spherical_kn", -1.0, _argument_type)
for _name in ("jvp", "yvp", "ivp", "kvp"):
    numbers(
        _name,
        "v, z, n=1",
        None,
        lambda y, v, z, n, _name=_name: op(_name, v, z, n=n + 1),
        on=((0.5, 1.5), (0.5, 3)),
        infer=array_order_type,
    )


for _name in ("hankel1", "hankel2"):
    numbers(  # 10.6.1
        _name,
        "v, z",
        None,
        lambda y, v, z, _name=_name: 0.5 * (op(_name, v - 1, z) - op(_name, v + 1, z)),
        on=((0.5, 1.5), (0.5, 3)),
        infer=complex_type,
    )
for _name in ("h1vp", "h2vp"):
    numbers(
        _name,
        "v, z, n=1",
        None,
        lambda y, v, z, n, _name=_name: op(_name, v, z, n=n + 1),
        on=((0.5, 1.5), (0.5, 3)),
        infer=lambda types, options: complex_type((array_order(types[0]), types[1]), options),
    )


def _angle(y: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
    """By the polar angle: Condon and Shortley 1935, by the ladder of orders."""
    up = op("sph_harm_y", n, m + 1, theta, phi) * np.exp(-1j * phi)
    # Of orders beyond the degree the function is zero.
    factor = np.sqrt(np.maximum((n - m) * (n + m + 1.0), 0.0))
    sine = np.sin(theta)
    # SciPy takes the sine without its sign, so that the function is even.
    return m * np.cos(theta) / sine * y + factor * up * np.sign(sine)


numbers(
    "sph_harm_y",
    "n, m, theta, phi",
    None,
    None,
    _angle,
    lambda y, n, m, theta, phi: 1j * m * y,
    domain=[
        (3, 1, [0.4, 1.3], [0.2, 2.0]),
        *((2, -1, 0.7, 0.3), (2, 2, 0.7, 0.3), (2, 1, -0.7, 0.3), (3, 0, 4.0, 0.3)),
    ],
    infer=double_complex_type,
    edge="NaN at the poles",
)

# Of `1/x - cot(x/2)/2`: 4.19.6.
_COTANGENT = (
    *(1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000),
    *(1 / 74724249600, 3617 / 10670622842880000, 43867 / 5109094217170944000),
)


def _of_cotangent(x: Any) -> Any:
    return x * reduce(lambda total, term: total * x * x + term, reversed(_COTANGENT))


def _dirichlet_slope(y: Any, x: Any, n: Any) -> Any:
    """From `sin(n x/2) / (n sin(x/2))`; near the multiples of 2 pi by the logarithm of it."""
    rest = x - 2.0 * math.pi * np.round(x / (2.0 * math.pi))
    near = np.abs(n * rest) < 1.0
    small, half = np.where(near, rest, 0.0), 0.5 * np.where(near, math.pi, x)
    by_series = y * (_of_cotangent(small) - n * _of_cotangent(n * small))
    apart = 0.5 * (np.cos(n * half) - y * np.cos(half)) / np.sin(half)
    return np.where(near, by_series, apart)


numbers(
    "diric",
    "x, n",
    _dirichlet_slope,
    None,
    domain=[([0.4, 1.7], 3), (0.7, 4)],
    infer=weak_type,
)
