"""Groups of columns, or of rows, that one sweep computes together.

Columns that have no row in common go into one group: the sum of such columns is read apart again.
That is a colouring of the graph in which columns with a common row are neighbours. (Curtis, Powell
and Reid 1974.) Of a symmetric matrix an entry may be read from its column or from its row, which
needs fewer groups: a star colouring, in which neighbours have different colours and no path of four
vertices has two colours only. (Coleman and Moré 1984; Gebremedhin, Manne and Pothen 2005.)

Both are greedy, in the order of columns, with those of most entries first, and with the smallest
last; the least number of colours cannot be found in reasonable time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array

from adjointgen.records import dataclass

MOST_PAIRS: Final = 5_000_000
"""Pairs of columns that are looked at for the order with the smallest last."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The group of each column (or row), and how many groups there are."""

    of: np.ndarray[tuple[int], np.dtype[np.intp]]
    count: int


def apart(pattern: csr_array) -> Groups:
    """Groups of the columns of a pattern in which no two columns have a common row."""
    columns = _lists(pattern.T.tocsr())
    near = _meeting(pattern) if _pairs(pattern) <= MOST_PAIRS else None
    tries = (_apart(columns, pattern.shape[0], order) for order in _orders(columns, near))
    return min(tries, key=lambda one: one.count)


def _pairs(pattern: csr_array) -> int:
    """How many pairs of columns meet in rows, each row counted for itself."""
    return int(np.sum(np.diff(pattern.indptr).astype(float) ** 2))


def _meeting(pattern: csr_array) -> list[list[int]]:
    """The other columns that each column has a row in common with."""
    counts = csr_array(pattern, dtype=np.int32)
    lists = _lists(csr_array(counts.T @ counts))
    return [[k for k in row if k != own] for own, row in enumerate(lists)]


def _apart(columns: Sequence[Sequence[int]], rows: int, order: Sequence[int]) -> Groups:
    used: list[set[int]] = [set() for _ in range(rows)]
    colours = np.zeros(len(columns), np.intp)
    for column in order:
        colour = _least(set().union(*(used[row] for row in columns[column])))
        colours[column] = colour
        for row in columns[column]:
            used[row].add(colour)
    return _groups(colours)


def star(pattern: csr_array) -> Groups:
    """Groups of the columns of a symmetric pattern: each entry off the diagonal is alone in its row
    in the group of its column, or alone in its column in the group of its row."""
    near = [[k for k in row if k != own] for own, row in enumerate(_lists(pattern))]
    return min((_star(near, order) for order in _orders(near, near)), key=lambda one: one.count)


def _star(near: Sequence[Sequence[int]], order: Sequence[int]) -> Groups:
    search = _Star(near)
    for own in order:
        search.colour(own)
    return _groups(np.array(search.colours, np.intp))


class _Star:
    """A star colouring under way.

    `around` has for each vertex the colours of its neighbours, each with one of these, or -1 for
    several. `barred` are for a coloured vertex those colours of neighbours that have another
    neighbour of its own colour: one more neighbour of such a colour would make a path of four.
    """

    def __init__(self, near: Sequence[Sequence[int]]) -> None:
        self.near = near
        self.colours = [-1] * len(near)
        self.around: list[dict[int, int]] = [{} for _ in near]
        self.barred: list[set[int]] = [set() for _ in near]

    def colour(self, own: int) -> None:
        taken: set[int] = set()
        for k in self.near[own]:
            if self.colours[k] < 0:
                taken.update(self.around[k])
            else:
                taken |= self.barred[k]
                taken.add(self.colours[k])
        colour = self.colours[own] = _least(taken)
        for k in self.near[own]:
            first = self.around[k].setdefault(colour, own)
            if first != own:
                self.around[k][colour] = -1
                if self.colours[k] >= 0:
                    self.barred[own].add(self.colours[k])
                    if first >= 0:
                        self.barred[first].add(self.colours[k])
            if self.colours[k] >= 0 and self.around[own][self.colours[k]] < 0:
                self.barred[k].add(colour)


def _lists(pattern: csr_array) -> list[list[int]]:
    ends = pattern.indptr
    return [pattern.indices[ends[k] : ends[k + 1]].tolist() for k in range(pattern.shape[0])]


def _orders(lists: Sequence[Sequence[int]], near: Any = None) -> Iterator[Sequence[int]]:
    own = range(len(lists))
    yield own
    yield sorted(own, key=lambda k: -len(lists[k]))
    if near is not None:
        yield _smallest_last(near)


def _smallest_last(near: Sequence[Sequence[int]]) -> list[int]:
    """The vertex with fewest neighbours last, then that with fewest among the others, and so on.

    (Matula and Beck 1983.)
    """
    degree = list(map(len, near))
    heap = [(d, k) for k, d in enumerate(degree)]
    heapify(heap)
    left, order = set(range(len(near))), list[int]()
    while heap:
        d, k = heappop(heap)
        if k not in left or d != degree[k]:
            continue
        left.remove(k)
        order.append(k)
        for other in near[k]:
            if other in left:
                degree[other] -= 1
                heappush(heap, (degree[other], other))
    return order[::-1]


def _least(taken: set[int]) -> int:
    """The least colour that is free."""
    colour = 0
    while colour in taken:
        colour += 1
    return colour


def _groups(colours: np.ndarray) -> Groups:
    return Groups(colours, int(colours.max(initial=-1)) + 1)
