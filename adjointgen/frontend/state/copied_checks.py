"""What is refused in code that is copied as it stands, and what it is noted to write.

a = "spam"; b = a[:2] + a[2:]; operator.is_(a, b)        equal texts, and two objects
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from adjointgen.frontend.domain.abstract_values import Ref
from adjointgen.frontend.domain.module_tables import Living
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.introspection import check
from adjointgen.frontend.state.may_alias import is_text
from adjointgen.frontend.state.overlaps import overlapping
from adjointgen.frontend.state.scope_lookup import mangled, read_later
from adjointgen.ir.nodes import Const, Operand, Value


def check_copied(ctx: Context, node: ast.AST) -> None:
    """Refuse code that cannot be copied, and note what it writes."""
    check(ctx, node)
    _check_walruses(ctx, node)
    _check_private(ctx, node)
    ctx.outlines.facts.write_in(node)


_GIVEN = r"(_\d+_|None|True|False|[\d.e+-]+)"
_READS = re.compile(
    r"(if _\d+_:\n    )?_0_(\.(?!__)\w+|\[('\w*'|-?\d+|_1_)\])?"
    rf"( = ({_GIVEN}|[\[(]({_GIVEN},? ?)*[\])]))?"
    r"|_0_ is( not)? (None|_1_)|\w+"
)
"""Code that reads or sets an attribute or entry, to a list or tuple also, or asks which object
one is, and does nothing else."""


def check_objects(ctx: Context, code: str, operands: Iterable[Operand]) -> None:
    """Refuse code that gets at an object of the user's while attributes of such are variables."""
    if not ctx.outlines.facts.promoted or _READS.fullmatch(code):
        return
    if any(_may_lead(ctx, operand) for operand in operands):
        what = "code that is copied as it stands may read an attribute that the function sets"
        ctx.refuse("AG102", what, "hand it the attribute")


def _may_lead(ctx: Context, operand: Operand) -> bool:
    """Whether an operand may be, or hold, an object of the user's."""
    if not isinstance(operand, Value) or operand.type.kind != "object":
        return False
    if _is_made_text(ctx, operand):
        return False
    table = ctx.tables.get(operand.name)
    return table is None or isinstance(table, Living)


def _is_made_text(ctx: Context, operand: Operand) -> bool:
    """Whether an operand is an f-string, or a sum of texts."""
    if isinstance(operand, Const):
        return isinstance(operand.value, str)
    made = maker(ctx, operand)
    if made is None or made.op != "verbatim":
        return False
    joined = made.option("code") in ("_0_ + _1_", "operator.iadd(_0_, _1_)")
    return is_text(made) or (joined and all(_is_made_text(ctx, arg) for arg in made.args))


def hands_out(code: str) -> bool:
    """Whether code only hands out what an object holds: an attribute or entry of an operand."""
    return _HANDS_OUT.fullmatch(code) is not None


_HANDS_OUT = re.compile(r"_0_(\.\w+|\[[^\[\]]*\])")


def shown_code(ctx: Context, code: str) -> str:
    """An expression as the user wrote it, for a message."""
    node = ctx.node.target if isinstance(ctx.node, ast.AugAssign) else ctx.node
    return ctx.text(node) if isinstance(node, ast.expr) else code


def check_identity(ctx: Context, one: Operand, other: Operand) -> None:
    """Refuse equal texts that are two objects in the user's program: they are written as one."""
    match one, other:
        case Const(value=str() as a), Const(value=str() as b) if a is not b:
            what = "two equal texts that may be two objects are handed to code that is copied"
            ctx.refuse("AG102", what, "compare them with `==` here")


def refuse_overlaps(ctx: Context, pairs: Iterable[tuple[Ref, Ref]]) -> None:
    """Refuse code that may write to an array in two ways: programs give it copies."""
    if overlapping(pairs):
        what = "code that may write to it is given this array twice, as a whole or in views"
        ctx.refuse("AG112", what, "take a .copy() of one, or give it a rule with @custom")


def _check_private(ctx: Context, node: ast.AST) -> None:
    """A private name that is set means another outside of its class."""
    for part in ast.walk(node):
        stored = isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)
        if isinstance(part, ast.Attribute) and stored and mangled(ctx, part.attr) != part.attr:
            what = f"the private name {part.attr} is set in code that is copied as it stands"
            ctx.refuse("AG101", what, "set it before", node=part)


def _check_walruses(ctx: Context, node: ast.AST) -> None:
    """Names that copied code binds are bound there alone."""
    walruses = [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
    later = read_later(ctx) if walruses else ()
    for part in walruses:
        if part.target.id in later:
            what = f"{part.target.id} is bound in code that is copied as it stands"
            ctx.refuse("AG101", what, "bind it before", node=part)
