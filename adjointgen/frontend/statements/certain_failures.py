"""What a statement inside a `try` fails with for certain: the exception's name, if it is known.

len(3.0)          TypeError
(1.0, 2.0)[2]     IndexError
x.shape           AttributeError, of a number of Python
"""

from __future__ import annotations

import ast

from adjointgen.frontend.calls.call_arguments import is_lazy
from adjointgen.frontend.calls.wrong_arguments import NUMBERS
from adjointgen.frontend.domain.abstract_values import ABSENT, Closure, Ref, Seq, Struct
from adjointgen.frontend.functions.inlining import fits
from adjointgen.frontend.library.type_tests import class_of, has_attribute
from adjointgen.frontend.state.call_mover import LAZY
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import entries, entries_of_table, holds
from adjointgen.frontend.state.scope_lookup import lookup, mangled, never_bound, undefined
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.frontend.statements.none_arithmetic import fails_of_none
from adjointgen.frontend.statements.tried_statements import value_of
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const


def certain_failure(ctx: Context, stmt: ast.stmt) -> str:
    """The name of the exception that a statement ends in, if that is known."""
    part = value_of(stmt)
    stack: list[ast.AST] = [] if part is None else [part]
    if found := _fails_to_set(ctx, stmt):
        return found
    if isinstance(stmt, ast.Delete):
        names = (t for t in stmt.targets if isinstance(t, ast.Name))
        return "UnboundLocalError" if any(never_bound(ctx, name) for name in names) else ""
    if isinstance(stmt, ast.For) and _is_number(ctx, stmt.iter):
        return "TypeError"
    if part is not None and fails_of_none(ctx, part):
        return "TypeError"
    while stack:
        node = stack.pop()
        if isinstance(node, LAZY):
            continue
        if found := _fails_here(ctx, node):
            return found
        stack += reversed([*ast.iter_child_nodes(node)])
    return ""


def _fails_to_set(ctx: Context, stmt: ast.stmt) -> str:
    """What has no entries or attributes to be set."""
    targets = stmt.targets if isinstance(stmt, ast.Assign) else []
    targets = [stmt.target] if isinstance(stmt, ast.AugAssign) else targets
    for target in targets:
        match target:
            case ast.Subscript(value=ast.Name() as of) if _is_number(ctx, of):
                return "TypeError"
            case ast.Attribute(value=ast.Name(id=name) as of) if ctx.key(name) in ctx.state.names:
                known = class_of(ctx, ctx.expression(of))
                return "AttributeError" if known is not None else ""
    return ""


def _fails_here(ctx: Context, node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as of]) if is_lazy(
            ctx, ctx.expression(of)
        ):
            return "TypeError"
        case ast.Call(func=ast.Name(id="len" | "iter"), args=[ast.Name() as of]):
            return "TypeError" if _is_number(ctx, of) or _has_no_axes(ctx, of) else ""
        case ast.Call() if _is_unsuited(ctx, node):
            return "TypeError"
        case ast.Subscript(value=ast.Name() as of, slice=key):
            return "TypeError" if _is_number(ctx, of) else _not_there(ctx, of, key)
        case ast.Attribute(value=ast.Name(id=name) as of, attr=attribute) if ctx.key(name) in (
            ctx.state.names
        ):
            missing = has_attribute(ctx, ctx.expression(of), mangled(ctx, attribute)) is False
            return "AttributeError" if missing else ""
        case ast.Name(id=name, ctx=ast.Load()) if lookup(ctx, name) == ABSENT:
            return "NameError" if undefined(ctx, name) else ""
    return ""


def _is_unsuited(ctx: Context, node: ast.Call) -> bool:
    """Whether a function with source does not take such arguments, which are evaluated first."""
    parts = [*node.args, *(keyword.value for keyword in node.keywords)]
    named = [keyword.arg for keyword in node.keywords]
    plain = all(isinstance(part, ast.Name | ast.Constant) for part in parts)
    if not isinstance(node.func, ast.Name) or None in named or not plain:
        return False
    function = ctx.expression(node.func)
    if not isinstance(function, Closure) or function.named is None:
        return False
    keywords = {name: const(None) for name in named if name is not None}
    return not fits(function.source, [const(None)] * len(node.args), keywords)


def _is_number(ctx: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and class_of(ctx, ctx.expression(node)) in NUMBERS


def _has_no_axes(ctx: Context, node: ast.expr) -> bool:
    value = ctx.expression(node)
    return isinstance(value, Ref | Value) and read(ctx, value).type.shape == ()


def _not_there(ctx: Context, node: ast.Name, key: ast.expr) -> str:
    """An index that a tuple or list of known length does not have."""
    if not isinstance(key, ast.Constant | ast.UnaryOp | ast.Name):
        return ""
    known, index = content(ctx, ctx.expression(node)), ctx.expression(key)
    if isinstance(known, Struct) and known.kind == "dict" and isinstance(index, Const):
        return "" if index.value in known.keys else "KeyError"
    if holds(ctx, known, index) is False:
        return "KeyError"
    if not (isinstance(index, Const) and isinstance(index.value, int)):
        return ""
    of_module = None if isinstance(known, Seq) else entries(ctx, known)
    of_module = entries_of_table(ctx, known) if of_module is None else of_module
    if not isinstance(known, Seq) and of_module is None:
        return ""
    number = len(known.items if isinstance(known, Seq) else of_module or ())
    return "" if -number <= index.value < number else "IndexError"
