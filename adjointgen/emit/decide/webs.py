"""Which values share one Python name: webs of values that are never alive at once.

An in-place statement gives its array's name to the new version, and a loop's result has the name
of its parameter: these must share. What a loop carries and what the arms of a branch yield should
share with the name that it is passed on to, since each pair that does not costs an assignment;
such a pair is joined if the live ranges of the two webs do not meet and the user's names do not
differ (the conservative coalescing of Chaitin 1982, on the ranges of `live_ranges.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from heapq import merge

from adjointgen.emit.decide.coalescing_classes import Union, written
from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.live_ranges import Range, Segment
from adjointgen.emit.decide.positions import Layer, Place, every_place
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import LOOPS, Apply, Branch, Loop, Operand, Value, While
from adjointgen.records import dataclass


@dataclass(slots=True)
class Web:
    """Values under one name: their ranges together, and the user's variable, if they have one."""

    members: list[Value]
    segments: list[Segment]
    root: str = ""
    fixed: str = ""


def meet(a: list[Segment], b: list[Segment]) -> bool:
    """Whether two sorted lists of disjoint stretches overlap anywhere."""
    if len(a) > len(b):
        a, b = b, a
    for low, high in a:
        k = bisect_right(b, low, key=lambda segment: segment[1])
        if k < len(b) and b[k][0] < high:
            return True
    return False


def united(a: list[Segment], b: list[Segment]) -> list[Segment]:
    """Two sorted lists of stretches in one, neighbours joined."""
    found: list[Segment] = []
    for low, high in merge(a, b):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


class Webs:
    """The webs of one function."""

    def __init__(self, ranges: Mapping[str, Range], fixed: Mapping[str, str]) -> None:
        self._union = Union()
        self._webs = {
            name: Web([live.value], live.segments(), live.value.root, fixed.get(name, ""))
            for name, live in ranges.items()
        }

    def all(self) -> list[Web]:
        return list(self._webs.values())

    def join(self, a: str, b: str) -> None:
        """Put two values in one web, whatever their ranges are."""
        a, b = self._union.find(a), self._union.find(b)
        if a == b:
            return
        self._union.join(a, b)
        one, other = self._webs[a], self._webs.pop(b)
        one.members += other.members
        one.segments = united(one.segments, other.segments)
        one.root = one.root or other.root
        one.fixed = one.fixed or other.fixed

    def try_join(self, a: str, b: str) -> None:
        """Put two values in one web if neither their ranges nor their names forbid it."""
        one, other = (self._webs[self._union.find(name)] for name in (a, b))
        differ = one.root and other.root and one.root != other.root
        both_fixed = one.fixed and other.fixed
        if one is other or differ or both_fixed or meet(one.segments, other.segments):
            return
        self.join(a, b)


def coalesce(
    layer: Layer, ranges: Mapping[str, Range], folds: Folds, fixed: Mapping[str, str]
) -> list[Web]:
    """The webs of a function whose parameters have fixed names."""
    webs = Webs(ranges, fixed)
    places = [place for place in every_place(layer) if _is_printed(place, ranges)]
    for a, b in _bound(places):
        webs.join(a.name, b.name)
    wanted = [*_carried_on(places), *_yielded(places, folds), *_entering(places)]
    pairs = [(a, b) for a, b in wanted if isinstance(b, Value) and b.name in ranges]
    for one, other in sorted(pairs, key=lambda pair: pair[0].root != pair[1].root):
        webs.try_join(one.name, other.name)
    return webs.all()


def _is_printed(place: Place, ranges: Mapping[str, Range]) -> bool:
    """Whether the live ranges have seen a statement: the arms of folded branches are not there."""
    match place.stmt:
        case Apply(results=r) | Branch(results=r) | Loop(results=r) | While(results=r):
            return all(result.name in ranges for result in r)
        case _:
            return True


def _bound(places: list[Place]) -> Iterator[tuple[Value, Value]]:
    """The pairs that must share a name."""
    for place in places:
        match place.stmt:
            case Apply() as stmt:
                for new, old in written(stmt):
                    yield old, new
            case Loop() | While() as stmt:
                for param, _, _, result in carried(stmt):
                    yield param, result


def _carried_on(places: list[Place]) -> Iterator[tuple[Value, Operand]]:
    """A parameter and what the body passes on, inner loops first."""
    for place in reversed(places):
        if isinstance(place.stmt, LOOPS):
            for param, _, end, _ in carried(place.stmt):
                yield param, end


def _yielded(places: list[Place], folds: Folds) -> Iterator[tuple[Value, Operand]]:
    """The result of a branch and what its arms yield."""
    for place in places:
        stmt = place.stmt
        if isinstance(stmt, Branch) and not folds.is_expression(stmt):
            for arm in (stmt.then, stmt.orelse):
                yield from zip(stmt.results, arm.yields, strict=True)


def _entering(places: list[Place]) -> Iterator[tuple[Value, Operand]]:
    """A parameter and its initial value."""
    for place in places:
        if isinstance(place.stmt, LOOPS):
            for param, init, _, _ in carried(place.stmt):
                yield param, init
