"""`-a`, `+a`, `~a` and `not a`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.expressions import array_instances
from adjointgen.frontend.expressions.arithmetic import numbers_of
from adjointgen.frontend.expressions.sequence_arithmetic import fails_in_python, is_sequence
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import as_held
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

UNARY: dict[type[ast.unaryop], tuple[str, str, Callable[[Any], Any]]] = {
    ast.USub: ("neg", "-", operator.neg),
    ast.UAdd: ("pos", "+", operator.pos),
    ast.Invert: ("invert", "~", operator.invert),
}


def unary(ctx: Context, node: ast.UnaryOp) -> Abstract:
    inverted = isinstance(node.op, ast.Not)
    value = ctx.asked(node.operand) if inverted else ctx.expression(node.operand)
    if inverted:
        known = truth(ctx, value)
        return const(not known) if known is not None else ctx.apply("not", read(ctx, value))
    op, _, function = UNARY[type(node.op)]
    method = special(ctx, value, f"__{op}__")
    if method is not None:
        return inline(ctx, method, [value], {}, node)
    ctx.node = node
    again = lambda plain, _: _negated(ctx, node, plain[0])  # noqa: E731
    made = array_instances.computed(ctx, function, (value,), again)
    return made or _negated(ctx, node, as_held(ctx, value))


def _negated(ctx: Context, node: ast.UnaryOp, value: Abstract) -> Abstract:
    """`-value`, `+value` or `~value` of what has no such method of its own."""
    op, symbol, function = UNARY[type(node.op)]
    if is_sequence(ctx, value):
        return fails_in_python(ctx, symbol, value)
    numbers = int if op == "invert" else int | float | complex
    if isinstance(value, Const) and isinstance(value.value, numbers):
        return const(function(value.value))
    (operand,) = numbers_of(ctx, value)
    if operand.type.kind == "object":
        return verbatim(ctx, f"{symbol}_0_", (operand,))
    return ctx.apply(op, operand)


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.UnaryOp: unary}
