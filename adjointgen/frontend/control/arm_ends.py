"""What a name stands for at the ends of the two arms of a branch, before they meet."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, as_maybe, is_maybe
from adjointgen.frontend.state.context import FLAGS, NO, RESULT, YES, Context
from adjointgen.frontend.state.program_state import Key, State
from adjointgen.ir.nodes import Operand, Value
from adjointgen.rules.framework.builder import const


def arriving(
    ctx: Context, key: Key, states: tuple[State, State], test: Operand
) -> tuple[Abstract, Abstract]:
    """What a name stands for at the end of both arms.

    An arm that ends in a `raise` hands nothing on: what the other has left alone is still there.
    """
    missing: Abstract = NO if key[1] in FLAGS and key[1] != RESULT else ABSENT
    before = ctx.state.names.get(key)
    a, b = (ABSENT if s.dead else s.names.get(key, missing) for s in states)
    if states[0].dead != states[1].dead and before is not None and before in (a, b):
        return before, before
    if is_maybe(before):
        a = _unknown_again(ctx, before, a, test, True)
        b = _unknown_again(ctx, before, b, test, False)
    return a, b


def _unknown_again(
    ctx: Context, before: Abstract | None, value: Abstract, test: Operand, holds: bool
) -> Abstract:
    """What a name was before the test told which it is, if it still is that."""
    if not is_maybe(before):
        return value
    there = ctx.negated.get(test.name) if isinstance(test, Value) else None
    absent = before.items[0] == (test if there is None else there) and holds == (there is not None)
    same = value == before.items[1] or (absent and value == const(None))
    return before if same else value


def flagged(a: Abstract, b: Abstract) -> tuple[Abstract, Abstract]:
    """Both with a flag, where one may be None and the other is a value."""
    first, second = as_maybe(a), as_maybe(b)
    if first is None or second is None or YES == first.items[0] == second.items[0]:
        return a, b
    return first, second
