"""What of its state a loop with checkpoints has to keep: what the adjoints of its steps read.

A sum that no step reads is not among it, nor an array that is only written to. What is computed
again is the step without the rest, `f_advance`. (Liveness, as for registers: Muchnick 1997, 14.1.)
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.ad.modes.tangent import rooted_parameters
from adjointgen.ir.nodes import Function, reads_of
from adjointgen.ir.packing import plain_results
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import replace


def live_state(step: Function, needed: Collection[int]) -> tuple[int, ...]:
    """The carried values, by number, from which the parameters that are `needed` follow."""
    live = {k for k in needed if k < step.carries}
    while True:
        params = step.body.params
        reads = {v.name for v in reads_of(_giving(step, sorted(live)).body)}
        more = live | {k for k in range(step.carries) if params[k].name in reads}
        if more == live:
            return tuple(sorted(live))
        live = more


def advance(step: Function, live: tuple[int, ...], name: str) -> tuple[Function, tuple[int, ...]]:
    """The step that gives the next live state alone, and which arguments it takes, by number."""
    made = _giving(step, live)
    reads = {v.name for v in reads_of(made.body)}
    takes = tuple(k for k, p in enumerate(step.body.params) if p.name in reads)
    params = tuple(step.body.params[k] for k in takes)
    made = replace(
        made,
        name=name,
        body=replace(made.body, params=params),
        parameters=rooted_parameters(params),
        carries=0,
    )
    return made, takes


def _giving(step: Function, live: Collection[int]) -> Function:
    """The step with these of its results alone."""
    flags = len(step.body.yields) - step.carries
    places = [flags + k for k in live]
    body = replace(step.body, yields=tuple(step.body.yields[k] for k in places))
    names = tuple(step.names[k] for k in places)
    return dead(replace(step, body=body, results=plain_results(len(places)), names=names))
