"""Lists of tuples that grow in a loop, or on one path and not on another.

    points = []                     ts, ys = [], []
    while ...:                      while ...:
        points.append((t, y))           ts.append(t);  ys.append(y)

A list whose entries are no longer known one by one, and which are tuples of numbers of one length,
is a list for each place in the tuples (structure of arrays).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import NoReturn, TypeGuard

from adjointgen.frontend.control.carried_forms import Form, Held, Items, Leaf
from adjointgen.frontend.control.growing_lists import grown_list, push
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Class,
    Ref,
    Seq,
    SliceOf,
    Struct,
    alike,
)
from adjointgen.frontend.source.list_of_tuples import rows
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.program_state import State
from adjointgen.frontend.state.storage_cells import content, new_cell, read, shown, shown_type
from adjointgen.frontend.state.unify import widened
from adjointgen.ir.types import Type, entry_type, list_type

Entries = list[list[Type]]
LIKE = Struct(Class(rows, "list"), ("_columns",), (ABSENT,))


def is_rows(value: object) -> TypeGuard[Struct]:
    """Whether this is a list of tuples of which it is not known how many there are."""
    return value.__class__ is Struct and value.kind == LIKE.kind


def columns_of(known: Struct) -> tuple[Ref, ...]:
    """The lists that hold the entries of the tuples."""
    (whole,) = known.items
    assert isinstance(whole, Seq)
    return whole.items  # type: ignore[return-value]


def turned(known: Seq, count: int) -> list[Seq]:
    """The `count` places of known tuples: a list for each."""
    parts = [item.items for item in known.items if isinstance(item, Seq)]
    return [Seq(tuple(part[k] for part in parts), "list") for k in range(count)]


def column_types(ctx: Context, held: Iterable[Entries | None]) -> tuple[Type, ...] | None:
    """The lists that hold the entries of all tuples of several lists; None where none would do."""
    if not ctx.grows or ctx.outlines.primal or not ctx.outlines.columns:
        return None
    places: Entries = []
    for entries in held:
        if entries is None:
            return None
        places += entries
    if len({len(row) for row in places}) != 1:
        return None
    types = [list_type(column) for column in zip(*places, strict=True)]
    if any(type is None or type.rank != 1 for type in types):
        return None
    ctx.outlines.has_columns = True
    return tuple(type for type in types if type is not None)


def entry_types(ctx: Context, state: State, known: object) -> Entries | None:
    """The types of the entries of each tuple; of any tuple where they are not known one by one."""
    if is_rows(known):
        return [[entry_type(shown(ctx, state, column).type) for column in columns_of(known)]]
    if not isinstance(known, Seq) or known.kind != "list":
        return None
    found = []
    for item in known.items:
        if not isinstance(item, Seq) or item.kind != "tuple" or not item.items:
            return None
        found.append([shown_type(ctx, state, one) for one in item.items])
        if not all(type.is_scalar for type in found[-1]):
            return None
    return found


def rows_from(ctx: Context, known: Seq | Struct, types: tuple[Type, ...], root: str) -> Struct:
    """A list of known tuples as one of which it is not known how many there are."""
    if is_rows(known):
        pairs = zip(columns_of(known), types, strict=True)
        columns = [widened(ctx, read(ctx, ref), type) for ref, type in pairs]
    else:
        assert isinstance(known, Seq)
        lists = turned(known, len(types))
        columns = [grown_list(ctx, one, type) for one, type in zip(lists, types, strict=True)]
    return LIKE.of([Seq(tuple(new_cell(ctx, column, root) for column in columns))])


def rows_joined(ctx: Context, form: Form, value: Abstract, end: State, group: str) -> Items | None:
    """The form of a list of tuples that has others now; None for other values."""
    if not isinstance(form, Items) or not isinstance(value, Seq | Struct):
        return None
    if alike(form.like, value) and not is_rows(value):
        return None
    types = column_types(ctx, (_row_types(form), entry_types(ctx, end, value)))
    if types is None:
        return None
    columns = (Held(Leaf(type), f"{group}.{k}") for k, type in enumerate(types))
    like = Seq((ABSENT,) * len(types))
    return Items((Items(tuple(columns), like),), LIKE)


def _row_types(form: Items) -> list[list[Type]] | None:
    """The types of the entries of each tuple in a list of this form."""
    if not is_rows(form.like) and not (isinstance(form.like, Seq) and form.like.kind == "list"):
        return None
    found = []
    for row in form.forms:
        if not isinstance(row, Items) or not isinstance(row.like, Seq) or row.like.kind != "tuple":
            return None
        held = [one.content if isinstance(one, Held) else one for one in row.forms]
        if not all(isinstance(one, Leaf) for one in held):
            return None
        types = [one.type for one in held if isinstance(one, Leaf)]
        found.append([entry_type(type) if is_rows(form.like) else type for type in types])
    return found


def put_row(ctx: Context, known: Struct, value: Abstract, node: ast.AST | None) -> None:
    """`rows.append(value)`."""
    for column, entry in row_at(ctx, known, value):
        push(ctx, column, [entry], node)


def some_rows(ctx: Context, columns: Iterable[Abstract]) -> Ref:
    """A list of tuples with these columns."""
    cells = (new_cell(ctx, read(ctx, one), "") for one in columns)
    return new_cell(ctx, LIKE.of([Seq(tuple(cells))]), "")


def rows_part(
    ctx: Context,
    known: Struct,
    key: Abstract,
    part: Callable[[Context, Abstract, Abstract], Abstract],
) -> Abstract:
    """A tuple, or the list of some of them."""
    row = tuple(part(ctx, column, key) for column in columns_of(known))
    return some_rows(ctx, row) if isinstance(key, SliceOf) else Seq(row)


def row_at(
    ctx: Context, known: Struct, value: Abstract, key: Abstract = ABSENT
) -> list[tuple[Ref, Abstract]]:
    """The columns, each with the entry of a tuple that is put into the list, at a `key`.

    Refuses other tuples, what is no tuple, and slices that are written (AG106).
    """
    if isinstance(key, SliceOf):
        refuse(ctx, "a slice that is written")
    columns, row = columns_of(known), content(ctx, value)
    items = row.items if isinstance(row, Seq) and row.kind == "tuple" else ()
    numbers = all(shown_type(ctx, ctx.state, one).is_scalar for one in items)
    if numbers and len(items) == len(columns):
        return list(zip(columns, items, strict=True))
    ctx.unlike(
        "AG106",
        f"a list of tuples of {len(columns)} numbers gets something else",
        "let all entries be tuples of as many numbers",
    )


def refuse(ctx: Context, what: str) -> NoReturn:
    """Refuse what such a list is asked for."""
    ctx.unlike(
        "AG106",
        f"{what} of a list of tuples, of which it is not known how many there are",
        "keep a list for each place in the tuples",
    )
