"""Sets whose entries are known: texts and integers that are constants.

    todo = set(names);  todo.remove("a");  todo |= {"c"};  len(todo)

Python has the entries in an order of its own (`set_order.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Final

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.set_order import SETS, set_of
from adjointgen.frontend.state.storage_cells import content, read, write
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

Items = tuple[Abstract, ...]


def _without(x: Items, y: Items) -> Items:
    return tuple(one for one in x if one not in y)


def _within(x: Items, y: Items) -> Items:
    return tuple(one for one in x if one in y)


def _with(x: Items, y: Items) -> Items:
    return (*x, *_without(y, x))


def _on_one_side(x: Items, y: Items) -> Items:
    return (*_without(x, y), *_without(y, x))


_MAKES: Final[dict[str, Callable[[Items, Items], Items]]] = {
    "union": _with,
    "intersection": _within,
    "difference": _without,
    "symmetric_difference": _on_one_side,
}
_CHANGES: Final[dict[str, Callable[[Items, Items], Items]]] = {
    "update": _with,
    "intersection_update": _within,
    "difference_update": _without,
    "symmetric_difference_update": _on_one_side,
}
_ASKS: Final[dict[str, Callable[[Items, Items], bool]]] = {
    "issubset": lambda x, y: not _without(x, y),
    "issuperset": lambda x, y: not _without(y, x),
    "isdisjoint": lambda x, y: not _within(x, y),
}


def set_method(call: Call, name: str) -> Abstract | None:
    """What a method of a set gives; None where it is not known."""
    ctx, (owner, *args) = call.ctx, call.args
    known = content(ctx, owner)
    if not isinstance(known, Seq) or call.keywords or not _are_keys(known.items):
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
    if not _are_keys([entry]):
        return None
    if name == "remove" and entry not in known.items:
        return fails_in(ctx, "set().remove(_0_)", read(ctx, entry), raises="KeyError")
    changed = _with if name == "add" else _without
    return _put(ctx, owner, changed(known.items, (entry,)))


def _put(ctx: Context, owner: Abstract, items: Items) -> Abstract | None:
    if not isinstance(owner, Ref):
        return None
    write(ctx, owner, set_of(items))
    return const(None)


def _keys(ctx: Context, value: Abstract) -> Items | None:
    """The entries of what is run over, each once; None where they are not known constants."""
    found = entries(ctx, value)
    return None if found is None or not _are_keys(found) else tuple(dict.fromkeys(found))


def _are_keys(items: Iterable[Abstract]) -> bool:
    """Whether entries are texts or integers, of which Python's equality is known: no truth value is
    among them, which would be equal to a number."""
    return all(isinstance(one, Const) and type(one.value) in (str, int) for one in items)


SYMBOLS: Final[dict[type[ast.operator], Callable[[Items, Items], Items]]] = {
    ast.BitOr: _with,
    ast.BitAnd: _within,
    ast.Sub: _without,
    ast.BitXor: _on_one_side,
}


def set_updated(ctx: Context, old: Ref, op: type[ast.operator], value: Abstract) -> bool:
    """`s |= t` and the like, in the storage of the set; whether that is one."""
    known, other = content(ctx, old), content(ctx, value)
    if not isinstance(known, Seq) or known.kind != "set":
        return False
    sets = op in SYMBOLS and isinstance(other, Seq) and other.kind in SETS
    if not sets or not _are_keys((*known.items, *other.items)):  # type: ignore[union-attr]
        ctx.refuse("AG102", "this changes a set", "write it with operators, under a new name")
    assert isinstance(other, Seq)
    write(ctx, old, set_of(SYMBOLS[op](known.items, other.items)))
    return True
