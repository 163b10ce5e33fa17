"""Making a program for one call: types of its arguments, pipeline, emission.

This module draws in all that generates. `derivative` loads it when a program has to be made, so
that a program that is recalled from disk costs none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.analysis.storage import storage
from adjointgen.api.programs import build
from adjointgen.api.recipes import Recipe
from adjointgen.api.running import Made
from adjointgen.depth import deep
from adjointgen.emit.module import emit
from adjointgen.frontend.lower import type_of
from adjointgen.frontend.source import Source, source_from_function
from adjointgen.ir.nodes import Function
from adjointgen.watch import watched


def make(
    source: Source, recipe: Recipe, disable: tuple[str, ...], arguments: Mapping[str, Any]
) -> Made:
    """The program for arguments like these.

    Raises Unsupported, NoRule, NotDifferentiable or TypeMismatch where there is none.
    """
    types = {name: type_of(name, value) for name, value in arguments.items()}
    with deep():
        with watched() as looks:
            built = build(source, types, [recipe], disable)
        (program,) = built.functions
        text = emit([program])
    mine = {p.name for p in built.primal.parameters}
    seeds = tuple(p.name for p in program.parameters if p.name not in mine)
    return Made(text, program.name, seeds, tuple(looks.values()), written(built.primal))


def written(primal: Function) -> tuple[int, ...]:
    """The positions of the parameters whose storage the function writes."""
    classes = storage(primal)
    names = [p.name for p in primal.parameters]
    return tuple(names.index(p.root) for p in primal.body.params if classes.written(p))


__all__ = ["Source", "make", "source_from_function"]
