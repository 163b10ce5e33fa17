"""Taylor coefficients: how those of a result follow from those of its operands.

    y = exp(x)      ->    y_series = series_exponential(y, x_series)

The coefficients of degree 1 to K of a value are one array, with the degrees along its first axis.
The field `series` of a row is such a rule, which is given the operation as `Terms`. Rows that are
linear, or whose derivative is stated in terms of rows that have a rule, need none (`jets/`).
(Griewank and Walther 2008, chapter 13.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """One operation: its result, its operands, and the coefficients of those that have some.

    A rule that gives None leaves the operands to the derivative. Coefficients have axes of length 1
    after their first where an operand is of lower rank than the result, so that all broadcast.
    `count` is the number of degrees.
    """

    y: Any
    args: tuple[Any, ...]
    coefficients: tuple[Any | None, ...]
    options: Mapping[str, Any]
    count: Any
    stacked: Callable[[Callable[[Any], Any]], Any]
    """What a function gives for the numbers 1 to K, along a first axis."""
    through: Callable[[Callable[[], Any]], Any]
    """The coefficients of what other operations compute of the operands."""

    def op(self, name: str, *args: Any, **options: Any) -> Any:
        """An operation of the table."""
        return self.y.apply(name, *args, **options)

    def each(self, k: int) -> Any:
        """The coefficients of an operand, zeros where it has none."""
        found = self.coefficients[k]
        if found is not None:
            return found
        other = next(c for c in self.coefficients if c is not None)
        return self.op("zeros_like", other)


Series = Callable[[Terms], Any]


def total(terms: Terms) -> Any:
    """`a + b`."""
    a_s, b_s = terms.coefficients
    if a_s is None or b_s is None:
        return a_s if b_s is None else b_s
    return terms.op("add", a_s, b_s)


def difference(terms: Terms) -> Any:
    """`a - b`."""
    a_s, b_s = terms.coefficients
    if b_s is None:
        return a_s
    return terms.op("neg", b_s) if a_s is None else terms.op("sub", a_s, b_s)


def negative(terms: Terms) -> Any:
    """`-a`."""
    return terms.op("neg", terms.coefficients[0])


def product(terms: Terms) -> Any:
    """`a * b`, of which one may be constant."""
    (a, b), (a_s, b_s) = terms.args, terms.coefficients
    if b_s is None:
        return terms.op("mul", a_s, b)
    return terms.op("mul", a, b_s) if a_s is None else terms.op("series_product", a, a_s, b, b_s)


def quotient(terms: Terms) -> Any:
    """`a / b`, of which one may be constant."""
    b, b_s = terms.args[1], terms.coefficients[1]
    if b_s is None:
        return terms.op("div", terms.coefficients[0], b)
    return terms.op("series_quotient", terms.y, terms.each(0), b, b_s)


def reciprocal(terms: Terms) -> Any:
    """`1 / x`."""
    x_s = terms.each(0)
    return terms.op("series_quotient", terms.y, terms.op("zeros_like", x_s), terms.args[0], x_s)


def power(terms: Terms) -> Any:
    """`a ** b`: as `exp(log(a) * b)` where the exponent is no constant.

    Where the base is not positive, the logarithm by which an exponent acts is left out.
    """
    (a, b), (a_s, b_s) = terms.args, terms.coefficients
    if b_s is None:
        return terms.op("series_power", terms.y, a, a_s, b)
    log = terms.op("log", terms.op("select", terms.op("gt", a, 0), a, 1.0))
    if a_s is None:
        return terms.op("series_exponential", terms.y, terms.op("mul", log, b_s))
    both = terms.op("series_product", log, terms.op("series_logarithm", a, a_s), b, b_s)
    return terms.op("series_exponential", terms.y, both)


def exponential(scale: float = 1.0, function: str = "") -> Series:
    """`exp(scale * x)`, less a constant; `function` computes it without that."""

    def series(terms: Terms) -> Any:
        y = terms.op(function, terms.args[0]) if function else terms.y
        x_s = terms.each(0)
        return terms.op("series_exponential", y, x_s if scale == 1 else terms.op("mul", x_s, scale))

    return series


def logarithm(scale: float = 1.0, offset: float = 0.0) -> Series:
    """`scale * log(offset + x)`."""

    def series(terms: Terms) -> Any:
        x = terms.op("add", offset, terms.args[0]) if offset else terms.args[0]
        y_s = terms.op("series_logarithm", x, terms.each(0))
        return y_s if scale == 1 else terms.op("mul", y_s, scale)

    return series


def oscillation(function: str, sign: float, leads: float = 1.0) -> Series:
    """What has the slope `leads * function(x)`, whose slope is `sign` times the result."""

    def series(terms: Terms) -> Any:
        z = terms.op(function, terms.args[0])
        z = z if leads == 1 else terms.op("neg", z)
        return terms.op("series_oscillation", terms.y, z, terms.each(0), sign)

    return series


def riccati(sign: float) -> Series:
    """What has the slope `1 + sign * y * y`."""
    return lambda terms: terms.op("series_riccati", terms.y, terms.each(0), sign)


def root(terms: Terms) -> Any:
    """The square root."""
    return terms.op("series_root", terms.y, terms.each(0))


def real(terms: Terms) -> Any:
    """The real part."""
    return terms.op("real", terms.each(0))


def imag(terms: Terms) -> Any:
    """The imaginary part."""
    return terms.op("imag", terms.each(0))


def by_derivatives(place: int, derivative: Callable[..., Any]) -> Series:
    """By `derivative(order, *operands)`, where the one at this place alone varies."""

    def series(terms: Terms) -> Any:
        if any(c is not None for k, c in enumerate(terms.coefficients) if k != place):
            return None
        slopes = terms.stacked(lambda order: derivative(order, *terms.args))
        return terms.op("series_composition", slopes, terms.coefficients[place])

    return series


TOGETHER = (total, difference, negative, real, imag)
"""The rules of what is linear in all operands at once."""
