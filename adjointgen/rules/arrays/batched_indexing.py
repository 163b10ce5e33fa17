"""Parts of arrays for many samples at once: the index has an item more, its first.

    x[1:]        ->    x[:, 1:]              x of many samples, the index of all of them
    w[i]         ->    w[i]                  the index of many samples: a vector of integers
    x[i]         ->    x[np.arange(n), i]    both

Where NumPy puts the axis that index arrays leave, `part_shape` knows; it is moved to the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.ir.types import Type
from adjointgen.rules.arrays.indexing import (
    Fancy,
    Item,
    NewAxis,
    Rest,
    Slice,
    Slot,
    parse_index,
    part_shape,
)
from adjointgen.rules.framework.batching import Sample, aligned, not_batched


def loaded(sample: Sample) -> Any:
    """A part of an array, or a part for each sample."""
    array, *indices = sample.args
    pattern, many = str(sample.options["index"]), sample.many[1:]
    _understood(pattern)
    if not any(many):
        _in_one_place(pattern, indices)
        return sample.op("load", array, *indices, index=_after_batch(pattern))
    if sample.many[0]:
        _leads(pattern, indices, many)
        first = sample.op("arange", sample.count)
        return sample.op("load", array, first, *indices, index=f"_, {pattern}")
    _leads(pattern, indices, many, whole=False)
    made = sample.op("load", array, *indices, index=pattern)
    place = _place(array.type, pattern, indices)
    return sample.op("moveaxis", made, source=place, destination=0) if place else made


def written(sample: Sample) -> Any:
    """A new version of the array, which has a batch axis: its entries are written for each."""
    array, value, *indices = sample.args
    pattern, many = str(sample.options["index"]), sample.many[2:]
    _understood(pattern)
    array = sample.each(0)
    if not any(many):
        _in_one_place(pattern, indices)
        value = _against(sample, value, _part_rank(sample, pattern, indices))
        return sample.op(sample.name, array, value, *indices, index=_after_batch(pattern))
    if _is_mask(sample, pattern, indices) and not sample.many[1] and not sample.rank(1):
        return sample.op(sample.name, array, value, *indices, index=pattern)
    _leads(pattern, indices, many)
    value = _against(sample, value, _part_rank(sample, pattern, indices, many))
    first = sample.op("arange", sample.count)
    return sample.op(sample.name, array, value, first, *indices, index=f"_, {pattern}")


def _after_batch(pattern: str) -> str:
    """All samples, and of each the part."""
    return ":, ..." if pattern in ("...", "()") else f":, {pattern}"


def _understood(pattern: str) -> None:
    if pattern == "()":
        return
    if Rest(understood=False) in parse_index(pattern):
        not_batched("an index is not understood")


def _numbered(item: Item, indices: Sequence[Any]) -> Any:
    return indices[item.number] if isinstance(item, Slot) else None


def _in_one_place(pattern: str, indices: Sequence[Any]) -> None:
    """Raise NotBatched where index arrays stand apart: their axes would come before the batch."""
    if pattern == "()":
        return
    items = parse_index(pattern)
    places = [k for k, item in enumerate(items) if isinstance(item, int | Slot | Fancy)]
    arrays = any(isinstance(i, Fancy) for i in items) or any(not i.type.is_scalar for i in indices)
    if any(i.type.rank is None or i.type.kind not in ("scalar", "array") for i in indices):
        not_batched("an index is an object or a list")
    if arrays and places[-1] - places[0] >= len(places):
        not_batched("index arrays stand apart")


def _leads(pattern: str, indices: Sequence[Any], many: Sequence[bool], whole: bool = True) -> None:
    """Raise NotBatched unless each sample has one place, and the rest of each axis is whole.

    Beside the place of its sample in the array (`whole`), nothing else may stand before or between.
    """
    items = parse_index(pattern)
    for item in items:
        match item:
            case Slice(start=start, stop=stop, step=step):
                if any(isinstance(b, Slot) and many[b.number] for b in (start, stop, step)):
                    not_batched("a part is another for each sample")
            case Fancy() | NewAxis():
                not_batched("an index is one of several kinds")
            case Rest():
                if whole:
                    continue
            case Slot(number=number):
                own = indices[number].type
                if own.rank != int(many[number]) or own.dtype == "bool":
                    not_batched("an index array is another for each sample")
    places = [k for k, item in enumerate(items) if isinstance(item, int | Slot)]
    if not whole and places[-1] - places[0] >= len(places):
        not_batched("indices stand apart")


def _place(array: Type, pattern: str, indices: Sequence[Any]) -> int:
    """Where the axis of the samples is in a part of an array that all share."""
    items = parse_index(pattern)
    shape = part_shape(array.shape, pattern, [i.type for i in indices])
    if shape is None:
        not_batched("the rank of an array is not known")
    before = 0
    for item in items:
        if isinstance(item, int | Slot):
            return before
        if isinstance(item, Rest):
            taken = sum(isinstance(i, int | Slot | Slice) for i in items)
            before += (array.rank or 0) - taken
        else:
            before += 1
    return before


def _sample_types(indices: Sequence[Any], many: Sequence[bool]) -> list[Type]:
    rows = zip((i.type for i in indices), many, strict=True)
    return [Type(t.dtype) if one else t for t, one in rows]


def _part_rank(
    sample: Sample, pattern: str, indices: Sequence[Any], many: Sequence[bool] = ()
) -> int:
    """The rank of the part of one sample's array."""
    own = sample.types[0].shape
    if pattern == "()":
        return len(own or ())
    found = part_shape(own, pattern, _sample_types(indices, many or [False] * len(indices)))
    if found is None:
        not_batched("the rank of an array is not known")
    return len(found)


def _against(sample: Sample, value: Any, rank: int) -> Any:
    """What is written, so that it broadcasts against the parts of all samples."""
    if not sample.many[1]:
        return value
    own = sample.rank(1)
    if own > rank:
        # Axes of length 1 before those of the part are left out.
        lost = ", ".join([":", *["0"] * (own - rank)])
        return sample.op("load", value, index=lost)
    return aligned(value, own, rank)


def _is_mask(sample: Sample, pattern: str, indices: Sequence[Any]) -> bool:
    """Whether an index is a truth value for each entry of each sample."""
    first, *_ = indices
    rank = sample.types[0].rank or 0
    return pattern == "_" and first.type.dtype == "bool" and first.type.rank == rank + 1
