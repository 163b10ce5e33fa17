"""A `range` where NumPy or an index takes it, and parts of one.

    a[range(n)], np.diff(range(n))     the array of its integers
    range(a, b)[1:], range(a, b)[k]    range(a + 1, b), and an integer

NumPy makes an array of floats of a range that is empty, and takes an empty one for integers in an
index.
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract, Range, SliceOf
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const

_LARGEST: Final = 2**62


def is_large(value: Range) -> bool:
    """Whether a range has numbers, or a number of them, that an integer of NumPy may not hold."""
    bounds = (b.value for b in (value.start, value.stop, value.step) if isinstance(b, Const))
    return any(isinstance(b, int) and abs(b) >= _LARGEST for b in bounds)


def known(value: Range) -> range | None:
    """The range itself, where all of it is known."""
    match value:
        case Range(Const(value=int(start)), Const(value=int(stop)), Const(value=int(step))) if step:
            return range(start, stop, step)
    return None


def positions(ctx: Context, value: Range) -> Operand:
    """The integers of a range as an index."""
    return ctx.apply("arange", value.start, value.stop, value.step)


def as_numbers(ctx: Context, value: Range) -> Operand:
    """The array that NumPy makes of a range."""
    whole = known(value)
    if whole is not None and len(whole):
        return positions(ctx, value)
    length = positions(ctx, value).type.shape
    code = "np.array(range(_0_, _1_, _2_))"
    type = Type("int64" if whole is None else "float64", length, "array")
    return verbatim(ctx, code, (value.start, value.stop, value.step), type, pure=True)


def part(ctx: Context, value: Range, key: Abstract) -> Abstract | None:
    """`range(...)[key]`; None where it is not known what that is."""
    whole = known(value)
    if is_large(value):
        return None
    match key:
        case Const(value=int(number)) if type(number) is int and whole is not None:
            if -len(whole) <= number < len(whole):
                return const(whole[number])
            what = f"there are {len(whole)} entries, and no number {number}"
            return ctx.refuse("AG107", what, "use an index in range")
        case Const(value=int(number)) if type(number) is int:
            return ctx.apply("load", positions(ctx, value), index=str(number))
        case Value() if key.type.is_scalar and key.type.dtype == "int64":
            return ctx.apply("load", positions(ctx, value), key, index="_")
        case SliceOf():
            return _slice(ctx, value, whole, key)
    return None


def _slice(ctx: Context, value: Range, whole: range | None, key: SliceOf) -> Range | None:
    bounds = [_number(b) for b in (key.lower, key.upper, key.step)]
    if [b is None for b in bounds] != [b is None for b in (key.lower, key.upper, key.step)]:
        return None
    lower, upper, step = bounds
    if whole is not None:
        if step == 0:
            return None
        found = whole[lower:upper:step]
        return Range(const(found.start), const(found.stop), const(found.step))
    if value.step != const(1) or step not in (None, 1) or (lower or 0) < 0:
        return None
    if upper is not None and upper >= 0:
        return None
    start, stop = value.start, value.stop
    if lower:
        start = ctx.apply("add", start, const(lower))
    if upper is not None:
        stop = ctx.apply("sub", stop, const(-upper))
    return Range(start, stop, value.step)


def _number(bound: Operand | None) -> int | None:
    """The number that a bound is known to be."""
    return bound.value if isinstance(bound, Const) and type(bound.value) is int else None
