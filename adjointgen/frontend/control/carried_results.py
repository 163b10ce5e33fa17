"""What an iteration returns: no other iteration reads it, since the loop ends with it."""

from __future__ import annotations

from adjointgen.frontend.control.carried_forms import Form, Items, Same
from adjointgen.frontend.control.carried_shape import form_of
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq, Struct
from adjointgen.frontend.state.context import RESULT, Context
from adjointgen.frontend.state.program_state import Key, State
from adjointgen.records import replace


def entered(head: State, result: Key) -> State:
    """The state in which the body begins: nothing has been returned, or it would not run."""
    state = head.fork()
    state.names.pop(result, None)
    return state


def form_of_result(ctx: Context, entry: State, end: State, value: Abstract) -> Form:
    """The form of what an iteration returns, which no head reads.

    What was there at the `entry` of the loop is the same after it.
    """

    def form(value: Abstract, group: str) -> Form:
        given = isinstance(value, Ref) and value.cell in entry.cells
        return Same(value) if given else form_of(ctx, end, value, group)

    found = form(value, RESULT)
    if isinstance(found, Items) and isinstance(value, Seq | Struct):
        parts = (form(item, f"{RESULT}.{k}") for k, item in enumerate(value.items))
        return replace(found, forms=tuple(parts))
    return found
