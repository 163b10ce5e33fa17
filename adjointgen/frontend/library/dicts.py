"""Dicts, whose keys are known when the program is generated, and named tuples.

    d["k"], d["k"] = v, d.get("k", v), d.items(), d.update(e), "k" in d, len(d), **d

A dict in a cell is its keys and what is under each; a loop over it is unrolled.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, Final

from adjointgen import records
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.branches import choose
from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Abstract,
    Class,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.expressions.arithmetic import static_items
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state import module_objects
from adjointgen.frontend.state.certain_raise import fails, fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import expression as as_written
from adjointgen.frontend.state.dict_keys import known_key
from adjointgen.frontend.state.held_values import as_held, held_in
from adjointgen.frontend.state.key_order import note_order
from adjointgen.frontend.state.observed_kinds import dict_observed
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.snapshots import restore, snapshot
from adjointgen.frontend.state.storage_cells import content, hold, read, write
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import BOOL, OBJECT
from adjointgen.rules.framework.builder import const


def display(ctx: Context, node: ast.Dict) -> Abstract:
    """`{"a": x, **d}`; one whose keys are not known is copied as it stands."""
    made = Struct("dict", (), ())
    known: dict[ast.expr, Abstract] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            known[value] = ctx.expression(value)
            made = _updated(ctx, made, known[value], value)
            continue
        known[key] = ctx.expression(key)
        name = known_key(ctx, known[key])
        if name is None:
            called = [n for n in known if isinstance(n, ast.Call)]
            return as_written(ctx, node, known={n: known[n] for n in called})
        known[value] = hold(ctx, ctx.expression(value), "")
        made = made.put(name[0], known[value])
    return made


def comprehension(ctx: Context, node: ast.DictComp) -> Abstract:
    """`{k: v for ...}` over entries that are known."""
    row = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    before = snapshot(ctx)
    pairs = ctx.expression(ast.copy_location(ast.ListComp(row, node.generators), node))
    known = content(ctx, pairs)
    if not isinstance(known, Seq):
        restore(ctx, before)
        return as_written(ctx, node)
    return _updated(ctx, Struct("dict", (), ()), known)


def union(ctx: Context, left: Abstract, right: Abstract) -> Abstract | None:
    """`a | b` of dicts."""
    a, b = content(ctx, left), content(ctx, right)
    for one in (a, b):
        if not isinstance(one, Struct) or isinstance(one.kind, Class):
            return None
    assert isinstance(a, Struct)
    return _updated(ctx, Struct("dict", a.keys, a.items), right)


def _updated(ctx: Context, made: Struct, more: Abstract, node: ast.AST | None = None) -> Struct:
    """With the entries of another dict, which an expression gives, or of pairs."""
    observed = None if node is None else dict_observed(ctx, node, more)
    more = more if observed is None else observed
    more = more if special(ctx, more, "__iter__") is not None else as_held(ctx, more)
    known = content(ctx, more)
    if isinstance(known, Struct) and known.kind == "dict":
        note_order(ctx, known)
        for key, value in zip(known.keys, known.items, strict=True):
            made = made.put(key, value)
        return made
    if (found := of_module(ctx, more)) is not None:
        for key, value in zip(found.keys, found.items, strict=True):
            made = made.put(key, value)
        return made
    pairs = entries(ctx, more)
    for pair in _unknown(ctx) if pairs is None else pairs:
        row = static_items(ctx, pair)
        if row is None or len(row) != 2:
            _unknown(ctx)
            break
        made = made.put(dict_key(ctx, row[0]), hold(ctx, row[1], ""))
    return made


def _nodes(call: Call) -> Iterator[ast.AST | None]:
    """The expressions of the arguments of a call, as far as they are known."""
    written = call.node.args if isinstance(call.node, ast.Call) else []
    return chain(written, repeat(None))


def of_module(ctx: Context, table: Abstract) -> Struct | None:
    """What is in a mapping of the module; None where its keys are not known."""
    names = module_objects.keys(ctx, table)
    made = Struct("dict", (), ())
    for key in () if names is None else names.items:
        assert isinstance(key, Const)
        made = made.put(key.value, hold(ctx, ctx.actions.part(ctx, table, key), ""))
    return None if names is None else made


def _unknown(ctx: Context) -> Any:
    ctx.refuse("AG107", "the keys of this dict are not known", "write the entries out")


def dict_key(ctx: Context, key: Abstract) -> Any:
    """The key of a dict, which must be known."""
    found = known_key(ctx, key)
    if found is None:
        ctx.unlike(
            "AG106", "which entry this is, is known only at run time", "use a list or an array"
        )
    return found[0]


def entry(ctx: Context, base: Abstract, known: Struct, key: Abstract) -> Abstract:
    """`base[key]` of a dict, a named tuple or an instance."""
    method = special(ctx, base, "__getitem__")
    if method is not None:
        return inline(ctx, method, [base, key], {}, ctx.node or ast.Pass())
    if isinstance(known.kind, Class):
        if not issubclass(known.kind.type, tuple):
            what = f"'{known.kind.type.__name__}' object is not subscriptable"
            return fails(ctx, "TypeError", what)
        return ctx.actions.part(ctx, Seq(known.items), key)
    name = known_key(ctx, key)
    if name is None and (found := _under_text(ctx, known, key)) is not None:
        return found
    if name is None:
        return ctx.actions.part(ctx, read(ctx, base), key)
    under = known.get(name[0])
    if under is None:
        ctx.refuse("AG107", f"there is no entry {name[0]!r} here", "use a key that is there")
    return under


def _under_text(ctx: Context, known: Struct, key: Abstract) -> Abstract | None:
    """The number under a text that is known only at run time: the texts are tried one by one."""
    numbers = all(isinstance(one, Value | Const) and one.type.is_scalar for one in known.items)
    texts = all(isinstance(name, str) for name in known.keys)
    if not (isinstance(key, Value) and key.type == OBJECT and numbers and texts):
        return None
    # A loop around is written out, if it can be: the text may be known then.
    if ctx.frame.looping or not 0 < len(known.keys) <= _TRIED:
        return None
    node = ctx.node or ast.Pass()

    def tried(rows: Sequence[tuple[object, Abstract]]) -> Abstract:
        if not rows:
            return fails_in(ctx, "{}[_0_]", key, raises="KeyError")
        (name, item), *others = rows
        test = verbatim(ctx, f"_0_ == {name!r}", (key,), BOOL, pure=True)
        return choose(ctx, test, lambda: item, lambda: tried(others), node)

    return tried(list(zip(known.keys, known.items, strict=True)))


_TRIED: Final = 16
"""So many texts are tried."""


def set_entry(
    ctx: Context, base: Abstract, known: Struct, key: Abstract, value: Abstract, node: ast.AST
) -> None:
    """`base[key] = value` of a dict or an instance."""
    method = special(ctx, base, "__setitem__")
    if method is not None:
        inline(ctx, method, [base, key, value], {}, node)
    elif isinstance(base, Ref) and known.kind == "dict":
        write(ctx, base, known.put(dict_key(ctx, key), hold(ctx, value, "")))
    else:
        ctx.refuse("AG107", "this cannot be written to", "use a dict or a list", node=node)


def _dict(call: Call, index: int = 0) -> Struct | None:
    known = content(call.ctx, call.args[index]) if len(call.args) > index else None
    return known if isinstance(known, Struct) and known.kind == "dict" else None


def get(call: Call) -> Abstract | None:
    known = _dict(call)
    if known is None:
        return None
    found = known.get(dict_key(call.ctx, call.args[1]))
    default = call.args[2] if len(call.args) > 2 else const(None)
    return default if found is None else found


def setdefault(call: Call) -> Abstract | None:
    known = _dict(call)
    owner = call.args[0]
    if known is None or not isinstance(owner, Ref):
        return None
    key = dict_key(call.ctx, call.args[1])
    found = known.get(key)
    if found is None:
        found = hold(call.ctx, call.args[2] if len(call.args) > 2 else const(None), "")
        write(call.ctx, owner, known.put(key, found))
    return found


def shown(how: str) -> Special:
    """`d.keys()`, `d.values()` and `d.items()`: of a dict in a cell, what is in it when read."""

    def find(call: Call) -> Abstract | None:
        known, owner = _dict(call), call.args[0]
        if known is None:
            return None
        note_order(call.ctx, known)
        return Zipped(how, (owner if isinstance(owner, Ref) else hold(call.ctx, known, ""),))

    return find


def update(call: Call) -> Abstract | None:
    known, owner = _dict(call), call.args[0]
    if known is None or not isinstance(owner, Ref):
        return None
    for more, node in zip(call.args[1:], _nodes(call), strict=False):
        known = _updated(call.ctx, known, more, node)
    for key, value in call.keywords.items():
        known = known.put(key, hold(call.ctx, value, ""))
    write(call.ctx, owner, known)
    return const(None)


def copy(call: Call) -> Abstract | None:
    """`d.copy()`, `dict(d)`, `dict(pairs)`, `dict(a=x)`."""
    method = not hasattr(call.function, "spelling")
    if method and _dict(call) is None:
        return None
    made = Struct("dict", (), ())
    for more, node in zip(call.args, _nodes(call), strict=False):
        made = _updated(call.ctx, made, more, node)
    for key, value in call.keywords.items():
        made = made.put(key, hold(call.ctx, value, ""))
    return made


def pop(call: Call) -> Abstract | None:
    known, owner = _dict(call), call.args[0]
    if known is None or not isinstance(owner, Ref) or len(call.args) < 2:
        return None
    key = dict_key(call.ctx, call.args[1])
    found = known.get(key)
    if found is None:
        return call.args[2] if len(call.args) > 2 else _unknown(call.ctx)
    write(call.ctx, owner, without(known, key))
    return found


def without(known: Struct, key: Any) -> Struct:
    """The dict without an entry."""
    rows = [(k, v) for k, v in zip(known.keys, known.items, strict=True) if k != key]
    return Struct(known.kind, tuple(k for k, _ in rows), tuple(v for _, v in rows), known.place)


def replace(call: Call) -> Abstract | None:
    """`p._replace(w=v)` of a named tuple."""
    known = content(call.ctx, call.args[0])
    if not isinstance(known, Struct):
        return None
    for key, value in call.keywords.items():
        known = known.put(key, hold(call.ctx, value, ""))
    return known


def as_dict(call: Call) -> Abstract | None:
    known = content(call.ctx, call.args[0])
    if not isinstance(known, Struct):
        return None
    return Struct("dict", known.keys, known.items)


def from_keys(call: Call) -> Abstract | None:
    """`dict.fromkeys(keys, value)`: the value is one, under every key."""
    ctx, (keys, *given) = call.ctx, call.args
    found = static_items(ctx, keys)
    names = [known_key(ctx, key) for key in found or ()]
    if found is None or None in names:
        return None
    value = hold(ctx, given[0] if given else const(None), "")
    return _updated(ctx, Struct("dict", (), ()), Seq(tuple(Seq((key, value)) for key in found)))


def taken(call: Call) -> Abstract | None:
    """`d.__getitem__(k)`, as methods of classes below `dict` write it."""
    known = _dict(call)
    return None if known is None else entry(call.ctx, call.args[0], known, call.args[1])


def put(call: Call) -> Abstract | None:
    """`d.__setitem__(k, v)`."""
    known, (owner, key, value) = _dict(call), call.args
    if known is None or not isinstance(owner, Ref):
        return None
    set_entry(call.ctx, owner, known, key, value, call.node)
    return const(None)


def contains(call: Call) -> Abstract | None:
    """`d.__contains__(k)`."""
    known, key = _dict(call), known_key(call.ctx, call.args[1])
    return None if known is None or key is None else const(known.get(key[0]) is not None)


def of_held(method: Special) -> Special:
    """`dict.get(self, k)` of an instance of a class below `dict`."""

    def asked(call: Call) -> Abstract | None:
        inner = held_in(call.ctx, call.args[0]) if call.args else None
        if inner is None:
            return None
        return method(records.replace(call, args=[inner, *call.args[1:]]))

    return asked


METHODS: dict[str, Special] = {
    **{"get": get, "setdefault": setdefault, "update": update, "pop": pop},
    **{how: shown(how) for how in VIEWS},
    **{"__getitem__": taken, "__setitem__": put, "__contains__": contains},
}
SPECIAL: dict[str, Special] = {
    "builtins.dict": copy,
    "builtins.dict.fromkeys": from_keys,
    ".get": get,
    ".setdefault": setdefault,
    **{f".{how}": shown(how) for how in VIEWS},
    ".update": update,
    **{f"builtins.dict.{name}": of_held(method) for name, method in METHODS.items()},
    "._replace": replace,
    "._asdict": as_dict,
}


def either(first: Special, second: Special) -> Special:
    """One of two meanings of a method; the first says None where it is not meant."""

    def find(call: Call) -> Abstract | None:
        found = first(call)
        return found if found is not None else second(call)

    return find


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Dict: display,
    ast.DictComp: comprehension,
}
