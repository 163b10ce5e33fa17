"""A read of a local name that the path taken may not have bound.

    return y        if not y_bound: raise UnboundLocalError(...)
                    return y

Names that definite assignment (`definite_assignment.py`) is not sure of have a flag, which is set
where they are bound and meets at joins as any name does.
"""

from __future__ import annotations

import ast
import sys

from adjointgen.frontend.control.branches import branch
from adjointgen.frontend.state.bound_flags import BOUND
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import NO, YES, Context, Frame
from adjointgen.frontend.state.program_state import Key
from adjointgen.ir.nodes import Const, Value


def is_bound(ctx: Context, name: str) -> bool:
    """Whether every path that leads here has bound a name."""
    return ctx.state.names.get(flag_of(ctx, name), YES) == YES


def unbind(ctx: Context, name: str) -> None:
    """`del name`."""
    ctx.state.names.pop(ctx.key(name), None)
    if (flag := flag_of(ctx, name)) in ctx.state.names:
        ctx.state.names[flag] = NO


def check_bound(ctx: Context, node: ast.Name) -> None:
    """End the path on which a name is read that nothing has bound."""
    key = flag_of(ctx, node.id)
    flag = ctx.state.names.get(key, YES)
    if flag == YES or ctx.state.dead:
        return
    if isinstance(flag, Const):
        _unbound(ctx, node)
        return
    assert isinstance(flag, Value)
    branch(ctx, flag, lambda: _known(ctx, key), lambda: _unbound(ctx, node), ctx.live, node)
    ctx.node = node


def flag_of(ctx: Context, name: str) -> Key:
    """The flag of a name, in the frame of the function that it belongs to."""
    return (_home(ctx, name), f"{BOUND}{name}")


def _home(ctx: Context, name: str) -> int:
    """The frame that a name belongs to: that of this function, or of one that it is written in."""
    frame: Frame | None = ctx.frame
    while frame is not None:
        if name in frame.locals:
            return frame.number
        frame = ctx.frames.get(frame.outer)
    return ctx.frame.number


def _known(ctx: Context, key: Key) -> None:
    ctx.state.names[key] = YES


def _unbound(ctx: Context, node: ast.Name) -> None:
    end = f"'{node.id}' where it is not associated with a value"
    if _home(ctx, node.id) != ctx.frame.number or _is_in_scope_of_its_own(ctx, node):
        fails(ctx, "NameError", f"cannot access free variable {end} in enclosing scope")
    else:
        fails(ctx, "UnboundLocalError", f"cannot access local variable {end}")


def _is_in_scope_of_its_own(ctx: Context, node: ast.Name) -> bool:
    """Whether a name is read in a comprehension: what it first runs over is outside of it."""
    inside = (n for n in ast.walk(ctx.frame.source.node) if isinstance(n, _SCOPES))
    return any(_holds(n, node) and not _holds(n.generators[0].iter, node) for n in inside)


def _holds(outer: ast.expr, node: ast.expr) -> bool:
    """Whether one expression stands within another, in the text."""
    start = outer.lineno, outer.col_offset
    end = outer.end_lineno or 0, outer.end_col_offset or 0
    return start <= (node.lineno, node.col_offset) < end


_SCOPES = (
    (ast.GeneratorExp,)
    if sys.version_info >= (3, 12)
    else (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
)
"""Expressions with a scope of their own; comprehensions have none since Python 3.12."""
