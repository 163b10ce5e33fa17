"""A call of a derivative in two parts: the forward sweep once, the reverse sweep for every seed.

    recorded = run_forward(generated, values)     runs the function, and records
    recorded.reverse(y_bar)                       the adjoints for a seed, as often as is asked

What the function does beside its result happens once, and what it draws, counts or reads is that of
the one run. The tape shares no memory with arguments and results (Griewank and Walther 2008,
section 12.1, "split mode").
"""

from __future__ import annotations

from typing import Any

from adjointgen.api.arguments.pack_structures import has_classes, packed
from adjointgen.api.calls.generated import NO_SEEDS, Generated
from adjointgen.api.calls.kept_programs import Specialisation
from adjointgen.api.calls.own_frames import without_own_frames
from adjointgen.api.seeds.seed_arrangement import WHOLE
from adjointgen.api.specialize.tape import Tape
from adjointgen.ir.nodes import Node, Tree
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Recorded:
    """The tape of one call: what its reverse sweep reads, and the value that it belongs to."""

    generated: Generated
    special: Specialisation
    values: tuple[Any, ...]
    value: Any
    tape: Tape

    def __repr__(self) -> str:
        name = getattr(self.generated.function, "__qualname__", "a function")
        return f"<tape of {name}: {self.nbytes} bytes>"

    def is_of(self, generated: Generated) -> bool:
        """Whether this is a tape of the same function, by the same arguments."""
        own = self.generated
        return own.function == generated.function and own.recipe == generated.recipe

    @property
    def results(self) -> tuple[Tree, ...] | None:
        """The structures of the value and of each adjoint; None where there are none."""
        layout = self.special.made.layout
        if layout is None:
            return None
        assert isinstance(layout.results, Node)
        return layout.results.children

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays and numbers on the tape."""
        return self.tape.nbytes

    def reverse(self, *seeds: Any) -> tuple[Any, ...]:
        """The adjoints, one for each argument, for one seed of the whole result, or one by one.

        Raises TypeMismatch (AG405, AG407) for seeds that do not fit.
        """
        whole = {WHOLE: seeds[0]} if len(seeds) == 1 else {}
        return self.pulled(() if whole else seeds, whole)

    def pulled(self, seeds: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The adjoints for seeds by position and by name, one for each argument.

        Raises TypeMismatch (AG405, AG407) for seeds that do not fit.
        """
        seeding = self.special.made.seeding or NO_SEEDS
        value = self.value[0] if self.generated.recipe[-1].aux else self.value
        given, last = seeding.settled(self.values, seeds, named, lambda: value, False)
        seeding.check(last, value)
        bars: tuple[Any, ...] = self.tape.reverse(self.tape.values, **given)
        trees = self.results
        if trees is None:
            return bars
        rows = zip(trees[1:], bars, strict=True)
        return tuple(packed(tree, bar) if has_classes(tree) else bar for tree, bar in rows)


def run_forward(generated: Generated, values: tuple[Any, ...]) -> Recorded:
    """Run the forward sweep for the arguments of every parameter."""
    try:
        return _run(generated, values)
    except Exception as error:
        raise without_own_frames(error) from error.__cause__


def _run(generated: Generated, values: tuple[Any, ...]) -> Recorded:
    special = generated.special(values)
    generated.check_apart(values, special)
    value, tape = generated.outcome(special, values, {})
    layout = special.made.layout
    if layout is not None and has_classes(layout.results):
        assert isinstance(layout.results, Node)
        value = packed(layout.results.children[0], value)
    return Recorded(generated, special, values, value, tape)
