"""Objects of the module that are no numbers: what is in them is looked up when the program is made.

    METHODS[how](x)     the function that is there, part of the program
    CONFIG.scale * x    the program reads the attribute; that it is a number is known from today's

As of tables, what is assumed of an object is that its numbers stay numbers. What the program is
made of (functions, classes, the keys of a mapping) is noted, so that another program is made where
it has changed. Strings and truth values are left to the run: the program might change them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Derived,
    Functions,
    Method,
    Module,
    Named,
    Outside,
    Partial,
    Ref,
    Seq,
    SliceOf,
    maybe,
)
from adjointgen.frontend.domain.module_tables import (
    Layout,
    Living,
    Table,
    attribute_of,
    common,
    container,
    holds_attribute,
    holds_entry,
)
from adjointgen.frontend.domain.structures import is_followed
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import Key, attribute_key, entries_key, keys_key
from adjointgen.frontend.state.passthrough import statement, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import UNDEFINED, Const, Operand, Value
from adjointgen.ir.types import BOOL, Type
from adjointgen.rules.framework.builder import const
from adjointgen.watch import MISSING, Held, look

MOST, FEW = 256, 64
"""Keys of a mapping, and entries of a list, that are written out."""


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
    owner = living(ctx, base) or _mixed(ctx, base)
    if owner is not None and isinstance(key, SliceOf):
        return _slice(ctx, base, owner, key)
    if owner is not None and not ctx.grows and not isinstance(key, Const) and _is_of_objects(owner):
        # The loop around is written out, if it can be.
        ctx.unlike(
            "AG106",
            "which object of the list this is, is known only at run time",
            "loop over the list itself",
        )
    if owner is None or not isinstance(key, Const) or not holds_entry(owner.value, key.value):
        return None
    return _followed(ctx, owner, f"[{key.value!r}]", entries_key(owner.value))


def _mixed(ctx: Context, base: Abstract) -> Living | None:
    """A dict of the module that has numbers, and other things as well."""
    table = layout(ctx, base)
    known = isinstance(table, Table) and table.kind == "dict" and table.items is not None
    return table.place if known and isinstance(table, Table) else None


def _slice(ctx: Context, base: Abstract, owner: Living, key: SliceOf) -> Seq | None:
    """A slice of a short list or tuple, entry by entry."""
    bounds = [bound or const(None) for bound in (key.lower, key.upper, key.step)]
    known = [bound.value for bound in bounds if isinstance(bound, Const)]
    plain = isinstance(owner.value, list | tuple) and not is_own(owner.value, "__getitem__")
    count = length(ctx, owner) if plain and len(known) == 3 else None
    if count is None or count > FEW:
        return None
    whole: Any = range(count)
    places = whole[slice(*known)]
    kind = "tuple" if isinstance(owner.value, tuple) else "list"
    return Seq(tuple(ctx.actions.part(ctx, base, const(k)) for k in places), kind)


def holds(ctx: Context, base: Abstract, key: Abstract) -> bool | None:
    """Whether a mapping of the module has a key; None where that is not known."""
    asked, table = plain(key), layout(ctx, base)
    if asked is None or table is None or hasattr(type(container(table)), "__missing__"):
        return None
    if isinstance(table, Table) and table.items is None and table.place is not None:
        table = table.place
    if isinstance(table, Table):
        known = table.kind == "dict" and table.items is not None
        known = known and (table.live is None or ctx.outlines.facts.fold(keys_key(table.live)))
        return asked[0] in table.keys if known else None
    if not isinstance(table, Living) or not isinstance(table.value, Mapping):
        return None
    own = any(is_own(table.value, name) for name in ("__getitem__", "__contains__"))
    if own or table.steps.endswith("__dict__"):
        return None

    if not ctx.outlines.facts.fold(keys_key(table.value)):
        return None
    read = table.reader()

    def has(origin: Any) -> bool:
        return asked[0] in read(origin)

    return bool(look(Held(table.origin, has), f"{asked[0]!r} in {table.steps}"))


def layout(ctx: Context, value: Abstract) -> Layout | None:
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
    if owner is None or not holds_attribute(owner.value, name):
        return None
    return _followed(ctx, owner, f".{name}", attribute_key(owner.value, name))


def kind_of(ctx: Context, value: Abstract) -> Layout | None:
    """What is known of a value that the program puts into an object, when it is read back."""
    if isinstance(value, Ref):
        value = content(ctx, value)
    operand = read(ctx, value) if isinstance(value, Ref) else value
    if not isinstance(operand, Value | Const):
        return None
    if operand.type.is_scalar:
        return Type(operand.type.dtype)
    if operand.type.kind == "array" and operand.type.rank is not None:
        return Type(operand.type.dtype, (None,) * operand.type.rank, "array")
    return ctx.tables.get(operand.name) if isinstance(operand, Value) else None


def note_entry(
    ctx: Context, base: Abstract, kind: Layout | None, key: Abstract | None = None
) -> bool:
    """Note that the program puts a value of a kind into a container, under a key where that is
    known, or changes it otherwise; whether it is known to be a list or dict."""
    held = container(layout(ctx, base))
    _note_attributes(ctx, base)
    asked = None if key is None else plain(key)
    if held is None:
        ctx.outlines.facts.write_into_any(kind)
    else:
        there = asked is not None and isinstance(held, dict) and asked[0] in held
        ctx.outlines.facts.write_into(held, kind, not there)
    return held is not None


def _note_attributes(ctx: Context, base: Abstract) -> None:
    """What is put into the `__dict__` of an object is an attribute."""
    table = layout(ctx, base)
    place = table.place if isinstance(table, Table) else table
    if isinstance(place, Living) and place.steps.endswith(".__dict__"):
        ctx.outlines.facts.write_all()


def note_removal(ctx: Context, base: Abstract) -> None:
    """Note that the program takes something out of a container, or orders what is in it."""
    table = layout(ctx, base)
    held = container(table)
    _note_attributes(ctx, base)
    kind = table.entry if isinstance(table, Table) else None
    if held is None:
        ctx.outlines.facts.write_into_any()
    else:
        ctx.outlines.facts.write_into(held, kind, True)


def value(ctx: Context, method: Method) -> Abstract | None:
    """An attribute that is a number, an array or an object, read here."""
    owner = living(ctx, method.owner)
    if owner is None:
        return None
    if attribute_of(owner, method.name) is not None:
        return ctx.actions.member(ctx, method)
    kind = ctx.outlines.facts.written.get(attribute_key(owner.value, method.name))
    if not isinstance(kind, Type) or not _is_none(owner, method.name):
        return None
    # It is None until the program sets it.
    held = ctx.actions.member(ctx, method)
    there = verbatim(ctx, "_0_ is not None", (held,), BOOL, pure=True)
    return maybe(there, verbatim(ctx, "_0_", (held,), kind, pure=True))


def _is_none(owner: Living, name: str) -> bool:
    if not holds_attribute(owner.value, name):
        return False
    return owner.reader(f".{name}")(owner.origin) is None


def _followed(ctx: Context, owner: Living, step: str, key: Key) -> Abstract | None:
    """What is a step from an object, where it is part of the program."""
    resolver, read = ctx.frame.source.resolver, owner.reader(step)
    if not isinstance(resolver, LiveResolver):
        return None
    value = read(owner.origin)
    found = resolver.classify(value, f"{owner.text}{step}", owner.line)
    known = isinstance(found, Const) and (value is None or isinstance(value, str | bool))
    if not (known or _is_part(found)):
        return None
    if not ctx.outlines.facts.fold(key) and not (known and _tested(ctx, owner, step, key, value)):
        return None
    look(Held(owner.origin, read), f"{owner.steps}{step}")
    return found


def _tested(ctx: Context, owner: Living, step: str, key: Key, value: object) -> bool:
    """Whether a text, None or a truth value is tested where it is read: code of which nothing is
    known may have changed it. Only programs that are refused otherwise have such tests."""
    if not ctx.outlines.untaken.calls or ctx.outlines.facts.is_written(key) or ctx.catching:
        return False
    if owner.line:
        ctx.imports[owner.line] = None
    text, differs = f"{owner.text}{step}", "!=" if isinstance(value, str) else "is not"
    said = f"{text} has been changed by code that the function calls".replace('"', "'")
    code = f'if {text} {differs} {value!r}: raise NotImplementedError("{said}")'
    statement(ctx, code, (), raises="NotImplementedError", outside=(text,))
    return True


def _is_part(value: Abstract) -> bool:
    """Whether this is what a program is made of, or a list of such things."""
    if isinstance(value, Seq):
        return bool(value.items) and all(map(_is_part, value.items))
    return isinstance(value, _PARTS)


_PARTS = (Closure, Bound, Named, Class, Functions, Module, Partial, Derived)
"""What a program is made of."""


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
    return owner is not None and length(ctx, owner) == number


def entries(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """The entries of a short list or tuple of the module, one by one."""
    table = layout(ctx, value)
    if isinstance(value, Outside) and isinstance(table, Table) and table.kind != "dict":
        owner = table.place
    else:
        owner = living(ctx, value)
    count = None if owner is None or is_own(owner.value, "__iter__") else length(ctx, owner)
    if count is None or count > FEW:
        return None
    return tuple(ctx.actions.part(ctx, value, const(k)) for k in range(count))


def entries_of_table(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """The same of one that holds numbers, over which a loop may run as well."""
    table = layout(ctx, value)
    if not isinstance(table, Table) or table.place is None or table.kind == "dict":
        return None
    count = length(ctx, table.place)
    if count is None or count > FEW:
        return None
    return tuple(ctx.actions.part(ctx, value, const(k)) for k in range(count))


def is_own(value: object, name: str) -> bool:
    """Whether the class of an object has a special method that is written in Python."""
    held = next((vars(c)[name] for c in type(value).__mro__ if name in vars(c)), None)
    return isinstance(held, FunctionType)


def count_of_objects(ctx: Context, value: Abstract) -> int | None:
    """How many objects a list or tuple of the module holds, where these are the user's."""
    owner = living(ctx, value)
    return length(ctx, owner) if owner is not None and _is_of_objects(owner) else None


def _is_of_objects(owner: Living) -> bool:
    """Whether this is a short list of objects that are known one by one."""
    plain = type(owner.value) in (list, tuple) and 0 < len(owner.value) <= FEW
    return plain and all(is_followed(type(entry)) for entry in owner.value)


def length(ctx: Context, owner: Living) -> int | None:
    """How many entries a list or tuple of the module has, where that is part of the program."""
    plain = isinstance(owner.value, list | tuple) and not is_own(owner.value, "__len__")
    if not plain or not ctx.outlines.facts.fold(entries_key(owner.value)):
        return None
    keep(owner, len, f"len {owner.steps}")
    return len(owner.value)


def keep(owner: Living, form: Callable[[Any], object], what: str) -> None:
    """Note that the program holds as long as `form` says the same of an object of the module."""
    read, found = owner.reader(), form(owner.value)

    def same(origin: Any) -> object:
        return found if form(read(origin)) == found else MISSING

    look(Held(owner.origin, same), what)


def keys(ctx: Context, value: Abstract) -> Seq | None:
    """The keys of a mapping of the module; not of one that gets others when it is asked."""
    table = layout(ctx, value)
    if hasattr(type(container(table)), "__missing__"):
        return None
    if isinstance(table, Table) and table.kind == "dict" and table.items is not None:
        named = [key for key in table.keys if isinstance(key, str | int)]
        if table.live is not None and not ctx.outlines.facts.fold(keys_key(table.live)):
            return None
        return Seq(tuple(map(const, named))) if len(named) == len(table.keys) else None
    owner = living(ctx, value)
    if owner is None or not isinstance(owner.value, Mapping) or len(owner.value) > MOST:
        return None
    found = tuple(owner.value)
    if not all(isinstance(key, str | int) for key in found):
        return None
    if not ctx.outlines.facts.fold(keys_key(owner.value)):
        return None
    keep(owner, tuple, f"keys {owner.steps}")
    return Seq(tuple(const(key) for key in found))
