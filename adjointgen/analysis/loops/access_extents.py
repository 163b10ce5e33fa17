"""How far a read or a write reaches along each axis, as affine forms.

    a[i, 1:-1]     from i up to i + 1; from 1 on
    a[j - 1]       from j - 1 up to j

Two that end before each other along some axis have no element in common.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.ir.affine import Affine, Box, Forms, least
from adjointgen.ir.nodes import Apply, Operand
from adjointgen.records import dataclass
from adjointgen.rules.arrays.indexing import Slice, Slot, numbers_of, parse_index


@dataclass(frozen=True, slots=True)
class Extent:
    """The positions along an axis, from `low` up to but without `high`; None where not known."""

    low: Affine | None
    high: Affine | None


ANY = Extent(None, None)


def extents(stmt: Apply, forms: Forms) -> tuple[Extent, ...]:
    """The extent of each index, as far as it is known which axis it is for."""
    operands = numbers_of(stmt)
    entries: list[Extent] = []
    for item in parse_index(str(stmt.option("index"))):
        if isinstance(item, Slot) and operands[item.number].type.dtype == "bool":
            # A mask may stand for several axes.
            break
        match item:
            case Slice(start=start, stop=stop, step=None):
                low = Affine(0) if start is None else _form(start, operands, forms)
                entries.append(Extent(low, _form(stop, operands, forms)))
            case int() | Slot():
                place = _form(item, operands, forms)
                entries.append(Extent(place, None if place is None else place + Affine(1)))
            case Slice():
                entries.append(ANY)
            case _:
                break
    return tuple(entries)


def _form(bound: int | Slot | None, operands: Sequence[Operand], forms: Forms) -> Affine | None:
    """The affine form of an index or bound; None for an array of them."""
    if isinstance(bound, Slot):
        operand = operands[bound.number]
        return forms.of(operand) if operand.type.is_scalar else None
    return None if bound is None else Affine(bound)


def apart(some: Sequence[Extent], others: Sequence[Extent], box: Box) -> bool:
    """Whether two parts of an array certainly have no element in common."""
    pairs = zip(some, others, strict=False)
    return any(_ends_before(a, b, box) or _ends_before(b, a, box) for a, b in pairs)


def _ends_before(one: Extent, other: Extent, box: Box) -> bool:
    """Whether an extent ends where another begins or before, both counted from the start."""
    if one.high is None or other.low is None:
        return False
    known = [least(form, box) for form in (one.high, other.low, other.low - one.high)]
    single = one.low is not None and one.high == one.low + Affine(1)
    floors = (1 if single else 0, 0, 0)
    return all(k is not None and k >= floor for k, floor in zip(known, floors, strict=True))
