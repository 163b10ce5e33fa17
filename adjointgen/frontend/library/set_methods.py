"""Sets whose entries are known: texts and integers that are constants.

    todo = set(names);  todo.remove("a");  todo |= {"c"};  len(todo)

Python has the entries in an order of its own (`set_order.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.expressions.arithmetic import BINARY
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.set_order import (
    OPERATIONS,
    SETS,
    Items,
    are_keys,
    set_of,
    within,
    without,
)
from adjointgen.frontend.state.storage_cells import content, read, write
from adjointgen.rules.framework.builder import const

_MAKES: Final = {
    "union": OPERATIONS["|"],
    "intersection": OPERATIONS["&"],
    "difference": OPERATIONS["-"],
    "symmetric_difference": OPERATIONS["^"],
}
_CHANGES: Final = {
    "update": OPERATIONS["|"],
    "intersection_update": OPERATIONS["&"],
    "difference_update": OPERATIONS["-"],
    "symmetric_difference_update": OPERATIONS["^"],
}
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
    if name in ("add", "discard", "remove") and len(args) == 1:
        return _changed_by_one(ctx, owner, known, name, args[0])
    if name == "clear" and not args:
        return _put(ctx, owner, ())
    if name == "copy" and not args:
        return set_of(known.items, known.kind)
    others = [_keys(ctx, arg) for arg in args]
    if name in _ASKS and len(args) == 1:
        return None if others[0] is None else const(_ASKS[name](known.items, others[0]))
    combined = _MAKES.get(name) or _CHANGES.get(name)
    if combined is None:
        return None
    items = known.items
    for other in others:
        if other is None:
            return None
        items = combined(items, other)
    return _put(ctx, owner, items) if name in _CHANGES else set_of(items, known.kind)


def _changed_by_one(
    ctx: Context, owner: Abstract, known: Seq, name: str, entry: Abstract
) -> Abstract | None:
    if not are_keys([entry]):
        return None
    if name == "remove" and entry not in known.items:
        return fails_in(ctx, "set().remove(_0_)", read(ctx, entry), raises="KeyError")
    changed = OPERATIONS["|" if name == "add" else "-"]
    return _put(ctx, owner, changed(known.items, (entry,)))


def _put(ctx: Context, owner: Abstract, items: Items) -> Abstract | None:
    if not isinstance(owner, Ref):
        return None
    write(ctx, owner, set_of(items))
    return const(None)


def _keys(ctx: Context, value: Abstract) -> Items | None:
    """The entries of what is run over, each once; None where they are not known constants."""
    found = entries(ctx, value)
    return None if found is None or not are_keys(found) else tuple(dict.fromkeys(found))


def set_updated(ctx: Context, old: Ref, op: type[ast.operator], value: Abstract) -> bool:
    """`s |= t` and the like, in the storage of the set; whether that is one."""
    known, other = content(ctx, old), content(ctx, value)
    if not isinstance(known, Seq) or known.kind != "set":
        return False
    combined = OPERATIONS.get(BINARY[op][1])
    sets = combined is not None and isinstance(other, Seq) and other.kind in SETS
    if not sets or not are_keys((*known.items, *other.items)):  # type: ignore[union-attr]
        ctx.refuse("AG102", "this changes a set", "write it with operators, under a new name")
    assert combined is not None and isinstance(other, Seq)
    write(ctx, old, set_of(combined(known.items, other.items)))
    return True
