"""Objects of the module that are no numbers: what is in them is looked up when the program is made.

    METHODS[how](x)     the function that is there, part of the program
    CONFIG.scale * x    the program reads the attribute; that it is a number is known from today's

As of tables, what is assumed of an object is that its numbers stay numbers. What the program is
made of (functions, classes, the keys of a mapping) is noted, so that another program is made where
it has changed. Strings and truth values are left to the run: the program might change them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Closure,
    Derived,
    Functions,
    Method,
    Module,
    Named,
    Outside,
    Partial,
    Seq,
)
from adjointgen.frontend.domain.module_tables import Layout, Living, Table, attribute_of, common
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import UNDEFINED, Const, Operand, Value
from adjointgen.rules.framework.builder import const
from adjointgen.watch import MISSING, Held, look

MOST = 256
"""Keys of a mapping that are written out."""


def living(ctx: Context, value: Abstract) -> Living | None:
    """The object of the module that a value is, where there is one."""
    match value:
        case Outside(table=Living() as found):
            return found
        case Value(name=name):
            table = ctx.tables.get(name)
            return table if isinstance(table, Living) else None
    return None


def entry(ctx: Context, base: Abstract, key: Abstract) -> Abstract | None:
    """`base[key]` where that is part of the program; None where it is read when that runs."""
    owner = living(ctx, base)
    if owner is None or not isinstance(key, Const):
        return None
    return _followed(ctx, owner, f"[{key.value!r}]", lambda value: value[key.value])


def holds(ctx: Context, base: Abstract, key: Abstract) -> bool | None:
    """Whether a mapping of the module has a key; None where that is not known."""
    asked, table = plain(key), _layout(ctx, base)
    if asked is None or table is None:
        return None
    if isinstance(table, Table):
        known = table.kind == "dict" and table.items is not None
        return asked[0] in table.keys if known else None
    if not isinstance(table, Living) or not isinstance(table.value, Mapping):
        return None

    def has(mapping: Any) -> bool:
        return asked[0] in mapping

    return bool(look(Held(table.value, has), f"{asked[0]!r} in"))


def _layout(ctx: Context, value: Abstract) -> Layout | None:
    """What is known of the entries of something of the module."""
    match value:
        case Outside(table=table):
            return table
        case Value(name=name):
            return ctx.tables.get(name)
    return None


def plain(value: Abstract) -> tuple[Any] | None:
    """A constant, or a tuple of these, in a box."""
    match value:
        case Const(value=known):
            return (known,)
        case Seq(items=items, kind="tuple"):
            parts = [plain(item) for item in items]
            if all(part is not None for part in parts):
                return (tuple(part[0] for part in parts if part is not None),)
    return None


def member(ctx: Context, base: Abstract, name: str) -> Abstract | None:
    """`base.name`, likewise."""
    owner = living(ctx, base)
    return None if owner is None else _followed(ctx, owner, f".{name}", reader(name))


def value(ctx: Context, method: Method) -> Abstract | None:
    """An attribute that is a number, an array or an object, read here."""
    owner = living(ctx, method.owner)
    if owner is None or attribute_of(owner, method.name) is None:
        return None
    return ctx.actions.member(ctx, method)


def reader(name: str) -> Callable[[Any], Any]:
    """`value.name`."""
    return lambda value: getattr(value, name)


def _followed(
    ctx: Context, owner: Living, step: str, read: Callable[[Any], Any]
) -> Abstract | None:
    resolver = ctx.frame.source.resolver
    try:
        value, again = read(owner.value), read(owner.value)
    except Exception:
        # What fails now fails in the user's program too, at the same place.
        return None
    if (
        value is not again
        or isinstance(value, MethodType)
        or not isinstance(resolver, LiveResolver)
    ):
        return None
    found = resolver.classify(value, f"{owner.text}{step}", owner.line)
    if not isinstance(found, Closure | Named | Class | Functions | Module | Partial | Derived):
        return None
    look(Held(owner.value, read), step)
    return found


def keep_table(ctx: Context, result: Value, a: Operand, b: Operand) -> None:
    """What is in a table of the module, whichever of two it is."""
    found = [ctx.tables.get(v.name) for v in (a, b) if isinstance(v, Value)]
    if len(found) == 1 and UNDEFINED in [v.value for v in (a, b) if isinstance(v, Const)]:
        # On the other path there is nothing under the name.
        found *= 2
    both = common(found[0], found[1]) if len(found) == 2 else None
    if isinstance(both, Table):
        ctx.tables[result.name] = both


def has_length(ctx: Context, value: Abstract, number: int) -> bool:
    """Whether this is a list or tuple of the module with so many entries."""
    owner = living(ctx, value)
    if owner is None or not isinstance(owner.value, list | tuple):
        return False
    look(Held(owner.value, len), "<length>")
    return len(owner.value) == number


def keys(ctx: Context, value: Abstract) -> Seq | None:
    """The keys of a mapping of the module."""
    table = _layout(ctx, value)
    if isinstance(table, Table) and table.kind == "dict" and table.items is not None:
        named = [key for key in table.keys if isinstance(key, str | int)]
        return Seq(tuple(map(const, named))) if len(named) == len(table.keys) else None
    owner = living(ctx, value)
    if owner is None or not isinstance(owner.value, Mapping) or len(owner.value) > MOST:
        return None
    found = tuple(owner.value)
    if not all(isinstance(key, str | int) for key in found):
        return None

    def same(mapping: Any) -> object:
        return found if tuple(mapping) == found else MISSING

    look(Held(owner.value, same), "keys")
    return Seq(tuple(const(key) for key in found))
