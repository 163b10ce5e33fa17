"""The user's own code, copied as it stands, and notes to the reader: without a derivative."""

from __future__ import annotations

from adjointgen.errors import InternalError
from adjointgen.ir.types import OBJECT
from adjointgen.rules.framework.declare import constant, refuse
from adjointgen.rules.framework.type_rules import Options, Types


def _user_type(types: Types, options: Options) -> Types:
    return (OBJECT, *_written_type(types, options))


def _written_type(types: Types, options: Options) -> Types:
    bound = (OBJECT,) * len(options.get("bound", ()))
    return (*bound, *(types[k] for k in options.get("writes", ())))


def _unpacked_type(types: Types, options: Options) -> Types:
    raise InternalError("what a tape holds is known where it is made")


constant(
    "unpack",
    "tape, slots=(), single=False",
    [],
    infer=_unpacked_type,
    because="it takes apart what a forward sweep has kept",
    effect=True,
)
_USER = (
    "it is copied as it stands; write it with operations that have a derivative, give it one "
    "with @adjointgen.custom, or take it as constant: adjointgen.stop_gradient(...)"
)
refuse("verbatim", "*args..., code='', writes=()", [], infer=_user_type, because=_USER, effect=True)
refuse(
    "statement",
    "*args..., code='', writes=(), bound=()",
    [],
    infer=_written_type,
    because=_USER,
    effect=True,
)
constant(
    "written",
    "a, name=''",
    [],
    infer=lambda types, options: (),
    because="it is what an argument holds in the end, which the caller sees",
    effect=True,
)
refuse(
    "cached",
    "*args...",
    [],
    infer=lambda types, options: (),
    because="it was computed before; it does not change with these",
)
constant(
    "comment",
    "text='', sweep=''",
    [],
    infer=lambda types, options: (),
    because="it is a line for the reader",
    effect=True,
)
