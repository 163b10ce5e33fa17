"""Instances of the user's classes: attributes, methods, properties, construction, operators.

    obj.name      a property of the class, the attribute, else the method or value of the class
    obj.m(x)      m(obj, x), lowered where it is called, m found along the classes of obj

Classes are looked up along their order of resolution, and every look-up is noted (`watch.py`).
"""

from __future__ import annotations

import ast
from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import FunctionType, MemberDescriptorType
from typing import Any, NoReturn

import numpy as np

from adjointgen.frontend.control.partial_attributes import check_set, own_or_shared
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Named,
    Partial,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.constants import constant, entry_of_enumeration
from adjointgen.frontend.domain.module_tables import has_values, layout_of
from adjointgen.frontend.domain.partial_structures import flag_of, set_everywhere
from adjointgen.frontend.domain.structures import (
    HELD,
    Closed,
    base_of,
    is_dataclass,
    is_followed,
    sets_fields,
)
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.functions.numpy_definitions import defined
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.reachability import callers_objects
from adjointgen.frontend.state.scope_lookup import live_resolver
from adjointgen.frontend.state.storage_cells import content, hold, write
from adjointgen.frontend.state.structure_operands import refuse_other
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.watch import MISSING, Attributes, Hidden, look

Found = tuple[type, Any]
_PLAIN = (MemberDescriptorType, type(vars(namedtuple("_", "a"))["a"]))
"""Descriptors that hold a value as an attribute does: slots, and the fields of named tuples."""


_MADE_BY_PYTHON = 1 << 9
"""The flag of classes that are no part of the interpreter."""


def find(cls: type, name: str, after: type | None = None) -> Found | None:
    """The class that a name is written in, and what it is there."""
    order = list(cls.__mro__)
    for home in order[order.index(after) + 1 if after else 0 :]:
        if not home.__flags__ & _MADE_BY_PYTHON:
            break
        value = look(Attributes(home), name)
        if value is not MISSING:
            return home, value
    return None


def attribute(ctx: Context, owner: Abstract, struct: Struct, name: str, node: ast.AST) -> Abstract:
    """`owner.name` of an instance."""
    assert isinstance(struct.kind, Class)
    cls = struct.kind.type
    found = find(cls, name)
    if found is not None and isinstance(found[1], property):
        return call_method(ctx, found[0], found[1].fget, [owner], {}, node)
    if found is not None and (get := _asked(found[1], "__get__")) is not None:
        descriptor = _descriptor(ctx, struct.kind, found, name)
        return call_method(ctx, *get, [descriptor, owner, struct.kind], {}, node)
    check_descriptor(ctx, cls, found, name, node)
    if find(cls, "__getattribute__"):
        refuse(ctx, f"{name} of {cls.__name__} is looked up by code of its own", node)
    if struct.get(name) is not None:
        return _own(ctx, owner, struct, found, name, node)
    held = struct.get(HELD)
    if found is None and held is not None and hasattr(base_of(cls), name):
        return ctx.actions.attribute(ctx, held, name, ctx.text(node))
    if name == "__class__":
        return struct.kind
    live = ctx.memo.get(("live", struct.place))
    if live is not None and _is_own(live[0], name, found):
        raise Closed(struct.place or (), name)
    if live is not None:
        look(Hidden(struct.place or ()), name)
    if found is None:
        return _missing(ctx, owner, cls, name, node)
    return member_of_class(ctx, owner, struct.kind, found, name, node)


def _own(
    ctx: Context, owner: Abstract, struct: Struct, found: Found | None, name: str, node: ast.AST
) -> Abstract:
    """An attribute that an instance has, on some paths at least."""
    known, kind = struct.get(name), struct.kind
    assert known is not None and isinstance(kind, Class)
    if flag_of(struct, name) is None:
        return known
    if (shared := _shared(ctx, kind, found, name)) is not None:
        return own_or_shared(ctx, struct, name, shared, node)
    elsewhere = found is not None and not _is_plain(found[1])
    check_set(ctx, owner, name, elsewhere or find(kind.type, "__getattr__") is not None, node)
    return known


def _shared(ctx: Context, kind: Class, found: Found | None, name: str) -> Abstract | None:
    """The number that a class has for the objects without one of their own."""
    folded = constant(found[1]) if found is not None else None
    if not isinstance(folded, Const) or find(kind.type, "__getattr__") is not None:
        return None
    return folded if ctx.outlines.facts.fold((kind.type, name), kind.is_local) else None


def _missing(ctx: Context, owner: Abstract, cls: type, name: str, node: ast.AST) -> Abstract:
    """What the instance's own `__getattr__` gives for a name that it has not."""
    getter = find(cls, "__getattr__")
    if getter is not None and not any(name in vars(c) for c in cls.__mro__):
        return call_method(ctx, *getter, [owner, const(name)], {}, node)
    what, help = f"{cls.__name__} has no attribute {name} here", "set it in __init__"
    return ctx.refuse("AG102", what, help, node=node)


def _asked(held: object, name: str) -> Found | None:
    """The method by which a data descriptor of the user's gives or sets an attribute."""
    kind = type(held)
    data = hasattr(kind, "__set__") or hasattr(kind, "__delete__")
    return _written(kind, name) if data else None


def _getter(held: object) -> Found | None:
    """The method by which another descriptor of the user's gives what an object has not."""
    return None if isinstance(held, FunctionType | type) else _written(type(held), "__get__")


def _written(kind: type, name: str) -> Found | None:
    """A method that a class of the user's has in Python."""
    found = find(kind, name) if is_followed(kind) else None
    return found if found is not None and isinstance(found[1], FunctionType) else None


def _descriptor(ctx: Context, cls: Class, found: Found, name: str) -> Abstract:
    """What a class holds under a name, itself."""
    resolver = live_resolver(ctx)
    assert resolver is not None
    text = f"{cls.text}.__mro__[{cls.type.__mro__.index(found[0])}].__dict__[{name!r}]"
    return resolver.classify(found[1], text, cls.line)


def _is_plain(held: object) -> bool:
    return type(held) in _PLAIN


def check_descriptor(
    ctx: Context, cls: type, found: Found | None, name: str, node: ast.AST
) -> None:
    """Refuse an attribute that an object of its class reads and sets, but for slots and fields."""
    kind = type(found[1]) if found is not None else object
    if kind in _PLAIN or not (hasattr(kind, "__set__") or hasattr(kind, "__delete__")):
        return
    refuse(ctx, f"{name} of {cls.__name__} is read and set by a descriptor", node)


def _is_own(live: Any, name: str, found: Found | None) -> bool:
    """Whether an attribute is a value of the object, or one of its class that is no function."""
    if name in getattr(live, "__dict__", {}):
        return True
    if found is None or isinstance(found[1], cached_property):
        return False
    if hasattr(found[1], "__get__"):
        # A slot is read like an attribute.
        return type(found[1]).__name__ == "member_descriptor" and hasattr(live, name)
    return True


def member_of_class(
    ctx: Context, owner: Abstract, kind: Class, found: Found, name: str, node: ast.AST
) -> Abstract:
    """A method, bound; or what else the class holds under a name."""
    home, value = found
    match value:
        case staticmethod():
            return function_of(ctx, home, value.__func__, node)
        case classmethod():
            return Bound(function_of(ctx, home, value.__func__, node), kind)
        case cached_property():
            result = call_method(ctx, home, value.func, [owner], {}, node)
            set_attribute(ctx, owner, name, result, node)
            return result
        case _ if (get := _getter(value)) is not None:
            descriptor = _descriptor(ctx, kind, found, name)
            of = const(None) if isinstance(owner, Class) else owner
            return call_method(ctx, *get, [descriptor, of, kind], {}, node)
        case _ if is_bound(value):
            return Bound(function_of(ctx, home, value, node), owner)
    folded = constant(value) or entry_of_enumeration(value, f"{kind.text}.{name}", kind.line)
    if folded is not None:
        known = ctx.outlines.facts.fold((kind.type, name), kind.is_local)
        return folded if known else _as_it_is(ctx, kind, name, value)
    if hasattr(type(value), "__get__"):
        return refuse(ctx, f"{name} of {home.__name__} is looked up by code of its own", node)
    resolver = live_resolver(ctx)
    assert resolver is not None
    return resolver.classify(value, f"{kind.text}.{name}", kind.line)


def is_bound(value: object) -> bool:
    """Whether an instance is the first argument of what its class holds: of functions it is."""
    return callable(value) and hasattr(type(value), "__get__") and not isinstance(value, type)


def _as_it_is(ctx: Context, kind: Class, name: str, value: Any) -> Value:
    """A value of a class that the program writes to, as it is when the program comes there."""
    if kind.is_local:
        what = f"{name} of {kind.text}, a class that is defined here, may be written to"
        ctx.refuse("AG102", what, "set it in __init__")
    found = ctx.outlines.facts.kind((kind.type, name), layout_of(value))
    if kind.line:
        ctx.imports[kind.line] = None
    type = found if isinstance(found, Type) else OBJECT
    return verbatim(ctx, f"{kind.text}.{name}", (), type, outside=(kind.text,))


def class_attribute(ctx: Context, owner: Class, name: str, node: ast.AST) -> Abstract:
    """`C.name`."""
    found = find(owner.type, name)
    if found is None:
        if name in ("__mro__", "__bases__") and (known := _classes(ctx, owner, name)) is not None:
            return known
        spelling = f"{owner.type.__module__}.{owner.type.__qualname__}.{name}"
        return Named(spelling, f"{owner.text}.{name}", owner.line)
    home, value = found
    if isinstance(value, classmethod):
        return Bound(function_of(ctx, home, value.__func__, node), owner)
    if name == "__init__" and sets_fields(home):
        return Partial(SETS_FIELDS, (above(owner, home),), ())
    if isinstance(value, FunctionType):
        return function_of(ctx, home, value, node)
    return member_of_class(ctx, owner, owner, found, name, node)


def _classes(ctx: Context, owner: Class, name: str) -> Seq | None:
    """`C.__mro__` and `C.__bases__`, class by class."""
    resolver = live_resolver(ctx)
    if resolver is None or owner.is_local:
        return None
    found = enumerate(getattr(owner.type, name))
    return Seq(
        tuple(resolver.classify(c, f"{owner.text}.{name}[{k}]", owner.line) for k, c in found)
    )


SETS_FIELDS = Named("dataclasses.dataclass.__init__", "__init__")
"""The `__init__` that was made for a data class: of the class, the object, and the values."""


def above(cls: Class, home: type) -> Class:
    """A class that is one of those above another, or is that class."""
    return Class(home, f"{cls.text}.__mro__[{cls.type.__mro__.index(home)}]", cls.line)


STANDS_FOR = "__stands_for__"
"""Under which a method of a class that the lowering has made says which function it is."""


def function_of(ctx: Context, home: type, function: Any, node: ast.AST) -> Closure:
    """A method as a function that can be lowered."""
    found = getattr(function, STANDS_FOR, None)
    if home.__module__ == "collections.abc":
        found = defined(f"{home.__module__}.{function.__qualname__}")
    resolver = live_resolver(ctx)
    if found is None and resolver is not None:
        found = resolver.classify(function, "", "")
    if isinstance(found, Closure):
        return replace(found, home=home)
    name = getattr(function, "__name__", "this")
    return refuse(ctx, f"{home.__name__}.{name} has no source", node)


def call_method(
    ctx: Context,
    home: type,
    function: Any,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Abstract:
    """A method, lowered here."""
    return inline(ctx, function_of(ctx, home, function, node), args, keywords, node)


def set_attribute(ctx: Context, owner: Abstract, name: str, value: Abstract, node: ast.AST) -> None:
    """`owner.name = value`."""
    struct = content(ctx, owner)
    assert isinstance(struct, Struct) and isinstance(struct.kind, Class)
    cls = struct.kind.type
    frozen = is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    if frozen:
        refuse(ctx, f"attributes of {cls.__name__} cannot be set", node)
    if (setter := find(cls, "__setattr__")) is not None:
        call_method(ctx, *setter, [owner, const(name), value], {}, node)
        return
    found = find(cls, name)
    if found is not None and isinstance(found[1], property):
        if found[1].fset is None:
            refuse(ctx, f"{name} of {cls.__name__} cannot be set", node)
        call_method(ctx, found[0], found[1].fset, [owner, value], {}, node)
        return
    if found is not None and (put := _asked(found[1], "__set__")) is not None:
        descriptor = _descriptor(ctx, struct.kind, found, name)
        call_method(ctx, *put, [descriptor, owner, value], {}, node)
        return
    check_descriptor(ctx, cls, found, name, node)
    keep_attribute(ctx, owner, name, value, node)


def _check_kept(ctx: Context, owner: Ref, struct: Struct, node: ast.AST) -> None:
    """Refuse to set an attribute of what may be an object of the caller's, which it is set on at
    the end: an iteration may have given its name to another one."""
    tangled = ctx.state.tangled.get(owner.cell) is not None
    if struct.place is None and not tangled:
        return
    callers = callers_objects(ctx.state)
    lost = struct.place is not None and owner.cell not in callers
    if lost or (tangled and callers):
        what = "which object an attribute is set of depends on the path"
        ctx.unlike("AG110", what, "give each object a name of its own", node=node)


def keep_attribute(
    ctx: Context, owner: Abstract, name: str, value: Abstract, node: ast.AST
) -> None:
    """The value is the object's own from now on."""
    struct = content(ctx, owner)
    assert isinstance(struct, Struct) and isinstance(struct.kind, Class)
    if not isinstance(owner, Ref):
        refuse(ctx, f"attributes of {struct.kind.type.__name__} cannot be set", node)
    if base_of(struct.kind.type) is np.ndarray and hasattr(np.ndarray, name):
        refuse(ctx, f"{name} of an array is set", node)
    _check_kept(ctx, owner, struct, node)
    live = ctx.memo.get(("live", struct.place))
    if live is not None and ctx.outlines.facts.set_own(type(live[0]), name):
        refuse_other(ctx, name, node)
    if live is not None and struct.get(name) is None and not _is_new(live[0], name):
        if hasattr(live[0], name):
            raise Closed(struct.place or (), name)
        if not has_values(live[0]):
            refuse(ctx, f"this gives the caller's object a new attribute, {name}", node)
        # A program for an object that has it reads it from there.
        look(Hidden(struct.place or ()), name)
    write(ctx, owner, set_everywhere(struct, name).put(name, hold(ctx, value, name)))


def _is_new(owner: Any, name: str) -> bool:
    """Whether this is a cached property that the object has not computed yet."""
    found = find(type(owner), name)
    cached = found is not None and isinstance(found[1], cached_property)
    return cached and name not in vars(owner)


def is_instance(ctx: Context, value: Abstract) -> bool:
    """Whether a value is an instance of a class of the user's that is no tuple."""
    known = content(ctx, value)
    return isinstance(known, Struct) and isinstance(known.kind, Class) and isinstance(value, Ref)


def refuse(ctx: Context, message: str, node: ast.AST) -> NoReturn:
    ctx.refuse("AG101", message, "write out what it does", node=node)


__all__ = [
    "attribute",
    "call_method",
    "class_attribute",
    "set_attribute",
]
