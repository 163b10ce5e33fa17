"""The objectives as cases: both writings on the targets that suit them, and the peers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from adjointgen import adjoint, jacfwd, value_and_grad
from tests.benchmarks.kernels.kernel import Arguments
from tests.benchmarks.objectives.all import OBJECTIVES
from tests.benchmarks.objectives.objective import Objective
from tests.benchmarks.timing import Run
from tests.benchmarks.versus import ours
from tests.benchmarks.versus.cases import (
    AUTOGRAD,
    CASADI,
    JAX,
    LOOPS,
    NUMBA,
    NUMPY,
    PRIMAL,
    PRIMAL_LOOPS,
    PRIMAL_NUMBA,
    TORCH,
    Candidate,
    Case,
    Gives,
)

COMPILED = {"compile": "numba"}
IN_AUTOGRAD = ("Gaussian mixture", "LSTM")
IN_CASADI = ("bundle adjustment",)
Prepare = Callable[[Arguments], Run]


def _gradient(function: Any, objective: Objective, how: dict[str, Any]) -> Prepare:
    return ours.bound(value_and_grad(function, wrt=objective.wrt, **how))


def _rows(function: Any, objective: Objective, how: dict[str, Any]) -> Prepare:
    """Blocks of a sparse Jacobian: a seed of ones in one column sums independent rows."""
    reverse = adjoint(function, objective.wrt, **how)

    def prepare(arguments: Arguments) -> Run:
        seeds = np.zeros((2, len(arguments[0]), 2))
        seeds[0, :, 0] = seeds[1, :, 1] = 1.0
        return lambda: [reverse(*arguments, seed)[1:] for seed in seeds]

    return prepare


def _blocks(function: Any, objective: Objective, how: dict[str, Any]) -> Prepare:
    """The same in one run, which follows both directions."""
    reverse = adjoint(function, objective.wrt, directions=2, **how)

    def prepare(arguments: Arguments) -> Run:
        seeds = np.zeros((len(arguments[0]), 2, 2))
        seeds[:, 0, 0] = seeds[:, 1, 1] = 1.0
        return lambda: [np.moveaxis(b, -1, 1) for b in reverse(*arguments, seeds)[1:]]

    return prepare


def _dense(function: Any, objective: Objective, how: dict[str, Any]) -> Prepare:
    """A dense Jacobian by the first argument."""
    return ours.bound(jacfwd(function, objective.wrt[0], **how))


def _derivative(objective: Objective, function: Any, base: str, **how: Any) -> Candidate:
    make, gives = {
        None: (_gradient, Gives.GRADIENTS),
        "rows": (_blocks, Gives.BLOCKS) if how else (_rows, Gives.ROWS),
        "columns": (_dense, Gives.JACOBIAN),
    }[objective.jacobian]
    # A Jacobian is several sweeps: no multiple of the primal is asked of it.
    multiple = base if objective.jacobian is None else None
    return Candidate(lambda: make(function, objective, how), gives, multiple, ours=True)


def _peer(objective: Objective, module: str) -> Candidate:
    def build() -> Prepare:
        found: Prepare = import_module(f"tests.benchmarks.objectives.{module}").prepared(objective)
        return found

    gives = {None: Gives.GRADIENTS, "rows": Gives.BLOCKS, "columns": Gives.JACOBIAN}
    if module == "in_torch" and objective.jacobian == "rows":
        return Candidate(build, Gives.ROWS)
    return Candidate(build, gives[objective.jacobian])


def _case(objective: Objective) -> Case:
    arrays, loops = objective.arrays, objective.loops
    value = Gives.VALUE if objective.jacobian is None else Gives.OTHER
    found = {
        PRIMAL: Candidate(lambda: ours.bound(arrays), value),
        PRIMAL_NUMBA: Candidate(lambda: ours.bound(ours.jitted(arrays)), value),
        PRIMAL_LOOPS: Candidate(lambda: ours.bound(ours.jitted(loops)), value),
        NUMPY: _derivative(objective, arrays, PRIMAL),
        NUMBA: _derivative(objective, arrays, PRIMAL_NUMBA, **COMPILED),
        LOOPS: _derivative(objective, loops, PRIMAL_LOOPS, **COMPILED),
        JAX: _peer(objective, "in_jax"),
        TORCH: _peer(objective, "in_torch"),
    }
    if objective.name in IN_AUTOGRAD:
        found[AUTOGRAD] = _peer(objective, "in_autograd")
    if objective.name in IN_CASADI:
        found[CASADI] = _peer(objective, "in_casadi")
    sizes = ("small", "medium", "large")
    return Case(objective.name, objective.title, objective.inputs, found, sizes)


def cases() -> list[Case]:
    """All of them, at three sizes each."""
    return [_case(objective) for objective in OBJECTIVES]
