"""Chains of comparisons, `and`, `or` and conditional expressions.

A right-hand side that could fail is evaluated on a branch of its own, as in Python: `i < n and
x[i] > 0` reads `x[i]` only where it exists. What cannot fail is an operation without a branch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.control.branches import choose, truth
from adjointgen.frontend.control.none_flags import compared_with_none, given
from adjointgen.frontend.control.unbound_names import is_bound
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Closure,
    Seq,
    is_maybe,
)
from adjointgen.frontend.expressions.comparisons import all_of, comparison
from adjointgen.frontend.expressions.none_comparisons import with_none
from adjointgen.frontend.expressions.own_values import own_names
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.observed_outcomes import went
from adjointgen.frontend.state.storage_cells import read
from adjointgen.frontend.state.truth_values import origin
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import BOOL
from adjointgen.rules.framework.builder import const


def compare(ctx: Context, node: ast.Compare) -> Abstract:
    """`a < b < c` is `a < b and b < c`, with `b` evaluated once."""
    return _chain(ctx, node, ctx.perhaps(node.left), node.ops, node.comparators)


def _chain(
    ctx: Context,
    node: ast.Compare,
    left: Abstract,
    ops: Sequence[ast.cmpop],
    comparators: Sequence[ast.expr],
) -> Abstract:
    """What follows a comparison that fails is not evaluated."""
    names = own_names(ctx, comparators[0]) if isinstance(ops[0], ast.In | ast.NotIn) else None
    right = _searched(ctx, ops[0], comparators[0]) if names is None else names
    asked: Abstract | None = compared_with_none(ctx, ops[0], left, right)
    if asked is None:
        asked = with_none(ctx, ops[0], left, right, node)
    if asked is None:
        left, right = given(ctx, left), given(ctx, right)
    rest = comparators[1:]
    tested = bool(rest) or node in ctx.tests
    result = comparison(ctx, type(ops[0]), left, right, tested) if asked is None else asked
    known = truth(ctx, result)
    if not rest or known is False:
        return result
    if known is None and _at_once(ctx, rest):
        return _all_at_once(ctx, node, result, right, ops[1:], rest)

    def following() -> Abstract:
        return _chain(ctx, node, right, ops[1:], rest)

    if known is True:
        return following()
    return choose(ctx, read(ctx, result), following, lambda: const(False), node)


def _searched(ctx: Context, op: ast.cmpop, node: ast.expr) -> Abstract:
    """The right side of a comparison; an entry of a tuple that is searched may be None."""
    if not isinstance(op, ast.In | ast.NotIn) or not isinstance(node, ast.Tuple):
        return ctx.perhaps(node)
    if not all(isinstance(part, ast.Name | ast.Constant) for part in node.elts):
        return ctx.perhaps(node)
    items = tuple(map(ctx.perhaps, node.elts))
    return Seq(items) if any(map(is_maybe, items)) else ctx.perhaps(node)


def _all_at_once(
    ctx: Context,
    node: ast.Compare,
    result: Abstract,
    left: Abstract,
    ops: Sequence[ast.cmpop],
    rest: Sequence[ast.expr],
) -> Abstract:
    """A chain of what can be evaluated for nothing."""
    values = [left, *map(ctx.expression, rest)]
    pairs = zip(ops, values[:-1], values[1:], strict=True)
    tests = [result, *(comparison(ctx, type(op), a, b) for op, a, b in pairs)]
    whole = all_of(ctx, [partial(_given, test) for test in tests])
    if truth(ctx, tests[-1]) is not True or node in ctx.tests or isinstance(whole, Const):
        return whole
    # What ends in Python's own truth value is that, and not one of NumPy's.
    operand = read(ctx, whole)
    ours = origin(ctx, operand) == "python"
    return operand if ours else ctx.apply("and", operand, const(True))


def _given(test: Abstract) -> Abstract:
    return test


def logic(ctx: Context, node: ast.BoolOp) -> Abstract:
    """`and` and `or`: the right side is evaluated only where the left does not decide."""
    wanted = isinstance(node.op, ast.And)
    return _logic(ctx, node, node.values, wanted)


def _logic(ctx: Context, node: ast.AST, values: Sequence[ast.expr], wanted: bool) -> Abstract:
    first, *rest = values
    left = ctx.perhaps(first)
    if not rest:
        return left
    if is_maybe(left):
        what = "this is None on some paths, and one of two values then"
        help = "ask `is None`, in a branch"
        ctx.absent("AG411", what, help, node=first, kind=TypeMismatch)
    known = truth(ctx, left)
    if known is not None:
        return _logic(ctx, node, rest, wanted) if known == wanted else left
    test = read(ctx, left)
    if test.type == BOOL and _at_once(ctx, rest):
        right = _right(ctx, node, rest, wanted)
        if isinstance(right, Const) and isinstance(right.value, bool):
            if node not in ctx.tests and origin(ctx, test) != "python":
                # Python's own truth values are other objects than NumPy's.
                return ctx.apply("and" if wanted else "or", test, right)
            return left if right.value == wanted else right
        operand = read(ctx, right)
        if operand.type == BOOL:
            return ctx.apply("and" if wanted else "or", test, operand)
        return choose(ctx, test, *_ordered(wanted, lambda: right, lambda: left), node)

    def following() -> Abstract:
        return _right(ctx, node, rest, wanted)

    shortcut = (lambda: const(not wanted)) if test.type == BOOL else (lambda: left)
    return choose(ctx, test, *_ordered(wanted, following, shortcut), node)


def _right(ctx: Context, node: ast.AST, values: Sequence[ast.expr], wanted: bool) -> Abstract:
    """The right side; where only its truth is asked for, that of a class or function is known."""
    right = _logic(ctx, node, values, wanted)
    plain = isinstance(right, Class | Closure)
    known = truth(ctx, right) if plain and node in ctx.tests else None
    return right if known is None else const(known)


def _ordered(wanted: bool, rest: Any, shortcut: Any) -> tuple[Any, Any]:
    return (rest, shortcut) if wanted else (shortcut, rest)


def _at_once(ctx: Context, nodes: Sequence[ast.expr]) -> bool:
    """Whether expressions can be evaluated for nothing: all names have a value that is not None."""
    if ctx.outlines.untaken:
        return False
    names = (n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))
    known = (is_bound(ctx, name) and not is_maybe(ctx.get(name)) for name in names)
    return all(map(safe, nodes)) and all(known)


def safe(node: ast.expr) -> bool:
    """Whether an expression can be evaluated for nothing: it cannot fail and costs little."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Compare(left=left, comparators=rest):
            return all(safe(n) for n in (left, *rest))
        case ast.UnaryOp(operand=operand):
            return safe(operand)
        case ast.BoolOp(values=values):
            return all(safe(v) for v in values)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return safe(left) and safe(right)
    return False


def conditional(ctx: Context, node: ast.IfExp) -> Abstract:
    test = ctx.asked(node.test)
    known = truth(ctx, test)
    known = went(ctx, node.test, test) if known is None else known
    if known is not None:
        return ctx.perhaps(node.body if known else node.orelse)
    return choose(
        ctx,
        read(ctx, test),
        lambda: ctx.perhaps(node.body),
        lambda: ctx.perhaps(node.orelse),
        node,
    )


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Compare: compare,
    ast.BoolOp: logic,
    ast.IfExp: conditional,
}
