"""The seeds of a program as JSON data, for the disk: those of programs without structures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.api.seeds.seed_arrangement import Seeding, Slot
from adjointgen.api.seeds.seed_checks import Wanted
from adjointgen.ir.nodes import Leaf, Node, Tree
from adjointgen.ir.packing import ZERO


def seeding_data(seeding: Seeding) -> dict[str, Any]:
    """The seeds as data; every parameter takes one leaf."""
    rows = []
    for name, slot in seeding.slots.items():
        wanted = slot.wanted
        rows.append([name, wanted.dtype, wanted.kind, wanted.rank, *_lengths(slot)])
    outputs = None if seeding.outputs is None else _tree_data(seeding.outputs)
    return {"slots": rows, "outputs": outputs, "alone": seeding.alone}


def seeding_from(data: Mapping[str, Any]) -> Seeding:
    """The seeds that the data is of."""
    slots = {
        name: Slot(
            Wanted(name, dtype, kind, rank),
            None if sizes is None else tuple(None if s is None else _size(s) for s in sizes),
            None if like is None else (like, ()),
            tuple(more),
        )
        for name, dtype, kind, rank, sizes, like, more in data["slots"]
    }
    outputs = None if data["outputs"] is None else _tree(data["outputs"])
    return Seeding(slots, tuple((name, Leaf(name)) for name in slots), outputs, data["alone"])


def _lengths(slot: Slot) -> list[Any]:
    sizes = None if slot.sizes is None else [s and [s[0] and s[0][0], *s[1:]] for s in slot.sizes]
    return [sizes, slot.like and slot.like[0], list(slot.more)]


def _size(data: Any) -> Any:
    position, axis, more = data
    return (None if position is None else (position, ())), axis, more


def _tree_data(tree: Tree) -> Any:
    match tree:
        case Leaf(name=name):
            return name
        case Node(make="literal"):
            return None
        case Node(make=make, children=children):
            return [make, *map(_tree_data, children)]
    raise AssertionError(tree)


def _tree(data: Any) -> Tree:
    if data is None:
        return ZERO
    if isinstance(data, str):
        return Leaf(data)
    make, *children = data
    return Node(make, tuple(map(_tree, children)))
