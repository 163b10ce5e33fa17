"""Sets whose entries are known: texts and integers that are constants.

    todo = set(names);  todo.remove("a");  todo |= {"c"};  len(todo)

Python has the entries in an order of its own (`set_order.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq, Struct
from adjointgen.frontend.expressions.arithmetic import BINARY
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.set_order import (
    KEYS,
    OPERATORS,
    SETS,
    Items,
    after,
    are_keys,
    within,
    without,
)
from adjointgen.frontend.state.storage_cells import content, read, write
from adjointgen.rules.framework.builder import const

_MAKES: Final = ("union", "intersection", "difference", "symmetric_difference", "copy")
_CHANGES: Final = (
    *("update", "intersection_update", "difference_update", "symmetric_difference_update"),
    "clear",
)
_ASKS: Final[dict[str, Callable[[Items, Items], bool]]] = {
    "issubset": lambda x, y: not without(x, y),
    "issuperset": lambda x, y: not without(y, x),
    "isdisjoint": lambda x, y: not within(x, y),
}


def set_method(call: Call, name: str) -> Abstract | None:
    """What a method of a set gives; None where it is not known."""
    ctx, (owner, *args) = call.ctx, call.args
    known = content(ctx, owner)
    if not isinstance(known, Seq) or call.keywords or not are_keys(known.items):
        return None
    if known.kind == "frozenset" and not hasattr(frozenset, name):
        return None
    if name == "pop" and not args:
        return _popped(ctx, owner, known)
    if name in ("add", "discard", "remove"):
        return _changed_by_one(ctx, owner, known, name, *args) if len(args) == 1 else None
    others = [keys for arg in args if (keys := _keys(ctx, arg)) is not None]
    if len(others) < len(args):
        return None
    if name in _ASKS and len(args) == 1:
        return const(_ASKS[name](known.items, others[0].items))
    if name == "copy" and known.kind == "frozenset":
        return known
    if name in _MAKES:
        return after(known, name, *others)
    return _put(ctx, owner, known, name, *others) if name in _CHANGES else None


def _changed_by_one(
    ctx: Context, owner: Abstract, known: Seq, name: str, entry: Abstract
) -> Abstract | None:
    if not are_keys([entry]):
        return None
    if name == "remove" and entry not in known.items:
        return fails_in(ctx, "set().remove(_0_)", read(ctx, entry), raises="KeyError")
    return _put(ctx, owner, known, name, entry)


def _popped(ctx: Context, owner: Abstract, known: Seq) -> Abstract | None:
    if not known.items or not isinstance(owner, Ref):
        return None
    left = after(known, "pop")
    (popped,) = without(known.items, left.items)
    write(ctx, owner, left)
    return popped


def _put(ctx: Context, owner: Abstract, known: Seq, name: str, *args: Abstract) -> Abstract | None:
    if not isinstance(owner, Ref):
        return None
    write(ctx, owner, after(known, name, *args))
    return const(None)


def _keys(ctx: Context, value: Abstract) -> Seq | None:
    """What is run over, as a set, a tuple or the keys of a dict; None where these are not known
    constants."""
    found, known = entries(ctx, value), content(ctx, value)
    if found is None or not are_keys(found):
        return None
    if isinstance(known, Seq) and known.kind in SETS:
        return known
    return Seq(tuple(found), KEYS if isinstance(known, Struct) else "tuple")


def set_updated(ctx: Context, old: Ref, op: type[ast.operator], value: Abstract) -> bool:
    """`s |= t` and the like, in the storage of the set; whether that is one."""
    known, other = content(ctx, old), content(ctx, value)
    if not isinstance(known, Seq) or known.kind != "set":
        return False
    name = OPERATORS.get(BINARY[op][1])
    sets = name is not None and isinstance(other, Seq) and other.kind in SETS
    if not sets or not are_keys((*known.items, *other.items)):  # type: ignore[union-attr]
        ctx.refuse("AG102", "this changes a set", "write it with operators, under a new name")
    assert isinstance(other, Seq)
    write(ctx, old, after(known, f"__i{name}__", other))
    return True
