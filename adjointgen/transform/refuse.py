"""What cannot be differentiated correctly is refused, before anything is transformed.

An operation that nothing is known about could depend on an active value in any way; a zero in its
place would be a silently wrong number. Where its result is of no use to the results that are
differentiated (it is printed, say), nothing is refused. Complex numbers are refused where they are
active: the rules hold for real ones.
"""

from __future__ import annotations

from adjointgen.analysis.activity import Activity
from adjointgen.analysis.why import why
from adjointgen.errors import NotDifferentiable, Span
from adjointgen.ir.nodes import Apply, Function, Value, results_of, walk
from adjointgen.ir.types import COMPLEX
from adjointgen.rules.table import TABLE
from adjointgen.transform.algebra import rule_of


def refuse(function: Function, activity: Activity) -> None:
    """Raise NoRule (AG201) for the first such operation, NotDifferentiable (AG302) for complex."""
    for param in function.body.params:
        _refuse_complex(function, param, None, activity)
    for stmt in walk(function.body):
        for result in results_of(stmt):
            _refuse_complex(function, result, stmt.span, activity)
        if not isinstance(stmt, Apply) or not any(map(activity.active, stmt.results)):
            continue
        if TABLE[stmt.op].kind == "refuse":
            active = next((a for a in stmt.args if activity.active(a)), None)
            if active is not None:
                rule_of(stmt, active, stmt.span, why(function, activity, active, stmt.span))


def _refuse_complex(
    function: Function, value: Value, span: Span | None, activity: Activity
) -> None:
    if value.type.dtype in COMPLEX and activity.active(value):
        raise NotDifferentiable(
            f"{value.root or 'a value'} is complex",
            code="AG302",
            span=span,
            label=why(function, activity, value, span),
            help="write it with its real and imaginary parts, as two real numbers",
        )
