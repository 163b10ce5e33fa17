"""Constructors of Python expressions: operands in, a tree out; `printer` puts the parentheses.

Each function is one production of the Python grammar. Names and literal numbers are shared between
trees, which are immutable.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import EllipsisType
from typing import Final

from adjointgen.emit.syntax.tree import (
    Attribute,
    Binary,
    Call,
    Compare,
    Conditional,
    Dict,
    Entry,
    Expression,
    List,
    Name,
    Number,
    Slice,
    Subscript,
    Tuple,
    Unary,
    Word,
)

Literal = int | float | complex | str | bool | None | EllipsisType | tuple["Literal", ...]
Item = Expression | Slice | EllipsisType | None

ELLIPSIS: Final = Word("...")


@lru_cache(maxsize=4096)
def name(dotted: str) -> Name | Attribute:
    """The variable ``x``, or the dotted name ``np.linalg.solve``."""
    owner, _, last = dotted.rpartition(".")
    return Attribute(name(owner), last) if owner else Name(last)


def literal(value: Literal) -> Expression:
    """Source that evaluates to exactly `value`: signed zeros, infinities and NaN included."""
    match value:
        case None | True | False:
            return name(str(value))
        case EllipsisType():
            return ELLIPSIS
        case int():
            return _signed(int.__repr__(value))
        case float():
            return _float(value)
        case complex():
            return _complex(value)
        case str():
            return Word(_quoted(value))
        case tuple():
            return tuple_([literal(item) for item in value])
    raise TypeError(f"no literal for {type(value).__name__}")


def _float(value: float) -> Expression:
    if math.isfinite(value):
        return _signed(float.__repr__(value).replace("e+", "e"))
    if math.isnan(value):
        return call(name("float"), [literal("nan")])
    infinity = call(name("float"), [literal("inf")])
    return infinity if value > 0 else unary("-", infinity)


def _complex(value: complex) -> Expression:
    """A sum where it is exact; ``complex(re, im)`` where a signed zero or a non-number would go."""
    real, imaginary = value.real, value.imag
    exact = math.isfinite(real) and math.isfinite(imaginary)
    if not exact or math.copysign(1.0, imaginary) < 0.0 or (real == 0.0 and str(real) != "0.0"):
        return call(name("complex"), [literal(real), literal(imaginary)])
    unit = Number(repr(complex(0.0, imaginary)).replace("e+", "e"))
    return unit if real == 0.0 else binary("+", literal(real), unit)


def _signed(text: str) -> Expression:
    return unary("-", Number(text[1:])) if text.startswith("-") else Number(text)


def _quoted(value: str) -> str:
    """`value` as a string literal, in double quotes unless these need more escapes."""
    text = repr(value)
    if value.count('"') > value.count("'"):
        return text
    return '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def binary(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` for ``+ - * / // % @ ** & | ^ << >>``."""
    return Binary(operator, left, right)


def unary(operator: str, operand: Expression) -> Expression:
    """``-a``, ``+a``, ``~a``, ``not a``."""
    return Unary(operator, operand)


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` for ``== != < <= > >= in``, ``not in``, ``is`` and ``is not``."""
    return Compare(left, ((operator, right),))


def boolean(operator: str, left: Expression, right: Expression) -> Expression:
    """``left and right``, ``left or right``."""
    return Binary(operator, left, right)


def conditional(test: Expression, body: Expression, orelse: Expression) -> Expression:
    """``body if test else orelse``."""
    return Conditional(body, test, orelse)


def call(
    function: Expression,
    arguments: Iterable[Entry] = (),
    keywords: Mapping[str, Expression] | None = None,
) -> Expression:
    """``function(*arguments, **keywords)``, spelled out."""
    return Call(function, tuple(arguments), tuple((keywords or {}).items()))


def attribute(owner: Expression, field: str) -> Expression:
    """``owner.field``."""
    return Attribute(owner, field)


def slice_(
    start: Expression | None = None,
    stop: Expression | None = None,
    step: Expression | None = None,
) -> Slice:
    """``start:stop:step``, an item of a subscript."""
    return Slice(start, stop, step)


def subscript(owner: Expression, items: Sequence[Item]) -> Subscript:
    """``owner[items]``; an item is an expression, a `slice_`, ``...`` or None (a new axis)."""
    return Subscript(owner, tuple(map(_item, items)))


def _item(item: Item) -> Expression | Slice:
    return literal(item) if item is None or isinstance(item, EllipsisType) else item


def tuple_(entries: Iterable[Entry]) -> Tuple:
    """``(a, b)``; the slots that allow it drop the parentheses."""
    return Tuple(tuple(entries))


def list_(entries: Iterable[Entry]) -> List:
    """``[a, b]``."""
    return List(tuple(entries))


def dict_(entries: Iterable[tuple[Expression, Expression]]) -> Dict:
    """``{key: value}``."""
    return Dict(tuple(entries))
