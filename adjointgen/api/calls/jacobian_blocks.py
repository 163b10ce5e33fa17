"""Structures of numbers and arrays, entry by entry: what the blocks of a Jacobian are nested in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from adjointgen.api.arguments.pack_structures import leaves_like, packed
from adjointgen.api.seeds.seed_arrangement import plain_parts
from adjointgen.ir.nodes import Leaf, Node, Tree
from adjointgen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Opened:
    """A structure, its leaves numbered, and the numbers and arrays that stand there."""

    tree: Tree
    parts: tuple[Any, ...]

    def filled(self, parts: Iterable[Any]) -> Any:
        """The structure with something else in the place of each leaf."""
        by_name = {str(k): part for k, part in enumerate(parts)}
        return packed(self.tree, plain_parts(self.tree, by_name))

    def parts_of(self, value: Any) -> list[Any]:
        """The leaves of a value of this structure."""
        return list(leaves_like(self.tree, value))

    def zeros(self) -> Any:
        """The structure with zeros."""
        return self.filled(map(_zero, self.parts))

    def units(self) -> Iterator[Any]:
        """The structure with a one in one entry, for each entry in turn."""
        zeros = [_zero(part) for part in self.parts]
        for k, zero in enumerate(zeros):
            for unit in _units(zero):
                yield self.filled([*zeros[:k], unit, *zeros[k + 1 :]])

    def columns(self, entries: Sequence[Any], lead: tuple[int, ...]) -> Any:
        """The structure of blocks whose entries, along their last axes, are those in turn."""
        return self.filled(self._columns(entries, lead))

    def _columns(self, entries: Sequence[Any], lead: tuple[int, ...]) -> Iterator[Any]:
        first = 0
        for part in self.parts:
            own = entries[first : first + np.size(part)]
            first += np.size(part)
            spread = [np.broadcast_to(np.asarray(entry), lead) for entry in own]
            block = np.stack(spread, axis=-1) if spread else np.zeros((*lead, 0))
            yield as_block(block.reshape(lead + np.shape(part)))

    def rows(self, runs: Sequence[Sequence[Any]], lead: tuple[int, ...]) -> Any:
        """The structure of blocks whose rows, along the axes of a result, are those of runs."""
        blocks = []
        for k, part in enumerate(self.parts):
            own = [np.asarray(run[k]) for run in runs]
            block = np.stack(own) if own else np.zeros((np.prod(lead, dtype=int), *np.shape(part)))
            blocks.append(as_block(block.reshape(lead + np.shape(part))))
        return self.filled(blocks)


def opened(tree: Tree, parts: Iterable[Any]) -> Opened:
    """A structure of leaves that are given; lists and tuples among these are opened as well."""
    found: list[Any] = []
    return Opened(_numbered(tree, iter(parts), found), tuple(found))


def _numbered(tree: Tree, parts: Iterator[Any], found: list[Any]) -> Tree:
    if isinstance(tree, Node):
        return replace(tree, children=tuple(_numbered(c, parts, found) for c in tree.children))
    part = next(parts)
    if type(part) in (list, tuple):
        inner = iter(part)
        children = tuple(_numbered(Leaf(), inner, found) for _ in part)
        return Node(type(part).__name__, children)
    found.append(part)
    return Leaf(str(len(found) - 1))


def as_block(block: Any) -> Any:
    """A number where a number is differentiated by a number."""
    return block[()] if block.ndim == 0 else block


def is_array(value: Any) -> bool:
    """Whether a value is a number or an array of numbers."""
    return isinstance(value, float | complex | np.generic | np.ndarray)


def numbers_in(value: Any) -> int:
    """How many numbers there are in a structure."""
    if isinstance(value, dict):
        return sum(map(numbers_in, value.values()))
    if isinstance(value, tuple | list):
        return sum(map(numbers_in, value))
    if is_array(value):
        return int(np.size(value))
    return sum(map(numbers_in, vars(value).values())) if hasattr(value, "__dict__") else 1


def _zero(part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return 0.0
    return np.zeros(part.shape, part.dtype if part.dtype.kind in "fc" else float)


def _units(zero: Any) -> Iterator[Any]:
    if not isinstance(zero, np.ndarray):
        yield 1.0
        return
    for k in range(zero.size):
        unit = zero.copy()
        unit.reshape(-1)[k] = 1.0
        yield unit
