"""The programs as users of PyTorch write them, on double-precision tensors of the CPU.

Time steps are in place: on the rod that is a little faster than concatenation. What the backward
pass needs must not be overwritten, so the cubic step copies what it reads. Tensors are made before
the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.benchmarks.programs import Program, recurrence


def heat(u0, alpha, wanted, steps):
    u = u0.clone()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    misfit = u - wanted
    return torch.sum(misfit * misfit)


def cubic(u0, alpha, wanted, steps):
    u = u0.clone()
    for _ in range(steps):
        v = u[1:-1].clone()
        u[1:-1] = v + alpha * (u[2:] - 2.0 * v + u[:-2]) - 0.01 * v * v * v
    misfit = u - wanted
    return torch.sum(misfit * misfit)


def layers(w, b, v, inputs, targets):
    hidden = torch.tanh(inputs @ w + b)
    misfit = hidden @ v - targets
    return torch.sum(misfit * misfit)


WRITTEN = {"recurrence": recurrence, "heat": heat, "cubic": cubic, "network": layers}


def prepare(program: Program, arguments: tuple[Any, ...]) -> Callable[[], tuple[Any, ...]]:
    """A call without arguments that gives the value and the gradients."""
    torch.set_num_threads(1)
    tensors = [_tensor(a) for a in arguments]
    inputs = [t.requires_grad_() for t in tensors[: len(program.wrt)]]
    function = WRITTEN[program.name]

    def run() -> tuple[Any, ...]:
        value = function(*tensors)
        return value.detach(), *torch.autograd.grad(value, inputs)

    return run


def _tensor(argument: Any) -> Any:
    if isinstance(argument, np.ndarray | float):
        return torch.tensor(argument, dtype=torch.float64)
    return argument
