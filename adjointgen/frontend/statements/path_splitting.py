"""Paths that cannot meet: what follows a branch is lowered once for each of its arms.

    if c: a = None                    if c:                       else:
    else: a = 2.0 * x       as            a = None                    a = 2.0 * x
    y = x if a is None else a             y = x                       y = a

Where the names of two paths have no common kind, a number and `None`, lists of two lengths, the
arms are lowered again, each with the statements that follow the branch in its list. If these end
without a common kind, too, so does the branch around. The state is then what it was before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.frontend.control.backtrack import tried
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.statements.tried_statements import with_value

MOST = 24
"""How often paths are kept apart in a program: each time, what follows is written twice."""


def parted(ctx: Context, action: Callable[[], None]) -> bool:
    """Do something; whether it ended where paths do not meet, and all is as it was."""
    if ctx.parted.count >= MOST:
        action()
        return False
    made = tried(ctx, action, Kind.PARTED)
    if made is None:
        return False
    ctx.parted.count += 1
    return True


def as_branch(stmt: ast.stmt) -> ast.If | None:
    """A statement whose value is one of two, as a branch with a statement in each arm."""
    match stmt:
        case ast.Assign(value=ast.IfExp() as value) | ast.Return(value=ast.IfExp() as value):
            arms = (value.body, value.orelse)
        case ast.AnnAssign(value=ast.IfExp() as value):
            arms = (value.body, value.orelse)
        case _:
            return None
    then, orelse = ([with_value(stmt, arm)] for arm in arms)
    return ast.copy_location(ast.If(value.test, then, orelse), stmt)
