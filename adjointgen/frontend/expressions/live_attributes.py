"""Attributes of objects that the program did not make, found as Python finds them.

    obj.name    a data descriptor of the class (a property, a slot, one of the user's), a value of
                the object, a method or other descriptor of the class, `__getattr__`

What is found by the class (methods, descriptors) is part of the program, and so is that nothing
hides it; values are read when the program runs. The order is that of `object.__getattribute__`.
"""

from __future__ import annotations

import ast
from functools import cached_property
from types import FunctionType
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Bound, Class, Closure, Method
from adjointgen.frontend.domain.module_tables import Living, holds_attribute, is_slot, values_of
from adjointgen.frontend.domain.structures import is_followed
from adjointgen.frontend.expressions.instances import Found, find
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state import module_objects
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import attribute_key
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.promoted_attributes import promoted
from adjointgen.frontend.state.scope_lookup import live_resolver
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import OBJECT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.watch import Held, look


def attribute(ctx: Context, owner: Abstract, own: Living, name: str, text: str) -> Abstract | None:
    """`owner.name`; None where only the run knows what it is."""
    cls = type(own.value)
    if not is_followed(cls):
        return _value(ctx, owner, own, name, text)
    note_order(cls)
    if find(cls, "__getattribute__") is not None:
        return None
    if name == "__class__":
        return class_of(own)
    if name == "__dict__":
        return module_objects.value(ctx, Method(owner, name, text))
    found = find(cls, name)
    if found is None and any(name in vars(c) for c in cls.__mro__):
        # It is what Python's own class says.
        return None
    if found is not None and is_data_descriptor(found[1]):
        return _by_descriptor(ctx, owner, own, found, name)
    if _is_hiding(ctx, own, name):
        return _value(ctx, owner, own, name, text)
    if found is None:
        return _missing(ctx, owner, own, name)
    return _of_class(ctx, owner, own, found, name, text)


def note_order(cls: type) -> None:
    """Note where a class looks names up: its bases may be exchanged."""
    look(Held(cls, _order), "<order>")


def _order(cls: Any) -> object:
    return cls.__mro__


def class_of(own: Living) -> Class:
    """The class of an object."""
    return Class(type(own.value), f"{own.text}.__class__", own.line)


def is_data_descriptor(value: object) -> bool:
    """Whether what a class holds is asked before the object; what a slot holds is a value."""
    kind = type(value)
    if is_slot(value):
        return False
    return hasattr(kind, "__set__") or hasattr(kind, "__delete__")


def _by_descriptor(
    ctx: Context, owner: Abstract, own: Living, found: Found, name: str
) -> Abstract | None:
    """What a property or a descriptor of the user's gives."""
    home, held = found
    node = ctx.node or ast.Pass()
    if type(held) is property:
        getter = closure_of(ctx, home, held.fget)
        return None if getter is None else inline(ctx, getter, [owner], {}, node)
    get = find(type(held), "__get__")
    getter = None if get is None else closure_of(ctx, *get)
    if getter is None:
        return None
    itself = descriptor_of(ctx, owner, own, found, name)
    return inline(ctx, getter, [itself, owner, class_of(own)], {}, node)


def descriptor_of(ctx: Context, owner: Abstract, own: Living, found: Found, name: str) -> Value:
    """What the class of an object holds under a name, itself."""
    home, held = found
    step = f".__class__.__mro__[{type(own.value).__mro__.index(home)}].__dict__[{name!r}]"
    itself = verbatim(ctx, f"_0_{step}", (read(ctx, owner),), OBJECT, pure=True)
    place = Living(held, f"{own.text}{step}", own.line, own.origin, own.steps + step)
    ctx.tables[itself.name] = place
    return itself


def _is_hiding(ctx: Context, own: Living, name: str) -> bool:
    """Whether an object has a value of its own under a name, now and whenever the program runs."""
    key = attribute_key(own.value, name)
    if ctx.outlines.facts.is_written(key):
        return True
    there = name in values_of(own.value)
    ctx.outlines.facts.fold(key)
    read = own.reader()

    def same(origin: Any) -> object:
        return name in values_of(read(origin))

    look(Held(own.origin, same), f"{own.steps}.{name} in")
    return there


def _value(ctx: Context, owner: Abstract, own: Living, name: str, text: str) -> Abstract | None:
    """An attribute that is a value: part of the program, a variable, or read when it runs."""
    if (variable := promoted(ctx, own, name)) is not None:
        return variable
    followed = module_objects.member(ctx, owner, name)
    if followed is not None:
        return followed
    found = module_objects.value(ctx, Method(owner, name, text))
    if found is None:
        return None
    known: Abstract = ctx.actions.as_polynomial(ctx, found, ctx.node or ast.Pass())
    return known


def _missing(ctx: Context, owner: Abstract, own: Living, name: str) -> Abstract | None:
    """What the object's own `__getattr__` gives for a name that it has not."""
    found = find(type(own.value), "__getattr__")
    getter = None if found is None else closure_of(ctx, *found)
    if getter is None:
        return None
    return inline(ctx, getter, [owner, const(name)], {}, ctx.node or ast.Pass())


def _of_class(
    ctx: Context, owner: Abstract, own: Living, found: Found, name: str, text: str
) -> Abstract | None:
    """A method, bound; or what else the class holds under a name."""
    home, held = found
    match held:
        case FunctionType():
            made = closure_of(ctx, home, held)
            return None if made is None else Bound(made, owner)
        case staticmethod():
            return closure_of(ctx, home, held.__func__)
        case classmethod():
            made = closure_of(ctx, home, held.__func__)
            return None if made is None else Bound(made, class_of(own))
        case cached_property():
            return None
    if hasattr(type(held), "__get__") and not is_slot(held):
        return None
    return _value(ctx, owner, own, name, text)


def closure_of(ctx: Context, home: type, function: Any) -> Closure | None:
    """A method as a function that can be lowered; None where it has no source."""
    resolver = live_resolver(ctx)
    if not isinstance(function, FunctionType) or resolver is None:
        return None
    found = resolver.classify(function, "", "")
    return replace(found, home=home) if isinstance(found, Closure) else None


def has_attribute(ctx: Context, own: Living, name: str) -> bool | None:
    """Whether an object has an attribute, where its class and its values tell."""
    cls = type(own.value)
    if not is_followed(cls) or find(cls, "__getattribute__") or find(cls, "__getattr__"):
        return None
    note_order(cls)
    found = find(cls, name)
    if found is None or is_slot(found[1]):
        key = attribute_key(own.value, name)
        if not ctx.outlines.facts.fold(key):
            return None
        read = own.reader()

        def same(origin: Any) -> object:
            return holds_attribute(read(origin), name)

        return bool(look(Held(own.origin, same), f"{own.steps}.{name} there"))
    return None if isinstance(found[1], property | cached_property) else True


__all__ = [
    "attribute",
    "class_of",
    "closure_of",
    "descriptor_of",
    "has_attribute",
    "is_data_descriptor",
]
