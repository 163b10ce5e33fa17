"""Instances of the user's classes: attributes, methods, properties, construction, operators.

    obj.name      a property of the class, the attribute, else the method or value of the class
    obj.m(x)      m(obj, x), lowered where it is called, m found along the classes of obj
    C(x)          a new cell with no attributes, then __init__ on it
    a + b         type(a).__add__(a, b), then type(b).__radd__(b, a)

Classes are looked up along their order of resolution, and every look-up is noted (`watch.py`).
"""

from __future__ import annotations

import ast
from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import FunctionType, MemberDescriptorType
from typing import Any, NoReturn

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Named,
    Ref,
    Seq,
    Struct,
    Super,
)
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.domain.structures import Closed, fields_of, is_dataclass
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, write
from adjointgen.records import replace
from adjointgen.watch import MISSING, Attributes, Hidden, look

Found = tuple[type, Any]
_PLAIN = (MemberDescriptorType, type(vars(namedtuple("_", "a"))["a"]))
"""Descriptors that hold a value as an attribute does: slots, and the fields of named tuples."""


def find(cls: type, name: str, after: type | None = None) -> Found | None:
    """The class that a name is written in, and what it is there."""
    order = list(cls.__mro__)
    for home in order[order.index(after) + 1 if after else 0 :]:
        if home in (object, tuple):
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
        getter = found[1].fget
        return call_method(ctx, found[0], getter, [owner], {}, node)
    _refuse_descriptor(ctx, cls, found, name, node)
    if find(cls, "__getattribute__"):
        _refuse(ctx, f"{name} of {cls.__name__} is looked up by code of its own", node)
    known = struct.get(name)
    if known is not None:
        return known
    if name == "__class__":
        return struct.kind
    if name == "__dict__" or find(cls, "__getattr__"):
        return _refuse(ctx, f"{name} of {cls.__name__} is looked up by code of its own", node)
    live = ctx.memo.get(("live", struct.place))
    if live is not None and _is_own(live[0], name, found):
        raise Closed(struct.place or (), name)
    if live is not None:
        look(Hidden(struct.place or ()), name)
    if found is None:
        return ctx.refuse(
            "AG102", f"{cls.__name__} has no attribute {name} here", "set it in __init__", node=node
        )
    return _member(ctx, owner, struct.kind, found, name, node)


def _refuse_descriptor(
    ctx: Context, cls: type, found: Found | None, name: str, node: ast.AST
) -> None:
    """Refuse an attribute that an object of its class reads and sets, but for slots and fields."""
    kind = type(found[1]) if found is not None else object
    if kind in _PLAIN or not (hasattr(kind, "__set__") or hasattr(kind, "__delete__")):
        return
    _refuse(ctx, f"{name} of {cls.__name__} is read and set by a descriptor", node)


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


def _member(
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
        case _ if callable(value) and not isinstance(value, type):
            return Bound(function_of(ctx, home, value, node), owner)
    folded = constant(value)
    if folded is not None:
        return folded
    if hasattr(type(value), "__get__"):
        return _refuse(ctx, f"{name} of {home.__name__} is looked up by code of its own", node)
    resolver = ctx.frame.source.resolver
    assert isinstance(resolver, LiveResolver)
    return resolver.classify(value, f"{kind.text}.{name}", kind.line)


def class_attribute(ctx: Context, owner: Class, name: str, node: ast.AST) -> Abstract:
    """`C.name`."""
    found = find(owner.type, name)
    if found is None:
        spelling = f"{owner.type.__module__}.{owner.type.__qualname__}.{name}"
        return Named(spelling, f"{owner.text}.{name}", owner.line)
    home, value = found
    if isinstance(value, classmethod):
        return Bound(function_of(ctx, home, value.__func__, node), owner)
    if isinstance(value, FunctionType):
        return function_of(ctx, home, value, node)
    return _member(ctx, owner, owner, found, name, node)


def super_attribute(ctx: Context, owner: Super, name: str, node: ast.AST) -> Abstract:
    """`super().name`: the next class that has it."""
    known = content(ctx, owner.owner)
    cls = known.kind if isinstance(known, Struct) else known
    assert isinstance(cls, Class)
    found = find(cls.type, name, owner.home)
    if found is None:
        # `object` takes what is left: its __init__ does nothing.
        if name == "__init__":
            return Bound(Closure(ctx.frame.source.nested(_NOTHING)), owner.owner)
        _refuse(ctx, f"no class above {owner.home.__name__} has {name}", node)
    if isinstance(found[1], property):
        return call_method(ctx, found[0], found[1].fget, [owner.owner], {}, node)
    return _member(ctx, owner.owner, cls, found, name, node)


_NOTHING = ast.Lambda(
    ast.arguments([], [ast.arg("self", lineno=1, col_offset=0)], None, [], [], None, []),
    ast.Constant(None, lineno=1, col_offset=0),
    lineno=1,
    col_offset=0,
)
"""`object.__init__`."""


def function_of(ctx: Context, home: type, function: Any, node: ast.AST) -> Closure:
    """A method as a function that can be lowered."""
    resolver = ctx.frame.source.resolver
    if isinstance(resolver, LiveResolver):
        found = resolver.classify(function, "", "")
        if isinstance(found, Closure):
            return replace(found, home=home)
    name = getattr(function, "__name__", "this")
    return _refuse(ctx, f"{home.__name__}.{name} has no source", node)


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
    found = find(cls, name)
    if found is not None and isinstance(found[1], property):
        if found[1].fset is None:
            _refuse(ctx, f"{name} of {cls.__name__} cannot be set", node)
        call_method(ctx, found[0], found[1].fset, [owner, value], {}, node)
        return
    _refuse_descriptor(ctx, cls, found, name, node)
    frozen = is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    if frozen or find(cls, "__setattr__") or not isinstance(owner, Ref):
        _refuse(ctx, f"attributes of {cls.__name__} cannot be set, or by code of its own", node)
    live = ctx.memo.get(("live", struct.place))
    if live is not None and struct.get(name) is None:
        if not hasattr(live[0], name):
            _refuse(ctx, f"this gives the caller's object a new attribute, {name}", node)
        raise Closed(struct.place or (), name)
    write(ctx, owner, struct.put(name, hold(ctx, value, name)))


def construct(
    ctx: Context,
    cls: Class,
    args: list[Abstract],
    keywords: dict[str, Abstract],
    node: ast.AST,
) -> Abstract:
    """`C(...)`."""
    if issubclass(cls.type, tuple):
        entries = _named_entries(ctx, cls.type, args, keywords, node)
        return Struct(cls, tuple(entries), tuple(entries.values()))
    ref = new_cell(ctx, Struct(cls, (), ()), "")
    found = find(cls.type, "__init__")
    if found is not None and is_dataclass(found[0]) and _is_generated(found):
        for name, value in _fields(ctx, found[0], args, keywords, node).items():
            _refuse_descriptor(ctx, cls.type, find(cls.type, name), name, node)
            struct = ctx.state.cells[ref.cell]
            assert isinstance(struct, Struct)
            write(ctx, ref, struct.put(name, hold(ctx, value, name)))
        after = find(cls.type, "__post_init__")
        if after is not None:
            call_method(ctx, *after, [ref], {}, node)
    elif found is not None:
        call_method(ctx, *found, [ref, *args], keywords, node)
    elif args or keywords:
        _refuse(ctx, f"{cls.type.__name__} takes no arguments", node)
    return ref


def _is_generated(found: Found) -> bool:
    """Whether the __init__ of a dataclass is the one that was made for it."""
    code = getattr(found[1], "__code__", None)
    return code is not None and code.co_filename == "<string>"


def _fields(
    ctx: Context,
    cls: type,
    args: list[Abstract],
    keywords: dict[str, Abstract],
    node: ast.AST,
) -> dict[str, Abstract]:
    """What the attributes of a dataclass are set to."""
    fields = [f for f in fields_of(cls) if f.init]
    given = _matched(ctx, cls, [f.name for f in fields], args, keywords, node)
    for f in fields_of(cls):
        if f.name in given:
            continue
        if _is_given(f.default):
            given[f.name] = _default(ctx, cls, f.default, node)
        elif _is_given(f.default_factory):
            made = f.default_factory()
            given[f.name] = _default(ctx, cls, made, node)
        elif f.init:
            _refuse(ctx, f"{cls.__name__} lacks {f.name}", node)
    return {f.name: given[f.name] for f in fields_of(cls) if f.name in given}


def _is_given(default: object) -> bool:
    """Whether a field has a default; what says that it has none is no public class."""
    return type(default).__name__ != "_MISSING_TYPE"


def _default(ctx: Context, cls: type, value: Any, node: ast.AST) -> Abstract:
    from_constant = constant(value)
    if from_constant is not None:
        return from_constant
    if value in ([], {}):
        return empty(value)
    return _refuse(ctx, f"a default of {cls.__name__} is an object", node)


def empty(value: Any) -> Abstract:
    """An empty list or dict."""
    return Seq((), "list") if value == [] else Struct("dict", (), ())


def _named_entries(
    ctx: Context,
    cls: Any,
    args: list[Abstract],
    keywords: dict[str, Abstract],
    node: ast.AST,
) -> dict[str, Abstract]:
    given = _matched(ctx, cls, cls._fields, args, keywords, node)
    for name, value in cls._field_defaults.items():
        if name not in given:
            given[name] = _default(ctx, cls, value, node)
    missing = [name for name in cls._fields if name not in given]
    if missing:
        _refuse(ctx, f"{cls.__name__} lacks {missing[0]}", node)
    return {name: hold(ctx, given[name], "") for name in cls._fields}


def _matched(
    ctx: Context,
    cls: type,
    names: Sequence[str],
    args: list[Abstract],
    keywords: dict[str, Abstract],
    node: ast.AST,
) -> dict[str, Abstract]:
    """Arguments by the name of the field."""
    given = dict(zip(names, args, strict=False))
    wrong = [k for k in keywords if k not in names or k in given]
    if len(args) > len(names) or wrong:
        _refuse(ctx, f"these are not the fields of {cls.__name__}", node)
    return given | keywords


def operator(
    ctx: Context, name: str, left: Abstract, right: Abstract, node: ast.AST
) -> Abstract | None:
    """`left op right` where one of them is an instance; None where neither is."""
    for own, other, method in ((left, right, name), (right, left, f"__r{name[2:]}")):
        found = special(ctx, own, method)
        if found is not None:
            return inline(ctx, found, [own, other], {}, node)
    if any(is_instance(ctx, v) for v in (left, right)):
        return _refuse(ctx, f"no class here has {name}", node)
    return None


def is_instance(ctx: Context, value: Abstract) -> bool:
    """Whether a value is an instance of a class of the user's that is no tuple."""
    known = content(ctx, value)
    return isinstance(known, Struct) and isinstance(known.kind, Class) and isinstance(value, Ref)


def special(ctx: Context, owner: Abstract, name: str) -> Closure | None:
    """The method that an instance has for an operator or built-in function."""
    known = content(ctx, owner)
    if not isinstance(known, Struct) or not isinstance(known.kind, Class):
        return None
    found = find(known.kind.type, name)
    if found is None or not isinstance(found[1], FunctionType):
        return None
    return function_of(ctx, found[0], found[1], ctx.node or ast.Pass())


def _refuse(ctx: Context, message: str, node: ast.AST) -> NoReturn:
    ctx.refuse("AG101", message, "write out what it does", node=node)


__all__ = [
    "attribute",
    "call_method",
    "class_attribute",
    "construct",
    "operator",
    "set_attribute",
    "special",
    "super_attribute",
]
