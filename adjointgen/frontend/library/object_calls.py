"""Attributes that are set by calls: `setattr(o, "name", v)`, `object.__setattr__(o, "name", v)`."""

from __future__ import annotations

from adjointgen.frontend.assignment.attribute_writes import put_attribute
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Method, Struct
from adjointgen.frontend.expressions.construction import (
    bare,
    fill,
    fill_dict,
    made,
    named_tuple,
    set_fields,
)
from adjointgen.frontend.expressions.instances import is_instance, keep_attribute
from adjointgen.frontend.state.held_values import held_in
from adjointgen.frontend.state.storage_cells import content, shown_type
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const


def setattr_(call: Call) -> Abstract | None:
    """`setattr(o, "name", v)` is `o.name = v`."""
    name = _name(call)
    if name is None:
        return None
    put_attribute(call.ctx, call.args[0], name, call.args[2], call.node)
    return const(None)


def object_setattr(call: Call) -> Abstract | None:
    """`object.__setattr__(o, "name", v)`, whatever the class of the object says of that."""
    name = _name(call)
    if name is None:
        return None
    if is_instance(call.ctx, call.args[0]):
        keep_attribute(call.ctx, call.args[0], name, call.args[2], call.node)
    else:
        return None
    return const(None)


def _name(call: Call) -> str | None:
    """The name that is set, where it is known and the object is no array."""
    if len(call.args) != 3 or call.keywords:
        return None
    owner, name, _ = call.args
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return None
    known = is_instance(call.ctx, owner)
    held = content(call.ctx, owner)
    plain = (
        not isinstance(owner, Method)
        and shown_type(call.ctx, call.ctx.state, held).kind == "object"
    )
    return name.value if known or plain else None


def type_call(call: Call) -> Abstract | None:
    """`type.__call__(C, ...)`, which a class of classes passes on to."""
    match call.args:
        case [Class() as cls, *args]:
            return made(call.ctx, cls, args, call.keywords, call.node)
    return None


def object_new(call: Call) -> Abstract | None:
    """`object.__new__(C)`, or that of a number."""
    match call.args:
        case [Class() as cls, *args]:
            return bare(call.ctx, cls, args, call.node)
    return None


def data_init(call: Call) -> Abstract | None:
    """`Base.__init__(self, ...)`, which was made for a data class."""
    match call.args:
        case [Class(type=home), owner, *args] if is_instance(call.ctx, owner):
            known = content(call.ctx, owner)
            assert isinstance(known, Struct) and isinstance(known.kind, Class)
            if issubclass(known.kind.type, home):
                set_fields(call.ctx, known.kind, home, owner, args, call.keywords, call.node)
                return const(None)
    return None


def named_new(call: Call) -> Abstract | None:
    """`Base.__new__(cls, ...)`, which was made for a named tuple."""
    match call.args:
        case [Class(type=type_) as cls, *args] if issubclass(type_, tuple):
            return named_tuple(call.ctx, cls, args, call.keywords, call.node)
    return None


def list_init(call: Call) -> Abstract | None:
    """`list.__init__(self, items)`."""
    if not call.args or held_in(call.ctx, call.args[0]) is None or call.keywords:
        return None
    for items in call.args[1:]:
        fill(call.ctx, call.args[0], items, call.node)
    return const(None)


def dict_init(call: Call) -> Abstract | None:
    """`dict.__init__(self, ...)`."""
    if not call.args or held_in(call.ctx, call.args[0]) is None:
        return None
    fill_dict(call.ctx, call.args[0], call.args[1:], call.keywords, call.node)
    return const(None)


SPECIAL: dict[str, Special] = {
    "builtins.setattr": setattr_,
    "builtins.object.__setattr__": object_setattr,
    "builtins.type.__call__": type_call,
    "builtins.object.__new__": object_new,
    "builtins.float.__new__": object_new,
    "dataclasses.dataclass.__init__": data_init,
    "collections.namedtuple.__new__": named_new,
    "builtins.list.__init__": list_init,
    "builtins.dict.__init__": dict_init,
    "builtins.dict.__new__": object_new,
}
