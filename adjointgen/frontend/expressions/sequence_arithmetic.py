"""Arithmetic of lists, tuples and sets: joined, repeated, or an error.

    [a, b] + [c]           [a, b, c]
    [a, b] * 2             [a, b, a, b]
    [a, b] * 2.0           raise TypeError(...)
    [a, b] + np.sum(x)     np.array([a, b]) + np.sum(x)

A list beside a number of NumPy is an array, but for `*` and `@`; beside one of Python's it is an
error. Where the number may be either, the program adds the two as they stand, so that it fails
where the function does.
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Seq, Zipped
from adjointgen.frontend.domain.constant_bounds import ENTRIES
from adjointgen.frontend.state.certain_raise import fails_in, is_number
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, statement
from adjointgen.frontend.state.set_order import OPERATORS, SETS, after
from adjointgen.frontend.state.storage_cells import content, shown_type
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import COMPLEX, INTEGER, REAL
from adjointgen.rules.framework.builder import const

FEW = 256
"""The most numbers of a list that are known one by one where two lists are joined."""

_NO_VALUE = Named("builtins.NoneType", "type(None)")


def joined_sequences(symbol: str, a: Abstract, b: Abstract) -> Seq | None:
    """Two sequences one after the other, or one repeated, where the entries are known."""
    match a, b:
        case Seq(items=x, kind=kind), Seq(items=y, kind=other) if (
            symbol == "+" and kind == other and kind not in SETS and _stay_apart(kind, (*x, *y))
        ):
            return Seq((*x, *y), kind)
        case (Seq(items=x, kind=kind), Const(value=int(count))) | (
            Const(value=int(count)),
            Seq(items=x, kind=kind),
        ) if (
            symbol == "*" and kind not in SETS and len(x) * count <= 64
        ):
            return Seq(x * count, kind)
        case Seq(kind=kind), Seq(kind=other) if (
            kind in SETS and other in SETS and symbol in OPERATORS
        ):
            return after(a, f"__{OPERATORS[symbol]}__", b)
    return _union(a, b) if symbol == "|" else None


def _union(a: Abstract, b: Abstract) -> Seq | None:
    """A union of classes stands where a tuple of them may; None in it is for its class."""
    x, y = (_NO_VALUE if v == const(None) else v for v in (a, b))
    match x, y:
        case (Named() | Class()), (Named() | Class()) if x != y:
            return Seq((x, y))
        case Seq(items=[Named() | Class(), *_] as items), (Named() | Class()):
            return Seq((*items, y))
    return None


def _stay_apart(kind: str, items: tuple[Abstract, ...]) -> bool:
    """Whether entries of two sequences stay known one by one; long lists of numbers are values."""
    if kind == "list" and items[FEW:]:
        return not any(isinstance(v, Value) and v.type.is_scalar for v in items)
    return len(items) <= ENTRIES


def is_sequence(ctx: Context, value: Abstract) -> bool:
    """Whether a value is a list or a tuple for certain. A view of a dict is a set."""
    if isinstance(value, Zipped):
        return False
    known = content(ctx, value)
    if isinstance(known, Seq):
        return known.kind in ("list", "tuple")
    return shown_type(ctx, ctx.state, known).kind == "list"


def _is_set(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    return isinstance(known, Seq) and known.kind in SETS


def no_arithmetic(ctx: Context, symbol: str, left: Abstract, right: Abstract) -> Const | None:
    """The end of the program where Python has no such operation of two values, or may have none."""
    sets = [_is_set(ctx, side) for side in (left, right)]
    listed = [a or is_sequence(ctx, b) for a, b in zip(sets, (left, right), strict=True)]
    if not any(listed) or (all(sets) and symbol in OPERATORS):
        return None
    if all(listed):
        kinds = [_kind(ctx, side) for side in (left, right)]
        joined = symbol == "+" and kinds[0] == kinds[1] and not any(sets)
        return None if joined else fails_in_python(ctx, symbol, left, right)
    other = left if listed[1] else right
    type = shown_type(ctx, ctx.state, content(ctx, other))
    repeats = symbol == "*" and type.dtype in INTEGER
    if not type.is_scalar or repeats or type.dtype not in (*REAL, *COMPLEX, *INTEGER):
        return None
    certain = isinstance(other, Const) or is_number(ctx, other)
    if isinstance(other, Const) or (certain and (any(sets) or symbol in "*@")):
        return fails_in_python(ctx, symbol, left, right)
    # An array without axes has the type of a number, and takes lists.
    holes = Holes(ctx)
    statement(ctx, _text(holes, symbol, left, right), holes.operands)
    return None


def fails_in_python(ctx: Context, symbol: str, *sides: Abstract) -> Const:
    """The expression as a statement, which raises Python's own exception."""
    holes = Holes(ctx)
    return fails_in(ctx, _text(holes, symbol, *sides), *holes.operands)


def _text(holes: Holes, symbol: str, *sides: Abstract) -> str:
    first, *rest = map(holes.fill, sides)
    return f"{first} {symbol} {rest[0]}" if rest else f"{symbol}{first}"


def _kind(ctx: Context, value: Abstract) -> str:
    known = content(ctx, value)
    return known.kind if isinstance(known, Seq) else "list"
