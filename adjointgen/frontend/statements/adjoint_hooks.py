"""Statements for the reverse sweep, which a directive places above a statement.

    # adjointgen: adjoint_of(y) as y_bar: y_bar = np.clip(y_bar, -1.0, 1.0)

From there on `y` is another version of itself, made by an operation whose adjoint is the statement
(`rules/entrywise/adjoint_statements.py`).
"""

from __future__ import annotations

import ast
from typing import Final

from adjointgen.errors import SourceError
from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Outside, Ref
from adjointgen.frontend.source.directives import Hook, hooks_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import OBJECT

_HELP: Final = "name a variable that holds a number or an array"


def with_hooks(ctx: Context, stmt: ast.stmt) -> None:
    """What stands in the reverse sweep for the directives above a statement."""
    for hook in hooks_of(ctx.frame.source, stmt):
        before, ctx.node = ctx.node, stmt
        _hook(ctx, hook)
        ctx.node = before


def _hook(ctx: Context, hook: Hook) -> None:
    found = lookup(ctx, hook.name)
    cell = found.cell if isinstance(found, Ref) and not found.steps else None
    held = found if cell is None else ctx.state.cells[cell]
    if not isinstance(held, Value) or not held.type.is_differentiable or held.type.kind == "list":
        what = f"{hook.name} is no number or array that has an adjoint here"
        ctx.refuse("AG012", what, _HELP, kind=SourceError)
    holes = Holes(ctx)
    bar = ctx.value("", held.type)
    with ctx.bound_inside([hook.bar]):
        ctx.set(hook.bar, bar)
        holes.fill(bar)
        code, gives = _code(ctx, hook, holes)
    options = {"hook": code, "bar": hook.bar, "gives": gives}
    made = ctx.named(ctx.apply("adjoint_of", held, *holes.operands[1:], **options), hook.name)
    if cell is None:
        ctx.set(hook.name, made)
    else:
        ctx.state.cells[cell] = made


def _code(ctx: Context, hook: Hook, holes: Holes) -> tuple[str, bool]:
    """The code of a statement; whether it is an expression for the new adjoint."""
    (node,) = ast.parse(hook.statement).body
    line = ctx.frame.source.text.splitlines()[hook.line - 1]
    _move(node, hook.line - 1, len(line[: line.rindex(hook.statement)].encode()))
    known = _functions(ctx, node)
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == hook.bar:
            return template(ctx, value, holes, known), True
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name == hook.bar:
            sign = ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[2:-2]
            return f"_0_ {sign} ({template(ctx, value, holes, known)})", True
        case _:
            return template(ctx, node, holes, known), False


def _functions(ctx: Context, node: ast.AST) -> dict[ast.expr, Abstract]:
    """The functions of the module that a statement names: they are called as they stand there."""
    found: dict[ast.expr, Abstract] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            value = lookup(ctx, part.id)
            if isinstance(value, Closure) and value.frame == -1:
                line = ctx.frame.source.resolver.function_line(part.id)
                found[part] = Outside(part.id, OBJECT, line)
    return found


def _move(node: ast.stmt, lines: int, columns: int) -> None:
    """Give a statement the place that it has in the comment."""
    for part in ast.walk(node):
        if isinstance(part, ast.expr | ast.stmt | ast.keyword):
            part.lineno += lines
            part.col_offset += columns
            part.end_lineno = part.lineno
            part.end_col_offset = (part.end_col_offset or 0) + columns
