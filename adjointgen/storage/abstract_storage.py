"""Abstract storage: which live values hold which piece, and which pieces may be overwritten.

A buffer is a number. A fresh array gets a buffer of its own; a view holds the buffers of what it
looks into. A buffer is writable unless it is the caller's or its history is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from adjointgen.ir.nodes import Operand, Value

Ids = frozenset[int]
_NONE: frozenset[str] = frozenset()


class Buffers:
    """Who holds what. `copied` collects the views that must become copies at their definition."""

    def __init__(self) -> None:
        self.ids: dict[str, Ids] = {}
        self.makers: dict[int, Value] = {}
        self.writable: set[int] = set()
        self.holders: dict[int, set[str]] = {}
        self.views: dict[str, Value] = {}
        self.copied: set[str] = set()
        self.pins: set[str] = set()
        """What never lets go."""
        self.within: dict[str, frozenset[str]] = {}
        """The views that a value looks into; where one becomes a copy, it looks into that."""

    def fresh(self, value: Value, writable: bool = True) -> None:
        """`value` has storage of its own."""
        self.hold(value, frozenset((self._new(value, writable),)))

    def share(self, value: Value, others: Sequence[Operand], unknown: bool = False) -> None:
        """`value` may share the storage of the others, and with `unknown` of something else."""
        ids = frozenset(i for o in others for i in self.of(o))
        if unknown or not ids:
            ids |= {self._new(value, not unknown)}
        self.hold(value, ids)
        names = [o.name for o in others if isinstance(o, Value)]
        within = {self.within.get(n, _NONE) for n in names}
        within |= {frozenset((n,)) for n in names if n in self.views}
        if len(within) > 1:
            within = {_NONE.union(*within)}
        self.within[value.name] = next(iter(within), _NONE)

    def view(self, value: Value, others: Sequence[Operand], locked: bool = False) -> None:
        """The same for a view, which can be replaced by a copy where that is needed.

        A `locked` view is not to be written to, or may not be.
        """
        self.share(value, others, unknown=locked)
        self.views[value.name] = value

    def hold(self, value: Value, ids: Ids) -> None:
        self.ids[value.name] = ids
        for i in ids:
            self.holders.setdefault(i, set()).add(value.name)

    def pin(self, value: Operand, holder: str) -> None:
        """Something that never lets go holds the storage of `value`."""
        for i in self.of(value):
            self.holders.setdefault(i, set()).add(holder)
        self.pins.add(holder)

    def of(self, operand: Operand) -> Ids:
        return (
            self.ids.get(operand.name, frozenset()) if isinstance(operand, Value) else frozenset()
        )

    def release(self, names: Iterable[str]) -> None:
        """Values that are not read any more."""
        for name in names:
            for i in self.ids.get(name, ()):
                self.holders[i].discard(name)

    def free_to_write(self, value: Value) -> bool:
        """Whether no live value but `value` sees its storage; views that do become copies."""
        ids = self.of(value)
        if not ids or not ids <= self.writable:
            return False
        others = {name for i in ids for name in self.holders[i]} - {value.name}
        if not others <= self.views.keys() or others & self.within.get(value.name, _NONE):
            return False
        for name in others:
            self._detach(name)
        return True

    def part(self, value: Value) -> None:
        """Views that are still read although `value` is written are copies of what was there."""
        others = {name for i in self.of(value) for name in self.holders[i]} - {value.name}
        for name in others & self.views.keys() - self.within.get(value.name, _NONE):
            self._detach(name)

    def _detach(self, name: str) -> None:
        self.copied.add(name)
        self.release([name])
        self.fresh(self.views[name])

    def _new(self, maker: Value, writable: bool) -> int:
        number = len(self.makers)
        self.makers[number] = maker
        if writable:
            self.writable.add(number)
        return number

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is released inside is held again afterwards: for the arms of a branch.

        What never lets go, such as a tape, holds what it got inside.
        """
        before = {i: set(names) for i, names in self.holders.items() if names}
        copied = set(self.copied)
        yield
        pinned = {i: names & self.pins for i, names in self.holders.items()}
        self.holders = {i: before.get(i, set()) | names for i, names in pinned.items()}
        # What became a copy inside is one everywhere.
        for name in self.copied - copied:
            held = [names for names in self.holders.values() if name in names]
            for names in held:
                names.discard(name)
            if held:
                self.hold(self.views[name], self.ids[name])
