"""The objective that CasADi is made for: one function per observation, mapped over all of them."""

from __future__ import annotations

from collections.abc import Callable

import casadi
import numpy as np

from tests.benchmarks.kernels.kernel import Arguments
from tests.benchmarks.objectives.objective import Objective
from tests.benchmarks.timing import Run

PARTS = (11, 3, 1, 2)
"""Numbers per observation: of the camera, the point, the weight, and where it was seen."""


def residual(camera, point, weight, seen):
    turn, offset = camera[:3], point - camera[3:6]
    angle = casadi.norm_2(turn)
    axis, c, s = turn / angle, casadi.cos(angle), casadi.sin(angle)
    along = casadi.dot(axis, offset) * (1.0 - c)
    view = offset * c + casadi.cross(axis, offset) * s + axis * along
    flat = view[:2] / view[2]
    r2 = casadi.sumsqr(flat)
    bent = flat * (1.0 + camera[9] * r2 + camera[10] * r2 * r2)
    return weight * (bent * camera[6] + camera[7:9] - seen)


def blocks() -> casadi.Function:
    """Of one observation: the derivative of both rows by all of its numbers."""
    inputs = [casadi.SX.sym(f"a{k}", size) for k, size in enumerate(PARTS)]
    block = casadi.jacobian(residual(*inputs), casadi.vertcat(*inputs[:3]))
    return casadi.Function("block", inputs, [casadi.densify(block)])


def prepared(_: Objective) -> Callable[[Arguments], Run]:
    """Calls of the mapped function, on matrices made beforehand."""

    def prepare(arguments: Arguments) -> Run:
        count = len(arguments[0])
        mapped = blocks().map(count)
        columns = [casadi.DM(np.reshape(a, (count, -1)).T) for a in arguments]

        def run() -> list[np.ndarray]:
            whole = mapped(*columns).full().reshape(2, count, 15).transpose(1, 0, 2)
            return [whole[..., :11], whole[..., 11:14], whole[..., 14]]

        return run

    return prepare
