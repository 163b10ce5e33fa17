"""Code that runs as it stands, in programs that are refused otherwise.

    while len(dates) < n:           the list has to do with nothing that is differentiated
        dates.append(dates[-1] + STEP)

Where it has, what goes in is active, and the derivative is refused. The code may write into lists
and dicts of the function, which are objects from then on, and calls in it may do what calls of
unknown functions do; attributes and arrays it may not set.
"""

from __future__ import annotations

import ast
from itertools import product
from typing import NoReturn

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.calls.opaque_calls import unknown, writes_somewhere
from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Seq, Struct
from adjointgen.frontend.source.contained_functions import ASKING
from adjointgen.frontend.source.copied_code import bound_here
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_checks import check_copied, refuse_overlaps
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.lent_storage import lend, reach
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.storage_cells import content
from adjointgen.frontend.state.unchanged_values import check_unchanged
from adjointgen.frontend.statements.copied_definitions import bound_statement
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.opaque_writes import IN_PLACE


def run_as_it_stands(ctx: Context, stmt: ast.stmt) -> None:
    """A statement that is copied; the names that it binds stand for objects.

    Raises Unsupported (AG101) where it sets an attribute, or an entry of what is no list or dict of
    the function.
    """
    check_copied(ctx, stmt)
    _check_calls(ctx, stmt)
    for part in ast.walk(stmt):
        if isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load):
            _check_write(ctx, stmt, part)
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            _check_update(ctx, stmt, part.target)
    ctx.outlines.facts.stir()

    def options(ctx: Context, holes: Holes) -> dict[str, object]:
        _check_operands(ctx, stmt, holes)
        return _changes(ctx, stmt, holes)

    bound_statement(ctx, stmt, keeps=options)


def as_it_stands(ctx: Context, node: ast.AST) -> Abstract:
    """The value of an expression that is copied."""
    _check_calls(ctx, node)
    ctx.outlines.facts.stir()
    if isinstance(node, ast.Call):
        with ctx.block(ctx.state.fork()):
            args, keywords = arguments(ctx, node)
            check_unchanged(ctx, node, (*args, *keywords.values()))
        return unknown(ctx, node)
    holes = Holes(ctx, writes=writes_somewhere(ctx, node))
    code = template(ctx, node, holes)
    ctx.node = node
    _check_operands(ctx, node, holes)
    options = holes.keeping() | _changes(ctx, node, holes)
    return verbatim(ctx, code, holes.operands, refs=holes.refs, **options)


def _check_operands(ctx: Context, node: ast.AST, holes: Holes) -> None:
    """Refuse code that may ask for the class of what is not the user's own object here."""
    check_unchanged(ctx, node, holes.operands)
    if any(isinstance(part, ast.Is | ast.IsNot) for part in ast.walk(node)):
        ctx.refuse("AG102", "`is` in code that runs as it stands", "compare with `==`", node=node)


def _check_calls(ctx: Context, node: ast.AST) -> None:
    """Refuse calls that write into arrays, or look at the running program."""
    for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
        match call.func:
            case ast.Name(id=name) if name in ASKING:
                _refuse_call(ctx, call)
            case ast.Attribute(attr=name) if name in IN_PLACE or name.startswith("__"):
                _refuse_call(ctx, call)


def _refuse_call(ctx: Context, call: ast.Call) -> NoReturn:
    what = f"{ctx.text(call.func)} is called in code that runs as it stands"
    ctx.refuse("AG101", what, "move it into a function of its own", node=call)


def _check_update(ctx: Context, stmt: ast.stmt, target: ast.Name) -> None:
    """Refuse `a += b` of what may be an object that others see."""
    known = content(ctx, ctx.get(target.id))
    if not (isinstance(known, Const) or (isinstance(known, Value) and known.type.is_scalar)):
        what = f"{target.id} is changed in code that runs as it stands"
        ctx.refuse("AG101", what, f"write `{target.id} = {target.id} + ...`", node=target)


def _check_write(ctx: Context, stmt: ast.stmt, part: ast.Attribute | ast.Subscript) -> None:
    """Refuse to set what may be seen under another name than those that the statement has."""
    base = part.value
    if isinstance(part, ast.Subscript) and isinstance(base, ast.Name):
        known = content(ctx, lookup(ctx, base.id))
        local = base.id in bound_here(stmt) and ctx.get(base.id) == ABSENT
        if (
            (local and _is_made_here(stmt, base.id))
            or isinstance(known, Seq)
            or (isinstance(known, Struct) and known.kind == "dict")
        ):
            return
    what = f"{ctx.text(part)} is set in code that runs as it stands"
    ctx.refuse("AG101", what, "move it into a function of its own", node=part)


def _is_made_here(stmt: ast.stmt, name: str) -> bool:
    """Whether all that a name stands for are lists and dicts that the statement makes.

    What it takes out of an object may be a view of an array.
    """
    made: list[ast.expr | None] = []
    for part in ast.walk(stmt):
        targets = part.targets if isinstance(part, ast.Assign) else []
        if isinstance(part, ast.AnnAssign):
            targets = [part.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id == name:
                assert isinstance(part, ast.Assign | ast.AnnAssign)
                made.append(part.value)
    stores = (n for n in ast.walk(stmt) if isinstance(n, ast.Name) and n.id == name)
    number = sum(isinstance(n.ctx, ast.Store) for n in stores)
    return number == len(made) and all(isinstance(value, _DISPLAYS) for value in made)


_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def _changes(ctx: Context, node: ast.AST, holes: Holes) -> dict[str, object]:
    """What the code may do to what it is given: all that calls of unknown functions may."""
    if not writes_somewhere(ctx, node):
        return {}
    refuse_overlaps(ctx, product(filter(None, holes.refs), filter(None, holes.inside)))
    options = reach(ctx, holes)
    lend(ctx, (*holes.refs, *holes.inside))
    changes = tuple(k for k, o in enumerate(holes.operands) if o.type.kind == "object")
    return options | ({"changes": changes} if changes else {})
