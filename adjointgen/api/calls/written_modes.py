"""How the programs of a written module are verified: each as a tangent or as an adjoint.

    tangent    y, y_dot = f_tangent(x, x_dot)
    jacobian   y_dot = f_jacobian(x) @ x_dot
    adjoint    y, x_bar = f_adjoint(x, y_bar)
    gradient   x_bar = f_grad(x) * y_bar
    split      y, tape = f_forward(x);  x_bar = f_reverse(tape, y_bar)
    hvp        x_bar_dot = f_hvp(x, x_dot)
    hessian    x_bar_dot = f_hessian(x) @ x_dot

The value is that of the function where a program returns none. The last two are tangents of its
gradient, which is that of the decorator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, Literal

import numpy as np

from adjointgen.api.calls.check_arguments import leaves_of
from adjointgen.config.options import Mode
from adjointgen.records import dataclass
from adjointgen.verify.structures import StructureMismatch, flatten, unflatten

Program = Callable[..., Any]
Role = Literal["value", "tangent", "adjoint"]

ROLES: Final[Mapping[Mode, Role]] = {
    "primal": "value",
    "tangent": "tangent",
    "adjoint": "adjoint",
    "gradient": "adjoint",
    "hvp": "tangent",
    "jacobian": "tangent",
    "hessian": "tangent",
    "split": "adjoint",
}
"""What a mode is verified as."""
PARTS: Final[Mapping[Mode, tuple[str, ...]]] = {
    "primal": ("primal",),
    "tangent": ("tangent",),
    "adjoint": ("adjoint",),
    "gradient": ("grad",),
    "hvp": ("hvp",),
    "jacobian": ("jacobian",),
    "hessian": ("hessian",),
    "split": ("forward", "reverse"),
}
"""The functions that a mode has in a module, by the ends of their names."""
TOGETHER: Final[tuple[Mode, ...]] = ("primal", "tangent", "adjoint")
"""The modes that one report is on, which compares them with each other."""
OF_GRADIENT: Final[tuple[Mode, ...]] = ("hvp", "hessian")
"""The modes whose programs are derivatives of the gradient."""


@dataclass(frozen=True, slots=True)
class Run:
    """A program of a mode: `call` runs it with arguments and seeds, `value` is what it is of.

    So many arguments are `chosen` to be differentiated.
    """

    mode: Mode
    call: Callable[[Sequence[Any], Sequence[Any]], Any]
    value: Program
    chosen: int

    def __call__(self, given: Sequence[Any], seeds: Any) -> Any:
        """The value, and the tangent or the adjoints."""
        match self.mode:
            case "primal" | "tangent":
                return self.call(given, seeds)
            case "adjoint" | "split":
                y, *bars = self.call(given, tuple(leaves_of(seeds)))
                if self.mode == "split" and self.chosen != 1:
                    (bars,) = bars
                return y, tuple(bars)
        y = self.value(*deepcopy(tuple(given)))
        match self.mode:
            case "hvp":
                return y, self.call(given, seeds)
            case "gradient":
                return y, self._scaled(self.call(given, ()), seeds)
        return y, _product(self.call(given, ()), y, seeds)

    def _scaled(self, gradient: Any, y_bar: Any) -> tuple[Any, ...]:
        """The adjoints for a seed of the one result."""
        bars = (gradient,) if self.chosen == 1 else gradient
        (scale,) = leaves_of(y_bar)
        return tuple(unflatten(bar, float(scale) * flatten(bar)) for bar in bars)


def _product(blocks: Any, y: Any, dots: Sequence[Any]) -> Any:
    """A Jacobian in its blocks times a direction, in the structure of `y`.

    Raises StructureMismatch for a block that has not the axes of both.
    """
    rows, parts = leaves_of(blocks), []
    for leaf in leaves_of(y):
        total: Any = np.zeros(np.shape(leaf), np.asarray(leaf).dtype)
        for dot, block in zip(dots, rows, strict=False):
            shape = np.shape(leaf) + np.shape(dot)
            if np.shape(block) != shape:
                raise StructureMismatch(f"a block of shape {np.shape(block)} should have {shape}")
            total = total + np.tensordot(block, dot, np.ndim(dot))
        parts.append(flatten(np.asarray(total)))
    return unflatten(y, np.concatenate(parts))
