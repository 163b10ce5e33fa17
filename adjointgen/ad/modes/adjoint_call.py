"""The reverse of a call that was split: `x_bar = g_reverse(x, y, tape, y_bar)`."""

from __future__ import annotations

from adjointgen.ad.modes.adjoint_state import Bars
from adjointgen.ad.modes.derived_calls import Split
from adjointgen.ad.modes.rule_lookup import adjoint_type
from adjointgen.ir.nodes import Call, Value
from adjointgen.rules.framework.contributions import is_zero


def reverse_call(work: Bars, stmt: Call, split: Split | None) -> None:
    """Add what the adjoints of the results give to those of the arguments."""
    bars = [work.bars.pop(r.name, None) for r in stmt.results]
    if split is None or all(is_zero(bar) for bar in bars):
        return
    how = split.derived
    needed = [work.primal(stmt.args[k]) for k in how.needs]
    needed += [work.primal(stmt.results[k]) for k in how.returns]
    tape = [split.tape] if split.tape else []
    found = [(stmt.results[k], bars[k]) for k in split.pattern.results]
    seeds = [work.zero(result) if bar is None else bar for result, bar in found]
    args = [stmt.args[k] for k in split.pattern.wrt]
    made = [_temporary(work, arg) for arg in args if isinstance(arg, Value)]
    call = Call(tuple(made), how.reverse, (*needed, *tape, *seeds), stmt.span)
    work.builder.add(call)
    for arg, bar in zip(args, made, strict=True):
        work.contribute(arg, bar)


def _temporary(work: Bars, value: Value) -> Value:
    """A contribution to the adjoint of a value, which takes its name where it is all of it."""
    return work.builder.value("", adjoint_type(value.type), f"{value.name}_bar")
