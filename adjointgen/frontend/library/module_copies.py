"""`copy.copy(MODEL)` and `copy.deepcopy(MODEL)` of objects of the module: objects of the program.

A copy has the attributes of the object, or entries of the dict or list, as they are when the copy
is made; that no other attributes have come is looked at before each call.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Seq, Struct
from adjointgen.frontend.domain.module_tables import (
    Layout,
    Living,
    Table,
    has_values,
    values_of,
)
from adjointgen.frontend.domain.structures import is_followed
from adjointgen.frontend.expressions.instances import find
from adjointgen.frontend.library.dicts import of_module
from adjointgen.frontend.state import module_objects
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import attribute_key, entries_key
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import hold, new_cell, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import Type
from adjointgen.watch import CONSTANT, MISSING, Held, look

Part = Callable[[Abstract, str], Abstract]
MOST = 64
"""The most attributes of an object that is copied."""


def copied_object(ctx: Context, value: Abstract, asked: tuple[str, ...]) -> Abstract | None:
    """A copy of an object or container of the module, which holds the same; None for others.

    Classes that have a method that is `asked` of copies are others, too.
    """
    return _copy(ctx, value, asked, lambda part, _: part)


def deep_copied_object(ctx: Context, value: Abstract, asked: tuple[str, ...]) -> Abstract | None:
    """A copy that shares nothing with the object; what it reaches twice is copied once."""
    top = _place(module_objects.layout(ctx, value))
    if top is None:
        return None
    made: dict[int, Abstract] = {}
    begun = {id(top.value)}
    reached: list[str] = []

    def part(inner: Abstract, step: str) -> Abstract:
        live = top.reader(step)(top.origin)
        if type(live) in CONSTANT:
            return inner
        reached.append(f"{top.steps}{step}")
        if id(live) in begun:
            ctx.refuse("AG102", "this object is reached from itself", "copy its attributes")
        if id(live) not in made:
            begun.add(id(live))
            deep = _copy(ctx, inner, asked, lambda p, s: part(p, step + s))
            deep = _plain(ctx, inner, live) if deep is None else deep
            made[id(live)] = hold(ctx, deep, "")
            begun.remove(id(live))
        return made[id(live)]

    found = or_none(ctx, lambda: _copy(ctx, value, asked, part))
    if found is not None:
        _note_sharing(top, reached)
    return found


def _note_sharing(top: Living, steps: list[str]) -> None:
    """Note what is reached by two ways."""
    readers = [top.reader(step.removeprefix(top.steps)) for step in steps]

    def ways(origin: Any) -> list[int]:
        objects = [id(read(origin)) for read in readers]
        return [objects.index(one) for one in objects]

    found = ways(top.origin)

    def same(origin: Any) -> object:
        return found if ways(origin) == found else MISSING

    look(Held(top.origin, same), f"{top.steps} ways")


def _place(layout: Layout | None) -> Living | None:
    """Where an object or a container is reached."""
    return (
        layout.place
        if isinstance(layout, Table)
        else layout if isinstance(layout, Living) else None
    )


def _copy(ctx: Context, value: Abstract, asked: tuple[str, ...], part: Part) -> Abstract | None:
    own = _place(module_objects.layout(ctx, value))
    if own is None or ctx.outlines.primal:
        return None
    if type(own.value) is dict:
        known = of_module(ctx, value)
        rows = zip(known.keys, known.items, strict=True) if known is not None else ()
        items = tuple(part(item, f"[{key!r}]") for key, item in rows)
        return None if known is None else hold(ctx, known.of(items), "")
    if (numbers := list_of_floats(ctx, value)) is not None:
        return hold(ctx, numbers, "")
    if type(own.value) in (list, tuple):
        found = module_objects.entries(ctx, value) or module_objects.entries_of_table(ctx, value)
        items = tuple(part(item, f"[{k}]") for k, item in enumerate(found or ()))
        kind = type(own.value).__name__
        return None if found is None else hold(ctx, Seq(items, kind), "")
    names = _names(ctx, own) if _is_plain(own.value, asked) else None
    if names is None:
        return None
    text = f"{own.text}."
    items = tuple(
        hold(ctx, part(ctx.actions.attribute(ctx, value, name, text + name), f".{name}"), "")
        for name in names
    )
    cls = Class(type(own.value), f"{own.text}.__class__", own.line)
    return new_cell(ctx, Struct(cls, names, items), "")


def list_of_floats(ctx: Context, value: Abstract) -> Value | None:
    """A list of the module that holds floats alone, as a new one; None for other values."""
    table = module_objects.layout(ctx, value)
    if not isinstance(table, Table) or table.kind != "list" or table.entry != Type("float64"):
        return None
    key = entries_key(table.live)
    if table.live is None or ctx.outlines.facts.kind(key, table.entry) != Type("float64"):
        return None
    listed = Type("float64", (None,), "list")
    return verbatim(ctx, "list(_0_)", (read(ctx, value),), listed, pure=True)


def _is_plain(value: Any, asked: tuple[str, ...]) -> bool:
    """Whether an object is copied by its attributes alone."""
    cls = type(value)
    if not is_followed(cls) or not has_values(value) or len(values_of(value)) > MOST:
        return False
    slots = any("__slots__" in vars(c) for c in cls.__mro__ if c is not object)
    based = any(c is not object and not is_followed(c) for c in cls.__mro__)
    return not slots and not based and all(find(cls, name) is None for name in asked)


def _names(ctx: Context, own: Living) -> tuple[str, ...] | None:
    """The attributes that an object holds, now and whenever the program runs."""
    found = tuple(values_of(own.value))
    if not all(ctx.outlines.facts.fold(attribute_key(own.value, name)) for name in found):
        return None
    module_objects.keep(own, lambda value: tuple(values_of(value)), f"{own.steps} attributes")
    return found


def _plain(ctx: Context, value: Abstract, live: object) -> Abstract:
    """A deep copy of a number, of an array, or of what cannot be told from a copy."""
    operand = read(ctx, value)
    if isinstance(operand, Const) or operand.type.is_scalar:
        return operand
    if operand.type.kind == "array":
        return ctx.apply("copy", operand, spelling="numpy.copy")
    parts = live if isinstance(live, tuple) else (live,)
    if all(type(part) in _IMMUTABLE for part in parts):
        return operand
    return ctx.refuse("AG102", "what this object holds is not known", "copy its attributes")


_IMMUTABLE = (*CONSTANT, FunctionType, BuiltinFunctionType, np.ufunc, type, np.dtype, frozenset)
