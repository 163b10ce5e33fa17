"""Elementary functions as rows: names in `math` and NumPy, weight, domain, bound of the result.

A domain maps any expression into the set on which the function is smooth and tame. It takes the
expression as a thunk, because it may find a suitable name in scope instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.fuzz.grammar import Expr, Generation

Make = Callable[[], Expr]


@dataclass(frozen=True, slots=True)
class Unary:
    scalar: str | None
    array: str
    weight: float
    mag: float
    domain: Callable[[Generation, Make, bool], Expr]


@dataclass(frozen=True, slots=True)
class Binary:
    scalar: str | None
    array: str
    mag: float
    domain: Callable[[Generation, Make, bool], tuple[Expr, Expr]]


def anywhere(_: Generation, make: Make, __: bool) -> Expr:
    return make()


def small(g: Generation, make: Make, array: bool) -> Expr:
    return g.settle(make(), 2.0, array)


def inside(g: Generation, make: Make, array: bool) -> Expr:
    """Strictly between -1 and 1."""
    lib = "np." if array else g.pick((g.math, "np."))
    return Expr(f"{g.number(0.3, 0.8)} * {lib}{g.pick(('sin', 'tanh'))}{make()}", 0.8)


def positive(g: Generation, make: Make, array: bool) -> Expr:
    """Bounded away from zero."""
    names = [v for v in g.scope.values() if v.storage in g.positive and v.kind == "float"]
    if names and not array and g.chance(0.4):
        return Expr(g.pick(names).name, 2.0)
    lib = "np." if array else g.pick((g.math, "np."))
    calm = g.calm(make(), array)
    forms = [f"1.5 + {lib}sin{calm}", f"{lib}exp(0.5 * {lib}sin{calm})", f"abs{calm} + 0.5"]
    if len(calm.text) < 20:
        square = f"{calm} * {calm}"
        forms += [f"1.0 + {square}", f"{lib}sqrt(1.0 + {square})", f"2.0 + {square}"] * 2
    return Expr(g.pick(forms), 4.0)


def near_one(e: Expr) -> Expr:
    """An array whose product neither vanishes nor explodes."""
    return Expr(f"1.0 + 0.3 * np.sin{e}", 1.3)


def _pair_positive(g: Generation, make: Make, array: bool) -> tuple[Expr, Expr]:
    return make(), positive(g, make, array)


def _pair_small(g: Generation, make: Make, array: bool) -> tuple[Expr, Expr]:
    return g.calm(make(), array), g.calm(make(), array)


UNARY: Final = (
    Unary("sin", "sin", 6, 1, anywhere),
    Unary("cos", "cos", 4, 1, anywhere),
    Unary("tanh", "tanh", 4, 1, anywhere),
    Unary("atan", "arctan", 2, 1.6, anywhere),
    Unary("exp", "exp", 4, 7.4, small),
    Unary("expm1", "expm1", 1, 6.4, small),
    Unary("sinh", "sinh", 1, 3.7, small),
    Unary("cosh", "cosh", 1, 3.8, small),
    Unary("asinh", "arcsinh", 1, 2, small),
    Unary("tan", "tan", 1, 1, inside),
    Unary("asin", "arcsin", 1, 1, inside),
    Unary("acos", "arccos", 1, 2.6, inside),
    Unary("atanh", "arctanh", 1, 1.2, inside),
    Unary("sqrt", "sqrt", 4, 2, positive),
    Unary("log", "log", 4, 1.5, positive),
    Unary("log1p", "log1p", 1, 1.5, positive),
    Unary("log2", "log2", 0.7, 2, positive),
    Unary("log10", "log10", 0.7, 1, positive),
    Unary(None, "cbrt", 0.7, 1.6, positive),
    Unary(None, "reciprocal", 0.7, 2, positive),
    Unary(None, "square", 1.5, 4, small),
    Unary(None, "negative", 0.5, 2, small),
    Unary(None, "sign", 0.6, 1, anywhere),
    Unary("floor", "floor", 0.7, 3, small),
)

BINARY: Final = (
    Binary("atan2", "arctan2", 1.6, _pair_positive),
    Binary("hypot", "hypot", 6, _pair_positive),
    Binary(None, "maximum", 4, _pair_small),
    Binary(None, "minimum", 4, _pair_small),
    Binary(None, "add", 6, _pair_small),
    Binary(None, "subtract", 6, _pair_small),
    Binary(None, "multiply", 9, _pair_small),
    Binary(None, "divide", 6, _pair_positive),
    Binary(None, "logaddexp", 4, _pair_small),
)
