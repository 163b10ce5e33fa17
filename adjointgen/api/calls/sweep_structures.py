"""What goes into the sweeps of a derivative and comes out of them, entry by entry."""

from __future__ import annotations

from typing import Any

from adjointgen.api.arguments.pack_structures import at
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.jacobian_blocks import Opened, opened
from adjointgen.api.calls.kept_programs import Specialisation
from adjointgen.ir.nodes import Leaf, Node, Tree
from adjointgen.ir.packing import leaves


def leaves_traces(program: Derivative, values: tuple[Any, ...]) -> bool:
    """Whether a second run of the function may find another state than the first.

    Arguments are copied for a run, but not the instance of a bound method.
    """
    made = program.generated.special(values).made
    return made.acts or bool(made.written and program.generated.binder.owner)


def inputs_of(special: Specialisation, values: tuple[Any, ...]) -> dict[str, Opened]:
    """What a tangent program differentiates, by its seeds."""
    seeding = special.made.seeding
    found = {}
    for name, tree in () if seeding is None else seeding.given:
        likes = [seeding.slots[leaf].like for leaf, _ in leaves(tree)] if seeding else []
        found[name] = opened(tree, [at(values, path) for path in likes if path is not None])
    return found


def results_of(special: Specialisation, count: int) -> list[Tree]:
    """The structures of what a program returns, one after another."""
    layout = special.made.layout
    if layout is None:
        return [Leaf()] * count
    assert isinstance(layout.results, Node)
    return list(layout.results.children)
