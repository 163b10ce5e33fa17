"""The stages between a function and its derivative, as text for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjointgen.analysis.activity import Activity, activity
from adjointgen.api.binding import Binder, wrt_names
from adjointgen.api.programs import Step, names_of
from adjointgen.frontend.lower import infer_arguments, lower, type_of
from adjointgen.frontend.source import Source, source_from_file, source_from_function
from adjointgen.ir.nodes import (
    Apply,
    Function,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    defined_in,
    operands_of,
    walk,
)
from adjointgen.ir.text import show
from adjointgen.pipeline import active_inputs, derive, primal


@dataclass(frozen=True, slots=True)
class Stages:
    """What `inspect` returns. `.ssa`, `.activity` and `.tape` print as listings."""

    function: Function
    wrt: tuple[str, ...]

    @property
    def ssa(self) -> str:
        """The function as single-assignment statements."""
        return show(self.function)

    @property
    def activity(self) -> str:
        """Every variable: whether the inputs vary it, the results use it, and through what."""
        facts = self.facts()
        rows = [_activity_row(v, facts) for v in _variables(self.function)]
        return _table(["value", "type", "varied", "useful", "through"], rows)

    @property
    def tape(self) -> str:
        """Every recorded value, where it is recorded, and which reverse statement needs it."""
        program = derive(primal(self.function), "adjoint", self.wrt).function
        rows = list(_tape_rows(program))
        if not rows:
            return "nothing is recorded"
        return _table(["tape", "value", "type", "recorded at", "needed by"], rows)

    def facts(self) -> Activity:
        return activity(self.function, active_inputs(self.function, self.wrt))

    def __str__(self) -> str:
        return "\n\n".join((self.ssa, self.activity, self.tape))


def inspect(
    f: Callable[..., Any] | str,
    *args: Any,
    wrt: Any = ...,
    types: Mapping[str, Any] | None = None,
) -> Stages:
    """The stages of a function, at the types of `args`, or at `types`, or at inferred types.

    `f` is a function or `"path.py::name"`, whose module is not run.
    """
    source: Source
    if isinstance(f, str):
        path, _, name = f.partition("::")
        source = source_from_file(path, name)
    else:
        source = source_from_function(f)
    if args:
        assert not isinstance(f, str)
        binder = Binder(f)
        values = binder.bind(args, {})
        arguments = {n: type_of(n, v) for n, v in zip(binder.names, values, strict=True)}
    else:
        arguments = infer_arguments(source, dict(types or {}))
    function = lower(source, arguments)
    names = tuple(p.name for p in function.parameters)
    step = Step("adjoint", wrt_names(names, wrt)[0])
    return Stages(function, names_of(function, step))


def _variables(function: Function) -> list[Value]:
    return list(dict.fromkeys(defined_in(function.body)))


def _activity_row(value: Value, facts: Activity) -> list[str]:
    varied, useful = value.name in facts.varied, value.name in facts.useful
    path = " <- ".join(reversed(facts.path(value.name))) if varied and useful else ""
    return [value.name, str(value.type), "yes" if varied else "no", "yes" if useful else "no", path]


def _tape_rows(program: Function) -> Iterator[list[str]]:
    """One row per record statement."""
    replayed = {s.slot: s.result for s in walk(program.body) if isinstance(s, Replay)}
    readers: dict[str, Stmt] = {}
    for stmt in walk(program.body):
        for operand in operands_of(stmt):
            if isinstance(operand, Value) and not isinstance(stmt, Record):
                readers.setdefault(operand.name, stmt)
    for stmt in walk(program.body):
        if isinstance(stmt, Record) and stmt.slot in replayed:
            reader = readers.get(replayed[stmt.slot].name)
            yield [
                stmt.slot,
                _label(stmt.value),
                str(stmt.value.type),
                _line(stmt),
                _reason(reader),
            ]


def _label(operand: Operand) -> str:
    return operand.root or operand.name if isinstance(operand, Value) else str(operand.value)


def _line(stmt: Stmt) -> str:
    return f"line {stmt.span.line}" if stmt.span else ""


def _reason(reader: Stmt | None) -> str:
    if reader is None:
        return ""
    what = reader.op if isinstance(reader, Apply) else type(reader).__name__.lower()
    where = f" of line {reader.span.line}" if reader.span else ""
    return f"the adjoint{where} ({what})"


def _table(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(r[k]) for r in [head, *rows]) for k in range(len(head))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip()
        for r in [head, *rows]
    ]
    return "\n".join(lines)
