"""Expressions that fail for certain: the program ends there, as the function does.

    length / None       raise TypeError(...)

On another path the function may be fine, so this is no refusal.
"""

from __future__ import annotations

from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.ir.nodes import Const, Operand
from adjointgen.rules.framework.builder import const


def fails(ctx: Context, kind: str, message: str) -> Const:
    """Append the end of this path; what is left of its expression is given a number."""
    given = f'"{message}"' if message else ""
    statement(ctx, f"raise {kind}({given})", ())
    ctx.state.dead = True
    return const(0.0)


def fails_in(ctx: Context, code: str, *operands: Operand) -> Const:
    """The same for code that raises Python's own exception."""
    statement(ctx, code, operands)
    ctx.state.dead = True
    return const(0.0)
