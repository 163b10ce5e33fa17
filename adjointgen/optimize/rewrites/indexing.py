"""Forwarding of stores: what was stored is loaded no more, and what is overwritten is not stored.

Two indices are the same if their patterns and operands are; they are disjoint if literal indices or
slices at one position are. All else may overlap. A store that is looked through has no other
reader, and goes: both versions of an array are never read on, which would force a copy.
"""

from __future__ import annotations

from typing import assert_never

from adjointgen.ir.nodes import Apply, Const, Operand
from adjointgen.optimize.rewrites.rewrite_context import (
    Context,
    Rewrite,
    Term,
    identical,
    number,
    same_type,
    term,
)
from adjointgen.optimize.rewrites.shape_rewrites import is_whole, spread
from adjointgen.rules.arrays.indexing import (
    Fancy,
    Item,
    NewAxis,
    Rest,
    Slice,
    Slot,
    numbers_of,
    parse_index,
)

Bounds = tuple[int, int | None]


def load_of_store(stmt: Apply, context: Context) -> Operand | Term | None:
    """`store(a, v, i)[i]` is `v`; `store(a, v, i)[j]` is `a[j]` for a disjoint `j`.

    So is what was added to zeros. Not where `i` may name a place twice: then the last write is
    loaded for both.
    """
    written = context.known(stmt.args[0], "store", "accumulate")
    if written is not None and written.op == "accumulate" and not is_zero(written.args[0], context):
        written = None
    if written is not None and same_index(stmt, written) and names_once(stmt):
        value = written.args[1]
        return value if same_type(value.type, stmt.result.type) else None
    written = context.own(stmt.args[0], "store", "accumulate")
    if written is None or not are_disjoint(stmt, written):
        return None
    return term("load", written.args[0], *stmt.args[1:], **dict(stmt.options))


def load_of_filled(stmt: Apply, context: Context) -> Operand | None:
    """An element of an array of zeros is zero; and so for any scalar that fills an array."""
    filled = spread(stmt.args[0], context)
    if filled is None or filled.type != stmt.result.type:
        return None
    return filled


def store_of_store(stmt: Apply, context: Context) -> Term | None:
    """`store(store(a, v, i), w, i)` is `store(a, w, i)`."""
    written = context.own(stmt.args[0], "store", "accumulate")
    if written is None or not same_index(stmt, written):
        return None
    return term("store", written.args[0], *stmt.args[1:], **dict(stmt.options))


def store_of_load(stmt: Apply, context: Context) -> Operand | None:
    """`store(a, a[i], i)` is `a`."""
    array, value, *index = stmt.args
    loaded = context.known(value, "load")
    if loaded is None or not identical(array, loaded.args[0]):
        return None
    same = loaded.options == stmt.options and _all_identical(loaded.args[1:], tuple(index))
    return array if same else None


def store_of_filling(stmt: Apply, context: Context) -> Operand | None:
    """Zero stored into zeros changes nothing; and so for any scalar that fills an array."""
    filled = spread(stmt.args[0], context)
    value = spread(stmt.args[1], context) or stmt.args[1]
    return stmt.args[0] if filled is not None and identical(filled, value) else None


def load_of_whole(stmt: Apply, context: Context) -> Operand | None:
    """`a[:]` is `a`."""
    array = stmt.args[0]
    same = (array.type.kind, array.type.rank) == (stmt.result.type.kind, stmt.result.type.rank)
    return array if is_whole(stmt) and same else None


def whole(stmt: Apply, context: Context) -> Operand | None:
    """`store(a, v, :)` is `v`, and so is `accumulate(zeros, v, :)`."""
    array, value = stmt.args[:2]
    if not is_whole(stmt) or not same_type(value.type, array.type):
        return None
    if stmt.op == "accumulate" and not is_zero(array, context):
        return None
    return value


def accumulate_into_zero(stmt: Apply, context: Context) -> Term | None:
    """`accumulate(store(a, 0.0, i), v, i)` is `store(a, v, i)`, if `i` names no place twice."""
    written = context.own(stmt.args[0], "store")
    if written is None or not is_zero(written.args[1], context):
        return None
    if not same_index(stmt, written) or not names_once(stmt):
        return None
    return term("store", written.args[0], *stmt.args[1:], **dict(stmt.options))


def accumulate_zero(stmt: Apply, context: Context) -> Operand | None:
    """`a[i] += 0.0` changes nothing."""
    return stmt.args[0] if is_zero(stmt.args[1], context) else None


def value_spread(stmt: Apply, context: Context) -> Term | None:
    """`a[i] = expand(s, x)` is `a[i] = s`: the assignment spreads it."""
    array, value, *index = stmt.args
    filled = spread(value, context)
    if filled is None:
        return None
    return term(stmt.op, array, filled, *index, **dict(stmt.options))


def is_zero(operand: Operand, context: Context) -> bool:
    """Whether an operand is a literal zero, or an array of them."""
    value = spread(operand, context) or operand
    if isinstance(value, Const) and isinstance(value.value, complex):
        return value.value == 0
    return number(value) == 0


def same_index(a: Apply, b: Apply) -> bool:
    """Whether two loads or stores name the same part of an array, in the same way."""
    return a.option("index") == b.option("index") and _all_identical(numbers_of(a), numbers_of(b))


def _all_identical(a: tuple[Operand, ...], b: tuple[Operand, ...]) -> bool:
    return len(a) == len(b) and all(map(identical, a, b))


def names_once(stmt: Apply) -> bool:
    """Whether an index names every place once: an array of integers may repeat one."""
    items = parse_index(str(stmt.option("index")))
    if any(isinstance(item, Fancy) for item in items) or Rest(understood=False) in items:
        return False
    return all(i.type.is_scalar or i.type.dtype == "bool" for i in numbers_of(stmt))


def are_disjoint(a: Apply, b: Apply) -> bool:
    """Whether two indices certainly name different places: different along one axis."""
    for p, q in zip(_bounds(a), _bounds(b), strict=False):
        if p is not None and q is not None and (_before(p, q) or _before(q, p)):
            return True
    return False


def _bounds(stmt: Apply) -> list[Bounds | None]:
    """The entries that each item of an index selects along its axis, None if that is not known."""
    operands = numbers_of(stmt)
    found: list[Bounds | None] = []
    for item in parse_index(str(stmt.option("index"))):
        array = isinstance(item, Slot) and not operands[item.number].type.is_scalar
        if array or isinstance(item, NewAxis | Rest | Fancy):
            # From here on, positions in the pattern need not be the axes of the array.
            break
        found.append(_bounds_of(item, operands))
    return found


def _bounds_of(item: Item, operands: tuple[Operand, ...]) -> Bounds | None:
    match item:
        case Slice(start=start, stop=stop, step=step):
            first, last = (_literal(b, operands) for b in (start, stop))
            known = (start is None or first is not None) and (stop is None or last is not None)
            return (first or 0, last) if known and step is None else None
        case int() | Slot():
            place = _literal(item, operands)
            return None if place is None else (place, None if place == -1 else place + 1)
        case NewAxis() | Rest() | Fancy():
            return None
        case _:
            assert_never(item)


def _literal(bound: int | Slot | None, operands: tuple[Operand, ...]) -> int | None:
    if isinstance(bound, Slot):
        value = number(operands[bound.number])
        return value if isinstance(value, int) else None
    return bound


def _before(p: Bounds, q: Bounds) -> bool:
    """Whether `[p0, p1)` ends where `[q0, q1)` begins or before, both counted from one end."""
    return p[1] is not None and (p[1] < 0) == (q[0] < 0) and p[1] <= q[0]


INDEXING: tuple[tuple[str, Rewrite], ...] = (
    ("load", load_of_store),
    ("load", load_of_filled),
    ("load", load_of_whole),
    ("accumulate", accumulate_zero),
    ("accumulate", accumulate_into_zero),
    ("store accumulate", whole),
    ("store", store_of_load),
    ("store", store_of_filling),
    ("store", store_of_store),
    ("store accumulate", value_spread),
)
