"""Facts about a program as tables: what is active and through what, what is recorded and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.errors import Span
from adjointgen.ir.nodes import (
    Apply,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    blocks_of,
    defined_in,
    operands_of,
    results_of,
    walk,
)
from adjointgen.records import dataclass, replace
from adjointgen.views.held_values import held_values, is_view
from adjointgen.views.places import placed
from adjointgen.views.tape_sizes import bytes_of, recorded_bytes


@dataclass(frozen=True, slots=True)
class Row:
    """`place` is where the row's subject comes from in the user's source, a value of this name."""

    cells: tuple[str, ...]
    place: Span | None = None
    active: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """`key` is what the page calls it; `empty` is what is said where there are no rows."""

    key: str
    title: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    empty: str = ""

    def __str__(self) -> str:
        """The table as text, in columns."""
        if not self.rows:
            return self.empty
        rows = [self.head, *(row.cells for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
        )


def activity_table(function: Function, facts: Activity) -> Table:
    """Every value: whether the inputs vary it, the results use it, and through what."""
    places = dict(_places(function))
    rows = []
    for value in dict.fromkeys(defined_in(function.body)):
        varied, useful = value.name in facts.varied, value.name in facts.useful
        path = " <- ".join(reversed(facts.path(value.name))) if varied and useful else ""
        cells = (value.name, str(value.type), _yes(varied), _yes(useful), path)
        rows.append(Row(cells, places.get(value.name), varied and useful))
    return Table(
        "activity", "Activity", ("value", "type", "varied", "useful", "through"), tuple(rows)
    )


HELD: Final = "held"
"""In the place of a tape: the value has a name of its own."""
Remedy = Callable[[Row], str]
"""The directive that would remove a row; "" where there is none."""


def tape_table(program: Function, remedy: Remedy = lambda row: "") -> Table:
    """Every value that an adjoint program keeps for its reverse sweep.

    The bytes are those of all iterations, as a formula (`tape_sizes.py`). What straight code holds
    under a name is on no tape (`held_values.py`).

    What the forward sweep of a function that is called keeps for its reverse is named after it.
    """
    functions = (program, *program.callees)
    reverse = {f.name.replace("_reverse", "_forward"): f for f in program.callees}
    rows = [row for f in functions for row in _tape_rows(f, reverse.get(f.name, f))]
    told = [
        replace(row, cells=(*row.cells, remedy(row) or "none"))
        for row in (*rows, *_held_rows(program))
    ]
    return Table(
        "tape",
        "Tape",
        ("tape", "value", "type", "bytes", "recorded at", "needed by", "removed by"),
        tuple(told),
        "nothing is recorded",
    )


def _held_rows(program: Function) -> Iterator[Row]:
    """One row per value that straight code holds."""
    places = dict(_places(program))
    for stmt, value, reader in held_values(program):
        place = places.get(value.name)
        size = "0, a view" if is_view(stmt) else bytes_of(value.type)
        cells = (HELD, _label(value), str(value.type), size, _line(place), _reason(reader))
        yield Row(cells, place)


def _places(function: Function) -> Iterator[tuple[str, Span]]:
    """Where values are defined; what a loop carries stands where the loop does."""
    for stmt in walk(placed(function).body):
        if stmt.span is not None:
            inner = [p for block in blocks_of(stmt) for p in block.params]
            index = [stmt.index] if isinstance(stmt, Loop) else []
            yield from ((v.name, stmt.span) for v in (*results_of(stmt), *inner, *index))


def _tape_rows(program: Function, reverse: Function) -> Iterator[Row]:
    """One row per record statement, and per value that is handed to the `reverse` function."""
    replayed = {s.slot: s.result for s in walk(reverse.body) if isinstance(s, Replay)}
    readers: dict[str, Stmt] = {}
    for stmt in walk(reverse.body):
        for operand in operands_of(stmt):
            if isinstance(operand, Value) and not isinstance(stmt, Record):
                readers.setdefault(operand.name, stmt)
    size = recorded_bytes(program.body)
    for stmt in walk(placed(program).body):
        if isinstance(stmt, Record) and stmt.slot in replayed:
            reader = readers.get(replayed[stmt.slot].name)
            held = stmt.value
            own = size.get((stmt.slot, str(held)), "?")
            what = (stmt.slot, _label(held), str(held.type), own)
            cells = (*what, _line(stmt.span), _reason(reader))
            yield Row(cells, stmt.span, name=_name(held))
    places = dict(_places(program)) if program.kept else {}
    for value in program.body.yields[len(program.body.yields) - program.kept :]:
        if isinstance(value, Value):
            place = places.get(value.name)
            why = _reason(readers.get(value.name))
            kept = (program.name, _label(value), str(value.type), bytes_of(value.type))
            yield Row((*kept, _line(place), why), place, name=value.name)


def _label(operand: Operand) -> str:
    return operand.root or operand.name if isinstance(operand, Value) else str(operand.value)


def _name(operand: Operand) -> str:
    return operand.name if isinstance(operand, Value) else ""


def _line(span: Span | None) -> str:
    return f"line {span.line}" if span else ""


def _reason(reader: Stmt | None) -> str:
    if reader is None:
        return ""
    what = reader.op if isinstance(reader, Apply) else type(reader).__name__.lower()
    where = f" of line {reader.span.line}" if reader.span else ""
    return f"the adjoint{where} ({what})"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
