"""Lists that a loop fills by one `append` in every iteration.

    y = []                          y = [0.0] * n
    for x in xs: ...; y.append(v)   for k, x in enumerate(xs): ...; y[k] = v

The length is that of the loop, so the list is a value of fixed shape, like an array.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.frontend.cells import content, write
from adjointgen.frontend.context import Context
from adjointgen.frontend.liveness import Facts
from adjointgen.frontend.values import Ref, Seq
from adjointgen.frontend.verbatim import verbatim
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import Type


def growing(ctx: Context, node: ast.For, facts: Facts) -> list[Ref]:
    """The empty lists that the body appends to once, whatever it does."""
    found: list[Ref] = []
    for stmt in node.body:
        match stmt:
            case ast.Expr(ast.Call(func=ast.Attribute(ast.Name(id=name), "append"), args=[_])):
                ref = ctx.get(name)
                uses = [n for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name)]
                once = sum(n.id == name for n in uses) == 1
                if isinstance(ref, Ref) and content(ctx, ref) == Seq((), "list") and once:
                    found.append(ref)
    return [] if facts.jumps else found


def prepare(
    ctx: Context, lists: list[Ref], number: Operand, body: Callable[[], object], node: ast.AST
) -> list[int]:
    """Give the lists their final length: their cells, but for those that hold other things.

    What they hold is found by lowering the body once.
    """
    ctx.growing |= dict.fromkeys(ref.cell for ref in lists)
    with ctx.block(ctx.state.fork()):
        body()
    ready: list[int] = []
    for ref in lists:
        del ctx.growing[ref.cell]
        element = ctx.grown.pop(ref.cell, None)
        if element is not None and element.is_scalar:
            write(ctx, ref, filled(ctx, element, number))
            ready.append(ref.cell)
    ctx.node = node
    return ready


def filled(ctx: Context, element: Type, number: Operand) -> Value:
    """A list of zeros, to be written over."""
    zero = {"int64": "0", "bool": "False", "complex128": "0j"}.get(element.dtype, "0.0")
    listed = Type(element.dtype, (number.type.value,), "list")
    return verbatim(ctx, f"[{zero}] * _0_", (number,), listed, pure=True)
