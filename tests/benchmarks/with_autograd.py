"""The programs as users of autograd write them: out of place, since arrays cannot be written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
from autograd import value_and_grad

from tests.benchmarks.programs import Program, network, recurrence


def heat(u0, alpha, wanted, steps):
    u = u0
    for _ in range(steps):
        inner = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = anp.concatenate((u[:1], inner, u[-1:]))
    misfit = u - wanted
    return anp.sum(misfit * misfit)


def cubic(u0, alpha, wanted, steps):
    u = u0
    for _ in range(steps):
        v = u[1:-1]
        inner = v + alpha * (u[2:] - 2.0 * v + u[:-2]) - 0.01 * v * v * v
        u = anp.concatenate((u[:1], inner, u[-1:]))
    misfit = u - wanted
    return anp.sum(misfit * misfit)


def layers(w, b, v, inputs, targets):
    hidden = anp.tanh(inputs @ w + b)
    misfit = hidden @ v - targets
    return anp.sum(misfit * misfit)


WRITTEN = {"recurrence": recurrence, "heat": heat, "cubic": cubic, network.__name__: layers}


def prepare(program: Program, arguments: tuple[Any, ...]) -> Callable[[], tuple[Any, ...]]:
    """A call without arguments that gives the value and the gradients."""
    positions = tuple(range(len(program.wrt)))
    both = value_and_grad(WRITTEN[program.name], positions)

    def run() -> tuple[Any, ...]:
        value, gradients = both(*arguments)
        return value, *gradients

    return run
