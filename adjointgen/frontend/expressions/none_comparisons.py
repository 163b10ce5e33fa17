"""`==`, `!=` and `in` of what may be None, which is equal to None alone.

k != n              k is None or k != n
n in (k, 1)         (k is not None and k == n) or n == 1
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from adjointgen.frontend.control.branches import choose
from adjointgen.frontend.control.none_flags import asked
from adjointgen.frontend.domain.abstract_values import Abstract, Seq, is_maybe
from adjointgen.frontend.expressions.comparisons import any_of, comparison
from adjointgen.frontend.expressions.membership import negated
from adjointgen.frontend.state.context import NO, YES, Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.rules.framework.builder import const


def with_none(
    ctx: Context, op: ast.cmpop, left: Abstract, right: Abstract, node: ast.AST
) -> Abstract | None:
    """The comparison, where a side or an entry may be None; None for any other."""
    match op, content(ctx, right):
        case ast.Eq() | ast.NotEq(), _ if is_maybe(left) or is_maybe(right):
            equal = _equal(ctx, left, right, node)
        case ast.In() | ast.NotIn(), Seq(items=items) if any(map(is_maybe, (left, *items))):
            equal = _among(ctx, left, items, node)
        case _:
            return None
    if equal is None or isinstance(op, ast.Eq | ast.In):
        return equal
    return negated(ctx, equal)


def _equal(ctx: Context, left: Abstract, right: Abstract, node: ast.AST) -> Abstract | None:
    """Whether two values are equal; None where one is neither None nor a number or text."""
    one, other = _parted(ctx, left), _parted(ctx, right)
    if one is None or other is None:
        return None

    def unequal() -> Abstract:
        return const(False)

    def values() -> Abstract:
        return comparison(ctx, ast.Eq, one[1], other[1])

    def with_value() -> Abstract:
        return choose(ctx, other[0], values, unequal, node)

    def with_nothing() -> Abstract:
        return choose(ctx, other[0], unequal, lambda: const(True), node)

    return choose(ctx, one[0], with_value, with_nothing, node)


def _parted(ctx: Context, value: Abstract) -> tuple[Operand, Abstract] | None:
    """Whether there is a number or text, and which; None for what may be anything else."""
    if value == const(None):
        return NO, value
    there, inner = (asked(ctx, value), value.items[1]) if is_maybe(value) else (YES, value)
    plain = isinstance(inner, Value | Const) and inner.type.is_scalar
    text = isinstance(inner, Const) and isinstance(inner.value, str)
    return (there, inner) if plain or text else None


def _among(
    ctx: Context, left: Abstract, items: Sequence[Abstract], node: ast.AST
) -> Abstract | None:
    if any(_parted(ctx, value) is None for value in (left, *items)):
        return None

    def equals(item: Abstract) -> Abstract:
        made = _equal(ctx, left, item, node)
        assert made is not None
        return made

    return any_of(ctx, [partial(equals, item) for item in items])
