"""`hasattr(obj, "name")` of a property: whether its getter ends in AttributeError.

Python calls the getter, once, and so does the program; whether it may end in such an exception is
found by lowering it once more.
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.domain.exception_classes import failures
from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import Block


def may_lack(ctx: Context, owner: Abstract, name: str) -> bool:
    """Whether reading an attribute may end in AttributeError; it is lowered, and thrown away."""
    live = ctx.live
    with ctx.block(ctx.state.fork()) as stmts:
        ctx.actions.attribute(ctx, owner, name, name)
        ends = ctx.state.dead
    ctx.live = live
    found = failures(Block((), tuple(stmts), ()), ctx.strict > 0)
    return ends or any(
        issubclass(kind, AttributeError) or issubclass(AttributeError, kind) for kind in found
    )
