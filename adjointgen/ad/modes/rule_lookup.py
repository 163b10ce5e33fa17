"""What tangents and adjoints have in common: the row of an operation, and the kind of a derivative.

The adjoint of a list is an array until it is returned; a tangent is a list where its value is one.
How a derivative is fitted to its value is in `rules/framework/contributions.py`.
"""

from __future__ import annotations

from adjointgen.errors import NoRule, Span
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.ir.types import Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.contributions import zero
from adjointgen.rules.framework.table import TABLE, Row


def zero_tangent(builder: Builder, like: Operand, root: str = "") -> Operand:
    """The zero of a tangent, which is a list where its value is one."""
    if like.type.kind == "list" and isinstance(like, Value):
        return builder.apply("zeros_list", like, root=root)
    return zero(builder, like, root)


def adjoint_type(type: Type) -> Type:
    """The type of an adjoint: that of its value, but an array for a list."""
    return replace(type, kind="array") if type.kind == "list" else type


def rule_of(stmt: Apply, active: Operand | None, span: Span | None, why: str = "") -> Row:
    """The row of an operation that an active value reaches, `why` it is active in words.

    Raises NoRule (AG201) where the operation has no derivative.
    """
    row = TABLE[stmt.op]
    if row.has_derivative:
        return row
    shown = stmt.option("spelling") or stmt.option("shown") or _user_code(stmt)
    what = shown or (row.spellings or (row.name,))[0]
    advice = (
        str(stmt.option("because") or "")
        or row.because
        or (f"declare a rule for it, or stop here with stop_gradient({_name(active)})")
    )
    if (unknown := _unknown(stmt)) is not None:
        name = unknown.root or "one operand"
        what, advice = f"{what}: nothing is known of {name}", _CONVERT
    error = NoRule(
        f"no derivative rule for {what}",
        code="AG201",
        span=span,
        label=why or f"{_name(active)} depends on what is differentiated",
        help=advice,
    )
    if stmt.option("unlike"):
        # The function may be lowered where more is known of the arguments.
        error.mismatch = Kind.UNLIKE
    raise error


_CONVERT = (
    "write float(...) around it if it is a number, np.asarray(..., float) if it is an array; or "
    "give the function that makes it a rule with @adjointgen.custom"
)


def _unknown(stmt: Apply) -> Value | None:
    """The operand of an operator of the user's of whose kind nothing is known."""
    code = str(stmt.option("code") or "")
    objects = (arg for arg in stmt.args if isinstance(arg, Value) and arg.type.kind == "object")
    return next(objects, None) if code.startswith("_0_ ") and code.endswith(" _1_") else None


def _user_code(stmt: Apply) -> str:
    """The user's own code, with the names of its operands."""
    code = str(stmt.option("code") or "")
    for k, arg in enumerate(stmt.args):
        name = arg.root or "..." if isinstance(arg, Value) else str(arg.value)
        code = code.replace(f"_{k}_", name)
    return code


def _name(operand: Operand | None) -> str:
    if operand is None or isinstance(operand, Const):
        return "an argument"
    return operand.root or "an argument"
