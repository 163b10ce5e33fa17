"""What solves an equation, and what stands for it while a program is differentiated.

`x = implicit(found, p, ...)` is `found`, of which is known that `residual(x, p, ...) = 0`; the
residual is a function in the option. Before a derivative is taken, `implicit_rules.py` writes

    r = residual(x, p, ...)
    y = settle(x, r, slope)              slope = dr/dx

which is a step of Newton's method. Since r stays 0 whatever p does, `y_dot = x_dot - r_dot / slope`
(implicit function theorem). Of an integral it is `y = corrected(x, m)`, with a sum `m` that has the
derivative of the integral. Afterwards all of this is taken out again: the value is what
was found, and a further derivative is taken of the equation, not of what was made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import constant, general, refuse
from adjointgen.rules.framework.shape_helpers import divisor, op
from adjointgen.rules.framework.type_rules import result_dtype
from adjointgen.rules.linalg.products import swapped

Types = tuple[Type, ...]
Options = Mapping[str, Any]
Args = Sequence[Any]


def _first(types: Types, options: Options) -> Types:
    return types[:1]


def _step_type(types: Types, options: Options) -> Types:
    return (types[0].with_dtype(result_dtype(types)),)


refuse(
    "implicit",
    "*values..., residual=None, form='root', template='', order=''",
    [],
    because="the equation that it solves has no derivative here",
    infer=_first,
    code="_0_",
    cost=0,
)
refuse(
    "fixed",
    "a",
    [],
    because="the times of a differential equation have no derivative here; scale the right-hand "
    "side by the length of the interval",
    infer=_first,
    code="_0_",
    cost=0,
)
refuse(
    "uncertain",
    "*values...",
    [],
    because="the covariance of a fit has no derivative here; compute it from the residuals",
    infer=_first,
    code="_0_",
    cost=0,
)
constant(
    "frozen",
    "a",
    [],
    infer=_first,
    because="what is found is corrected by `settle`",
    code="_0_",
    cost=0,
)


def _step_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`y_dot = x_dot - r_dot / slope`."""
    change = None if dots[1] is None else -dots[1] / divisor(args[2], True)
    return _sum(dots[0], change)


def _step_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [y_bar, -y_bar / divisor(args[2], True), None]


def _sum(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


general(
    "settle",
    "x, r, slope",
    [],
    _step_tangent,
    _step_adjoint,
    infer=_first,
    first_order=True,
    domain=[("float64", "float64", 1.5)],
    code="_0_ - _1_ / _2_",
)


def _tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`y_dot = x_dot - J^-1 r_dot`."""
    return _sum(dots[0], None if dots[1] is None else -op("solve", args[2], dots[1]))


def _adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [y_bar, -op("solve", swapped(args[2]), y_bar), None]


general(
    "settle_all",
    "x, r, jacobian",
    [],
    _tangent,
    _adjoint,
    infer=_step_type,
    first_order=True,
    domain=[("float64[3]", "float64[3]", ((2.0, 0.3, 0.1), (0.2, 1.5, 0.4), (0.1, 0.6, 3.0)))],
    code="_0_ - np.linalg.solve(_2_, _1_)",
)


def _corrected_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    return _sum(*dots)


def _corrected_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [y_bar, y_bar]


general(
    "corrected",
    "x, m",
    [],
    _corrected_tangent,
    _corrected_adjoint,
    infer=_first,
    first_order=True,
    domain=[("float64", "float64")],
    code="_0_ + _1_",
)
