"""Objects that a program makes of the user's classes.

    C(x)      type(C).__call__(C, x), where that is the user's own, else
              o = C.__new__(C, x), a new cell with no attributes; then C.__init__(o, x)

An instance of a subclass of `float`, `list` or `dict` has the number, list or dict in it under a
name of its own (`HELD`). What a data class generates is done by its fields.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Ref, Seq, Struct
from adjointgen.frontend.domain.constants import constant, entry_of_enumeration
from adjointgen.frontend.domain.structures import (
    HELD,
    base_of,
    fields_of,
    is_followed,
    sets_fields,
)
from adjointgen.frontend.expressions.instances import (
    call_method,
    check_descriptor,
    find,
    function_of,
    keep_attribute,
    refuse,
)
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import held_in
from adjointgen.frontend.state.scope_lookup import live_resolver
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, write


def construct(
    ctx: Context,
    cls: Class,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Abstract:
    """`C(...)`: what the class of the class says of calls, if that is one of the user's."""
    maker = find(type(cls.type), "__call__") if is_followed(type(cls.type)) else None
    if maker is not None:
        return call_method(ctx, *maker, [cls, *args], keywords, node)
    return made(ctx, cls, args, keywords, node)


def made(
    ctx: Context,
    cls: Class,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Abstract:
    """`type.__call__(C, ...)`: a new object by `__new__`, which `__init__` is called with."""
    if issubclass(cls.type, tuple):
        if not hasattr(cls.type, "_fields"):
            refuse(ctx, f"an object of {cls.text}, a class below tuple, is made", node)
        new = find(cls.type, "__new__")
        if new is None or is_generated(new[1]):
            return named_tuple(ctx, cls, args, keywords, node)
        own = getattr(new[1], "__func__", new[1])
        return call_method(ctx, new[0], own, [cls, *args], keywords, node)
    new = find(cls.type, "__new__")
    if new is None:
        ref: Abstract = bare(ctx, cls, args, node)
    else:
        maker = function_of(ctx, new[0], getattr(new[1], "__func__", new[1]), node)
        ref = inline(ctx, maker, [cls, *args], keywords, node)
        held = content(ctx, ref)
        kind = held.kind if isinstance(held, Struct) else None
        if not isinstance(kind, Class) or not issubclass(kind.type, cls.type):
            # Of what is no instance, `__init__` is not called.
            return ref
    # Where the paths of `__init__` meet, what no name stands for is gone.
    place = (ctx.frame.number, f"object {len(ctx.state.names)}")
    ctx.state.names[place] = ref
    _initialise(ctx, cls, ref, args, keywords, node)
    ctx.state.names.pop(place, None)
    return ref


def is_generated(new: object) -> bool:
    """Whether a `__new__` is that which was made for a named tuple."""
    made = getattr(new, "__func__", new)
    named = getattr(made, "__globals__", {}).get("__name__", "")
    return isinstance(named, str) and named.startswith("namedtuple_")


def named_tuple(
    ctx: Context,
    cls: Class,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> Struct:
    """A named tuple of these fields."""
    entries = _named_entries(ctx, cls.type, args, keywords, node)
    return Struct(cls, tuple(entries), tuple(entries.values()))


def bare(ctx: Context, cls: Class, args: Sequence[Abstract], node: ast.AST) -> Ref:
    """`object.__new__(C)`, or that of a number, which is what the object holds."""
    kind = base_of(cls.type)
    held: Abstract | None = None
    if kind in (list, dict):
        empty_one = Seq((), "list") if kind is list else Struct("dict", (), ())
        held = new_cell(ctx, empty_one, "")
    elif kind is not None:
        one = Call(ctx, node, Named("builtins.float", "float"), [*args], {})  # type: ignore[arg-type]
        special: Special | None = ctx.actions.special("builtins.float")
        held = special(one) if special is not None and len(args) == 1 else None
        if held is None:
            refuse(ctx, f"{cls.type.__name__} is made of what is no number here", node)
    if held is None:
        return new_cell(ctx, Struct(cls, (), ()), "")
    return new_cell(ctx, Struct(cls, (HELD,), (held,)), "")


def _initialise(
    ctx: Context,
    cls: Class,
    ref: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> None:
    found = find(cls.type, "__init__")
    if found is not None and sets_fields(found[0]):
        set_fields(ctx, cls, found[0], ref, args, keywords, node)
    elif found is not None:
        call_method(ctx, *found, [ref, *args], keywords, node)
    elif cls.type is SimpleNamespace and not args:
        for name, value in keywords.items():
            keep_attribute(ctx, ref, name, value, node)
    elif base_of(cls.type) is list and len(args) == 1 and not keywords:
        fill(ctx, ref, args[0], node)
    elif base_of(cls.type) is dict:
        fill_dict(ctx, ref, args, keywords, node)
    elif (args or keywords) and base_of(cls.type) is None and find(cls.type, "__new__") is None:
        refuse(ctx, f"{cls.type.__name__} takes no arguments", node)


def set_fields(
    ctx: Context,
    cls: Class,
    home: type,
    ref: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> None:
    """`home.__init__(self, ...)`, which was made for a data class; `cls` is the class of self."""
    for name, value in _fields(ctx, cls, home, args, keywords, node).items():
        check_descriptor(ctx, cls.type, find(cls.type, name), name, node)
        keep_attribute(ctx, ref, name, value, node)
    # Whether there is one to call was found out when the class was made.
    called = "__post_init__" in vars(home)["__init__"].__code__.co_names
    after = find(cls.type, "__post_init__")
    if called and after is not None:
        call_method(ctx, *after, [ref], {}, node)


def fill(ctx: Context, ref: Abstract, value: Abstract, node: ast.AST) -> None:
    """`list.__init__(self, value)`."""
    inner, items = held_in(ctx, ref), entries(ctx, value)
    if not isinstance(inner, Ref) or items is None:
        refuse(ctx, "how many entries this list has is not known", node)
    write(ctx, inner, Seq(tuple(hold(ctx, item, "") for item in items), "list"))


def fill_dict(
    ctx: Context,
    ref: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> None:
    """`dict.__init__(self, ...)` adds entries."""
    special: Special | None = ctx.actions.special(".update")
    inner = held_in(ctx, ref)
    assert special is not None and inner is not None
    named = Named("builtins.dict.update", "dict.update")
    if special(Call(ctx, node, named, [inner, *args], {**keywords})) is None:  # type: ignore[arg-type]
        refuse(ctx, "which entries this dict has is not known", node)


def _fields(
    ctx: Context,
    made: Class,
    cls: type,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> dict[str, Abstract]:
    """What the attributes of a dataclass are set to."""
    fields = [f for f in fields_of(cls) if f.init]
    given = _matched(ctx, cls, [f.name for f in fields], args, keywords, node)
    for f in fields_of(cls):
        if f.name in given:
            continue
        if _is_given(f.default):
            known = _entry(made, f) or constant(f.default) or _held_by_class(ctx, made, f)
            given[f.name] = known or _default(ctx, cls, f.default, node)
        elif _is_given(f.default_factory):
            given[f.name] = _from_factory(ctx, made, f, node)
        elif f.init:
            refuse(ctx, f"{cls.__name__} lacks {f.name}", node)
    return {f.name: given[f.name] for f in fields_of(cls) if f.name in given}


def _from_factory(ctx: Context, made: Class, field: Any, node: ast.AST) -> Abstract:
    """What the factory of a field makes: of a function or class of the user's, by its text."""
    factory = field.default_factory
    if isinstance(factory, FunctionType):
        return call_method(ctx, made.type, factory, [], {}, node)
    if isinstance(factory, type) and is_followed(factory):
        text = f"{made.text}.__dataclass_fields__['{field.name}'].default_factory"
        return construct(ctx, Class(factory, text, made.line), [], {}, node)
    return _default(ctx, made.type, factory(), node)


def _entry(made: Class, field: Any) -> Named | None:
    """A default that is an entry of an enumeration, which the class holds as well."""
    if getattr(made.type, field.name, None) is not field.default:
        return None
    return entry_of_enumeration(field.default, f"{made.text}.{field.name}", made.line)


def _held_by_class(ctx: Context, made: Class, field: Any) -> Abstract | None:
    """A default that is a function, a class or an object, by the attribute of the class."""
    resolver, text = live_resolver(ctx), f"{made.text}.{field.name}"
    if resolver is None:
        return None
    if getattr(made.type, field.name, None) is not field.default:
        text = f"{made.text}.__dataclass_fields__['{field.name}'].default"
    return resolver.classify(field.default, text, made.line)


def _is_given(default: object) -> bool:
    """Whether a field has a default; what says that it has none is no public class."""
    return type(default).__name__ != "_MISSING_TYPE"


def _default(ctx: Context, cls: type, value: Any, node: ast.AST) -> Abstract:
    from_constant = constant(value)
    if from_constant is not None:
        return from_constant
    if type(value) in (list, dict) and not value:
        return empty(value)
    return refuse(ctx, f"a default of {cls.__name__} is an object", node)


def empty(value: Any) -> Abstract:
    """An empty list or dict."""
    return Seq((), "list") if value == [] else Struct("dict", (), ())


def _named_entries(
    ctx: Context,
    cls: Any,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> dict[str, Abstract]:
    given = _matched(ctx, cls, cls._fields, args, keywords, node)
    made = (vars(c).get("__new__") for c in cls.__mro__)
    new = next((getattr(f, "__func__", f) for f in made if is_generated(f)), None)
    last = cls._fields[::-1], (getattr(new, "__defaults__", None) or ())[::-1]
    defaults = dict(zip(*last, strict=False))
    for name, value in (cls._field_defaults | defaults).items():
        if name not in given:
            given[name] = _default(ctx, cls, value, node)
    missing = [name for name in cls._fields if name not in given]
    if missing:
        refuse(ctx, f"{cls.__name__} lacks {missing[0]}", node)
    return {name: hold(ctx, given[name], "") for name in cls._fields}


def _matched(
    ctx: Context,
    cls: type,
    names: Sequence[str],
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.AST,
) -> dict[str, Abstract]:
    """Arguments by the name of the field."""
    given = dict(zip(names, args, strict=False))
    wrong = [k for k in keywords if k not in names or k in given]
    if len(args) > len(names) or wrong:
        refuse(ctx, f"these are not the fields of {cls.__name__}", node)
    return {**given, **keywords}
