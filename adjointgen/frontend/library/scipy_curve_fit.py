"""Fits of curves: `popt, pcov = curve_fit(f, x, y, p0)`.

What is least is the sum of squares of `f(x, *p) - y`, in units of `sigma`; the parameters follow
from it by the implicit function theorem, as for `minimize` (`scipy_solvers.py`). Their covariance
has no derivative.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.frontend.calls.callbacks import Handing, part_of
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Partial, Seq
from adjointgen.frontend.functions.numpy_definitions import defined
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import OBJECT, Dim, Type
from adjointgen.rules.framework.builder import const

_NAMES = ("f", "xdata", "ydata", "p0", "sigma", "absolute_sigma", "check_finite", "bounds")
_REFUSED = ("bounds", "method", "jac", "full_output", "nan_policy")


def fitted(call: Call) -> Abstract | None:
    """What `curve_fit` gives; None where the call is copied, and has no derivative."""
    if len(call.args) > len(_NAMES):
        return None
    given = dict(zip(_NAMES, call.args, strict=False)) | call.keywords
    if any(given.get(name, const(None)) != const(None) for name in _REFUSED):
        return None
    if "f" not in given:
        return None
    return or_none(call.ctx, lambda: _counted(call, given))


def _counted(call: Call, given: dict[str, Abstract]) -> Abstract | None:
    count = _count(call.ctx, given["f"], given.get("p0", const(None)))
    return None if count is None else _fit(call, given, count)


def _count(ctx: Context, function: Abstract, start: Abstract) -> int | None:
    """How many parameters are fitted."""
    known = content(ctx, start)
    if isinstance(known, Seq):
        return len(known.items)
    if start != const(None):
        shape = read(ctx, start).type.shape
        return None if not shape or shape[0] is None else shape[0].known
    if not isinstance(function, Closure):
        return None
    arguments = function.source.arguments
    plain = not (arguments.vararg or arguments.kwonlyargs or arguments.defaults)
    return len(arguments.posonlyargs) + len(arguments.args) - 1 if plain else None


def _fit(call: Call, given: Mapping[str, Abstract], count: int) -> Abstract | None:
    ctx = call.ctx
    x, y, sigma = (given.get(n, const(None)) for n in ("xdata", "ydata", "sigma"))
    if sigma != const(None) and read(ctx, sigma).type.rank != 1:
        return None
    unknown = Type("float64", (Dim("", count),), "array")
    sum_of_squares, keywords = defined("adjointgen.misfit"), ("model", given["f"])
    assert sum_of_squares is not None
    of = Partial(sum_of_squares, (), (keywords, ("x", x), ("y", y), ("sigma", sigma)))
    residual, free = Handing(call, _NAMES, {}, (unknown,)).region(of)
    numbers = (Type("float64"),) * count
    handed = Handing(call, _NAMES, dict(given), (read(ctx, x).type, *numbers))
    holes = Holes(ctx)
    text = f"{holes.fill(call.function)}({', '.join(handed.texts(holes))})"
    options: dict[str, Any] = {"calls": tuple(handed.calls)} if handed.calls else {}
    whole = verbatim(ctx, text, holes.operands, OBJECT, solver=True, effect=False, **options)
    found = part_of(ctx, "_0_[0]", whole, unknown)
    p = ctx.apply("implicit", found, *free, residual=residual, form="minimum")
    return Seq((p, _covariance(ctx, whole, free)))


def _covariance(ctx: Context, whole: Value, free: list[Value]) -> Operand:
    type = Type("float64", (None, None), "array")
    found = part_of(ctx, "_0_[1]", whole, type)
    return ctx.apply("uncertain", found, *free, spelling="the covariance of curve_fit")


FITS: dict[str, Special] = {"scipy.optimize.curve_fit": fitted}
