"""The Python name of every printed value.

A web takes the user's name for it, or what its value was called, and the smallest number that is
free: `y`, `y_1`, `y_2`. A name is free if no other web that has it is alive at the same time, and
if it is not a name that the text needs for something else; and a name has one type throughout, as
type checkers want it. A derived name that is a variable of
the user's gets an underscore: `x_bar_`. Webs are named in order of their first position, so the
names depend on nothing but the program.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush
from keyword import iskeyword, issoftkeyword

from adjointgen.emit.live import Range, Segment
from adjointgen.emit.webs import Web, meet, united

Names = dict[str, str]

_NUMBER = re.compile(r"(?<=.)_\d+(?=_|$)")


def without_numbers(name: str) -> str:
    """`t_bar` for the value `t_8_bar_2`."""
    return _NUMBER.sub("", name)


class _Numbers:
    """The numbers of one stem: free ones, and those taken up to a position."""

    def __init__(self) -> None:
        self.free: list[int] = []
        self.taken: list[tuple[int, int]] = []
        self.unused = 0

    def release(self, position: int) -> None:
        while self.taken and self.taken[0][0] <= position:
            heappush(self.free, heappop(self.taken)[1])

    def next(self) -> int:
        if self.free:
            return heappop(self.free)
        self.unused += 1
        return self.unused - 1


def assign_names(
    webs: Sequence[Web],
    ranges: Mapping[str, Range],
    results: Mapping[str, str],
    reserved: Collection[str],
) -> Names:
    """Names by value name; `results` are what results are to be called that have no root."""
    names = _Naming(webs, reserved)
    for web in webs:
        if web.fixed:
            names.take(web, web.fixed)
    order = {name: k for k, name in enumerate(ranges)}
    rest = [web for web in webs if not web.fixed]
    roots = {web.root for web in webs}
    rest.sort(key=lambda w: (w.segments[0][0], min(order[v.name] for v in w.members)))
    for web in rest:
        names.name(web, _wish(web, order, results, roots))
    return names.found


def _wish(
    web: Web, order: Mapping[str, int], results: Mapping[str, str], roots: Collection[str]
) -> str:
    """What a web is to be called: like the user's variable, a result, or its first value."""
    if web.root:
        return web.root
    members = sorted(web.members, key=lambda v: order[v.name])
    for value in members:
        if value.name in results:
            return results[value.name]
    stems = [without_numbers(value.name) for value in members]
    wish = next((s for s in stems if s != "t"), "t")
    if wish not in roots:
        return wish
    return "tmp" if wish == "t" else f"{wish}_"


class _Naming:
    def __init__(self, webs: Sequence[Web], reserved: Collection[str]) -> None:
        self.found: Names = {}
        self._reserved = frozenset(reserved)
        self._kept = self._reserved | {n for web in webs for n in (web.root, web.fixed)}
        self._occupied: dict[str, list[Segment]] = {}
        self._numbers: dict[str, _Numbers] = {}
        self._types: dict[str, tuple[str, str]] = {}

    def take(self, web: Web, name: str) -> None:
        self._types.setdefault(name, _kind_of(web))
        self._occupied[name] = united(self._occupied.get(name, []), web.segments)
        self.found |= {value.name: name for value in web.members}

    def name(self, web: Web, wish: str) -> None:
        """The wish with the smallest number under which the web meets nobody."""
        while wish in self._reserved or iskeyword(wish) or issoftkeyword(wish):
            wish += "_"
        numbers = self._numbers.setdefault(wish, _Numbers())
        low, high = web.segments[0]
        numbers.release(low)
        met = []
        while True:
            number = numbers.next()
            name = f"{wish}_{number}" if number else wish
            if number and name in self._kept:
                continue
            if self._is_free(name, web):
                break
            met.append(number)
        for other in met:
            heappush(numbers.free, other)
        heappush(numbers.taken, (high, number))
        self.take(web, name)

    def _is_free(self, name: str, web: Web) -> bool:
        kind = _kind_of(web)
        if "object" not in kind and self._types.get(name, kind) not in (kind, ("object", "object")):
            return False
        return not meet(self._occupied.get(name, []), web.segments)


def _kind_of(web: Web) -> tuple[str, str]:
    type = web.members[0].type
    return (type.kind, type.dtype)
