"""Values that the inputs reach through decisions alone.

    while b - a > tol:                  c comes of a and b, these of the test
        c = 0.5 * (a + b)
        if f(c, x) > 0: b = c
        else: a = c

What a test chooses among values that x does not vary has derivative zero, between its jumps. As the
arm of a branch that is what was written; of what a loop has found with such tests, a root or a
number of steps, it is hardly what was meant. So these are told: what a loop carries and the results
read, and results themselves. (Griewank and Walther 2008, section 14.3, on piecewise functions.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from adjointgen.analysis.differentiation.activity import Activity, Depends, activity
from adjointgen.analysis.differentiation.bisection_loops import brackets
from adjointgen.analysis.differentiation.discrete_influence import reads_shape_only
from adjointgen.errors import Span
from adjointgen.ir.edit import carried, flags_of, merged
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    results_of,
    walk,
)
from adjointgen.records import dataclass

Found = dict[str, Span | None]
"""The user's variables, each with the loop that has found it."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What is reached through decisions alone, and what is but for where its loop starts."""

    alone: Found
    started: Found


def decided(function: Function, wrt: list[Value], depends: Depends) -> Decided:
    """The variables that decisions find, in the functions called as well."""
    found = Decided({}, {})
    table = {f.name: f for f in function.callees}
    _look(function, wrt, depends, table, found, set())
    return found


def _look(
    function: Function,
    wrt: list[Value],
    depends: Depends,
    table: Mapping[str, Function],
    found: Decided,
    seen: set[str],
) -> None:
    facts = activity(function, wrt, depends=depends)
    reached = _reached(function.body, wrt)
    for stmt in walk(function.body):
        if isinstance(stmt, Loop | While):
            for *_, result in carried(stmt):
                if result.name in facts.useful and _is_decided(result, facts, reached):
                    found.alone.setdefault(result.root or result.name, stmt.span)
            for result in brackets(stmt, facts, depends):
                found.started.setdefault(result.root or result.name, stmt.span)
        elif isinstance(stmt, Call) and stmt.function in table and stmt.function not in seen:
            callee = table[stmt.function]
            pairs = zip(callee.body.params, stmt.args, strict=False)
            given = [p for p, a in pairs if isinstance(a, Value) and a.name in facts.varied]
            if given and any(r.name in facts.useful for r in stmt.results):
                _look(callee, given, depends, table, found, seen | {stmt.function})


def _is_decided(value: Value, facts: Activity, reached: set[str]) -> bool:
    differs = value.type.is_differentiable and value.name not in facts.varied
    return differs and value.name in reached


def _reached(body: Block, wrt: list[Value]) -> set[str]:
    """The names of all that the inputs have a part in, by what it is or by whether it is."""
    targets: dict[str, list[str]] = defaultdict(list)
    for stmt in walk(body):
        for source, target in _edges(stmt):
            if isinstance(source, Value):
                targets[source.name].append(target)
    found: set[str] = set()
    waiting = [v.name for v in wrt]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += targets[name]
    return found


def _edges(stmt: Stmt) -> Iterator[tuple[Operand, str]]:
    match stmt:
        case Apply():
            if not reads_shape_only(stmt):
                yield from ((a, r.name) for a in stmt.args for r in stmt.results)
        case _:
            yield from ((source, value.name) for value, source in merged(stmt))
            yield from ((test, r.name) for test in _tests(stmt) for r in results_of(stmt))


def _tests(stmt: Stmt) -> tuple[Operand, ...]:
    """What decides which values a statement has."""
    match stmt:
        case Branch():
            return (stmt.test,)
        case Loop():
            return (*stmt.bounds, *stmt.body.yields[: flags_of(stmt)])
        case While():
            return (*stmt.test.yields, *stmt.body.yields[: flags_of(stmt)])
    return ()
