"""The Python name of every printed value.

A web takes the user's name for it, or what its value was called, and the smallest number that is
free: `y`, `y_1`, `y_2`. A name is free if no other web that has it is alive at the same time, and
if it is not a name that the text needs for something else; and a name has one type throughout, as
type checkers want it. A derived name that is a variable of
the user's gets an underscore: `x_bar_`; a temporary is `t`, or the first of `STEMS` that is none.
Webs are named in order of their first position, so the names depend on nothing but the program.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush
from keyword import iskeyword, issoftkeyword
from typing import Final

from adjointgen.analysis.values.temporary_names import TEMPORARY, is_temporary
from adjointgen.emit.decide.live_ranges import Range, Segment
from adjointgen.emit.decide.webs import Web, meet, united

Names = dict[str, str]

STEMS: Final = (TEMPORARY, "w", "s", "r", "q", "tmp")
"""What temporaries are called; their values are all named after the first."""

TOTAL: Final = "total"
"""What a sum is called."""

_NUMBER = re.compile(r"(?<=.)_\d+(?=_|$)")


def without_numbers(name: str) -> str:
    """`t_bar` for the value `t_8_bar_2`."""
    return _NUMBER.sub("", name)


def stem_of_temporaries(taken: Collection[str]) -> str:
    """The first stem that is no name of the user's."""
    return next((s for s in STEMS if s not in taken), STEMS[0])


def temporary(name: str, stem: str) -> str:
    """What a value without a variable is called with this stem: `w_bar` for `t_bar`."""
    return stem + name[len(STEMS[0]) :] if is_temporary(name) else name


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
    nouns: Mapping[str, str],
    reserved: Collection[str],
) -> Names:
    """Names by value name.

    `results` are what results are to be called that have no root, `nouns` temporaries.
    """
    names = _Naming(webs, reserved)
    for web in webs:
        if web.fixed:
            names.take(web, web.fixed)
    order = {name: k for k, name in enumerate(ranges)}
    rest = [web for web in webs if not web.fixed]
    roots = {name for web in webs for name in (web.root, web.fixed)}
    stem = stem_of_temporaries(roots)
    rest.sort(key=lambda w: (w.segments[0][0], min(order[v.name] for v in w.members)))
    for web in rest:
        found = _given(web, order, results)
        apart = not found and all(is_temporary(value.name) for value in web.members)
        wish = found or _wish(web, order, stem, nouns)
        names.name(web, f"{wish}_" if not found and wish in roots else wish, apart)
    return names.found


def _given(web: Web, order: Mapping[str, int], results: Mapping[str, str]) -> str:
    """The user's name for a web, or what the result that it holds is called."""
    members = sorted(web.members, key=lambda v: order[v.name])
    return web.root or next((results[v.name] for v in members if v.name in results), "")


def _wish(web: Web, order: Mapping[str, int], stem: str, nouns: Mapping[str, str]) -> str:
    """What a web that has no name is called: like its first value that belongs to a variable.

    Else it is called by what its values are. One that products are added to is a sum.
    """
    members = sorted(web.members, key=lambda v: order[v.name])
    own = [without_numbers(v.name) for v in members if not is_temporary(v.name)]
    known = [noun for v in members if (noun := nouns.get(v.name, "")) and is_temporary(v.name)]
    own += [without_numbers(n) if n in order else n for n in known if _is_derivative(n)]
    own += [TOTAL for n in known if n == TOTAL]
    own += [without_numbers(n) if n in order else n for n in known]
    stems = [temporary(without_numbers(value.name), stem) for value in members]
    return next(iter(own), "") or next((s for s in stems if s != stem), stem)


def _is_derivative(noun: str) -> bool:
    return noun.endswith(("_bar", "_dot"))


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

    def name(self, web: Web, wish: str, apart: bool) -> None:
        """The wish with the smallest number under which the web meets nobody.

        With `apart`, not even what its first value is computed from.
        """
        while wish in self._reserved or iskeyword(wish) or issoftkeyword(wish):
            wish += "_"
        numbers = self._numbers.setdefault(wish, _Numbers())
        low, high = web.segments[0]
        if apart:
            # `t = sin(t)` is an update to the eye, and none.
            low -= 1
        numbers.release(low)
        met = []
        while True:
            number = numbers.next()
            name = f"{wish.rstrip('_')}_{number}" if number else wish
            if number and name in self._kept:
                continue
            if self._is_free(name, web, low):
                break
            met.append(number)
        for other in met:
            heappush(numbers.free, other)
        heappush(numbers.taken, (high, number))
        self.take(web, name)

    def _is_free(self, name: str, web: Web, low: int) -> bool:
        kind = _kind_of(web)
        # Two objects need not be of one class; under one name of the user's they may be.
        clash = kind[0] == "object" and not web.root and name in self._types
        if clash or self._types.get(name, kind) != kind:
            return False
        (_, high), *rest = web.segments
        return not meet(self._occupied.get(name, []), [(low, high), *rest])


def _kind_of(web: Web) -> tuple[str, str]:
    type = web.members[0].type
    return (type.kind, type.dtype)
