"""Which values to record: a minimum cut between what is kept and what is computed again.

A value that the reverse sweep needs is *available* if it is recorded, or computed again; that needs
its sources to be available. With r(v) the cost of recording v and c(v) that of computing it again,

    minimise  sum r(v) [available, not computed again] + sum c(v) [computed again]

is a minimum cut in a graph with two vertices for each value, available(v) and again(v):

    start -> available(v)      without bound, where v is needed
    available(v) -> again(v)   r(v), cut where v is recorded
    again(v) -> end            c(v), cut where v is computed again
    again(v) -> available(s)   without bound, for each source s of v

Shared sources are computed once, which a decision value by value cannot see. The cut nearest to the
start is taken, so that of equal ones that is recorded which is nearest to where it is needed.

Closures of least weight by minimum cuts: Picard 1976. Maximum flow along shortest paths: Dinic
1970.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

_Vertex = tuple[str, str]
_START: Final = ("start", "")
_END: Final = ("end", "")
_Capacities = dict[_Vertex, dict[_Vertex, float]]


def least_recorded(
    needed: Iterable[str],
    sources: Mapping[str, Sequence[str]],
    record: Mapping[str, float],
    again: Mapping[str, float],
) -> frozenset[str]:
    """The values to record.

    What is not in `again` cannot be computed again. `record` has a finite cost for each value.
    """
    capacities: _Capacities = {_START: {}, _END: {}}
    for name in needed:
        _edge(capacities, _START, ("available", name), float("inf"))
    for name, cost in record.items():
        _edge(capacities, ("available", name), ("again", name), cost)
        _edge(capacities, ("again", name), _END, again.get(name, float("inf")))
        for source in sources.get(name, ()) if name in again else ():
            _edge(capacities, ("again", name), ("available", source), float("inf"))
    while levels := _levels(capacities):
        while _augment(capacities, levels):
            pass
    near = _reached(capacities).keys()
    return frozenset(n for n in record if ("available", n) in near and ("again", n) not in near)


def _edge(capacities: _Capacities, tail: _Vertex, head: _Vertex, capacity: float) -> None:
    capacities.setdefault(tail, {})[head] = capacity
    capacities.setdefault(head, {}).setdefault(tail, 0.0)


def _reached(capacities: _Capacities) -> dict[_Vertex, int]:
    """The vertices that there is still a way to from the start, and its length."""
    found, queue = {_START: 0}, deque([_START])
    while queue:
        tail = queue.popleft()
        for head, capacity in capacities[tail].items():
            if capacity > 0.0 and head not in found:
                found[head] = found[tail] + 1
                queue.append(head)
    return found


def _levels(capacities: _Capacities) -> dict[_Vertex, int]:
    """The same if the end is among them; else nothing."""
    found = _reached(capacities)
    return found if _END in found else {}


def _augment(capacities: _Capacities, levels: dict[_Vertex, int]) -> bool:
    """Send what one more shortest path carries; vertices that lead nowhere lose their level."""
    path = [_START]
    while path[-1] != _END:
        tail = path[-1]
        ways = (h for h, c in capacities[tail].items() if c > 0.0 and h in levels)
        onward = next((h for h in ways if levels[h] == levels[tail] + 1), None)
        if onward is not None:
            path.append(onward)
            continue
        del levels[tail]
        path.pop()
        if not path:
            return False
    steps = list(pairwise(path))
    sent = min(capacities[tail][head] for tail, head in steps)
    for tail, head in steps:
        capacities[tail][head] -= sent
        capacities[head][tail] += sent
    return True
