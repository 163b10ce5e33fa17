"""Lists of numbers that are differentiated are told from those of other arguments.

    def f(v, w): return v[0] * w[1]

A list that is given twice is one object, and so one variable. A program that has it as two values
would give each the derivative by a part of its uses; programs for lists that are taken apart know
of it (`specialize/own_structures.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.api.arguments.pack_structures import apart_from_parts
from adjointgen.api.arguments.structure_layout import Layout
from adjointgen.api.programs.recipes import Step
from adjointgen.errors import Unsupported
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Lists:
    """The positions of the parameters of a program that are lists, each with the argument that it
    lies in and whether that is differentiated."""

    layout: Layout | None
    rows: tuple[tuple[int, str, bool], ...]

    def check(self, values: tuple[Any, ...]) -> None:
        """Refuse a list that is differentiated and given twice. Raises Unsupported (AG113)."""
        leaves = _leaves(self.layout, values)
        seen: dict[int, tuple[str, bool]] = {}
        for place, name, varied in self.rows:
            first, before = seen.setdefault(id(leaves[place]), (name, varied))
            if first is not name and (varied or before):
                raise Unsupported(
                    f"what {name} holds is in {first} as well, and is one variable",
                    code="AG113",
                    help="pass a copy of one of them",
                )


def lists_of(
    layout: Layout | None, values: tuple[Any, ...], names: Sequence[str], steps: Sequence[Step]
) -> Lists | None:
    """The lists among these arguments; None where no two of them could be one."""
    steps = [step for step in steps if step.kind != "primal"]
    chosen = {name for step in steps for name in step.wrt or names}
    owners = [name for name in names if any(c.startswith((f"{name}.", f"{name}[")) for c in chosen)]
    chosen |= {*owners}
    leaves = _leaves(layout, values)
    places = range(len(values)) if layout is None else [position for position, _ in layout.leaves]
    rows = tuple(
        (k, names[place], names[place] in chosen)
        for k, (place, leaf) in enumerate(zip(places, leaves, strict=True))
        if type(leaf) is list
    )
    return Lists(layout, rows) if len(rows) > 1 and any(row[2] for row in rows) else None


def _leaves(layout: Layout | None, values: tuple[Any, ...]) -> tuple[Any, ...]:
    return values if layout is None else apart_from_parts(layout, values)
