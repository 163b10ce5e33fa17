"""Ordinary differential equations by SciPy; `ad/calls/ode_sensitivities.py` has their derivatives.

    y = odeint(f, y0, t)              found = odeint(f, y0, t);  y = implicit(found, y0, t, p)
    s = solve_ivp(f, (a, b), y0)      found = solve_ivp(f, (a, b), y0);  s.y = implicit(...).T

A solution is differentiated at fixed times: those at which it is given.
"""

from __future__ import annotations

from typing import Any, Final

from adjointgen.frontend.calls.callbacks import Handing, handing, part_of
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Seq, Struct
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.library.scipy_root_finding import Solution
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Function, Operand, Value
from adjointgen.ir.types import FLOAT, OBJECT, Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const

MATRIX: Final = Type("float64", (None, None), "array")
ROW: Final = Type("float64", (None,), "array")
ODEINT: Final = ("func", "y0", "t", "args")
SOLVE_IVP: Final = ("fun", "t_span", "y0", "method", "t_eval", "dense_output", "events")
TOLERANCES: Final = ("rtol", "atol", "mxstep", "hmax", "max_step", "first_step")
TOLD: Final = ("success", "message", "status", "nfev")


def odeint(call: Call) -> Abstract | None:
    """The solution at the times; None where the call is copied."""
    given = dict(zip(ODEINT, call.args, strict=False)) | call.keywords
    known = {*ODEINT, *TOLERANCES}
    if len(call.args) > len(ODEINT) or not {*ODEINT[:3]} <= given.keys() <= known:
        return None
    return or_none(call.ctx, lambda: _odeint(call, given))


def _odeint(call: Call, given: dict[str, Abstract]) -> Abstract:
    ctx, start = call.ctx, _start(call.ctx, given["y0"])
    times = _fixed(ctx, numeric(ctx, read(ctx, given["t"])))
    handed = handing(call, ODEINT, given, replace(start.type, shape=start.type.shape), FLOAT)
    slope, free = handed.region(given["func"], lambda y, f: _row(ctx, f))
    whole, function = _run(handed, given, ("y0", start), ("t", times), type=MATRIX)
    form = {"template": f"{function}({{}}, _0_, _1_{_tolerances(given)})", "order": "zt"}
    return ctx.apply("implicit", whole, start, times, *free, residual=slope, form="flow", **form)


def solve_ivp(call: Call) -> Abstract | None:
    """What is found: the times, the solution at these, and what else is told of it."""
    given = dict(zip(SOLVE_IVP, call.args, strict=False)) | call.keywords
    known = {*SOLVE_IVP[:5], *TOLERANCES, "args"}
    if not {*SOLVE_IVP[:3]} <= given.keys() <= known:
        return None
    return or_none(call.ctx, lambda: _solve_ivp(call, given))


def _solve_ivp(call: Call, given: dict[str, Abstract]) -> Abstract:
    ctx, start = call.ctx, _start(call.ctx, given["y0"])
    ends = entries(ctx, given["t_span"])
    if ends is None or len(ends) != 2:
        ctx.refuse("AG102", "the ends of this interval are not known", "give two numbers")
    span = Seq(tuple(_fixed(ctx, read(ctx, end)) for end in ends))
    handed = handing(call, SOLVE_IVP, given, FLOAT, start.type)
    slope, free = handed.region(given["fun"], lambda t, f: _row(ctx, f))
    swaps: list[tuple[str, Abstract]] = [("t_span", span), ("y0", start)]
    if (asked := _asked(ctx, given)) is not None:
        swaps.append(("t_eval", asked))
    whole, function = _run(handed, given, *swaps, type=OBJECT)
    times = part_of(ctx, "_0_.t", whole, ROW)
    rows = part_of(ctx, "_0_.y.T", whole, MATRIX)
    method = content(ctx, given.get("method", const("RK45")))
    if not isinstance(method, Const):
        ctx.refuse("AG102", "the method is not known", "name it")
    more = f", method={method.value!r}{_tolerances(given)}"
    form = {"template": f"{function}({{}}, (_2_, _3_), _0_, t_eval=_1_{more}).y.T", "order": "tz"}
    values = (
        start,
        times if asked is None else asked,
        *(read(ctx, end) for end in span.items),
        *free,
    )
    found = ctx.apply("implicit", rows, *values, residual=_swapped(slope), form="flow", **form)
    facts: dict[str, Abstract]
    facts = {name: part_of(ctx, f"_0_.{name}", whole) for name in TOLD}
    facts |= {"t": times, "y": ctx.apply("transpose", found)}
    return Struct(Class(Solution, "Solution"), tuple(facts), tuple(facts.values()))


def _asked(ctx: Context, given: dict[str, Abstract]) -> Operand | None:
    """The times at which the solution is asked for, where they are given."""
    times = given.get("t_eval", const(None))
    return None if times == const(None) else _fixed(ctx, numeric(ctx, read(ctx, times)))


def _swapped(slope: Function) -> Function:
    """The state first, then the time."""
    (t, y, *free), (time, state, *rest) = slope.body.params, slope.parameters
    body = replace(slope.body, params=(y, t, *free))
    return replace(slope, parameters=(state, time, *rest), body=body)


def _start(ctx: Context, value: Abstract) -> Operand:
    """The start as a row of floats."""
    start = read(ctx, value)
    if not start.type.is_array or start.type.rank != 1:
        ctx.refuse("AG102", "the start is no row", "give a list or an array")
    return start if start.type.is_differentiable else ctx.apply("cast", start, dtype="float64")


def _row(ctx: Context, value: Value) -> Value:
    if not value.type.is_array or value.type.rank != 1:
        ctx.refuse("AG102", "what this function gives is no row", "give a list or an array")
    return value


def _fixed(ctx: Context, operand: Operand) -> Operand:
    return (
        ctx.apply("fixed", operand)
        if operand.type.is_differentiable and isinstance(operand, Value)
        else operand
    )


def _tolerances(given: dict[str, Abstract]) -> str:
    known = {name: given[name] for name in TOLERANCES if name in given}
    return "".join(f", {name}={v.value!r}" for name, v in known.items() if isinstance(v, Const))


def _run(
    handed: Handing, given: dict[str, Abstract], *swaps: tuple[str, Abstract], type: Type
) -> tuple[Value, str]:
    """The call itself, and the text of its function."""
    ctx, holes = handed.ctx, Holes(handed.ctx)
    numbers = [given[name] for name in TOLERANCES if name in given]
    if not all(isinstance(v, Const) for v in numbers):
        ctx.refuse("AG102", "a tolerance is not known", "write it as a literal")
    handed.given |= dict(swaps)
    function = holes.fill(handed.call.function)
    text = f"{function}({', '.join(handed.texts(holes))})"
    options: dict[str, Any] = {"calls": tuple(handed.calls)} if handed.calls else {}
    whole = verbatim(ctx, text, holes.operands, type, solver=True, effect=False, **options)
    return whole, function


FLOWS: dict[str, Special] = {
    "scipy.integrate.odeint": odeint,
    "scipy.integrate.solve_ivp": solve_ivp,
}
