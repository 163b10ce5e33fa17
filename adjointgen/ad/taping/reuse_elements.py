"""To-be-recorded analysis for elements of arrays: what still stands is read where it stands.

    forward: x[i] = f(a[i]); ... a[i] is never written      reverse: reads a[i], needs no tape
    forward: y[i] = g(...), y is new                        reverse: y_bar[i] needs no zero

(Hascoët and Pascual 2013, "The Tapenade automatic differentiation tool".)
"""

from __future__ import annotations

from adjointgen.ad.modes.adjoint import Open
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.loops.element_forwarding import passing
from adjointgen.analysis.loops.surviving_elements import first_writes, standing
from adjointgen.ir.nodes import Function
from adjointgen.records import replace


def reused(opened: Open, original: Function) -> Open:
    """The adjoint with what of the forward sweep can be read from an array in the reverse sweep."""
    again = passing(original) if held_names(opened) else {}
    return replace(opened, standing=standing(original), passing=again)


def held_names(opened: Open) -> frozenset[str]:
    """The names of the values that hold what was overwritten."""
    return frozenset(v.name for many in opened.restored.values() for v, _ in many)


def overwriting_nothing(original: Function, facts: Activity) -> frozenset[str]:
    """The stores that overwrite nothing active, by the names of their results."""
    return first_writes(original, facts.active)
