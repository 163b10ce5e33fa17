"""The functions of a few numbers as cases: in plain Python, and under Numba for long loops."""

from __future__ import annotations

from tests.benchmarks.scalars import peers
from tests.benchmarks.scalars.programs import SCALARS, Scalar
from tests.benchmarks.versus import ours
from tests.benchmarks.versus.cases import (
    AUTOGRAD,
    CASADI,
    JAX,
    NUMPY,
    PYTHON,
    THEIRS,
    TORCH,
    Candidate,
    Case,
)


def _case(scalar: Scalar) -> Case:
    both = ours.candidates(scalar.primal)
    found = {
        **{PYTHON if name == NUMPY else name: candidate for name, candidate in both.items()},
        JAX: Candidate(lambda: peers.in_jax(scalar.name)),
        TORCH: Candidate(lambda: peers.in_torch(scalar.name)),
        AUTOGRAD: Candidate(lambda: peers.in_autograd(scalar.name)),
        CASADI: Candidate(lambda: peers.in_casadi(scalar.name)),
        THEIRS: Candidate(lambda: peers.in_tangent(scalar.name)),
    }
    return Case(scalar.name, scalar.title, scalar.inputs, found)


def cases() -> list[Case]:
    """All of them."""
    return [_case(scalar) for scalar in SCALARS]
