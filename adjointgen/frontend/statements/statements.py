"""Statements that are no loops: assignments, `if`, `return`, and what is copied as it stands."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.frontend.assignment.attribute_writes import assign_attribute
from adjointgen.frontend.assignment.unpacking import unpack
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.control.branches import branch, test_of, truth
from adjointgen.frontend.control.try_flags import leaving, lower_flags
from adjointgen.frontend.control.unbound_names import unbind
from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Closure, Named, is_maybe
from adjointgen.frontend.expressions.arithmetic import closure
from adjointgen.frontend.expressions.instances import keep_attribute
from adjointgen.frontend.expressions.own_values import delete_attribute, own_place
from adjointgen.frontend.expressions.subscripts import assign_part
from adjointgen.frontend.functions.inlining import is_generator
from adjointgen.frontend.source.copied_code import bound_here
from adjointgen.frontend.source.generator_bodies import hands
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import JUMPED, NO, RESULT, RETURNED, STOPPED, YES, Context
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.observed_outcomes import went
from adjointgen.frontend.state.passthrough import Holes, statement
from adjointgen.frontend.state.scope_lookup import never_bound, read_later
from adjointgen.frontend.state.storage_cells import hold
from adjointgen.frontend.state.untaken_paths import ends_here, with_ends
from adjointgen.frontend.statements import long_chains, try_analysis
from adjointgen.frontend.statements.adjoint_hooks import with_hooks
from adjointgen.frontend.statements.copied_definitions import bound_statement
from adjointgen.frontend.statements.local_classes import local_class
from adjointgen.frontend.statements.path_splitting import as_branch, parted
from adjointgen.frontend.statements.standing_code import run_as_it_stands
from adjointgen.rules.framework.builder import const
from adjointgen.wrapping import decorator_of, is_harmless

COMPOUND = (ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef)


def statements(ctx: Context, stmts: Sequence[ast.stmt], live: Names, watched: bool = False) -> None:
    """A list of statements, after which `live` names may be read.

    The first may be `watched` already for what it raises. A long list of tests is lowered in parts.
    """
    parts = long_chains.parts(ctx.liveness, with_ends(ctx, stmts))
    after = [live]
    for part in parts[:0:-1]:
        after.append(ctx.liveness.before(part, after[-1]))
    for k, (part, end) in enumerate(zip(parts, reversed(after), strict=True)):
        _sequence(ctx, part, end, watched and k == 0)


def _sequence(ctx: Context, stmts: Sequence[ast.stmt], live: Names, watched: bool) -> None:
    """A list of statements. Where a path has left by a jump, the statements after it stand on the
    other paths only."""
    after = [names | ctx.frame.looping for names in ctx.liveness.after(stmts, live)]
    live |= ctx.frame.looping
    for k, stmt in enumerate(stmts):
        done = (watched and k == 0) or ctx.state.dead or ctx.flag(JUMPED) != NO
        ctx.live = after[k] | ctx.liveness.of(stmt).gen
        if not ctx.state.dead and ctx.flag(JUMPED) == NO and ends_here(ctx, stmt):
            return
        if not done and (instead := try_analysis.before(ctx, stmt)) is not None:
            return statements(ctx, [*instead, *stmts[k + 1 :]], live)
        jumped = ctx.flag(JUMPED)
        if ctx.state.dead or jumped == YES:
            return
        if jumped != NO:
            rest = stmts[k:]

            def go_on(rest: Sequence[ast.stmt] = rest, watched: bool = not done) -> None:
                ctx.set(JUMPED, NO)
                lower_flags(ctx)
                statements(ctx, rest, live, watched)

            branch(ctx, jumped, lambda: None, go_on, live, stmt)
            return
        ctx.live = after[k]
        with_hooks(ctx, stmt)
        if ctx.outlines.untaken.is_copied(ctx.frame.source.file, stmt):
            run_as_it_stands(ctx, stmt)
        elif isinstance(stmt, ast.If):
            if _if(ctx, stmt, stmts[k + 1 :], after[k], live):
                return
        elif (branches := _simple(ctx, stmt)) is not None:
            return statements(ctx, [branches, *stmts[k + 1 :]], live)


def _simple(ctx: Context, stmt: ast.stmt) -> ast.If | None:
    """A statement that is no `if`; or the one that stands for it, where its values cannot meet."""
    if not isinstance(stmt, COMPOUND):
        # What the statement reads may be read after what it writes.
        ctx.live |= ctx.liveness.of(stmt).gen
    branches = as_branch(stmt)
    with leaving(ctx):
        if branches is None:
            ctx.statement(stmt)
            return None
        return branches if parted(ctx, lambda: ctx.statement(stmt)) else None


def _if(ctx: Context, node: ast.If, rest: Sequence[ast.stmt], after: Names, live: Names) -> bool:
    """An `if`; true where an arm leaves, so that the other took the statements after it."""
    ctx.live = after | ctx.liveness.sequence([*node.body, *node.orelse]).gen
    ctx.node = node
    value = ctx.asked(node.test)
    known = truth(ctx, value)
    known = went(ctx, node.test, value) if known is None else known
    if known is not None:
        statements(ctx, node.body if known else node.orelse, after)
        return False
    then, orelse = list[ast.stmt](node.body), list[ast.stmt](node.orelse)
    leaves = [ctx.liveness.sequence(arm).kill is None for arm in (then, orelse)]
    taken = any(leaves) and bool(rest)
    if taken:
        (orelse if leaves[0] else then).extend(rest)
        if all(leaves):
            orelse = orelse[: len(node.orelse)]
    test = test_of(ctx, value)

    def both(then: list[ast.stmt], orelse: list[ast.stmt], end: Names) -> None:
        arms = (lambda: statements(ctx, then, end), lambda: statements(ctx, orelse, end))
        branch(ctx, test, *arms, end, node)

    if taken or not rest:
        both(then, orelse, live if taken else after)
        return taken
    if not parted(ctx, lambda: both(then, orelse, after)):
        return False
    both([*then, *rest], [*orelse, *rest], live)
    return True


def assign(ctx: Context, target: ast.expr, value: Abstract) -> None:
    """Bind or write `value` to a target."""
    if is_maybe(value) and not isinstance(target, ast.Name):
        value = ctx.actions.settled(ctx, value)
    match target:
        case ast.Name(id=name) if name in ctx.frame.shared:
            _assign_global(ctx, name, value, target)
        case ast.Name(id=name):
            ctx.set(name, hold(ctx, value, name))
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            unpack(ctx, targets, value, target)
        case ast.Subscript() if (own := own_place(ctx, target)) is not None:
            keep_attribute(ctx, *own, value, target)
        case ast.Subscript(value=base, slice=key):
            held = ctx.expression(base)
            assign_part(ctx, held, ctx.expression(key), value, target)
        case ast.Attribute():
            assign_attribute(ctx, target, value)
        case ast.Starred(value=inner):
            assign(ctx, inner, value)


def _assign_global(ctx: Context, name: str, value: Abstract, node: ast.expr) -> None:
    """The module's variable is set, as in Python, for whoever reads it there."""
    place = ctx.frame.source.resolver.variable(name)
    if place is None:
        ctx.refuse(
            "AG105",
            f"{name} would be changed outside the function",
            "return the new value instead",
            node=node,
        )
    holes = Holes(ctx)
    ctx.imports[place.line] = None
    module = place.line.removeprefix("import ")
    code = f"{module}.{name} = {holes.fill(value)}"
    statement(ctx, code, holes.operands, outside=(place.text,), sets=True)


def assignment(ctx: Context, node: ast.Assign) -> None:
    names = [t.id for t in node.targets if isinstance(t, ast.Name)]
    if any(name in ctx.frame.tapes for name in names):
        return
    match node.targets, node.value:
        case [ast.Tuple(elts=targets)], ast.Tuple(elts=values) if len(targets) == len(
            values
        ) and not any(isinstance(e, ast.Starred) for e in (*targets, *values)):
            items = [
                hold(ctx, ctx.perhaps(v), t.id if isinstance(t, ast.Name) else "")
                for t, v in zip(targets, values, strict=True)
            ]
            for target, item in zip(targets, items, strict=True):
                assign(ctx, target, item)
        case _:
            value = ctx.perhaps(node.value)
            if len(node.targets) > 1:
                value = hold(ctx, value, names[0] if names else "")
            for target in node.targets:
                assign(ctx, target, value)


def annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is None or (
        isinstance(node.target, ast.Name) and node.target.id in ctx.frame.tapes
    ):
        return
    assign(ctx, node.target, ctx.perhaps(node.value))


def return_(ctx: Context, node: ast.Return) -> None:
    root = "result" if ctx.frame.parent is None else ""
    if node.value is None:
        value: Abstract = const(None)
    else:
        value = hold(ctx, ctx.perhaps(node.value), root)
    ctx.set(RESULT, value)
    for flag in (JUMPED, STOPPED, RETURNED):
        ctx.set(flag, YES)


def expression(ctx: Context, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Call):
        ctx.actions.call_statement(ctx, node.value)
    elif not isinstance(node.value, ast.Constant):
        ctx.expression(node.value)


def copied(ctx: Context, node: ast.stmt) -> None:
    """A statement that is copied as it stands."""
    if hands(node):
        what = "a `yield` stands in a statement that is copied"
        ctx.refuse("AG101", what, "return a list instead", node=node)
    defines = any(isinstance(n, ast.FunctionDef | ast.ClassDef) for n in ast.walk(node))
    # Names that stand for something before: another name may stand for it afterwards.
    again = bound_here(node)
    if (ctx.outlines.primal and defines) or any(ctx.get(name) != ABSENT for name in again):
        bound_statement(ctx, node)
        return
    holes = Holes(ctx, leaves=isinstance(node, ast.Raise))
    code = template(ctx, node, holes)
    ctx.node = node
    if defines and holes.operands:
        ctx.refuse("AG101", "a definition in a block that is copied", "define it above", node=node)
    statement(ctx, code, holes.operands)


def function(ctx: Context, node: ast.FunctionDef) -> None:
    """A nested function: what its decorators make of it."""
    if ctx.outlines.primal and is_generator(node):
        bound_statement(ctx, node, pure=not node.decorator_list)
        return
    made: Abstract = closure(ctx, node)
    for decorator in reversed(node.decorator_list):
        if is_harmless(_spelling(ctx.expression(decorator_of(decorator)))):
            continue
        maker = ctx.expression(decorator)
        call = ast.copy_location(ast.Call(decorator, [], []), decorator)
        made = ctx.actions.applied(ctx, maker, [made], {}, call)
    ctx.set(node.name, made)


def _spelling(function: Abstract) -> str:
    """The qualified name of a function, where it is known."""
    if isinstance(function, Closure):
        live = function.source.resolver.identity
        return f"{getattr(live, '__module__', '')}.{function.source.name}"
    return function.spelling if isinstance(function, Named) else ""


def delete(ctx: Context, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            base, key = ctx.expression(target.value), ctx.expression(target.slice)
            ctx.actions.remove_entry(ctx, base, key, node)
            continue
        if isinstance(target, ast.Attribute) and delete_attribute(ctx, target):
            continue
        if not isinstance(target, ast.Name):
            ctx.refuse("AG107", "an attribute is deleted", "leave it", node=node)
        if never_bound(ctx, target):
            what = f"cannot access local variable '{target.id}' where it is not associated with"
            fails(ctx, "UnboundLocalError", f"{what} a value")
            return
        unbind(ctx, target.id)


def other(ctx: Context, node: ast.stmt) -> None:
    """A statement of another kind: copied where it hands nothing on, else refused."""
    facts = ctx.liveness.of(node)
    name = type(node).__name__.lower()
    if ctx.outlines.primal:
        bound_statement(ctx, node, pure=isinstance(node, ast.ClassDef))
        return
    if facts.hands_on(read_later(ctx)):
        ctx.refuse(
            "AG101",
            f"`{name}` around values that are used later",
            "move it into a function of its own, or out of the differentiated function",
            node=node,
        )
    copied(ctx, node)


def class_(ctx: Context, node: ast.ClassDef) -> None:
    """A class that is defined here: known to the lowering, else copied."""
    made = None if ctx.outlines.primal else or_none(ctx, lambda: local_class(ctx, node))
    if made is None:
        other(ctx, node)
    else:
        ctx.set(node.name, made)


def nothing(ctx: Context, node: ast.Pass | ast.Global | ast.Nonlocal) -> None:
    """`pass`; a declaration is read where the function is entered."""


COPIED = (ast.TryStar, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)

HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    **dict.fromkeys(COPIED, other),
    ast.Assign: assignment,
    ast.AnnAssign: annotated,
    ast.Return: return_,
    ast.Expr: expression,
    ast.FunctionDef: function,
    ast.ClassDef: class_,
    ast.Delete: delete,
    ast.Pass: nothing,
    ast.Global: nothing,
    ast.Nonlocal: nothing,
}
