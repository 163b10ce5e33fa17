"""Methods of lists of tuples of which it is not known how many there are, column by column."""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.growing_lists import emptied, extended, pull, put, reordered
from adjointgen.frontend.control.row_lists import columns_of, is_rows, put_row, row_at, some_rows
from adjointgen.frontend.domain.abstract_values import Abstract, Seq, Struct
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.library.lists import index_in
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.rules.framework.builder import const


def _append(call: Call, known: Struct) -> Abstract | None:
    if len(call.args) != 2:
        return None
    put_row(call.ctx, known, call.args[1], call.node)
    return const(None)


def _extend(call: Call, known: Struct) -> Abstract | None:
    ctx = call.ctx
    if len(call.args) != 2:
        return None
    other = content(ctx, call.args[1])
    if is_rows(other) and len(columns_of(other)) == len(columns_of(known)):
        # All are read before one is written: a list may be extended by itself.
        more = [read(ctx, column) for column in columns_of(other)]
        pairs = zip(columns_of(known), more, strict=True)
        return _whole([extended(ctx, column, one) for column, one in pairs])
    added = entries(ctx, call.args[1])
    for value in added or ():
        put_row(ctx, known, value, call.node)
    return None if added is None else const(None)


def _pop(call: Call, known: Struct) -> Abstract | None:
    position = index_in(call.args[1]) if len(call.args) > 1 else -1
    if position is None:
        return None
    found = [pull(call.ctx, column, position) for column in columns_of(known)]
    return None if any(one is None for one in found) else Seq(tuple(found))  # type: ignore[arg-type]


def _insert(call: Call, known: Struct) -> Abstract | None:
    position = index_in(call.args[1]) if len(call.args) == 3 else None
    if position is None:
        return None
    placed = row_at(call.ctx, known, call.args[2])
    return _whole([put(call.ctx, column, position, value) for column, value in placed])


def _clear(call: Call, known: Struct) -> Abstract | None:
    return _whole([emptied(call.ctx, column) for column in columns_of(known)])


def _reverse(call: Call, known: Struct) -> Abstract | None:
    return _whole([reordered(call.ctx, c, sort=False, back=True) for c in columns_of(known)])


def _copy(call: Call, known: Struct) -> Abstract | None:
    return some_rows(call.ctx, columns_of(known))


def _whole(made: list[Abstract | None]) -> Abstract | None:
    """None, as Python's methods give; nothing where a column could not be changed."""
    return None if any(one is None for one in made) else const(None)


def _on_rows(method: Callable[[Call, Struct], Abstract | None]) -> Special:
    def apply(call: Call) -> Abstract | None:
        known = content(call.ctx, call.args[0])
        assert is_rows(known)
        return method(call, known)

    return apply


ROWS: dict[str, Special] = {
    f"rows.{method.__name__[1:]}": _on_rows(method)
    for method in (_append, _extend, _pop, _insert, _clear, _reverse, _copy)
}
