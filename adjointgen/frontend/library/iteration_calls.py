"""Calls of what loops go over: `range`, `zip`, `enumerate`, `reversed`."""

from __future__ import annotations

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Range, Zipped
from adjointgen.frontend.expressions.special_methods import iterated
from adjointgen.frontend.library.strict_zip import require_one_length
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const


def range_(call: Call) -> Abstract:
    bounds = [read(call.ctx, a) for a in call.args]
    for bound in bounds:
        call.ctx.check_dtype(bound)
    match bounds:
        case [stop]:
            return Range(const(0), stop, const(1))
        case [start, stop]:
            return Range(start, stop, const(1))
        case [_, _, Const(value=0)]:
            return fails(call.ctx, "ValueError", "range() arg 3 must not be zero")
        case [start, stop, step]:
            return Range(start, stop, step)
    return call.ctx.refuse("AG103", "range takes one to three numbers", "write range(n)")


def zip_(call: Call) -> Abstract:
    strict = call.take("strict")
    if isinstance(strict, Const) and not strict.value:
        strict = None
    if strict is not None:
        require_one_length(call, strict)
    return Zipped("zip", tuple(iterated(call.ctx, arg, call.node) for arg in call.args))


def enumerate_(call: Call) -> Abstract:
    start = call.take("start", 1)
    over = iterated(call.ctx, call.args[0], call.node)
    return Zipped("enumerate", (over,), None if start is None else read(call.ctx, start))


def reversed_(call: Call) -> Abstract:
    return Zipped("reversed", (call.args[0],))


ITERATION: dict[str, Special] = {
    "builtins.range": range_,
    "builtins.zip": zip_,
    "builtins.enumerate": enumerate_,
    "builtins.reversed": reversed_,
}
