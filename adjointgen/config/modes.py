"""The modes of written modules: what is done to a function, and what that is verified as.

tangent    y, y_dot = f_tangent(x, x_dot)
jacobian   y_dot = f_jacobian(x) @ x_dot
adjoint    y, x_bar = f_adjoint(x, y_bar)
gradient   x_bar = f_grad(x) * y_bar
split      y, tape = f_forward(x);  x_bar = f_reverse(tape, y_bar)
hvp        x_bar_dot = f_hvp(x, x_dot)
hessian    x_bar_dot = f_hessian(x) @ x_dot
taylor     y, y_series = f_taylor(x, x_series)

Of `jacobian-sparse` and `hessian-sparse` the rows and columns are single numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from adjointgen.records import dataclass

Mode = Literal[
    "primal",
    "tangent",
    "adjoint",
    "gradient",
    "hvp",
    "jacobian",
    "hessian",
    "jacobian-sparse",
    "hessian-sparse",
    "taylor",
    "split",
]
Kind = Literal[
    "primal",
    "tangent",
    "adjoint",
    "grad",
    "value_and_grad",
    "forward",
    "taylor",
    "jacobian",
    "sparse",
]
Role = Literal["value", "tangent", "adjoint", "series"]
MODES: Final[tuple[Mode, ...]] = ("tangent", "adjoint")
"""What is made where nothing is said."""
EVERY: Final[tuple[Mode, ...]] = get_args(Mode)
"""All of them, in the order in which a module has their programs."""


@dataclass(frozen=True, slots=True)
class ModeRow:
    """One mode.

    `steps` are the derivatives that are taken, innermost first, the last one `alone` if it is
    without the value; `parts` are the functions of a module, by the ends of their names. The mode
    is verified in the `role` of a tangent, an adjoint or a series, `of_gradient` if it is one of
    the gradient of the function; modes that are `together` are compared with each other in one
    report. Programs with `seeds` may follow several directions at once, and those that are
    `compiled` may be left to Numba. Some are made for an `example` alone.
    """

    steps: tuple[Kind, ...]
    parts: tuple[str, ...]
    role: Role
    alone: bool = False
    of_gradient: bool = False
    together: bool = False
    seeds: bool = False
    compiled: bool = True
    example: bool = False


TABLE: Final[Mapping[Mode, ModeRow]] = {
    "primal": ModeRow(("primal",), ("primal",), "value", together=True),
    "tangent": ModeRow(("tangent",), ("tangent",), "tangent", together=True, seeds=True),
    "adjoint": ModeRow(("adjoint",), ("adjoint",), "adjoint", together=True, seeds=True),
    "gradient": ModeRow(("grad",), ("grad",), "adjoint"),
    "hvp": ModeRow(
        ("grad", "tangent"), ("hvp",), "tangent", alone=True, of_gradient=True, seeds=True
    ),
    "jacobian": ModeRow(("jacobian",), ("jacobian",), "tangent"),
    "hessian": ModeRow(("grad", "jacobian"), ("hessian",), "tangent", of_gradient=True),
    "jacobian-sparse": ModeRow(
        ("sparse",), ("jacobian_sparse",), "tangent", compiled=False, example=True
    ),
    "hessian-sparse": ModeRow(
        ("grad", "sparse"),
        ("hessian_sparse",),
        "tangent",
        of_gradient=True,
        compiled=False,
        example=True,
    ),
    "taylor": ModeRow(("taylor",), ("taylor",), "series", compiled=False),
    "split": ModeRow(("forward",), ("forward", "reverse"), "adjoint", compiled=False),
}
ALONG: Final[tuple[Mode, ...]] = tuple(mode for mode, row in TABLE.items() if row.seeds)
"""The modes whose programs have seeds, which may be several at once."""
