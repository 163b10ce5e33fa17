"""Copies inside of one array in which NumPy reads entries that it has written before.

    x[1:] = x[:-1]        steps alike: NumPy begins at the end from which nothing is read again
    x[::2] = x[:3]        x[2] is read after it was written, so x[4] becomes x[1]
    A[:, 3] = A[1, :]     A[1, 3] likewise

NumPy takes a copy of what overlaps for arrays of several axes, for opposite directions and in
ufuncs, but not where both are vectors (`PyArray_AssignArray`), nor for `a.flat`. What is written
here reads everything before it writes anything, so the other copies are refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Step
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.index_pattern import Index
from adjointgen.frontend.state.overlaps import overlapping
from adjointgen.frontend.state.storage_cells import is_flat, read_ref
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import Dim, Type
from adjointgen.records import dataclass
from adjointgen.rules.arrays.indexing import Rest, Slice, Slot, parse_index
from adjointgen.rules.framework.table import TABLE

Number = Operand | int | tuple[object, ...]
"""An operand, or what computes it: `j + 1` is one number however often it is written."""
Run = tuple[Number, Number]
"""Where a slice starts, and its step."""


@dataclass(frozen=True, slots=True)
class Along:
    """The entries of a vector in an array: along which axis, from where, in which steps."""

    axis: int
    start: Number
    step: Number
    fixed: tuple[Number, ...]


def check_copy(ctx: Context, ref: Ref, index: Index, part: Type, source: Abstract) -> None:
    """Refuse `ref[index] = source` where NumPy reads entries of one array that it has written."""
    if not isinstance(source, Ref) or index.fancy or part.rank not in (1, None):
        return
    target = Ref(ref.cell, (*ref.steps, _step(index)))
    if not overlapping([(target, source)]) or _is_one(read_ref(ctx, source).type):
        return
    if is_flat(ref) or not _is_safe(*_apart(ctx, target, source)):
        _refuse(ctx)


def check_unread(ctx: Context, target: Abstract, sources: Iterable[Abstract]) -> None:
    """Refuse to write to an array by a function that reads it meanwhile."""
    refs = [source for source in sources if isinstance(source, Ref)]
    if isinstance(target, Ref) and overlapping((target, ref) for ref in refs):
        _refuse(ctx)


def _refuse(ctx: Context) -> None:
    what = "NumPy copies these entries one by one, and reads some that it has written before"
    ctx.refuse("AG112", what, "take a .copy() of what is read")


def _step(index: Index) -> Step:
    return Step("load", tuple(index.operands), (("index", index.pattern),))


def _is_one(type: Type) -> bool:
    """Whether this is one entry, which is written over itself at most."""
    return type.shape is not None and all(d == Dim("", 1) for d in type.shape)


def _apart(ctx: Context, one: Ref, other: Ref) -> tuple[Along | None, Along | None]:
    """Where both lie in the last view that they share."""
    pairs = zip(one.steps, other.steps, strict=False)
    shared = next((k for k, (a, b) in enumerate(pairs) if a != b), None)
    if shared is None:
        shared = min(len(one.steps), len(other.steps))
    rank = read_ref(ctx, Ref(one.cell, one.steps[:shared])).type.rank
    return _along(ctx, one.steps[shared:], rank), _along(ctx, other.steps[shared:], rank)


def _along(ctx: Context, steps: Iterable[Step], rank: int | None) -> Along | None:
    """Where a chain of slices and indices of a view lies, None where that is not known."""
    every: list[Run] = [(0, 1)] * (rank or 0)
    left, fixed = list(range(len(every))), list[Number]()
    for step in steps:
        parts = _parts(ctx, step, len(left))
        if parts is None or len(parts) > len(left):
            return None
        for axis, part in zip(list(left), parts, strict=False):
            inside = _inside(every[axis], part)
            if inside is None:
                return None
            every[axis] = inside
            if len(part) == 1:
                left.remove(axis)
                fixed.append(inside[0])
    return Along(left[0], *every[left[0]], tuple(fixed)) if len(left) == 1 else None


def _parts(ctx: Context, step: Step, rank: int) -> list[tuple[Number, ...]] | None:
    """An index by axis: a number, or where a slice starts and its step."""
    pattern = dict(step.options).get("index")
    items = () if pattern is None else parse_index(str(pattern))
    found: list[tuple[Number | None, ...]] = []
    for item in items:
        match item:
            case Rest(understood=True):
                found += [(0, 1)] * (rank - len(items) + 1)
            case Slice(start=start, step=by):
                bounds = 0 if start is None else start, 1 if by is None else by
                found.append(tuple(_number(ctx, step, bound) for bound in bounds))
            case int() | Slot():
                found.append((_number(ctx, step, item),))
            case _:
                return None
    known = [tuple(n for n in part if n is not None) for part in found]
    return known if pattern is not None and known == found else None


def _number(ctx: Context, step: Step, bound: int | Slot) -> Number | None:
    """A literal or an operand of an index; None for a constant that is no integer."""
    if isinstance(bound, int):
        return bound
    operand = step.args[bound.number]
    if isinstance(operand, Const):
        return operand.value if isinstance(operand.value, int) else None
    made = maker(ctx, operand)
    known = made is not None and TABLE[made.op].symbol
    return (made.op, made.args, made.options) if made is not None and known else operand


def _inside(outer: Run, part: tuple[Number, ...]) -> Run | None:
    """A slice or an entry of a slice."""
    start, by = part if len(part) == 2 else (*part, 1)
    if outer == (0, 1):
        return start, by
    begin, step, *more = [n for n in (*outer, start, by) if isinstance(n, int) and n >= 0]
    return (begin + step * more[0], step * more[1]) if len(more) == 2 else None


def _is_safe(to: Along | None, of: Along | None) -> bool:
    """Whether nothing is read after it was written."""
    if to is None or of is None:
        return False
    if to.axis != of.axis:
        return to.fixed == of.fixed and (to.start, to.step) == (of.start, of.step)
    if to.step == of.step or _are_apart(to, of):
        return True
    numbers = [n for n in (to.start, to.step, of.start, of.step) if isinstance(n, int)]
    if len(numbers) < 4 or min(numbers[0], numbers[2]) < 0:
        return False
    begin, by, start, step = numbers
    if by * step < 0:
        return True
    return 0 < by <= step if start >= begin else 0 < step <= by


def _are_apart(to: Along, of: Along) -> bool:
    """Whether an index that is a number says that these are different rows."""
    pairs = zip(to.fixed, of.fixed, strict=True)
    known = [(a, b) for a, b in pairs if isinstance(a, int) and isinstance(b, int)]
    return any(a != b and a * b >= 0 for a, b in known)
