"""What each operation is to a loop nest: entries, a part, a change, a sum, or none of these.

What is none of these stays the statement it is, and reads and makes arrays in memory.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, Literal

from adjointgen.ir.nodes import STORES, Apply, Const, Operand
from adjointgen.ir.types import INTEGER, REAL, Dim, Type
from adjointgen.targets.loops.build.einsum_letters import letters
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE, Row
from adjointgen.rules.arrays.indexing import Item, NewAxis, Rest, Slice, Slot, parse_index

Kind = Literal["entries", "part", "change", "fold", "other"]

NARROW: Final = frozenset(INTEGER) - {"int64"}
Counts = Container[str]
"""The names of numbers that are certainly not negative."""


def kind(stmt: Apply, counts: Counts) -> Kind:
    """What a statement is to a loop nest."""
    if len(stmt.results) != 1 or not all(map(_plain, stmt.args)):
        return "other"
    row = TABLE.get(stmt.op)
    if (row.widens or row.loop == "contraction") and stmt.result.type.dtype in NARROW:
        return "other"
    match row.loop:
        case "write":
            return "change" if _changes(stmt, counts) else "other"
        case "fold":
            return "fold" if _folds(stmt, row) else "other"
        case "contraction":
            return "other" if letters(stmt) is None else "fold"
    if not stmt.result.type.is_array or not stmt.result.type.rank:
        return "other"
    if row.loop == "part":
        return "part" if stmt.op != "load" or is_basic(stmt, counts) else "other"
    return "entries" if row.loop else "other"


def is_filled(stmt: Apply) -> bool:
    """Whether it makes an array of equal entries."""
    return TABLE.get(stmt.op).loop == "filled"


def _plain(operand: Operand) -> bool:
    """A number, or an array of known rank."""
    kind, rank = operand.type.kind, operand.type.rank
    return kind == "scalar" or (kind == "array" and bool(rank))


def _folds(stmt: Apply, row: Row) -> bool:
    """Numbers are left to the statement; so is what names a dtype."""
    if not stmt.args[0].type.rank or stmt.option("dtype") is not None:
        return False
    dtype = stmt.args[0].type.dtype
    if row.entries == "picked":
        # The greatest of no integers is no infinity.
        return dtype in REAL
    return dtype != "bool" or stmt.op == "sum"


def _changes(stmt: Apply, counts: Counts) -> bool:
    """A write to a part of more than one entry, or of a value that is not one number."""
    items = parse_index(str(stmt.option("index")))
    if any(isinstance(i, NewAxis) for i in items) or not is_basic(stmt, counts):
        return False
    if any(isinstance(i, Slice) and i.step == -1 for i in items):
        return False
    if any(not a.type.is_scalar for a in stmt.args[2:]):
        return True
    rank = stmt.args[0].type.rank or 0
    return any(isinstance(i, Slice | Rest) for i in items) or len(items) < rank


def is_basic(stmt: Apply, counts: Counts) -> bool:
    """Whether an index has numbers and slices only that begin where they say."""
    first = 2 if stmt.op in STORES else 1
    numbers = stmt.args[first:]
    items = parse_index(str(stmt.option("index")))
    return _as_one(items, numbers) and all(_basic(i, numbers, counts) for i in items)


def _as_one(items: Sequence[Item], operands: tuple[Operand, ...]) -> bool:
    """Whether lists of indices, if there are any, stand for one axis of the part.

    They are side by side, none is of one index, and no other axis has a number.
    """
    slots = [operands[i.number] for i in items if isinstance(i, Slot)]
    listed = [o.type.shape for o in slots if not o.type.is_scalar]
    if not listed:
        return True
    places = [k for k, i in enumerate(items) if isinstance(i, Slot)]
    alone = len(listed) == len(slots) and not any(type(i) is int for i in items)
    whole = len(listed) == 1 or Dim("", 1) not in [d for shape in listed for d in shape or ()]
    return alone and whole and places[-1] - places[0] == len(places) - 1


def _basic(item: Item, operands: tuple[Operand, ...], counts: Counts) -> bool:
    match item:
        case int() | NewAxis():
            return True
        case Rest(understood=understood):
            return understood
        case Slot(number=number):
            type = operands[number].type
            return type.dtype.startswith(("int", "uint")) and type.rank in (0, 1)
        case Slice(start=start, stop=stop, step=step):
            if (start, stop, step) == (None, None, -1):
                return True
            if isinstance(start, Slot):
                operand = operands[start.number]
                return step in (None, 1) and is_count(operand, counts)
            return (start is None or (isinstance(start, int) and start >= 0)) and step in (None, 1)
    return False


def zero_of(dtype: str) -> Const:
    """The zero of a dtype."""
    if dtype == "bool":
        return const(False)
    return const(0 if dtype.startswith(("int", "uint")) else 0.0, Type(dtype))


def is_count(operand: Operand, counts: Counts) -> bool:
    """Whether a number is certainly not negative."""
    if isinstance(operand, Const):
        return isinstance(operand.value, int) and operand.value >= 0
    known = operand.type.value
    if known is not None and known.offset >= 0 and (not known.symbol or "." in known.symbol):
        return True
    return operand.name in counts
