"""The types of arrays of the module, from the expressions that make them.

A module that is only read says `TABLE = np.array([0.5, 1.0])`; lowering the expression, and
throwing the result away, gives dtype and rank. The lengths are left open: they belong to the time
of the run.
"""

from __future__ import annotations

import ast

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.cells import read
from adjointgen.frontend.context import CALLER, Context, State
from adjointgen.frontend.inline import new_frame
from adjointgen.frontend.source import Source
from adjointgen.ir.types import OBJECT, Type


def evaluated(ctx: Context, node: ast.expr) -> Type:
    """The type of a module's expression, or that of an object."""
    memo = ("outside", node)
    if memo not in ctx.memo:
        ctx.memo[memo] = OBJECT
        ctx.memo[memo] = _type(ctx, node)
    found: Type = ctx.memo[memo]
    return found


def _type(ctx: Context, node: ast.expr) -> Type:
    source = ctx.frame.source
    thunk = ast.copy_location(ast.Lambda(ast.arguments([], [], None, [], [], None, []), node), node)
    inner = Source(source.file, source.text, "", node.lineno, thunk, source.resolver)
    frame, live, at, imports = ctx.frame, ctx.live, ctx.node, dict(ctx.imports)
    ctx.frame = new_frame(ctx, inner, frame, CALLER, node)
    try:
        with ctx.block(State()):
            found = read(ctx, ctx.expression(node)).type
    except AdjointgenError:
        return OBJECT
    finally:
        ctx.frame, ctx.live, ctx.node, ctx.imports = frame, live, at, imports
    if found.kind != "array" or found.shape is None:
        return OBJECT
    return Type(found.dtype, (None,) * len(found.shape), "array")
