"""What programs ask about their own parts: the parameters of a function, the fields of a class.

    {k: v for k, v in kwargs.items() if k in inspect.signature(f).parameters}

passes on what `f` takes; both sides are known when the program is generated. Sets of such names are
sequences here, in the order in which they were made.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Module,
    Named,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.domain.structures import fields_of
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.library.copies import copied, deep_copied, deep_copy
from adjointgen.frontend.library.type_tests import class_of
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.set_order import SETS, after, set_of
from adjointgen.frontend.state.storage_cells import content, hold
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const


class Signature:
    """Stands for `inspect.Signature`: all that is known of one are its parameters."""


class Arguments:
    """Stands for `inspect.FullArgSpec`, of which the names are known."""


def signature(call: Call) -> Abstract | None:
    """`inspect.signature(f)` of a function with source."""
    if call.ctx.outlines.primal:
        return None
    match call.args:
        case [Closure(source=source)]:
            if _said_otherwise(source):
                return None
            arguments = source.arguments
            starred = [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
            names = (*[a.arg for a in parameters(arguments)], *starred)
            return _signature(names)
        case [Named(spelling=spelling)] if callable(found := live(spelling)):
            try:
                return _signature(tuple(inspect.signature(found).parameters))
            except (TypeError, ValueError):
                return None
        case [Class(type=cls)]:
            return _signature(tuple(inspect.signature(cls).parameters))
    return None


def _signature(names: tuple[str, ...]) -> Struct:
    found = Struct("dict", names, (const(None),) * len(names))
    return Struct(Class(Signature, "Signature"), ("parameters",), (found,))


def _said_otherwise(source: Source) -> bool:
    """Whether a live function states parameters that are not those of its definition."""
    function = source.resolver.identity
    own = isinstance(function, FunctionType) and function.__qualname__ == source.qualname
    return own and not {"__signature__", "__wrapped__"}.isdisjoint(vars(function))


def full_arguments(call: Call) -> Abstract | None:
    """`inspect.getfullargspec(f)` of a function with source: the names of its parameters."""
    match call.args:
        case [Closure(source=source)] if not (call.ctx.outlines.primal or _said_otherwise(source)):
            given = source.arguments
            names = {
                "args": [a.arg for a in (*given.posonlyargs, *given.args)],
                "kwonlyargs": [a.arg for a in given.kwonlyargs],
            }
            stars = {"varargs": given.vararg, "varkw": given.kwarg}
            known: dict[str, Abstract] = {
                n: Seq(tuple(map(const, v)), "list") for n, v in names.items()
            }
            known |= {n: const(None if star is None else star.arg) for n, star in stars.items()}
            return Struct(Class(Arguments, "FullArgSpec"), tuple(known), tuple(known.values()))
    return None


def live(spelling: str) -> object:
    """What a qualified name denotes, in modules that are loaded."""
    module, _, name = spelling.rpartition(".")
    return getattr(sys.modules.get(module), name, None)


def set_(call: Call) -> Abstract | None:
    """`set(x)` of strings and integers that are known."""
    if not call.args:
        return None
    frozen = getattr(call.function, "spelling", "").endswith("frozenset")
    found = None if frozen and call.ctx.outlines.primal else entries(call.ctx, call.args[0])
    if found is None or not all(isinstance(one, Const) and _is_key(one.value) for one in found):
        return None
    kind, known = "frozenset" if frozen else "set", content(call.ctx, call.args[0])
    if isinstance(known, Seq) and known.kind in SETS:
        return after(known, "copy", kind=kind)
    return set_of(found, kind)


def _is_key(value: object) -> bool:
    return isinstance(value, str | int)


class Field:
    """Stands for `dataclasses.Field`: its name, what it says yes or no to, and constants."""


def is_dataclass(call: Call) -> Abstract | None:
    match call.args:
        case [Class(type=cls)]:
            return const(hasattr(cls, "__dataclass_fields__"))
        case [value] if _instance(call) is not None or class_of(call.ctx, value) is not None:
            return const(_instance(call) is not None)
    return None


def _instance(call: Call) -> Struct | None:
    """The argument, if it is an instance of a data class."""
    known = content(call.ctx, call.args[0])
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return known if hasattr(known.kind.type, "__dataclass_fields__") else None
    return None


def _fields(call: Call) -> tuple[Any, ...] | None:
    known = _instance(call)
    kind = call.args[0] if known is None else known.kind
    if not isinstance(kind, Class) or not hasattr(kind.type, "__dataclass_fields__"):
        return None
    return fields_of(kind.type)


def fields(call: Call) -> Abstract | None:
    """`dataclasses.fields(x)`."""
    found = _fields(call)
    return None if found is None else Seq(tuple(map(_field, found)))


def _field(field: Any) -> Struct:
    """What is known of a field."""
    said = {name: getattr(field, name, None) for name in _SAID}
    entries: dict[str, Abstract] = {n: const(v) for n, v in said.items() if type(v) is bool}
    marks = {key: constant(value) for key, value in field.metadata.items()}
    known = {key: value for key, value in marks.items() if value is not None}
    if len(known) == len(marks):
        entries["metadata"] = Struct("dict", tuple(known), tuple(known.values()))
    if (default := constant(field.default)) is not None:
        entries["default"] = default
    entries["name"] = const(field.name)
    return Struct(Class(Field, "Field"), tuple(entries), tuple(entries.values()))


_SAID = ("init", "repr", "hash", "compare", "kw_only")


def as_dict(call: Call) -> Abstract | None:
    """`dataclasses.asdict(x)`: of copies, and of the fields that are instances too."""
    known = _instance(call)
    if known is None or len(call.args) > 1 or call.keywords:
        return None
    return _unpacked(call.ctx, known, lambda names, items: Struct("dict", names, items))


def as_tuple(call: Call) -> Abstract | None:
    """`dataclasses.astuple(x)`: of copies, and of the fields that are instances too."""
    known = _instance(call)
    if known is None or len(call.args) > 1 or call.keywords:
        return None
    return _unpacked(call.ctx, known, lambda names, items: Seq(items))


Packing = Callable[[tuple[str, ...], tuple[Abstract, ...]], Abstract]


def _unpacked(ctx: Context, value: Abstract, pack: Packing) -> Abstract | None:
    """An instance of a data class with its fields in another structure, all others as copies."""
    known = content(ctx, value)
    cls = known.kind.type if isinstance(known, Struct) and isinstance(known.kind, Class) else None
    if not isinstance(known, Seq | Struct):
        return deep_copy(ctx, value, {})
    if cls is not None and not hasattr(cls, "__dataclass_fields__"):
        return deep_copy(ctx, value, {})
    names = known.keys if isinstance(known, Struct) else ()
    if cls is not None:
        names = tuple(field.name for field in fields_of(cls))
    parts = known.items if isinstance(known, Seq) else [known.get(name) for name in names]
    made = [None if p is None else _unpacked(ctx, p, pack) for p in parts]
    items = tuple(item for item in made if item is not None)
    if len(items) < len(made):
        return None
    whole = pack(names, items) if cls is not None else known.of(items)
    return hold(ctx, whole, "")


def replaced(call: Call) -> Abstract | None:
    """`dataclasses.replace(x, a=1.0)`."""
    known, found = _instance(call), _fields(call)
    if known is None or found is None or not isinstance(known.kind, Class):
        return None
    names = tuple(field.name for field in found if field.init)
    given = {name: item for name in names if (item := known.get(name)) is not None}
    return construct(call.ctx, known.kind, [], given | call.keywords, call.node)


def said_to_be(call: Call) -> Abstract | None:
    """`typing.cast(kind, value)`: the value."""
    return call.args[-1] if len(call.args) == 2 and not call.keywords else None


def asked(kind: type) -> Special:
    """`inspect.isfunction(x)` and its kin, of what is known."""

    def find(call: Call) -> Abstract | None:
        if len(call.args) != 1 or call.keywords:
            return None
        match content(call.ctx, call.args[0]):
            case Closure():
                return const(kind is FunctionType)
            case Bound():
                return const(kind is MethodType)
            case Class():
                return const(kind is type)
            case Const() | Seq():
                return const(False)
            case Named(spelling=spelling) if (found := live(spelling)) is not None:
                return const(isinstance(found, kind))
            case Value(type=type_) if type_.kind != "object":
                return const(False)
        return None

    return find


def imported(call: Call) -> Abstract | None:
    """`importlib.import_module("numpy")` of a module that is loaded."""
    match [content(call.ctx, arg) for arg in call.args]:
        case [Const(value=str(name))] if name in sys.modules and not call.keywords:
            return Module(name, name, f"import {name}")
    return None


SPECIAL: dict[str, Special] = {
    "importlib.import_module": imported,
    "typing.cast": said_to_be,
    "inspect.isfunction": asked(FunctionType),
    "inspect.ismethod": asked(MethodType),
    "inspect.isclass": asked(type),
    "inspect.signature": signature,
    "inspect.getfullargspec": full_arguments,
    "builtins.set": set_,
    "builtins.frozenset": set_,
    "copy.copy": copied,
    "copy.deepcopy": deep_copied,
    "dataclasses.is_dataclass": is_dataclass,
    "dataclasses.fields": fields,
    "dataclasses.asdict": as_dict,
    "dataclasses.astuple": as_tuple,
    "dataclasses.replace": replaced,
}
