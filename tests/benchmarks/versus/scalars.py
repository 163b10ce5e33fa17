"""The functions of a few numbers as cases, in plain Python against the peers."""

from __future__ import annotations

from adjointgen import value_and_grad
from tests.benchmarks.scalars import peers
from tests.benchmarks.scalars.programs import SCALARS, Scalar
from tests.benchmarks.versus import ours
from tests.benchmarks.versus.cases import (
    AUTOGRAD,
    JAX,
    PRIMAL,
    PYTHON,
    TORCH,
    Candidate,
    Case,
    Gives,
)


def _case(scalar: Scalar) -> Case:
    made = Candidate(
        lambda: ours.bound(value_and_grad(scalar.primal, wrt=...)), base=PRIMAL, ours=True
    )
    found = {
        PRIMAL: Candidate(lambda: ours.bound(scalar.primal), Gives.VALUE),
        PYTHON: made,
        JAX: Candidate(lambda: peers.in_jax(scalar.name)),
        TORCH: Candidate(lambda: peers.in_torch(scalar.name)),
        AUTOGRAD: Candidate(lambda: peers.in_autograd(scalar.name)),
    }
    return Case(scalar.name, scalar.title, scalar.inputs, found)


def cases() -> list[Case]:
    """All of them."""
    return [_case(scalar) for scalar in SCALARS]
