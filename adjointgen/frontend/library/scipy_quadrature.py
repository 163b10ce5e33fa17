"""Quadrature by SciPy: the derivative of an integral is the integral of the derivative.

    y, error = quad(f, a, b)      found = quad(f, a, b);  y = implicit(found[0], a, b, p);  ...

The integrand goes with `implicit`, and so does the call, in which another function takes the place
of the integrand; what is done with them, says `ad/calls/implicit_equations.py`.
"""

from __future__ import annotations

from typing import Any, Final

from adjointgen.frontend.calls.callbacks import handing, part_of
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import FLOAT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const

NAMES: Final = ("func", "a", "b", "args", "full_output", "epsabs", "epsrel", "limit")
PASSED: Final = ("epsabs", "epsrel", "limit")


def quad(call: Call) -> Abstract | None:
    """The integral and its error; None where the call is copied, and has no derivative."""
    given = dict(zip(NAMES, call.args, strict=False)) | call.keywords
    known = {*NAMES} - {"full_output"}
    if len(call.args) > len(NAMES) or not given.keys() <= known or not {"a", "b"} <= given.keys():
        return None
    if not all(isinstance(given[name], Const) for name in PASSED if name in given):
        return None
    return or_none(call.ctx, lambda: _integrated(call, given))


def _integrated(call: Call, given: dict[str, Abstract]) -> Abstract:
    ctx = call.ctx
    handed = handing(call, NAMES, given, FLOAT)
    integrand, free = handed.region(given["func"], lambda _, y: _number(ctx, y))
    if integrand.name == "function":
        integrand = replace(integrand, name="integrand")
    holes = Holes(ctx)
    function = holes.fill(call.function)
    text = f"{function}({', '.join(handed.texts(holes))})"
    options: dict[str, Any] = {"calls": tuple(handed.calls)} if handed.calls else {}
    whole = verbatim(ctx, text, holes.operands, solver=True, effect=False, **options)
    value = part_of(ctx, "_0_[0]", whole, FLOAT)
    known = {name: given[name] for name in PASSED if name in given}
    passed = [f", {name}={v.value!r}" for name, v in known.items() if isinstance(v, Const)]
    form = {"form": "integral", "template": f"{function}({{}}, _0_, _1_{''.join(passed)})[0]"}
    ends = [_end(ctx, given[name]) for name in ("a", "b")]
    made = ctx.apply("implicit", value, *ends, *free, residual=integrand, **form)
    return Seq((made, part_of(ctx, "_0_[1]", whole, FLOAT)))


def _end(ctx: Context, value: Abstract) -> Operand:
    end = read(ctx, value)
    if not end.type.is_scalar:
        ctx.refuse("AG102", "an end of this interval is no number", "integrate in a loop")
    return const(float(end.value)) if isinstance(end, Const) and type(end.value) is int else end


def _number(ctx: Context, value: Value) -> Value:
    if value.type != FLOAT:
        ctx.refuse("AG102", "what this function gives is no number", "integrate its parts")
    return value


INTEGRALS: dict[str, Special] = {"scipy.integrate.quad": quad}
