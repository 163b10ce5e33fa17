"""The shape of what a loop carries: which parts of a name's value are parameters of the body.

A form is what stays of an abstract value when its operands are left out. `instance` fills a form
with new parameters, `flatten` takes the operands of a value out in the same order, and `joined` is
the least form that holds one more value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.control.carried_forms import Form, Guess, Held, Items, Leaf, Same
from adjointgen.frontend.control.row_lists import is_rows, rows_joined, turned
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Absent,
    Abstract,
    Outside,
    Ref,
    Seq,
    Struct,
    Whole,
    alike,
    as_maybe,
    either_of,
    is_maybe,
)
from adjointgen.frontend.domain.maybe_scalar import Loose, meeting, varied
from adjointgen.frontend.domain.module_tables import Layout, Living, Table, common
from adjointgen.frontend.domain.narrower_dtypes import narrowest
from adjointgen.frontend.state.bound_flags import shown_name
from adjointgen.frontend.state.context import NO, RESULT, YES, Context
from adjointgen.frontend.state.program_state import Cell, Key, State
from adjointgen.frontend.state.storage_cells import read, shown, shown_type
from adjointgen.frontend.state.strings import as_object, is_object
from adjointgen.frontend.state.unify import is_undefined, join_types, mismatch, undefined, widened
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import BOOL, FLOAT, OBJECT, Type, entry_type, list_type
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import const

DEEP = 40
"""How many structures may lie in one another that a loop carries."""


def named(state: State, key: Key) -> Abstract:
    """What a name stands for; a flag that was never set is false."""
    return state.names.get(key, NO if key[1].startswith("%") and key[1] != RESULT else ABSENT)


def form_of(ctx: Context, state: State, value: Abstract, group: str) -> Form:
    """The form of a value; what an integer is known to be may change in the loop."""
    if group.count(".") > DEEP:
        ctx.unlike("AG106", "what this loop carries holds itself", "loop over known entries")
    match value:
        case Const() if not _is_number(value):
            return Same(value)
        case Value(type=type) | Const(type=type):
            narrow = narrowest(type, [ctx.narrow.of(value)])
            return Leaf(replace(type, value=None), _loose(ctx, value), _table(ctx, value), narrow)
        case Ref(cell=cell) if cell in state.cells:
            held = state.cells[cell]
            if isinstance(held, Seq | Struct):
                return Held(form_of(ctx, state, held, group), group)
            content = shown(ctx, state, value)
            narrow = narrowest(content.type, [ctx.narrow.of(content)])
            return Held(Leaf(content.type, _loose(ctx, content), narrow=narrow), group)
        case Seq(items=items) | Struct(items=items):
            forms: Iterable[Form]
            if ctx.invariant and isinstance(value, Struct) and not is_maybe(value):
                forms = (Same(v, f"{group}.{k}") for k, v in enumerate(items))
            else:
                forms = (form_of(ctx, state, v, f"{group}.{k}") for k, v in enumerate(items))
            return Items(tuple(forms), value.of([ABSENT] * len(items)))
        case Outside(type=type) if type.kind != "object":
            return Leaf(type)
    return Same(value)


def joined(ctx: Context, root: str, form: Form, value: Abstract, end: State) -> Form:
    """The form that holds both what was assumed and what was found at the end of an iteration."""
    form = _changing(ctx, form, value, end)
    form, value = _flagged(ctx, form, value, root, end) or (form, value)
    match form, value:
        case Same(value=Absent()), _:
            return form_of(ctx, end, value, root)
        case Same(value=same), _ if same == value or isinstance(value, Absent):
            return form
        case Leaf(), Value() | Const():
            return _leaf(ctx, root, form, value)
        case Leaf(type=type), Ref() if not isinstance(end.cells[value.cell], Seq | Struct):
            return Held(_array(ctx, root, type, shown(ctx, end, value)), root)
        case Held(content=content, group=group), Ref():
            held = end.cells[value.cell]
            inner = held if isinstance(held, Seq | Struct) else shown(ctx, end, value)
            rows = rows_joined(ctx, content, inner, end, group)
            return Held(rows or joined(ctx, root, content, inner, end), group)
        case Held(content=Leaf() as content, group=group), Value() | Const():
            return Held(_leaf(ctx, root, content, value), group)
        case Items(forms=forms, like=like), Seq() | Struct() if alike(like, value):
            parts = zip(forms, value.items, strict=True)
            made = tuple(joined(ctx, root, f, v, end) for f, v in parts)
            return Items(made, either_of(like, value))
        case (Leaf() | Items()), Seq(
            kind="list" | "set" | "frozenset"
        ) | Value() if grown := _grown(ctx, form, value, end):
            return Leaf(grown)
        case (Leaf() | Held() | Items()), Absent():
            return form
    return _unlike(ctx, root.strip("%"), form)


def _changing(ctx: Context, form: Form, value: Abstract, end: State) -> Form:
    """A part of an object that an iteration changes is carried from now on.

    It is compared by its text, since 0.0 and -0.0 are equal.
    """
    if isinstance(form, Same) and form.group and repr(form.value) != repr(value):
        return form_of(ctx, end, form.value, form.group)
    return form


def _is_number(value: Const) -> bool:
    """Whether a constant may be another number in a later iteration."""
    return isinstance(value.value, bool | int | float | complex)


def _is_text(form: Form) -> bool:
    """Whether an entry of a list is a string or an object."""
    match form:
        case Same(value=Const(value=str())):
            return True
        case Leaf(type=type):
            return type.kind == "object"
    return False


def _array(ctx: Context, root: str, type: Type, after: Operand) -> Leaf:
    """What holds a number that becomes an array: it was a literal, or is refused."""
    before = Const(0, type)
    found = _type(ctx, root, before, after)
    return Leaf(found, meeting(found, *(varied(ctx.loose, operand) for operand in (before, after))))


def _flagged(
    ctx: Context, form: Form, value: Abstract, root: str, end: State
) -> tuple[Form, Abstract] | None:
    """Both with a flag, where one may be None and the other is a value."""
    with_flag = as_maybe(value)
    known = isinstance(form, Items) and is_maybe(form.like)
    if with_flag is None or not (known or ctx.optional or is_maybe(value)):
        return None
    if not known:
        nothing = form == Same(const(None))
        if (nothing and value == const(None)) or not (nothing or with_flag.items[0] != YES):
            return None
        if not isinstance(form, Leaf | Held) and not nothing:
            return None
        inner = form_of(ctx, end, with_flag.items[1], root) if nothing else form
        form = Items((Leaf(BOOL), inner), with_flag.of((ABSENT, ABSENT)))
    return form, with_flag


def _parts(value: Abstract, items: Items) -> tuple[Abstract, ...]:
    """The entries of a value of this form."""
    if is_maybe(items.like):
        there, held = (as_maybe(value) or as_maybe(const(None)) or items.like).items
        inner = items.forms[1]
        if held == ABSENT and isinstance(inner, Leaf) and inner.type == FLOAT:
            # Never read, but a name that stands for something.
            held = const(math.nan)
        return there, held
    if is_rows(items.like) and isinstance(value, Seq):
        (columns,) = items.forms
        assert isinstance(columns, Items)
        return (Seq(tuple(turned(value, len(columns.forms)))),)
    return value.items if isinstance(value, Seq | Struct) else (ABSENT,) * len(items.forms)


def _grown(ctx: Context, form: Leaf | Items, value: Seq | Value, end: State) -> Type | None:
    """The type of a list that held entries of a form, and then others."""
    types: list[Type] = []
    match form:
        case Items(forms=forms, like=Seq(kind="list")) if is_object(value):
            return OBJECT if all(map(_is_text, forms)) else None
        case Items(like=Seq(kind="set" | "frozenset")):
            # Its entries are known no longer.
            return OBJECT
        case _ if not ctx.grows or (isinstance(value, Value) and value.type.kind != "list"):
            return None
        case Items(forms=forms, like=Seq(kind="list")):
            parts = [f.content if isinstance(f, Held) else f for f in forms]
            types += (f.type if isinstance(f, Leaf) else OBJECT for f in parts)
        case Leaf(type=type) if type.kind == "list":
            types.append(entry_type(type))
        case _:
            return None
    if isinstance(value, Value):
        return list_type([*types, entry_type(value.type)])
    return list_type([*types, *(shown_type(ctx, end, item) for item in value.items)])


def _unlike(ctx: Context, root: str, form: Form) -> NoReturn:
    """Refuse a name that is one thing before the loop and another in it."""
    if isinstance(form, Same) and form.value == const(None):
        ctx.absent(
            "AG411",
            f"{root} is None before the loop and has another value in it",
            "start with a number or array, and keep a flag beside it",
            kind=TypeMismatch,
        )
    ctx.unlike(
        "AG106",
        f"{root} changes its length or its kind from one iteration to the next",
        "use an array of fixed shape, or a variable for each entry",
    )


def _leaf(ctx: Context, root: str, leaf: Leaf, value: Value | Const) -> Leaf:
    """The leaf that holds a value, too."""
    type = _type(ctx, root, Value("", leaf.type), value)
    before = None if leaf.loose is None else leaf.loose.varied
    table = leaf.table if is_undefined(value) else common(leaf.table, _table(ctx, value))
    held = leaf.type.dtype if leaf.narrow is None else leaf.narrow
    found = [held] if is_undefined(value) else [held, ctx.narrow.of(value)]
    narrow = narrowest(type, found)
    return Leaf(type, meeting(type, before, varied(ctx.loose, value)), table, narrow)


def _table(ctx: Context, operand: Operand) -> Layout | None:
    return ctx.tables.get(operand.name) if isinstance(operand, Value) else None


def _loose(ctx: Context, operand: Operand) -> Loose | None:
    return ctx.loose.get(operand.name) if isinstance(operand, Value) else None


def _type(ctx: Context, root: str, before: Operand, value: Operand) -> Type:
    found = join_types(before, value)
    if found is None:
        mismatch(ctx, root.strip("%"), before, value)
    return replace(found, value=None) if found.is_scalar else found


def arrays_in(
    form: Form, value: Abstract, cells: dict[int, Operand | Whole]
) -> Iterator[tuple[Held, Ref]]:
    """The carried arrays and lists in a form, at any depth, with what they are bound to."""
    match form, value:
        case Held(content=content), Ref(cell=cell):
            yield form, value
            yield from arrays_in(content, cells[cell], cells)
        case Items(forms=forms, like=like), Seq(items=items) | Struct(items=items):
            if is_rows(like) and isinstance(value, Seq):
                # The tuples are known before the loop, and no list holds their entries.
                return
            for part, item in zip(forms, items, strict=True):
                yield from arrays_in(part, item, cells)


def groups_in(form: Form) -> Iterator[str]:
    """The groups of a form, at any depth."""
    match form:
        case Held(content=content, group=group):
            yield group
            yield from groups_in(content)
        case Items(forms=forms):
            for part in forms:
                yield from groups_in(part)


@dataclass(slots=True)
class Head:
    """The state in which an iteration begins, and the values that carry it there."""

    state: State
    params: list[Value] = field(default_factory=list)
    inits: list[Operand] = field(default_factory=list)
    groups: dict[str, Ref] = field(default_factory=dict)


def instance(
    ctx: Context,
    head: Head,
    form: Form,
    value: Abstract,
    root: str,
    cells: dict[int, Operand | Whole],
) -> Abstract:
    """What a carried name stands for at the head; its operands become parameters."""
    match form:
        case Leaf(type=type):
            param = ctx.value(shown_name(root), type, root.strip("%"))
            if form.loose is not None:
                ctx.loose[param.name] = form.loose
            ctx.narrow.note(param, form.narrow)
            if isinstance(form.table, Table | Living):
                ctx.tables[param.name] = form.table
            head.params.append(param)
            head.inits.append(entering(ctx, value, type))
            return param
        case Held(group=group):
            if group not in head.groups:
                _new_group(ctx, head, form, value, root, cells)
            return head.groups[group]
        case Items(forms=forms, like=like):
            roots = (f"has_{root}", root) if is_maybe(like) else ("",) * len(forms)
            rows = zip(forms, _parts(value, form), roots, strict=True)
            return like.of([instance(ctx, head, f, v, r, cells) for f, v, r in rows])
        case Same(value=same):
            return same


def _new_group(
    ctx: Context,
    head: Head,
    form: Held,
    value: Abstract,
    root: str,
    cells: dict[int, Operand | Whole],
) -> None:
    """A cell at the head for the first name of a group."""
    number = len(ctx.info)
    before = ctx.info[value.cell] if isinstance(value, Ref) else Cell(root)
    ctx.info[number] = replace(before, root=root)
    head.groups[form.group] = Ref(number)
    value = _content(form, value, cells)
    held = instance(ctx, head, form.content, value, root, cells)
    assert isinstance(held, Value | Const | Seq | Struct)
    head.state.cells[number] = held


def _content(form: Held, value: Abstract, cells: dict[int, Operand | Whole]) -> Abstract:
    """What is held, if it is known entry by entry; else what holds it."""
    held = cells[value.cell] if isinstance(value, Ref) else value
    return held if isinstance(form.content, Items) or isinstance(held, Seq) else value


def flatten(
    ctx: Context, form: Form, value: Abstract, cells: dict[int, Operand | Whole], groups: set[str]
) -> Iterable[Operand]:
    """The operands of a value, in the order of the parameters that `instance` made."""
    match form:
        case Leaf(type=type):
            yield entering(ctx, value, type)
        case Held(content=content, group=group) if group not in groups:
            groups.add(group)
            value = _content(form, value, cells)
            yield from flatten(ctx, content, value, cells, groups)
        case Items(forms=forms):
            for part, item in zip(forms, _parts(value, form), strict=True):
                yield from flatten(ctx, part, item, cells, groups)


def entering(ctx: Context, value: Abstract, type: Type) -> Operand:
    """The operand that a parameter of this type gets."""
    if isinstance(value, Absent):
        return undefined(type)
    if isinstance(value, Seq) and type.kind == "object":
        return as_object(ctx, value)
    if isinstance(value, Seq):
        action = ctx.actions.grown_list if type.kind == "list" else ctx.actions.list_of
        return widened(ctx, action(ctx, value, type), type)
    return widened(ctx, read(ctx, value), type)


def renamed(value: Abstract, rename: Callable[[Value], Operand]) -> Abstract:
    """The value with its operands replaced."""
    match value:
        case Value():
            return rename(value)
        case Seq(items=items) | Struct(items=items):
            return value.of([renamed(i, rename) for i in items])
    return value


def lent_at_head(head: Head, guess: Guess, bound: Iterable[tuple[Held, Ref]]) -> set[int]:
    """The cells that an object may hold at the head: lent before the loop, or by an iteration."""
    groups = {held.group for held, ref in bound if ref.cell in head.state.lent}
    forms: list[tuple[Key | int, Form]] = [*guess.names, *guess.cells]
    groups |= {g for mark, form in forms if mark in guess.lent for g in groups_in(form)}
    marked = {mark for mark in guess.lent if isinstance(mark, int)}
    return marked | {head.groups[group].cell for group in groups}
