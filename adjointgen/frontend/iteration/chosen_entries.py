"""The entries of a loop of known length that pass its conditions, where these are known for each.

[*(k * a for k, a in enumerate(c) if k)]      1 * c[1], 2 * c[2]
"""

from __future__ import annotations

from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.iteration.loop_plans import Plan
from adjointgen.frontend.state.context import Context
from adjointgen.rules.framework.builder import const


def passing(ctx: Context, counted: Plan, size: int) -> tuple[Abstract, ...] | None:
    """The entries at 0, 1, ... that pass; None where it depends on values which do."""
    if counted.passes is None:
        return tuple(counted.at(const(k)) for k in range(size))
    return or_none(ctx, lambda: _passing(ctx, counted, size))


def _passing(ctx: Context, counted: Plan, size: int) -> tuple[Abstract, ...]:
    assert counted.passes is not None
    items = []
    for k in range(size):
        known = truth(ctx, counted.passes(const(k)))
        if known is None:
            ctx.unlike("AG106", "how many entries this has depends on values", "use a loop")
        if known:
            items.append(counted.at(const(k)))
    return tuple(items)
