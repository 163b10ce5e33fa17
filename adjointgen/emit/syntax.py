"""Constructors of Python expressions: operands in, a libcst node out, parentheses where due.

Each function is one production of the Python grammar.  A child is parenthesised exactly if it
binds more loosely than its slot allows (`precedence`), so any tree built from these functions
parses back to itself.  Spacing is black's, so that printing and formatting agree on every line
that is short enough.

Names, numbers, operators and whitespace are shared between trees: libcst nodes are immutable, and
constructing one costs more than printing it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import EllipsisType
from typing import Final, cast

import libcst as cst

from adjointgen.emit.precedence import (
    LEFT_PARENTHESIS,
    RIGHT_PARENTHESIS,
    Expression,
    Level,
    at,
    bare,
    operand_levels,
    under_dot,
    under_unary,
)

Literal = int | float | complex | str | bool | None | EllipsisType | tuple["Literal", ...]
Item = Expression | cst.Slice | EllipsisType | None

NONE: Final = cst.SimpleWhitespace("")
SPACE: Final = cst.SimpleWhitespace(" ")
DEFAULT: Final = cst.MaybeSentinel.DEFAULT

_TIGHT_POWER: Final = cst.Power(NONE, NONE)
_BINARY: Final[dict[str, cst.BaseBinaryOp]] = {
    "+": cst.Add(SPACE, SPACE),
    "-": cst.Subtract(SPACE, SPACE),
    "*": cst.Multiply(SPACE, SPACE),
    "/": cst.Divide(SPACE, SPACE),
    "//": cst.FloorDivide(SPACE, SPACE),
    "%": cst.Modulo(SPACE, SPACE),
    "@": cst.MatrixMultiply(SPACE, SPACE),
    "**": cst.Power(SPACE, SPACE),
    "&": cst.BitAnd(SPACE, SPACE),
    "|": cst.BitOr(SPACE, SPACE),
    "^": cst.BitXor(SPACE, SPACE),
    "<<": cst.LeftShift(SPACE, SPACE),
    ">>": cst.RightShift(SPACE, SPACE),
}
_UNARY: Final[dict[str, cst.BaseUnaryOp]] = {
    "-": cst.Minus(NONE),
    "+": cst.Plus(NONE),
    "~": cst.BitInvert(NONE),
    "not": cst.Not(SPACE),
}
_COMPARE: Final[dict[str, cst.BaseCompOp]] = {
    "==": cst.Equal(SPACE, SPACE),
    "!=": cst.NotEqual("!=", SPACE, SPACE),
    "<": cst.LessThan(SPACE, SPACE),
    "<=": cst.LessThanEqual(SPACE, SPACE),
    ">": cst.GreaterThan(SPACE, SPACE),
    ">=": cst.GreaterThanEqual(SPACE, SPACE),
    "in": cst.In(SPACE, SPACE),
    "not in": cst.NotIn(SPACE, SPACE, SPACE),
    "is": cst.Is(SPACE, SPACE),
    "is not": cst.IsNot(SPACE, SPACE, SPACE),
}
_BOOLEAN: Final[dict[str, cst.BaseBooleanOp]] = {
    "and": cst.And(SPACE, SPACE),
    "or": cst.Or(SPACE, SPACE),
}
_OPERAND_LEVELS: Final = {
    text: operand_levels(operator) for text, operator in (_BINARY | _BOOLEAN).items()
}

_DOT: Final = cst.Dot(NONE, NONE)
_EQUAL: Final = cst.AssignEqual(NONE, NONE)
_LEFT_BRACKET: Final = cst.LeftSquareBracket(NONE)
_RIGHT_BRACKET: Final = cst.RightSquareBracket(NONE)
_ELLIPSIS: Final = cst.Ellipsis()


@lru_cache(maxsize=4096)
def name(dotted: str) -> cst.Name | cst.Attribute:
    """The variable ``x``, or the dotted name ``np.linalg.solve``."""
    owner, _, last = dotted.rpartition(".")
    return cst.Attribute(name(owner), cst.Name(last), _DOT) if owner else cst.Name(last)


def literal(value: Literal) -> Expression:
    """Source that evaluates to exactly `value`: signed zeros, infinities and NaN included."""
    match value:
        case None | True | False:
            return name(str(value))
        case EllipsisType():
            return _ELLIPSIS
        case int():
            return _signed(int.__repr__(value))
        case float():
            return _float(value)
        case complex():
            return _complex(value)
        case str():
            return cst.SimpleString(_quoted(value))
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
    unit = _number(repr(complex(0.0, imaginary)).replace("e+", "e"))
    return unit if real == 0.0 else binary("+", literal(real), unit)


def _signed(text: str) -> Expression:
    return unary("-", _number(text[1:])) if text.startswith("-") else _number(text)


@lru_cache(maxsize=1024)
def _number(text: str) -> Expression:
    if text.endswith("j"):
        return cst.Imaginary(text)
    return cst.Integer(text) if text.isdigit() else cst.Float(text)


def _quoted(value: str) -> str:
    """`value` as a string literal, in double quotes unless these need more escapes."""
    text = repr(value)
    if value.count('"') > value.count("'"):
        return text
    return '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def binary(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` for ``+ - * / // % @ ** & | ^ << >>``."""
    node = _BINARY[operator]
    if operator == "**" and _ends_simply(left) and _starts_simply(right):
        node = _TIGHT_POWER
    least_left, least_right = _OPERAND_LEVELS[operator]
    return cst.BinaryOperation(at(left, least_left), node, at(right, least_right))


def _ends_simply(base: Expression) -> bool:
    """Would black write ``**`` without spaces after this base?"""
    while isinstance(base, cst.Attribute) and not base.lpar:
        base = base.value
    return isinstance(base, cst.Name | cst.BaseNumber) and not base.lpar


def _starts_simply(exponent: Expression) -> bool:
    """Would black write ``**`` without spaces before this exponent?"""
    if isinstance(exponent, cst.UnaryOperation):
        return not isinstance(exponent.operator, cst.Not) and _ends_simply(exponent.expression)
    if isinstance(exponent, cst.BinaryOperation) and isinstance(exponent.operator, cst.Power):
        return _ends_simply(exponent.left)
    return _ends_simply(exponent)


def unary(operator: str, operand: Expression) -> Expression:
    """``-a``, ``+a``, ``~a``, ``not a``."""
    node = _UNARY[operator]
    return cst.UnaryOperation(node, under_unary(operand, node))


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` for ``== != < <= > >= in``, ``not in``, ``is`` and ``is not``."""
    target = cst.ComparisonTarget(_COMPARE[operator], at(right, Level.BIT_OR))
    return cst.Comparison(at(left, Level.BIT_OR), (target,))


def boolean(operator: str, left: Expression, right: Expression) -> Expression:
    """``left and right``, ``left or right``."""
    least_left, least_right = _OPERAND_LEVELS[operator]
    return cst.BooleanOperation(at(left, least_left), _BOOLEAN[operator], at(right, least_right))


def conditional(test: Expression, body: Expression, orelse: Expression) -> Expression:
    """``body if test else orelse``."""
    return cst.IfExp(
        test=at(test, Level.OR),
        body=at(body, Level.OR),
        orelse=at(orelse, Level.LAMBDA),
        whitespace_before_if=SPACE,
        whitespace_after_if=SPACE,
        whitespace_before_else=SPACE,
        whitespace_after_else=SPACE,
    )


def call(
    function: Expression,
    arguments: Sequence[Expression] = (),
    keywords: Mapping[str, Expression] | None = None,
) -> Expression:
    """``function(*arguments, **keywords)``, spelled out."""
    positional = [_argument(argument) for argument in arguments]
    if len(positional) == 1 and not keywords and type(arguments[0]) is cst.GeneratorExp:
        positional = [cst.Arg(bare(arguments[0]), None, DEFAULT, DEFAULT, "", NONE, NONE)]
    named = [
        cst.Arg(at(value, Level.LAMBDA), cst.Name(key), _EQUAL, DEFAULT, "", NONE, NONE)
        for key, value in (keywords or {}).items()
    ]
    return cst.Call(
        at(function, Level.PRIMARY),
        (*positional, *named),
        whitespace_after_func=NONE,
        whitespace_before_args=NONE,
    )


def _argument(value: Expression) -> cst.Arg:
    if type(value) is cst.StarredElement:
        return cst.Arg(at(value.value, Level.LAMBDA), None, DEFAULT, DEFAULT, "*", NONE, NONE)
    return cst.Arg(at(value, Level.LAMBDA), None, DEFAULT, DEFAULT, "", NONE, NONE)


def attribute(owner: Expression, field: str) -> Expression:
    """``owner.field``."""
    return cst.Attribute(under_dot(owner), cst.Name(field), _DOT)


def slice_(
    start: Expression | None = None,
    stop: Expression | None = None,
    step: Expression | None = None,
) -> cst.Slice:
    """``start:stop:step``, an item of a subscript.

    As in black, the colons are spaced like the loosest operator if a part is not a mere name or
    number.
    """
    lower, upper, stride = (
        None if part is None else at(part, Level.LAMBDA) for part in (start, stop, step)
    )
    spaced = not all(part is None or _is_plain(part) for part in (start, stop, step))
    second = DEFAULT if stride is None else _colon(upper is not None and spaced, spaced)
    first = _colon(lower is not None and spaced, upper is not None and spaced)
    return cst.Slice(lower, upper, stride, first, second)


def _colon(before: bool, after: bool) -> cst.Colon:
    return cst.Colon(SPACE if before else NONE, SPACE if after else NONE)


def _is_plain(part: Expression) -> bool:
    while isinstance(part, cst.UnaryOperation) and not isinstance(part.operator, cst.Not):
        part = part.expression
    return isinstance(part, cst.Name | cst.BaseNumber | cst.SimpleString)


def subscript(owner: Expression, items: Sequence[Item]) -> Expression:
    """``owner[items]``; an item is an expression, a `slice_`, ``...`` or None (a new axis)."""
    if len(items) == 1 and type(only := items[0]) is cst.Tuple:
        items = _entries(only) or items
    elements = tuple(cst.SubscriptElement(_item(item)) for item in items)
    return cst.Subscript(
        at(owner, Level.PRIMARY),
        elements,
        _LEFT_BRACKET,
        _RIGHT_BRACKET,
        whitespace_after_value=NONE,
    )


def _entries(key: cst.Tuple) -> list[Expression]:
    """The entries of a tuple that a subscript can do without the parentheses of."""
    plain = all(isinstance(element, cst.Element) for element in key.elements)
    return [element.value for element in key.elements] if plain and len(key.elements) > 1 else []


def _item(item: Item) -> cst.BaseSlice:
    if type(item) is cst.Slice:
        return item
    if item is None or isinstance(item, EllipsisType):
        return cst.Index(literal(item))
    return cst.Index(at(cast(Expression, item), Level.LAMBDA))


def tuple_(items: Iterable[Expression]) -> cst.Tuple:
    """``(a, b)``; the slots that allow it drop the parentheses."""
    return cst.Tuple(_elements(items), LEFT_PARENTHESIS, RIGHT_PARENTHESIS)


def list_(items: Iterable[Expression]) -> cst.List:
    """``[a, b]``."""
    return cst.List(_elements(items), _LEFT_BRACKET, _RIGHT_BRACKET)


def dict_(items: Iterable[tuple[Expression, Expression]]) -> cst.Dict:
    """``{key: value}``."""
    return cst.Dict(
        tuple(cst.DictElement(at(k, Level.LAMBDA), at(v, Level.LAMBDA)) for k, v in items)
    )


def _elements(items: Iterable[Expression]) -> tuple[cst.BaseElement, ...]:
    return tuple(
        item if type(item) is cst.StarredElement else cst.Element(at(item, Level.LAMBDA))
        for item in items
    )
