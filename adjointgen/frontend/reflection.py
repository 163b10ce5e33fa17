"""What programs ask about their own parts: the parameters of a function, the fields of a class.

    {k: v for k, v in kwargs.items() if k in inspect.signature(f).parameters}

passes on what `f` takes; both sides are known when the program is generated. Sets of such names are
sequences here, in the order in which they were made.
"""

from __future__ import annotations

import inspect
import sys

from adjointgen.frontend.calls import Call, Special
from adjointgen.frontend.cells import content, hold, read
from adjointgen.frontend.classes import construct
from adjointgen.frontend.inline import parameters
from adjointgen.frontend.iterate import entries
from adjointgen.frontend.kinds import class_of
from adjointgen.frontend.structures import fields_of
from adjointgen.frontend.values import Abstract, Class, Closure, Named, Ref, Seq, Struct
from adjointgen.ir.nodes import Const, Value
from adjointgen.records import replace
from adjointgen.rules.build import const


class Signature:
    """Stands for `inspect.Signature`: all that is known of one are its parameters."""


def signature(call: Call) -> Abstract | None:
    """`inspect.signature(f)` of a function with source."""
    match call.args:
        case [Closure(source=source)]:
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


def live(spelling: str) -> object:
    """What a qualified name denotes, in modules that are loaded."""
    module, _, name = spelling.rpartition(".")
    return getattr(sys.modules.get(module), name, None)


def set_(call: Call) -> Abstract | None:
    """`set(x)` of strings and integers that are known."""
    if not call.args:
        return None
    found = entries(call.ctx, call.args[0])
    if found is None or not all(isinstance(one, Const) and _is_key(one.value) for one in found):
        return None
    return Seq(tuple(dict.fromkeys(found)), "set")


def _is_key(value: object) -> bool:
    return isinstance(value, str | int)


def copy(call: Call) -> Abstract | None:
    """`copy.copy(x)` of a dict or list."""
    known = content(call.ctx, call.args[0]) if len(call.args) == 1 else None
    plain = isinstance(known, Seq) or (isinstance(known, Struct) and known.kind == "dict")
    return known if plain else None


class Field:
    """Stands for `dataclasses.Field`: all that is known of one is its name."""


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


def _names(call: Call) -> tuple[str, ...] | None:
    known = _instance(call)
    kind = call.args[0] if known is None else known.kind
    if not isinstance(kind, Class) or not hasattr(kind.type, "__dataclass_fields__"):
        return None
    return tuple(field.name for field in fields_of(kind.type))


def fields(call: Call) -> Abstract | None:
    """`dataclasses.fields(x)`."""
    names = _names(call)
    if names is None:
        return None
    return Seq(tuple(Struct(Class(Field, "Field"), ("name",), (const(n),)) for n in names))


def as_dict(call: Call) -> Abstract | None:
    """`dataclasses.asdict(x)`, where no field is an instance itself."""
    known, names = _instance(call), _names(call)
    if known is None or names is None or len(call.args) > 1:
        return None
    found = [known.get(name) for name in names]
    items = [item for item in found if item is not None]
    inner = (content(call.ctx, item) for item in items)
    if len(items) < len(names) or any(isinstance(one, Struct | Seq) for one in inner):
        return None
    return Struct("dict", names, tuple(items))


def as_tuple(call: Call) -> Abstract | None:
    """`dataclasses.astuple(x)`."""
    found = as_dict(call)
    return Seq(found.items) if isinstance(found, Struct) else None


def replaced(call: Call) -> Abstract | None:
    """`dataclasses.replace(x, a=1.0)`."""
    known, names = _instance(call), _names(call)
    if known is None or names is None or not isinstance(known.kind, Class):
        return None
    given = {name: item for name in names if (item := known.get(name)) is not None}
    return construct(call.ctx, known.kind, [], given | call.keywords, call.node)


def said_to_be(call: Call) -> Abstract | None:
    """`typing.cast(kind, value)`: the value."""
    return call.args[-1] if len(call.args) == 2 and not call.keywords else None


def deepcopy(call: Call) -> Abstract | None:
    """`copy.deepcopy(x)` of arrays, lists, tuples and dicts; what is shared stays so."""
    made: dict[Abstract, Abstract] = {}
    ctx = call.ctx

    def of(value: Abstract) -> Abstract | None:
        if value in made or not isinstance(value, Ref | Seq | Struct | Value):
            return made.get(value, value)
        known = content(ctx, value)
        if isinstance(known, Seq | Struct):
            items = [of(item) for item in known.items]
            plain = isinstance(known, Seq) or known.kind == "dict"
            if not plain or any(item is None for item in items):
                return None
            whole = known.of([item for item in items if item is not None])
            fresh = replace(whole, place=None) if isinstance(whole, Struct) else whole
            made[value] = hold(ctx, fresh, "")
            return made[value]
        operand = read(ctx, value)
        if operand.type.kind not in ("scalar", "array"):
            return None
        if operand.type.is_array:
            made[value] = hold(ctx, ctx.apply("copy", operand, spelling=".copy"), "")
        return made.get(value, value)

    return of(call.args[0]) if len(call.args) == 1 and not call.keywords else None


SPECIAL: dict[str, Special] = {
    "typing.cast": said_to_be,
    "inspect.signature": signature,
    "builtins.set": set_,
    "builtins.frozenset": set_,
    "copy.copy": copy,
    "copy.deepcopy": deepcopy,
    "dataclasses.is_dataclass": is_dataclass,
    "dataclasses.fields": fields,
    "dataclasses.asdict": as_dict,
    "dataclasses.astuple": as_tuple,
    "dataclasses.replace": replaced,
}
