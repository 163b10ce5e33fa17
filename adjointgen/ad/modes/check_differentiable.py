"""What cannot be differentiated correctly is refused, before anything is transformed.

An operation that nothing is known about could depend on an active value in any way; a zero in its
place would be a silently wrong number. Where its result is of no use to the results that are
differentiated (it is printed, say), nothing is refused. Complex numbers are refused where the rule
that they meet holds for real ones.
"""

from __future__ import annotations

from itertools import zip_longest

from adjointgen.ad.modes.rule_lookup import rule_of
from adjointgen.analysis.differentiation.activity import Activity, carriers, flow_of
from adjointgen.analysis.differentiation.explain_activity import why
from adjointgen.analysis.differentiation.messages import is_message
from adjointgen.analysis.differentiation.object_flow import contents, filled, keepers
from adjointgen.errors import NoRule, NotDifferentiable
from adjointgen.frontend.state.may_alias import written_through
from adjointgen.ir.nodes import Apply, Call, Function, Operand, Value, While, walk
from adjointgen.ir.types import COMPLEX
from adjointgen.rules.framework.complex_convention import holds_for_complex
from adjointgen.rules.framework.table import TABLE


def refuse(function: Function, activity: Activity) -> None:
    """Raise NoRule (AG201) for the first such operation, NotDifferentiable (AG302) for complex."""
    _refuse_views(function, activity)
    _refuse_tests(function)
    for stmt in walk(function.body):
        if isinstance(stmt, Call):
            _refuse_kept(function, stmt, activity)
        if not isinstance(stmt, Apply):
            continue
        active = _kept(stmt, activity) or _hidden(stmt, activity) or _outdated(stmt, activity)
        active = active or _fixed(stmt, activity)
        if TABLE[stmt.op].kind == "refuse" and any(map(activity.active, stmt.results)):
            active = active or next((a for a in stmt.args if activity.active(a)), None)
        if active is not None:
            reason = why(function, activity, active, stmt.span)
            rule_of(stmt, active, stmt.span, reason)
            raise NoRule(
                f"nothing is known of what {stmt.op} gives here",
                code="AG201",
                span=stmt.span,
                label=reason,
                help="say that what it is given is a number, by float(...)",
            )
        _refuse_argument(function, stmt, activity)
        _refuse_complex(function, stmt, activity)


def _refuse_tests(function: Function) -> None:
    """Raise NoRule (AG201) for a message in the test of a loop, which no sweep answers."""
    for loop in walk(function.body):
        tests = walk(loop.test) if isinstance(loop, While) else ()
        for stmt in filter(is_message, tests):
            assert isinstance(stmt, Apply)
            raise NoRule(
                "no derivative rule for a message in the test of a loop",
                code="AG201",
                span=stmt.span or loop.span,
                help="write `while True:`, send the message in the body, and break",
            )


def _refuse_views(function: Function, activity: Activity) -> None:
    """Raise NoRule (AG201) for a write to an object that may be a view of an active array."""
    for stmt, values in written_through(function):
        active = next((v for v in values if activity.active(v) and v.type.is_differentiable), None)
        if active is not None:
            raise NoRule(
                f"this may write to {active.root or 'an array'}, which is differentiated",
                code="AG201",
                span=stmt.span,
                label=why(function, activity, active, stmt.span),
                help="take a .copy() before, or write to the array by its name",
            )


def _refuse_kept(function: Function, stmt: Call, activity: Activity) -> None:
    """Raise NoRule (AG201) where a function may put an active value into an object."""
    into = filled(stmt, flow_of(stmt, activity.depends))
    given = (stmt.args[k] for made, k in into if made in activity.kept)
    active = next((a for a in given if activity.active(a)), None)
    if active is not None:
        raise NoRule(
            f"{stmt.function} may put this into an object, and nothing is known of what that gives",
            code="AG201",
            span=stmt.span,
            label=why(function, activity, active, stmt.span),
            help="return the value instead",
        )


def _hidden(stmt: Apply, activity: Activity) -> Operand | None:
    """An active value that goes into an object, which could carry no derivative of it."""
    into = (r for r in stmt.results if "object" in (r.type.kind, r.type.dtype))
    if not any(map(activity.active, into)):
        return None
    args = (stmt.args[k] for k in carriers(stmt) if k < len(stmt.args))
    active = (a for a in args if activity.active(a) and a.type.is_differentiable)
    return next(active, None)


def _refuse_argument(function: Function, stmt: Apply, activity: Activity) -> None:
    """Raise NoRule (AG201) for an active argument by which a function has no derivative."""
    row = TABLE[stmt.op]
    if row.kind != "elementwise" or not any(map(activity.active, stmt.results)):
        return
    operands = [p for p in row.parameters if p.operand]
    for arg, operand, partial in zip_longest(stmt.args, operands, row.partials):
        if partial is None and arg is not None and activity.active(arg):
            raise NoRule(
                f"no derivative rule for {stmt.option('spelling') or row.spellings[0]} by its "
                f"argument {operand.name}",
                code="AG201",
                span=stmt.span,
                label=why(function, activity, arg, stmt.span),
                help=row.because or "pass it through stop_gradient, or declare a rule",
            )


def _kept(stmt: Apply, activity: Activity) -> Operand | None:
    """An active value that an object keeps, and that the results are computed from again."""
    if activity.kept.isdisjoint(keepers(stmt)):
        return None
    active = (a for a in stmt.args if activity.active(a) and a.type.is_differentiable)
    return next(active, None)


def _outdated(stmt: Apply, activity: Activity) -> Operand | None:
    """A varied value on which something depends that was computed from it before the program."""
    if stmt.results or TABLE[stmt.op].kind != "refuse" or TABLE[stmt.op].effect:
        return None
    varied = (a for a in stmt.args if isinstance(a, Value) and a.name in activity.varied)
    return next(varied, None)


def _fixed(stmt: Apply, activity: Activity) -> Operand | None:
    """A varied value, or what may hold one, that the program takes to be the same in every call."""
    for arg in stmt.args if stmt.option("fixed") else ():
        if isinstance(arg, Value) and {arg.name, contents(arg)} & activity.varied:
            return arg
    return None


def _refuse_complex(function: Function, stmt: Apply, activity: Activity) -> None:
    """Raise NotDifferentiable (AG302) for complex numbers in a rule that holds for real ones."""
    if holds_for_complex(TABLE[stmt.op]) or not any(map(activity.active, stmt.results)):
        return
    for value in (*stmt.args, *stmt.results):
        if value.type.dtype in COMPLEX and value.type.kind != "object" and activity.active(value):
            name = value.root if isinstance(value, Value) else ""
            called = stmt.option("spelling") or next(
                iter(TABLE[stmt.op].spellings), "this operation"
            )
            raise NotDifferentiable(
                f"{name or 'a value'} is complex",
                code="AG302",
                span=stmt.span,
                label=why(function, activity, value, stmt.span),
                help=f"the rule of {called} holds for real numbers; take real and imaginary parts "
                "first",
            )
