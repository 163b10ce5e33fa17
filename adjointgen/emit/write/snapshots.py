"""How snapshots of the state of a loop are written: `if _log_keeps(...): snapshots.append(...)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from adjointgen.emit.syntax.expression_trees import (
    attribute,
    call,
    list_,
    literal,
    name,
    subscript,
    tuple_,
)
from adjointgen.emit.syntax.statement_trees import (
    assign,
    declare,
    expression_statement,
    if_,
    with_leading_comments,
)
from adjointgen.emit.syntax.tree import Expression, Statement
from adjointgen.emit.write.annotations import any_type
from adjointgen.emit.write.expressions import Printer
from adjointgen.ir.nodes import Apply, Operand, Value

_RESUMES = "# The state before this step: from the last snapshot, step by step."


def begun(printer: Printer, stmt: Apply) -> list[Statement]:
    """`at = [-1]`, `snapshots = []`: the steps of the snapshots after -1, and the snapshots."""
    at, held, *levels = (printer.name(r) for r in stmt.results)
    first = list_([literal(-1)])
    folder, modules = stmt.option("folder"), printer.modules
    if isinstance(folder, str):
        period = literal(stmt.option("period"))  # type: ignore[arg-type]
        modules.used.add("adjointgen.runtime.Files")
        files = call(name("_Files"), [literal(folder), at, period])
        return [assign(at, first), assign(held, files)]
    kind = subscript(name("list"), [any_type(modules)])
    starts = (assign(own, first) for own in (at, *levels))
    return [*starts, declare(held, kind, list_([]))]


def kept(printer: Printer, stmt: Apply) -> list[Statement]:
    """A copy of the state is appended where the schedule asks for it."""
    rule = f"{stmt.option('schedule')}_keeps"
    given, state = arguments_of(stmt)
    printer.modules.used.add(f"adjointgen.runtime.{rule}")
    test = call(name(f"_{rule}"), [printer.operand(a) for a in given])
    append = attribute(printer.operand(stmt.args[1]), "append")
    copies = [_copy(printer.operand(a), a) for a in state]
    entry = copies[0] if len(copies) == 1 else tuple_(copies)
    return [if_(test, [expression_statement(call(append, [entry]))])]


def arguments_of(stmt: Apply) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """The arguments of the function that is asked, and the state."""
    match stmt.option("schedule"):
        case "log":
            return stmt.args[:4], stmt.args[5:]
        case "online":
            return stmt.args[:6], stmt.args[6:]
        case _:
            return stmt.args[:5], stmt.args[5:]


def resumed(printer: Printer, stmt: Apply) -> list[Statement]:
    """`first, u = _latest(at, snapshots, i)`, and copies of arrays: a step may write to them."""
    printer.modules.used.add("adjointgen.runtime.latest")
    found = call(name("_latest"), [printer.operand(a) for a in stmt.args])
    first, *state = _names(printer, stmt.results)
    held = state[0] if len(state) == 1 else tuple_(state)
    copies = [r for r in stmt.results if not r.type.is_scalar]
    resume = assign(tuple_([first, held]), found)
    return [with_leading_comments(resume, [_RESUMES]), *_copied(printer, copies)]


def _names(printer: Printer, values: Sequence[Value]) -> list[Expression]:
    return [printer.name(v) for v in values]


def _copied(printer: Printer, values: Sequence[Value]) -> list[Statement]:
    return [
        assign(own, _copy(own, v)) for own, v in zip(_names(printer, values), values, strict=True)
    ]


def _copy(text: Expression, value: Operand) -> Expression:
    match value.type.kind:
        case "array":
            return call(attribute(text, "copy"))
        case "list":
            return call(name("list"), [text])
        case _:
            return text


FORMS: Final[Mapping[str, Callable[[Printer, Apply], list[Statement]]]] = {
    "begin": begun,
    "append": kept,
    "latest": resumed,
}
"""How the statements are written whose rows say that they have a form of their own."""
