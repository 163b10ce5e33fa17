"""Partial derivatives of functions of numbers, entry by entry.

Each takes the operands and the value, and gives what the adjoint is multiplied by. The adjoint of a
complex number z = a + ib is dL/da - i dL/db, so an analytic function multiplies by its derivative.
At ties and kinks the conventions are those of docs/rules.md. Where an adjoint is 0 it stays 0,
however large the derivative is: what was not chosen takes no part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from adjointgen.tracing.apply import Rule, lazily

Partial = Callable[..., Any]
_TWO_OVER_ROOT_PI: Final = 2.0 / np.sqrt(np.pi)


def _power_base(a: Any, b: Any, y: Any) -> Any:
    a = np.asarray(a, complex) if np.iscomplexobj(y) else np.asarray(a, _kind(a))
    return np.where(np.equal(b, 0), 0.0, b * a ** (np.where(np.equal(b, 0), 1, b) - 1.0))


def _kind(a: Any) -> Any:
    dtype = np.asarray(a).dtype
    return dtype if dtype.kind in "fc" else np.float64


def _power_exponent(a: Any, b: Any, y: Any) -> Any:
    a = np.asarray(a, complex) if np.iscomplexobj(y) else np.asarray(a, _kind(a))
    return np.where(np.equal(y, 0), 0.0, y * np.log(np.where(np.equal(y, 0), 1.0, a)))


def _sign(a: Any, y: Any) -> Any:
    """The derivative of |a|."""
    if np.iscomplexobj(a):
        return np.where(np.equal(y, 0), 0.0, np.conj(a) / np.where(np.equal(y, 0), 1.0, y))
    return np.sign(a)


def _share(a: Any, b: Any, y: Any) -> Any:
    """The share of a in the greatest or least of two: a half where they are equal."""
    return np.where(np.equal(a, b), 0.5, np.where(np.equal(a, y), 1.0, 0.0))


def _first(a: Any, b: Any, y: Any) -> Any:
    return np.where(np.equal(a, y), np.where(np.equal(a, b), 0.5, 1.0), 0.0)


def _logaddexp(a: Any, _: Any, y: Any) -> Any:
    return np.exp(np.asarray(a) - y)


def _other(partial: Partial) -> Partial:
    """The derivative by the second operand, of a symmetric function."""
    return lambda a, b, y: partial(b, a, y)


def _psi(a: Any) -> Any:
    import scipy.special

    return scipy.special.digamma(a)


PARTIALS: Final[Mapping[str, tuple[Partial, ...]]] = {
    "add": (lambda a, b, y: 1.0, lambda a, b, y: 1.0),
    "subtract": (lambda a, b, y: 1.0, lambda a, b, y: -1.0),
    "multiply": (lambda a, b, y: b, lambda a, b, y: a),
    "divide": (
        lambda a, b, y: np.divide(1.0, b),
        lambda a, b, y: -np.divide(y, b),
    ),
    "remainder": (lambda a, b, y: 1.0, lambda a, b, y: -np.floor_divide(a, b)),
    "fmod": (lambda a, b, y: 1.0, lambda a, b, y: -np.trunc(np.divide(a, b))),
    "power": (_power_base, _power_exponent),
    "negative": (lambda a, y: -1.0,),
    "positive": (lambda a, y: 1.0,),
    "absolute": (_sign,),
    "square": (lambda a, y: 2.0 * a,),
    "sqrt": (lambda a, y: np.divide(0.5, y),),
    "cbrt": (lambda a, y: np.divide(1.0 / 3.0, np.square(y)),),
    "reciprocal": (lambda a, y: -np.square(y),),
    "exp": (lambda a, y: y,),
    "exp2": (lambda a, y: y * np.log(2.0),),
    "expm1": (lambda a, y: np.exp(a),),
    "log": (lambda a, y: np.divide(1.0, a),),
    "log2": (lambda a, y: np.divide(1.0 / np.log(2.0), a),),
    "log10": (lambda a, y: np.divide(1.0 / np.log(10.0), a),),
    "log1p": (lambda a, y: np.divide(1.0, 1.0 + a),),
    "sin": (lambda a, y: np.cos(a),),
    "cos": (lambda a, y: -np.sin(a),),
    "tan": (lambda a, y: 1.0 + np.square(y),),
    "arcsin": (lambda a, y: np.divide(1.0, np.sqrt(1.0 - np.square(a))),),
    "arccos": (lambda a, y: np.divide(-1.0, np.sqrt(1.0 - np.square(a))),),
    "arctan": (lambda a, y: np.divide(1.0, 1.0 + np.square(a)),),
    "sinh": (lambda a, y: np.cosh(a),),
    "cosh": (lambda a, y: np.sinh(a),),
    "tanh": (lambda a, y: 1.0 - np.square(y),),
    "arcsinh": (lambda a, y: np.divide(1.0, np.sqrt(np.square(a) + 1.0)),),
    "arccosh": (lambda a, y: np.divide(1.0, np.sqrt(a - 1.0) * np.sqrt(a + 1.0)),),
    "arctanh": (lambda a, y: np.divide(1.0, 1.0 - np.square(a)),),
    "arctan2": (
        lambda a, b, y: np.divide(b, np.square(a) + np.square(b)),
        lambda a, b, y: np.divide(-np.asarray(a), np.square(a) + np.square(b)),
    ),
    "hypot": (
        lambda a, b, y: np.where(np.equal(y, 0), 0.0, np.divide(a, np.where(np.equal(y, 0), 1, y))),
        lambda a, b, y: np.where(np.equal(y, 0), 0.0, np.divide(b, np.where(np.equal(y, 0), 1, y))),
    ),
    "maximum": (_share, _other(_share)),
    "minimum": (_share, _other(_share)),
    "fmax": (_first, _other(_first)),
    "fmin": (_first, _other(_first)),
    "logaddexp": (_logaddexp, _other(_logaddexp)),
    "logaddexp2": (
        lambda a, b, y: np.exp2(np.asarray(a) - y),
        lambda a, b, y: np.exp2(np.asarray(b) - y),
    ),
    "degrees": (lambda a, y: 180.0 / np.pi,),
    "radians": (lambda a, y: np.pi / 180.0,),
    "copysign": (
        lambda a, b, y: np.where(np.signbit(a) == np.signbit(b), 1.0, -1.0),
        lambda a, b, y: 0.0,
    ),
    "ldexp": (lambda a, b, y: np.ldexp(1.0, b), lambda a, b, y: 0.0),
    "float_power": (_power_base, _power_exponent),
    "sinc": (
        lambda a, y: np.where(
            np.equal(a, 0), 0.0, (np.cos(np.pi * a) - y) / np.where(np.equal(a, 0), 1.0, a)
        ),
    ),
    "nan_to_num": (lambda a, y: np.where(np.isfinite(a), 1.0, 0.0),),
    "real": (lambda a, y: 1.0,),
    "imag": (lambda a, y: -1j if np.iscomplexobj(a) else 0.0,),
    "angle": (lambda a, y: np.where(np.equal(a, 0), 0.0, -1j / np.where(np.equal(a, 0), 1, a)),),
    "erf": (lambda a, y: _TWO_OVER_ROOT_PI * np.exp(-np.square(a)),),
    "erfc": (lambda a, y: -_TWO_OVER_ROOT_PI * np.exp(-np.square(a)),),
    "gamma": (lambda a, y: y * _psi(a),),
    "lgamma": (lambda a, y: _psi(a),),
    "expit": (lambda a, y: y * (1.0 - y),),
    "logit": (lambda a, y: np.divide(1.0, a * (1.0 - np.asarray(a))),),
    "xlogy": (
        lambda a, b, y: np.where(np.equal(a, 0), 0.0, np.log(b)),
        lambda a, b, y: np.divide(a, b),
    ),
    "clip": (
        lambda a, lo, hi, y: _within(a, lo, hi),
        lambda a, lo, hi, y: np.where(np.less(a, lo), 1.0, 0.0),
        lambda a, lo, hi, y: np.where(np.greater(a, hi), 1.0, 0.0),
    ),
}

OTHER_NAMES: Final = {
    "true_divide": "divide",
    "mod": "remainder",
    "abs": "absolute",
    "fabs": "absolute",
    "pow": "power",
    "rad2deg": "degrees",
    "deg2rad": "radians",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "gammaln": "lgamma",
    "loggamma": "lgamma",
}

ZERO: Final = frozenset(
    [
        "floor",
        "ceil",
        "trunc",
        "rint",
        "sign",
        "floor_divide",
        "round",
        "fix",
        "around",
        "heaviside",
        "spacing",
        "nextafter",
    ]
)
"""What is constant but at jumps."""


def _within(a: Any, lo: Any, hi: Any) -> Any:
    inside = np.ones(np.shape(a), bool)
    if lo is not None:
        inside = inside & np.greater_equal(a, lo)
    if hi is not None:
        inside = inside & np.less_equal(a, hi)
    return np.where(inside, 1.0, 0.0)


def product(g: Any, partial: Partial, operands: tuple[Any, ...], y: Any) -> Any:
    """The adjoint times a partial derivative; 0 where the adjoint is 0."""
    g = np.asarray(g)
    return np.where(g == 0, np.zeros((), g.dtype), g * partial(*operands, y))


def elementwise(partials: tuple[Partial, ...]) -> Rule:
    """The rule of a function of numbers."""

    def rule(g: Any, y: Any, *operands: Any, **_: Any) -> Any:
        found = [lazily(product, g, one, operands[: len(partials)], y) for one in partials]
        return {"operands": found}

    return rule


def _conjugate(g: Any, y: Any, *operands: Any, **_: Any) -> Any:
    return {"operands": [np.conj(g) if np.iscomplexobj(operands[0]) else g]}


RULES: Final[dict[str, Rule]] = {name: elementwise(given) for name, given in PARTIALS.items()}
RULES["conjugate"] = RULES["conj"] = _conjugate
RULES.update({other: RULES[name] for other, name in OTHER_NAMES.items()})
