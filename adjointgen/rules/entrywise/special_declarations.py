"""How functions of `scipy.special` are declared: of one number or several, with several results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import COMPLEX, Type
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import varies
from adjointgen.rules.framework.declare import elementwise, general
from adjointgen.rules.framework.shape_helpers import narrowed, op
from adjointgen.rules.framework.table import Infer, Rule
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    category,
    entrywise,
    floating_type,
)

Args = Sequence[Any]
Interval = tuple[float, float]
ORDER = "the derivative by this parameter has no closed form; keep it passive with stop_gradient"
SPECIAL = "scipy.special."


def number(name: str, partial: Any, on: Interval, **fields: Any) -> None:
    """A function of one number."""
    numbers(name, "x", partial, on=(on,), **fields)


def numbers(
    name: str,
    signature: str,
    *partials: Any,
    on: Sequence[Interval] | None = None,
    more: Sequence[str] = (),
    **fields: Any,
) -> None:
    """A function of several numbers; by one without a partial it has no derivative."""
    given: dict[str, Any] = {"infer": floating_type, "cost": 20} | fields
    if None in partials:
        given.setdefault("because", ORDER)
    fitted = [p if p is None else _fitted(p) for p in partials]
    elementwise(name, signature, [SPECIAL + name, *more], *fitted, on=on, **given)


def _fitted(partial: Rule) -> Rule:
    """The partial derivative in the dtype of the result, where what it is made of is double."""

    @wraps(partial)
    def slope(y: Any, *args: Any, **options: Any) -> Any:
        return narrowed(y, partial(y, *args, **options))

    return slope


def wide_type(types: Types, options: Options) -> Types:
    """What counts in double precision, and is complex for complex arguments."""
    given = [t for t in types if t.kind != "object"]
    found = "complex128" if any(t.dtype in COMPLEX for t in given) else "float64"
    return (entrywise(given, found),)


def counted_type(count: int) -> Infer:
    """Of functions of which the first operands may be integers: the others are then double."""

    def infer(types: Types, options: Options) -> Types:
        whole = all(category(t.dtype) < 2 for t in types[:count] if t.kind != "object")
        return (wide_type if whole else floating_type)(types, options)

    return infer


def array_order(order: Type) -> Type:
    """An order of which an array is made: a number is one of double precision."""
    return Type("float64", (), "array") if order.is_scalar else order


def array_order_type(types: Types, options: Options) -> Types:
    (found,) = floating_type((array_order(types[0]), *types[1:]), options)
    return (entrywise(types, found.dtype),)


def complex_type(types: Types, options: Options) -> Types:
    """What is complex for real arguments, too."""
    arrays = [t for t in types if not t.is_scalar]
    single = bool(arrays) and all(t.dtype in ("float32", "complex64", "float16") for t in arrays)
    return (entrywise(types, "complex64" if single else "complex128"),)


def widened_complex_type(types: Types, options: Options) -> Types:
    """What is complex of double precision for real arguments of any."""
    single = all(t.dtype == "complex64" for t in types)
    return (entrywise(types, "complex64" if single else "complex128"),)


def double_complex_type(types: Types, options: Options) -> Types:
    return (entrywise(types, "complex128"),)


def several(
    name: str,
    signature: str,
    partials: Mapping[int, Callable[..., Args]],
    count: int,
    domain: Any,
    infer: Infer = floating_type,
) -> None:
    """A function with `count` results, entry by entry.

    `partials` gives for the place of an argument what the derivatives of all results by it are, in
    terms of the results, as a tuple, and the arguments.
    """
    rule = _Several(name, partials)

    def each(types: Types, options: Options) -> tuple[Type, ...]:
        return infer(types, options) * count

    general(
        name,
        signature,
        [SPECIAL + name],
        rule.tangent,
        rule.adjoint,
        infer=each,
        cost=30,
        domain=domain,
    )


@dataclass(frozen=True, slots=True)
class _Several:
    """Both modes of a function with several results."""

    name: str
    partials: Mapping[int, Callable[..., Args]]

    def slopes(self, place: int, y: Any, args: Args) -> Args:
        if place not in self.partials:
            raise NoRule(
                f"no derivative rule for {SPECIAL}{self.name} by its parameter",
                code="AG201",
                help=ORDER,
            )
        return [narrowed(y[0], slope) for slope in self.partials[place](y, *args)]

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        totals: list[Any] = [None] * len(y)
        for k, dot in enumerate(dots):
            if dot is None:
                continue
            for j, slope in enumerate(self.slopes(k, y, args)):
                totals[j] = slope * dot if totals[j] is None else totals[j] + slope * dot
        return tuple(totals)

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        found: list[Any] = []
        asked = b.wanted or (True,) * len(args)
        for k, (arg, want) in enumerate(zip(args, asked, strict=True)):
            total = None
            if want and varies(arg):
                pairs = zip(y_bar, self.slopes(k, y, args), strict=True)
                terms = [bar * slope for bar, slope in pairs if bar is not None]
                total = sum(terms[1:], terms[0])
            found.append(total)
        return found


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The density of the beta distribution: the slope of the incomplete beta function."""
    powers = op("xlogy", a - 1.0, x) + op("xlog1py", b - 1.0, -x)
    return np.exp(powers - op("betaln", a, b))
