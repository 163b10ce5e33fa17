"""A unit: one function on its way through the passes, with what passes are given beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from adjointgen.ad.calls.directional_terms import More
from adjointgen.ad.modes.adjoint import Open
from adjointgen.ad.modes.derived_calls import NONE, DerivedBy
from adjointgen.ad.taping.reuse_elements import held_names
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.zero_times_infinity import NEVER, Idle
from adjointgen.ir.nodes import Function
from adjointgen.ir.packing import Groups
from adjointgen.passes.row import Pass
from adjointgen.records import dataclass, replace

START = frozenset({"closed", "values"})
"""The properties of a program that no pass has seen; see `properties.py`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One function, its properties, and the arguments of its passes.

    `primal` are the names of the user's own statements. A derivative is taken of the `original`,
    along `groups`, with the `facts` of its activity; `derived` has the derivatives of what it
    calls, `outputs` the results that matter. What is `fractional` of that may give complex numbers.
    The sweeps of an adjoint may become two functions, which then stand `apart`, as those of
    a function that is `called` do. What somebody reads
    who is not there yet is to `keep`. A finished function has so many `results` of its own; its
    arguments may be `lent` and its storage `kept` (`storage/insert_copies.py`), and a tape
    `replayed` several times. `seeds`, `ends` and `directions` say what of a program follows several
    directions, and `samples` are the parameters that get a batch axis.
    """

    function: Function
    primal: frozenset[str]
    disable: frozenset[str] = frozenset()
    has: frozenset[str] = START
    compiled: bool = False
    more: More | None = None
    original: Function | None = None
    groups: Groups = ()
    facts: Activity | None = None
    derived: DerivedBy = NONE
    idle: Idle = NEVER
    outputs: Collection[int] | None = None
    fractional: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    adjoint: Open | None = None
    apart: bool = False
    called: bool = False
    keep: frozenset[str] = frozenset()
    kept_apart: frozenset[str] = frozenset()
    results: int = 0
    lent: bool = False
    kept: bool = False
    replayed: bool = False
    seeds: Sequence[str] = ()
    ends: Sequence[int] = ()
    directions: int = 1
    samples: Collection[str] = ()

    @property
    def frozen(self) -> frozenset[str]:
        """The names whose statements keep their form: the user's, until a compiler is to read it.

        An open adjoint keeps as well what holds the elements that were overwritten.
        """
        if self.has & {"loops", "directions"}:
            return frozenset()
        if self.adjoint is not None and "open" in self.has:
            return self.primal | held_names(self.adjoint)
        return self.primal

    @property
    def own(self) -> frozenset[str]:
        """The user's names that nothing but statements reads."""
        held = frozenset[str]()
        if self.adjoint is not None and "open" in self.has:
            held = frozenset(held_names(self.adjoint))
        return self.frozen & self.primal - held

    @property
    def opened(self) -> Open:
        """The adjoint that is not closed yet, as the passes have left its function."""
        assert self.adjoint is not None
        return replace(self.adjoint, function=self.function)

    @property
    def recomputes(self) -> bool:
        """Whether the reverse sweep may compute values again."""
        return self.allows("recompute-or-record")

    @property
    def restores(self) -> bool:
        """Whether the reverse sweep may restore arrays."""
        return self.allows("restore-arrays")

    @property
    def hoists(self) -> bool:
        """Whether what is read of the forward sweep may be read before a loop."""
        return self.allows("licm")

    @property
    def accumulates(self) -> bool:
        """Whether sums of adjoints may be taken in place."""
        return self.allows("inplace-accumulation")

    def allows(self, name: str) -> bool:
        """Whether a pass is not switched off."""
        return name not in self.disable

    def after(self, row: Pass, made: Any) -> Unit:
        """The unit with what a pass has made: a function, an adjoint, facts, or nothing."""
        has = (self.has - {*row.removes}) | {*row.ensures}
        match made:
            case Function():
                adjoint = self.adjoint if "open" in has else None
                return replace(self, function=made, has=has, adjoint=adjoint)
            case Open():
                return replace(self, function=made.function, has=has, adjoint=made)
            case frozenset():
                return replace(self, fresh=made)
            case _:
                return self
