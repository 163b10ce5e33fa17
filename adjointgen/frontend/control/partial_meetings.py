"""Where two objects meet of which either has attributes that the other has not.

try: obj.a = f(x)           a flag that is `not failed` after the first branch,
except E: obj.a = g(x)      and true after the second, which is taken where `failed`
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Struct
from adjointgen.frontend.domain.partial_structures import flagged_name, set_everywhere
from adjointgen.frontend.state.context import NO, YES, Context
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import BOOL


def met_parts(
    ctx: Context,
    test: Operand,
    both: tuple[Struct, Struct],
    merge: Callable[[str, Abstract, Abstract], Abstract],
) -> Struct | None:
    """The object after the meeting; None where an attribute of it is nothing on a path."""
    first, second = both
    made, certain = [], []
    for key, a, b in zip(first.keys, first.items, second.items, strict=True):
        name = flagged_name(key)
        part = merge("", a, b) if not name else _flag(ctx, test, a, b, merge, f"{name}_set")
        if part == ABSENT:
            return None
        made.append(part)
        certain += [name] if name and part == YES else []
    whole = first.of(made)
    for name in certain:
        whole = set_everywhere(whole, name)
    return whole


def _flag(
    ctx: Context,
    test: Operand,
    a: Abstract,
    b: Abstract,
    merge: Callable[[str, Abstract, Abstract], Abstract],
    root: str,
) -> Abstract:
    """A flag after the meeting: the test, its opposite, or one of either."""
    a, b = _known(ctx, test, a, YES), _known(ctx, test, b, NO)
    if test.type == BOOL and (a, b) == (YES, NO):
        return test
    if test.type == BOOL and (a, b) == (NO, YES):
        opposite = ctx.apply("not", test)
        if isinstance(opposite, Value):
            ctx.negated[opposite.name] = test
        return opposite
    return merge(root, a, b)


def _known(ctx: Context, test: Operand, flag: Abstract, holds: Const) -> Abstract:
    """A flag on the path where the test is this."""
    if flag == test:
        return holds
    for one, other in ((flag, test), (test, flag)):
        if isinstance(one, Value) and ctx.negated.get(one.name) == other:
            return NO if holds == YES else YES
    return flag
