"""`any` and `all`: what a search of entries finds, evaluated as far as Python does."""

from __future__ import annotations

from adjointgen.frontend.calls.call_arguments import is_lazy
from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.calls.reduction_loops import searched
from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Named,
    Seq,
)
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.types import BOOL
from adjointgen.rules.framework.builder import const


def any_or_all(call: Call) -> Abstract | None:
    """`any` and `all` of entries, without those that are known; of arrays they are rows."""
    if is_lazy(call.ctx, call.args[0]):
        ends_on = getattr(call.function, "spelling", "") == "builtins.any"
        return searched(call.ctx, call.node, call.args[0], ends_on)
    items = (
        entries(call.ctx, call.args[0])
        if isinstance(content(call.ctx, call.args[0]), Seq)
        else None
    )
    if items is None:
        return None
    assert isinstance(call.function, Named)
    name = call.function.spelling.rpartition(".")[2]
    known = [truth(call.ctx, item) for item in items]
    decisive = name == "any"
    if decisive in known or None not in known:
        return const(decisive in known if decisive else decisive not in known)
    operands = [read(call.ctx, i) for i, value in zip(items, known, strict=True) if value is None]
    holes = ", ".join(f"_{k}_" for k in range(len(operands)))
    return verbatim(call.ctx, f"{name}([{holes}])", operands, BOOL, pure=True)
