"""What a function asks of itself as it runs: the names that are bound in it, and its own name.

    locals(), vars()                                  a dict of the names that are bound there
    inspect.stack()[0][3], inspect.stack()[0].function
    inspect.currentframe().f_code.co_name             the name of the function

Both are known from the text, if every statement before is certain to run: that names are bound on
some paths is not kept for names that nothing reads.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Class, Named, Struct
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import hold
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Pass, ast.Assert)
_SCOPES = (
    *(ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.NamedExpr),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def bound_names(ctx: Context, node: ast.Call) -> Abstract:
    """`locals()`, in the order in which Python has the names; `vars(C)` of a class."""
    if len(node.args) == 1 and not node.keywords:
        (owner,) = node.args
        if isinstance(ctx.expression(owner), Class | Named):
            values = ast.Attribute(owner, "__dict__", ast.Load())
            return ctx.expression(ast.copy_location(values, node))
    if node.args or node.keywords:
        _refuse(ctx, node)
    code = getattr(ctx.frame.source.resolver.identity, "__code__", None)
    function = ctx.frame.source.node
    if not isinstance(function, ast.FunctionDef) or getattr(code, "co_name", "") != function.name:
        _refuse(ctx, node)
    before = _statements_to(function, node)
    closes = getattr(code, "co_cellvars", ()) or getattr(code, "co_freevars", ())
    if closes or before is None or not all(isinstance(stmt, _SIMPLE) for stmt in before):
        _refuse(ctx, node)
    others = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _is_same(n, node)]
    if len(others) > 1 or any(isinstance(n, _SCOPES) for stmt in before for n in ast.walk(stmt)):
        _refuse(ctx, node)
    names: tuple[str, ...] = getattr(code, "co_varnames", ())
    found = {name: ctx.get(name) for name in names if ctx.get(name) is not ABSENT}
    if ctx.frame.unsure & found.keys():
        _refuse(ctx, node)
    items = tuple(hold(ctx, value, "") for value in found.values())
    return Struct("dict", tuple(found), items)


def own_name(ctx: Context, node: ast.expr) -> Const | None:
    """The name of the function that runs, where an expression asks for that."""
    call = _asking(node)
    function = ctx.frame.source.node
    if call is None or not isinstance(function, ast.FunctionDef):
        return None
    scopes = (n for n in ast.walk(function) if isinstance(n, _SCOPES) and n is not function)
    inside = (n for scope in scopes for n in ast.walk(scope) if isinstance(n, ast.Call))
    if any(_place(n) == _place(call) for n in inside):
        return None
    asked = ctx.expression(call.func)
    spellings = _STACKS if isinstance(node, ast.Subscript) or node.attr == "function" else _FRAMES  # type: ignore[attr-defined]
    is_asked = isinstance(asked, Named) and asked.spelling in spellings
    return const(function.name) if is_asked else None


_STACKS = ("inspect.stack",)
_FRAMES = ("inspect.currentframe", "sys._getframe")


def _asking(node: ast.expr) -> ast.Call | None:
    """The call that gives the frames, of an expression that takes the name out of them."""
    match node:
        case (
            ast.Subscript(
                value=ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=0)),
                slice=ast.Constant(value=3),
            )
            | ast.Attribute(
                value=ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=0)),
                attr="function",
            )
            | ast.Attribute(
                value=ast.Attribute(value=ast.Call() as call, attr="f_code"), attr="co_name"
            )
        ):
            return None if call.args or call.keywords else call
    return None


def _statements_to(function: ast.FunctionDef, node: ast.Call) -> list[ast.stmt] | None:
    """The statements of the body up to the one that has a call; None where it stands deeper."""
    for k, stmt in enumerate(function.body):
        if any(_place(n) == _place(node) for n in ast.walk(stmt) if isinstance(n, ast.Call)):
            return function.body[: k + 1]
    return None


def _is_same(call: ast.Call, node: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id in ("locals", "vars")
    return _place(call) == _place(node) or (named and not call.args)


def _place(call: ast.Call) -> tuple[int, int, int | None, int | None]:
    """Where a call stands: calls that are moved to a statement of their own keep that."""
    return call.lineno, call.col_offset, call.end_lineno, call.end_col_offset


def _refuse(ctx: Context, node: ast.Call) -> NoReturn:
    ctx.refuse("AG101", "this runs or reads what is not in the text", "write it out", node=node)
