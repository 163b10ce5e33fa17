"""Structures that are differentiated are told from what other arguments hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.errors import Unsupported
from adjointgen.frontend.domain.abstract_values import Parts
from adjointgen.frontend.domain.structures import Argument, holds_floats


def check_own(recipes: Sequence[Recipe], types: Mapping[str, Argument]) -> None:
    """Check the structures that recipes differentiate. Raises Unsupported (AG113)."""
    for step in (step for recipe in recipes for step in recipe):
        _check_step(step, types)


def _check_step(step: Step, types: Mapping[str, Argument]) -> None:
    """Refuse to differentiate by a structure that is, or lies in, an argument before it.

    One object is one variable, which the first argument names that it lies in; the derivative by
    it cannot be told apart for two of them.
    """
    chosen = {name.partition(".")[0].partition("[")[0] for name in step.wrt or types}
    if step.kind == "primal":
        return
    before: dict[int, str] = {}
    for name, type in types.items():
        varied = {*_objects(type)} if name in chosen and holds_floats(type) else set[int]()
        for one in varied & before.keys():
            first = before[one]
            both = "is differentiated, too" if first in chosen else "is not differentiated"
            raise Unsupported(
                f"what {name} holds is in {first} as well, which {both}",
                code="AG113",
                help=f"differentiate by {first} alone, or pass a copy",
            )
        before |= dict.fromkeys(_objects(type), name)


def _objects(argument: Argument) -> Iterator[int]:
    """The structures in an argument that can be written to."""
    if isinstance(argument, Parts):
        if not (isinstance(argument.kind, type) and issubclass(argument.kind, tuple)):
            yield from () if argument.kind == "tuple" else (id(argument.live),)
        for part in argument.parts:
            yield from _objects(part)
