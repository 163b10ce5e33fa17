"""`copy.copy(x)` and `copy.deepcopy(x)`: storage of its own, one for what was one.

An instance is copied as Python does where its class says nothing of that: a new object of the
class, which `__init__` is not called for, with the attributes of the old one or copies of them.
(Python's library reference, `copy` and `object.__reduce_ex__`.)
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Named,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.structures import HELD
from adjointgen.frontend.expressions.instances import find
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.library.module_copies import copied_object, deep_copied_object
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, read, write
from adjointgen.ir.nodes import Const, Value
from adjointgen.records import replace

_ASKED: Final = (
    *("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"),
    *("__getnewargs__", "__getnewargs_ex__", "__new__", "__setattr__"),
)
"""What a class may say of copies."""
_FILLED: Final = ("append", "extend", "__setitem__")
"""By what the entries of lists and dicts come into a copy."""


def copied(call: Call) -> Abstract | None:
    """`copy.copy(x)` of a dict, list, array or instance."""
    if len(call.args) != 1 or call.keywords:
        return None
    ctx, value = call.ctx, call.args[0]
    known = content(ctx, value)
    if (method := special(ctx, value, "__copy__")) is not None:
        return inline(ctx, method, [value], {}, call.node)
    if (made := copied_object(ctx, known, _ASKED)) is not None:
        return made
    if isinstance(known, Struct) and _is_plain(known):
        held = known.get(HELD)
        if held is not None and isinstance(content(ctx, held), Seq | Struct):
            known = known.put(HELD, hold(ctx, content(ctx, held), ""))
        return new_cell(ctx, known, "")
    if isinstance(known, Value | Ref) and read(ctx, known).type.kind == "array":
        return ctx.apply("copy", read(ctx, known), spelling="numpy.copy")
    plain = isinstance(known, Seq) or (isinstance(known, Struct) and known.kind == "dict")
    return known if plain else None


def deep_copied(call: Call) -> Abstract | None:
    """`copy.deepcopy(x)`, where all that is in it is known."""
    if len(call.args) != 1:
        # What was copied before is asked for arrays and objects.
        known = content(call.ctx, call.args[0])
        number = isinstance(known, Value | Const) and known.type.is_scalar
        return known if number and len(call.args) == 2 else None
    if (method := special(call.ctx, call.args[0], "__deepcopy__")) is not None:
        memo = new_cell(call.ctx, Struct("dict", (), ()), "")
        return inline(call.ctx, method, [call.args[0], memo], {}, call.node)
    made = deep_copied_object(call.ctx, call.args[0], _ASKED)
    return deep_copy(call.ctx, call.args[0], {}) if made is None else made


def deep_copy(ctx: Context, value: Abstract, known: dict[int, Abstract]) -> Abstract | None:
    """The same with storage of its own; what was one is one; None for objects."""
    if isinstance(value, Ref) and value.cell in known and not value.steps:
        return known[value.cell]
    match content(ctx, value):
        case Const() | Closure() | Named() | Class() as one:
            return one
        case Bound(function=function, owner=owner):
            of = deep_copy(ctx, owner, known)
            return None if of is None else Bound(function, of)
        case Struct(kind=Class(type=cls)) as whole if not issubclass(cls, tuple):
            return _instance(ctx, value, whole, known)
        case Seq() | Struct() as whole:
            items = _items(ctx, whole, known)
            # Instances may have a method that copies them.
            if items is None or (isinstance(whole, Struct) and whole.kind != "dict"):
                return None
            made = whole.of(items)
            made = replace(made, place=None) if isinstance(made, Struct) else made
            copy = hold(ctx, made, "")
        case Value() | Ref() as stored:
            operand = read(ctx, stored)
            if operand.type.is_scalar:
                return operand
            if operand.type.kind != "array":
                return None
            copy = hold(ctx, ctx.apply("copy", operand, spelling="numpy.copy"), "")
        case _:
            return None
    if isinstance(value, Ref) and not value.steps:
        known[value.cell] = copy
    return copy


def _items(
    ctx: Context, whole: Seq | Struct, known: dict[int, Abstract]
) -> tuple[Abstract, ...] | None:
    found = [deep_copy(ctx, item, known) for item in whole.items]
    items = tuple(item for item in found if item is not None)
    return items if len(items) == len(found) else None


def _instance(
    ctx: Context, value: Abstract, whole: Struct, known: dict[int, Abstract]
) -> Abstract | None:
    """A copy of an instance; it may be held by what it holds."""
    if not _is_plain(whole) or not isinstance(value, Ref) or value.steps:
        return None
    made = known[value.cell] = new_cell(ctx, whole.of(whole.items), "")
    items = _items(ctx, whole, known)
    if items is None:
        del known[value.cell]
        return None
    write(ctx, made, whole.of(items))
    return made


def _is_plain(whole: Struct) -> bool:
    """Whether an instance that the program has made is copied by its attributes."""
    if not isinstance(whole.kind, Class) or issubclass(whole.kind.type, tuple):
        return False
    cls = whole.kind.type
    names = (*_ASKED, *(_FILLED if whole.get(HELD) is not None else ()))
    return whole.place is None and all(find(cls, name) is None for name in names)
