"""Attributes of the module's objects that the program sets: each is a variable of the program.

    MODEL.k = x          MODEL_k = x;  MODEL.k = x
    MODEL.run(t)         reads MODEL_k in the place of self.k

What is read of an object of the module is a constant. So an attribute that is set to a number, an
array or a list of such is kept in a variable as well, which begins with what the object holds when
the program starts (scalar promotion of memory). An array or a list is put into the object at the
end. That holds as long as nothing else gets at the object: which object it is, is looked at before
each call, and code that is copied as it stands is given no object of the user's. Where code of
which nothing is known runs, or the program is refused, the lowering begins again without
(`Facts.promotes`).
"""

from __future__ import annotations

import re
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
    is_maybe,
    maybe,
)
from adjointgen.frontend.domain.module_tables import (
    Living,
    attribute_of,
    holds_attribute,
    is_slot,
)
from adjointgen.frontend.domain.structures import is_followed
from adjointgen.frontend.state.context import MODULE, NO, YES, Context
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.program_state import Key
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, read
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const
from adjointgen.watch import Held, look

_UNSET = Named("unset.attribute", "what is not set yet")


def begin(ctx: Context) -> None:
    """Bind the variables of a program to what the objects hold."""
    if ctx.outlines.open:
        return
    for (_, name), own in ctx.outlines.facts.promoted.items():
        _note_identity(own)
        there = holds_attribute(own.value, name)
        of = own.reader()

        def has(origin: Any, of: Any = of, name: str = name) -> bool:
            return holds_attribute(of(origin), name)

        look(Held(own.origin, has), f"{own.steps}.{name} set")
        key = _key(ctx, own, name)
        ctx.memo[key] = ctx.state.names[key] = _first(ctx, own, name) if there else _UNSET


def _key(ctx: Context, own: Living, name: str) -> Key:
    """The variable that stands for an attribute: `MODEL_k`, with underscores where two are one."""
    places = [
        (id(o.value), n, f"{o.text}_{n}") for (_, n), o in ctx.outlines.facts.promoted.items()
    ]
    names = [re.sub(r"\W+", "_", text) for *_, text in places]
    number = next(k for k, (o, n, _) in enumerate(places) if o == id(own.value) and n == name)
    return MODULE, names[number] + "_" * names[:number].count(names[number])


def _first(ctx: Context, own: Living, name: str) -> Abstract:
    """What an attribute is when the program starts."""
    if own.reader(f".{name}")(own.origin) is None:
        return maybe(NO, ABSENT)
    layout = attribute_of(own, name)
    type = layout if isinstance(layout, Type) else OBJECT
    owner = _object(ctx, own)
    found = verbatim(ctx, f"_0_.{name}", (owner,), type, quiet=True, sure=True)
    if layout is not None and not isinstance(layout, Type):
        ctx.tables[found.name] = layout
    if found.type.kind == "array":
        return new_cell(ctx, found, name, module=f"{own.text}.{name}")
    return found


def _object(ctx: Context, own: Living) -> Operand:
    return read(ctx, Outside(own.text, OBJECT, own.line, table=own))


def _note_identity(own: Living) -> None:
    """Note which object this is; what a name stands for is noted where it is looked up."""
    if own.steps:
        look(Held(own.origin, own.reader()), f"{own.steps} itself")


def promoted(ctx: Context, own: Living, name: str) -> Abstract | None:
    """The variable that an attribute is; None where it is read from the object."""
    known = ctx.outlines.facts.promoted
    if (id(own.value), name) not in known:
        if any(n == name and type(o.value) is type(own.value) for (_, n), o in known.items()):
            _note_identity(own)
        return None
    found: Abstract | None = ctx.state.names.get(_key(ctx, own, name))
    if found is None or found == _UNSET:
        ctx.refuse("AG102", f"{name} may not be set here", "set it in __init__")
    return found


def promote(ctx: Context, owner: Abstract, own: Living, name: str, value: Abstract) -> bool:
    """`owner.name = value` where that is a variable."""
    facts, place = ctx.outlines.facts, (id(own.value), name)
    if place not in facts.promoted:
        if facts.promotes and _may_be_promoted(ctx, own, name, value):
            facts.late[place] = facts.missed[place] = own
        return False
    held = hold(ctx, value, name)
    parts = _parts(ctx, held)
    if parts is None:
        ctx.refuse("AG101", f"{name} is set to a number and to something else", "use two names")
    key = _key(ctx, own, name)
    if key not in ctx.state.names:
        ctx.refuse("AG101", f"a function that the program calls sets {name}", "set it here")
    ctx.state.names[key] = held
    if not _is_put_last(ctx, held, parts):
        statement(ctx, f"_0_.{name} = _1_", (read(ctx, owner), parts[0]), sets=True)
    return True


def _parts(ctx: Context, value: Abstract) -> list[Operand] | None:
    """The numbers and arrays of a value, alone or in a list or tuple; None where it has others."""
    known = content(ctx, value)
    if isinstance(known, Struct):
        return None
    items = known.items if isinstance(known, Seq) else (value,)
    if any(isinstance(content(ctx, item), Seq | Struct | Named) for item in items):
        return None
    parts = [read(ctx, item) for item in items]
    plain = all(p.type.kind in ("scalar", "array") or p == const(None) for p in parts)
    return parts if plain else None


def _is_put_last(ctx: Context, value: Abstract, parts: list[Operand]) -> bool:
    """Whether a value is put into the object at the end: an array, a list or a tuple."""
    return isinstance(content(ctx, value), Seq) or parts[0].type.kind == "array"


def _may_be_promoted(ctx: Context, own: Living, name: str, value: Abstract) -> bool:
    cls = type(own.value)
    if ctx.outlines.primal or not is_set_plainly(cls, name) or not is_followed(cls):
        return False
    parts = _parts(ctx, value) or ()
    if holds_attribute(own.value, name) and own.reader(f".{name}")(own.origin) is None:
        # Of a number that is set where it was None, it is known that it is a number from there on.
        return any(p != const(None) for p in parts)
    return any(isinstance(p, Value) and p.type.is_differentiable for p in parts)


def is_set_plainly(cls: type, name: str) -> bool:
    """Whether an attribute of an instance is set without code of its own."""
    raw = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    return is_slot(raw) or not hasattr(type(raw), "__set__")


def finish(ctx: Context) -> None:
    """Put arrays into the objects, as they are at the end of the program.

    Raises Unsupported (AG112) where an object may be one of the caller's.
    """
    if ctx.outlines.open:
        return
    if ctx.outlines.facts.clashes:
        raise ctx.outlines.facts.clashes[0]
    _refuse_shared(ctx)
    for (_, name), own in ctx.outlines.facts.promoted.items():
        key = _key(ctx, own, name)
        value = ctx.state.names[key]
        if value not in (_UNSET, ctx.memo[key]):
            _put(ctx, own, name, value)


def _put(ctx: Context, own: Living, name: str, value: Abstract) -> None:
    """Put an array or a list into an object, where it holds one at the end."""
    flag, inner = value.items if is_maybe(value) else (YES, value)
    there, stored = read(ctx, flag), _storage(ctx, inner)
    parts = _parts(ctx, inner)
    if parts is None:
        ctx.refuse("AG101", f"{name} is set to a number and to something else", "use two names")
    if not _is_put_last(ctx, inner, parts):
        return
    known, holes = content(ctx, inner), Holes(ctx)
    whole = _object(ctx, own)
    held = known.of(parts) if isinstance(known, Seq) else parts[0]
    code = f"{holes.fill(whole)}.{name} = {holes.fill(held)}"
    code = code if there == YES else f"if {holes.fill(there)}:\n    {code}"
    operands = list(dict.fromkeys([*holes.operands, *stored]))
    shared = tuple(k for k, o in enumerate(operands) if o in stored)
    statement(ctx, code, operands, attribute=name, shared=shared)


def _storage(ctx: Context, value: Abstract) -> list[Operand]:
    """The arrays that the object gets, or gets views of, which are taken of what they are now."""
    known = content(ctx, value)
    items = known.items if isinstance(known, Seq) else (value,)
    cells = dict.fromkeys(item.cell for item in items if isinstance(item, Ref))
    reads = ctx.state.reads
    ctx.state.reads = {key: held for key, held in reads.items() if key[0].cell not in cells}
    found = [ctx.state.cells[cell] for cell in cells]
    return [base for base in found if isinstance(base, Value) and base.type.is_array]


def _refuse_shared(ctx: Context) -> None:
    """Refuse one list in two attributes, which would be two after the program."""
    seen = set[int]()
    for (_, name), own in ctx.outlines.facts.promoted.items():
        value = ctx.state.names[_key(ctx, own, name)]
        is_list = isinstance(content(ctx, value), Seq)
        if is_list and isinstance(value, Ref) and value.cell in seen:
            ctx.refuse("AG112", f"{name} is what another attribute is", "take a .copy() of it")
        seen |= {value.cell} if isinstance(value, Ref) else set()
