"""The reverse of one operation: what the adjoint of its result contributes to its arguments.

elementwise   x_k_bar += y_bar * partial_k            (summed down to the type of x_k)
linear        x_k_bar += transpose_k(y_bar)
general       whatever the rule's own function says
a row with a `reverse` of its own changes the adjoints that stand there
a message     is answered, whether anything here depends on it or not
"""

from __future__ import annotations

from adjointgen.ad.modes.adjoint_state import Bars
from adjointgen.ad.modes.rule_lookup import rule_of
from adjointgen.analysis.differentiation.messages import is_message
from adjointgen.ir.nodes import Apply
from adjointgen.rules.framework.apply import pull
from adjointgen.rules.framework.contributions import is_zero


def reverse_apply(work: Bars, stmt: Apply) -> None:
    """Add to the adjoints of the arguments of an operation what its results' adjoints give."""
    bars = [work.bars.pop(r.name, None) for r in stmt.results]
    active = next(filter(work.active, stmt.args), None)
    rests = active is None or all(is_zero(bar) for bar in bars)
    if rests and not is_message(stmt):
        return
    row = rule_of(stmt, active, stmt.span)
    if row.reverse is not None:
        row.reverse(work, stmt, *bars)
        return
    with work.builder.called_as(stmt):
        asked = tuple(map(work.active, stmt.args))
        for arg, bar, fits in pull(work, row, stmt, bars, asked):
            work.contribute(arg, bar, fits)
