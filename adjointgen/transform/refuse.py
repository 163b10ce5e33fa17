"""Active values in operations without a derivative are refused, before anything is transformed.

An operation that nothing is known about could depend on an active value in any way; a zero in its
place would be a silently wrong number. Where its result is of no use to the results that are
differentiated (it is printed, say), nothing is refused.
"""

from __future__ import annotations

from adjointgen.analysis.activity import Activity
from adjointgen.ir.nodes import Apply, Function, walk
from adjointgen.rules.table import TABLE
from adjointgen.transform.algebra import rule_of


def refuse(function: Function, activity: Activity) -> None:
    """Raise NoRule (AG201) for the first such operation."""
    for stmt in walk(function.body):
        if not isinstance(stmt, Apply) or not any(map(activity.active, stmt.results)):
            continue
        if TABLE[stmt.op].kind == "refuse":
            active = next((a for a in stmt.args if activity.active(a)), None)
            if active is not None:
                rule_of(stmt, active, stmt.span)
