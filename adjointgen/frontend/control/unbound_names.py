"""A read of a local name that the path taken may not have bound.

    return y        if not y_bound: raise UnboundLocalError(...)
                    return y

Names that definite assignment (`definite_assignment.py`) is not sure of have a flag, which is set
where they are bound and meets at joins as any name does.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.control.branches import branch
from adjointgen.frontend.state.bound_flags import BOUND
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import YES, Context
from adjointgen.frontend.state.program_state import Key
from adjointgen.ir.nodes import Const, Value


def is_bound(ctx: Context, name: str) -> bool:
    """Whether every path that leads here has bound a name."""
    return ctx.state.names.get(_flag(ctx, name), YES) == YES


def check_bound(ctx: Context, node: ast.Name) -> None:
    """End the path on which a name is read that nothing has bound."""
    name, key = node.id, _flag(ctx, node.id)
    flag = ctx.state.names.get(key, YES)
    if flag == YES or ctx.state.dead:
        return
    if isinstance(flag, Const):
        _unbound(ctx, name)
        return
    assert isinstance(flag, Value)
    branch(ctx, flag, lambda: _known(ctx, key), lambda: _unbound(ctx, name), ctx.live, node)
    ctx.node = node


def _flag(ctx: Context, name: str) -> Key:
    return (ctx.key(name)[0], f"{BOUND}{name}")


def _known(ctx: Context, key: Key) -> None:
    ctx.state.names[key] = YES


def _unbound(ctx: Context, name: str) -> None:
    message = f"cannot access local variable '{name}' where it is not associated with a value"
    fails(ctx, "UnboundLocalError", message)
