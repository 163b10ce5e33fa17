"""Lists whose entries are known: their methods, and what is ordered or chosen by a key.

max(items, key=f)       a branch for every entry, unless the keys are known
sorted(items, key=f)    insertion: entries are exchanged by branches
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.row_calls import apply_row
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.control.branches import choose, truth
from adjointgen.frontend.control.growing_lists import (
    emptied,
    extended,
    grown,
    pull,
    push,
    put,
    reordered,
)
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Method,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.expressions.subscripts import assign_part
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.functions.numpy_definitions import defined, holds_floats, rank_of
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.library import dicts
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, hold, read, write
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def append(call: Call) -> Abstract | None:
    ctx, owner = call.ctx, call.args[0]
    if isinstance(owner, Ref) and owner.cell in ctx.growing and len(call.args) == 2:
        index = ctx.growing[owner.cell]
        if index is None:
            ctx.grown[owner.cell] = read(ctx, call.args[1]).type
        else:
            assign_part(ctx, owner, index, call.args[1], call.node)
        return const(None)
    if len(call.args) != 2:
        return None
    if grown(ctx, owner) is not None:
        return push(ctx, owner, [call.args[1]], call.node)
    return _changed(call, lambda items, value: (*items, value))


def extend(call: Call) -> Abstract | None:
    ctx, owner = call.ctx, call.args[0]
    if len(call.args) != 2:
        return None
    more = entries(ctx, call.args[1])
    if isinstance(owner, Ref) and grown(ctx, owner) is not None:
        return extended(ctx, owner, call.args[1] if more is None else Seq(more, "list"))
    return None if more is None else _changed(call, lambda items, _: (*items, *more))


def reverse(call: Call) -> Abstract | None:
    owner = call.args[0]
    if isinstance(owner, Ref) and grown(call.ctx, owner) is not None:
        return reordered(call.ctx, owner, sort=False, back=True)
    return _changed(call, lambda items, _: items[::-1])


def pop_entry(call: Call) -> Abstract | None:
    """`d.pop(key)`."""
    return dicts.pop(call)


def pop(call: Call) -> Abstract | None:
    owner = call.args[0]
    if isinstance(content(call.ctx, owner), Struct):
        return pop_entry(call)
    known = listed(call.ctx, owner)
    position = index_in(call.args[1]) if len(call.args) > 1 else -1
    if position is None:
        return None
    if isinstance(owner, Ref) and known == owner and grown(call.ctx, owner) is not None:
        return pull(call.ctx, owner, position)
    if not (isinstance(known, Seq) and known.items):
        return None
    items = list(known.items)
    if not -len(items) <= position < len(items):
        return None
    value = items.pop(position)
    _changed(call, lambda *_: tuple(items))
    return value


def index_in(value: Abstract) -> int | None:
    """The number that an index is known to be."""
    known = value.value if isinstance(value, Const) else None
    return known if isinstance(known, int) else None


def insert(call: Call) -> Abstract | None:
    ctx, owner = call.ctx, call.args[0]
    position = index_in(call.args[1]) if len(call.args) == 3 else None
    if position is None:
        return None
    if isinstance(owner, Ref) and grown(ctx, owner) is not None:
        return put(ctx, owner, position, call.args[2])
    value = hold(ctx, call.args[2], "")

    def change(items: tuple[Abstract, ...], _: Abstract) -> tuple[Abstract, ...]:
        return (*items[:position], value, *items[position:])

    return _changed(call, change)


def clear(call: Call) -> Abstract | None:
    owner = call.args[0]
    if isinstance(content(call.ctx, owner), Struct):
        return None
    if isinstance(owner, Ref) and grown(call.ctx, owner) is not None:
        return emptied(call.ctx, owner)
    return _changed(call, lambda items, _: ())


Change = Callable[[tuple[Abstract, ...], Abstract], tuple[Abstract, ...]]


def _changed(call: Call, change: Change) -> Abstract | None:
    ctx, owner = call.ctx, call.args[0]
    known = listed(ctx, owner)
    if not (isinstance(owner, Ref) and isinstance(known, Seq)):
        return None
    value = hold(ctx, call.args[1], "") if len(call.args) > 1 else const(None)
    write(ctx, owner, Seq(change(known.items, value), "list"))
    return const(None)


def listed(ctx: Context, value: Abstract) -> Abstract:
    """A list whose length is known, entry by entry; any other value as it is."""
    known = content(ctx, value)
    if not isinstance(known, Ref) or known.steps or read(ctx, known).type.kind != "list":
        return known
    items = entries(ctx, known)
    return known if items is None else Seq(items, "list")


def remove_entry(ctx: Context, base: Abstract, key: Abstract, node: ast.AST) -> None:
    """`del base[key]` of a list or dict whose entries are known, or of an object by its class."""
    if (method := special(ctx, base, "__delitem__")) is not None:
        inline(ctx, method, [base, key], {}, node)
        return
    known = content(ctx, base)
    if isinstance(base, Ref) and isinstance(known, Struct) and known.kind == "dict":
        gone = key.value if isinstance(key, Const) else None
        left = [row for row in zip(known.keys, known.items, strict=True) if row[0] != gone]
        if len(left) == len(known.keys) - 1:
            names, items = zip(*left, strict=True) if left else ((), ())
            write(ctx, base, Struct("dict", tuple(names), tuple(items), known.place))
            return
    known = listed(ctx, base)
    position = index_in(key)
    if isinstance(base, Ref) and isinstance(known, Seq) and position is not None:
        entries = list(known.items)
        if -len(entries) <= position < len(entries):
            del entries[position]
            write(ctx, base, Seq(tuple(entries), "list"))
            return
    ctx.refuse("AG107", "an entry is deleted", "build the list without it", node=node)


# What is ordered by a key


def keyed(call: Call, key: Abstract, item: Abstract) -> Abstract:
    """`key(item)`."""
    ctx = call.ctx
    special: Special | None
    match key:
        case Closure():
            return inline(ctx, key, [item], {}, call.node)
        case Bound(function=function, owner=owner):
            return inline(ctx, function, [owner, item], {}, call.node)
        case Method(owner=owner, name=name) if isinstance(content(ctx, owner), Seq | Struct):
            special = ctx.actions.special(f".{name}")
            found = (
                None if special is None else special(Call(ctx, call.node, key, [owner, item], {}))
            )
            if found is not None:
                return found
        case Named(spelling=spelling) if (row := TABLE.find(spelling)) is not None:
            one = Call(ctx, call.node, key, [item], {})
            special = ctx.actions.special(spelling)
            found = special(one) if special is not None else None
            return found if found is not None else apply_row(one, row, spelling)
    return ctx.refuse("AG102", "what this is ordered by is not known", "call it in a loop")


def best(call: Call, op: str) -> Abstract | None:
    """`max(items, key=f)`: the first of those with the greatest key; without one, the greatest."""
    ctx, key = call.ctx, call.keywords.get("key")
    found = entries(ctx, call.args[0]) if len(call.args) == 1 else tuple(call.args)
    if set(call.keywords) - {"key"} or (key is None and not found):
        return None
    if not found:
        row = _best_row(call, op, key) if key is not None and found is None else None
        if row is None and found is None and key is not None:
            _require_known(call, key)
        return row
    chosen, most = found[0], _key_of(call, key, found[0])
    better = ast.Gt if op == "max" else ast.Lt
    for item in found[1:]:
        value = _key_of(call, key, item)
        test = ctx.actions.comparison(ctx, better, value, most)
        pair = _either(ctx, test, Seq((item, value)), Seq((chosen, most)), call.node)
        assert isinstance(pair, Seq)
        chosen, most = pair.items
    return chosen


def _require_known(call: Call, key: Abstract) -> None:
    """Refuse to order by keys of ours what is not known entry by entry."""
    known = content(call.ctx, call.args[0])
    objects = isinstance(known, Value | Ref) and read(call.ctx, known).type.kind == "object"
    if isinstance(key, Closure) and not objects and not isinstance(known, Outside):
        what = "entries are ordered by a key, and how many they are is not known"
        call.ctx.unlike("AG106", what, "use np.argsort of the keys")


def _key_of(call: Call, key: Abstract | None, item: Abstract) -> Abstract:
    return item if key is None or key == const(None) else keyed(call, key, item)


def _best_row(call: Call, op: str, key: Abstract) -> Abstract | None:
    """The row of an array with the greatest or least key: what is written to it is written there.

    Where its key cannot be lowered, the call is copied.
    """
    ctx, written = call.ctx, defined(f"adjointgen.{op}_by")
    assert written is not None
    rows = call.args[0]
    if (
        not (rank_of(ctx, rows) and holds_floats(ctx, [rows]))
        or read(ctx, rows).type.kind != "array"
    ):
        return None
    return or_none(ctx, lambda: inline(ctx, written, [rows, key], {}, call.node))


def _either(ctx: Context, test: Abstract, a: Abstract, b: Abstract, node: ast.AST) -> Abstract:
    known = truth(ctx, test)
    if known is not None:
        return a if known else b
    return choose(ctx, read(ctx, test), lambda: a, lambda: b, node)


def sorted_(call: Call) -> Abstract | None:
    """`sorted(items)`: numbers by `sort`, other entries one by one."""
    found = entries(call.ctx, call.args[0])
    if found is None and (key := call.keywords.get("key")) is not None:
        _require_known(call, key)
    items = None if found is None else _ordered(call, found)
    return None if items is None else Seq(items, "list")


def sort(call: Call) -> Abstract | None:
    """`values.sort()` of a list whose entries are known."""
    ctx, owner = call.ctx, call.args[0]
    known, back = content(ctx, owner), call.keywords.get("reverse", const(False))
    plain = not set(call.keywords) - {"reverse"} and isinstance(back, Const)
    if isinstance(owner, Ref) and plain and grown(ctx, owner) is not None:
        return reordered(ctx, owner, sort=True, back=back != const(False))
    items = _ordered(call, known.items) if isinstance(known, Seq) else None
    return None if items is None else _changed(call, lambda *_: items)


def _ordered(call: Call, items: tuple[Abstract, ...]) -> tuple[Abstract, ...] | None:
    ctx, key, back = call.ctx, call.keywords.get("key"), call.keywords.get("reverse", const(False))
    if set(call.keywords) - {"key", "reverse"} or not isinstance(back, Const):
        return None
    by = None if key is None or key == const(None) else key
    keys = [*items] if by is None else [keyed(call, by, i) for i in items]
    known = [k.value for k in keys if isinstance(k, Const)]
    if len(known) == len(keys):
        return _by_known(ctx, items, known, bool(back.value))
    if by is not None or not all(isinstance(k, Const | Value) and k.type.is_scalar for k in keys):
        return _inserted(ctx, items, keys, bool(back.value), call.node)
    whole = ctx.apply("sort", read(ctx, Seq(items, "list")))
    positions = range(len(items))[:: -1 if back.value else 1]
    return tuple(ctx.apply("load", whole, index=str(k)) for k in positions)


def _by_known(
    ctx: Context, items: tuple[Abstract, ...], keys: list[Any], back: bool
) -> tuple[Abstract, ...]:
    """The items in the order of keys that are known; some cannot be compared, which Python says."""
    try:
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=back)
    except TypeError as error:
        fails(ctx, "TypeError", str(error))
        return items
    return tuple(items[k] for k in order)


def _inserted(
    ctx: Context,
    items: tuple[Abstract, ...],
    keys: list[Abstract],
    back: bool,
    node: ast.AST,
) -> tuple[Abstract, ...]:
    """Sorting by insertion: what varies with the order is chosen entry by entry."""
    rows: list[Seq] = []
    for item, key in zip(items, keys, strict=True):
        rows.append(Seq((item, key)))
        for k in range(len(rows) - 2, -1, -1):
            below, moving = rows[k], rows[k + 1]
            low, high = (below, moving) if back else (moving, below)
            test = ctx.actions.comparison(ctx, ast.Lt, low.items[1], high.items[1])
            pair = _either(ctx, test, Seq((moving, below)), Seq((below, moving)), node)
            assert isinstance(pair, Seq)
            first, second = pair.items
            assert isinstance(first, Seq) and isinstance(second, Seq)
            rows[k], rows[k + 1] = first, second
    return tuple(row.items[0] for row in rows)


SPECIAL: dict[str, Special] = {
    "builtins.sorted": sorted_,
    ".append": append,
    ".extend": extend,
    ".insert": insert,
    ".reverse": reverse,
    ".pop": pop,
    ".clear": clear,
}
