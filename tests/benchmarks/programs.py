"""The programs that are measured, as a user would write them, and their adjoints by hand.

Each adjoint by hand returns the value and the gradients, records no more than it needs, and updates
in place: it is what a careful person would write, for orientation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


def recurrence(x, a, steps):
    """A scalar recurrence with a branch, in plain Python."""
    y = x
    total = 0.0
    for _ in range(steps):
        if y > 1.0:  # noqa: SIM108 (an expression would be evaluated without a branch)
            y = y / 2.0
        else:
            y = y * y + a
        total = total + y * y
    return total


def recurrence_by_hand(x, a, steps):
    y = x
    total = 0.0
    y_tape = [y]
    for _ in range(steps):
        y = y / 2.0 if y > 1.0 else y * y + a
        y_tape.append(y)
        total = total + y * y
    y_bar = 0.0
    a_bar = 0.0
    for i in range(steps - 1, -1, -1):
        y_bar += 2.0 * y_tape[i + 1]
        y = y_tape[i]
        if y > 1.0:
            y_bar = y_bar / 2.0
        else:
            a_bar += y_bar
            y_bar = 2.0 * y * y_bar
    return total, y_bar, a_bar


def heat(u0, alpha, wanted, steps):
    """The heat equation on a rod, stepped in place, and the misfit at the end."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    misfit = u - wanted
    return np.sum(misfit * misfit)


def heat_by_hand(u0, alpha, wanted, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    misfit = u - wanted
    u_bar = 2.0 * misfit
    for _ in range(steps):
        v = alpha * u_bar[1:-1]
        u_bar[1:-1] -= 2.0 * v
        u_bar[2:] += v
        u_bar[:-2] += v
    return np.sum(misfit * misfit), u_bar


def cubic(u0, alpha, wanted, steps):
    """The heat equation with a cubic sink, stepped in place."""
    u = u0.copy()
    for _ in range(steps):
        v = u[1:-1]
        u[1:-1] = v + alpha * (u[2:] - 2.0 * v + u[:-2]) - 0.01 * v * v * v
    misfit = u - wanted
    return np.sum(misfit * misfit)


def cubic_by_hand(u0, alpha, wanted, steps):
    u = u0.copy()
    u_tape = []
    for _ in range(steps):
        u_tape.append(u.copy())
        v = u[1:-1]
        u[1:-1] = v + alpha * (u[2:] - 2.0 * v + u[:-2]) - 0.01 * v * v * v
    misfit = u - wanted
    u_bar = 2.0 * misfit
    alpha_bar = 0.0
    for _ in range(steps):
        u = u_tape.pop()
        v = u[1:-1]
        w = u_bar[1:-1].copy()
        alpha_bar += np.dot(w, u[2:] - 2.0 * v + u[:-2])
        u_bar[1:-1] -= (2.0 * alpha + 0.03 * v * v) * w
        w *= alpha
        u_bar[2:] += w
        u_bar[:-2] += w
    return np.sum(misfit * misfit), u_bar, alpha_bar


def network(w, b, v, inputs, targets):
    """One hidden layer, out of place: what every tool can take as it stands."""
    hidden = np.tanh(inputs @ w + b)
    misfit = hidden @ v - targets
    return np.sum(misfit * misfit)


def network_by_hand(w, b, v, inputs, targets):
    hidden = np.tanh(inputs @ w + b)
    misfit = hidden @ v - targets
    y_bar = 2.0 * misfit
    z_bar = (1.0 - hidden * hidden) * (y_bar[:, None] * v)
    return np.sum(misfit * misfit), inputs.T @ z_bar, np.sum(z_bar, axis=0), hidden.T @ y_bar


@dataclass(frozen=True, slots=True)
class Size:
    """How large the programs run: loop steps, cells of the rod, samples of the network."""

    steps: int
    cells: int
    heat_steps: int
    samples: int


@dataclass(frozen=True, slots=True)
class Program:
    """A function to differentiate by the arguments `wrt`, and the most that a sweep should cost."""

    name: str
    primal: Callable[..., Any]
    by_hand: Callable[..., Arguments]
    wrt: tuple[str, ...]
    arguments: Callable[[Size], Arguments]
    adjoint_limit: float | None = None
    tangent_limit: float | None = None


def _scalars(size: Size) -> Arguments:
    return 0.3, 0.9, size.steps


def _rod(size: Size) -> Arguments:
    x = np.linspace(0.0, 1.0, size.cells)
    return np.sin(7.0 * x) + 1.2, 0.2, np.cos(3.0 * x), size.heat_steps


def _layers(size: Size) -> Arguments:
    draw = np.random.default_rng(3)
    w, b, v = draw.normal(size=(20, 32)) / 5.0, draw.normal(size=32) / 5.0, draw.normal(size=32)
    return w, b, v, draw.normal(size=(size.samples, 20)), draw.normal(size=size.samples)


PROGRAMS = (
    Program("recurrence", recurrence, recurrence_by_hand, ("x", "a"), _scalars, 3.5, 2.2),
    Program("heat", heat, heat_by_hand, ("u0",), _rod),
    Program("cubic", cubic, cubic_by_hand, ("u0", "alpha"), _rod),
    Program("network", network, network_by_hand, ("w", "b", "v"), _layers),
)
