"""Snapshots of the states of a loop: what the adjoint of a loop with checkpoints is made of."""

from __future__ import annotations

from adjointgen.errors import InternalError
from adjointgen.ir.types import OBJECT
from adjointgen.rules.framework.declare import constant
from adjointgen.rules.framework.type_rules import Options, Types


def _state_type(types: Types, options: Options) -> Types:
    raise InternalError("what a snapshot holds is known where it is made")


constant(
    "snapshots",
    "folder='', period=0",
    [],
    infer=lambda types, options: (OBJECT, OBJECT),
    because="it begins the lists of the snapshots of a loop",
    form="begin",
    effect=True,
)
constant(
    "keep",
    "at, snapshots, place, count, limit, *state..., schedule=''",
    [],
    infer=lambda types, options: (),
    because="it keeps the state of a loop where the schedule says so",
    form="append",
    effect=True,
)
constant(
    "resume",
    "at, snapshots, place",
    [],
    infer=_state_type,
    because="it gives the last snapshot before a step and its step, and forgets later ones",
    form="latest",
    effect=True,
)
