"""How the functions that a program calls are differentiated: by which arguments, for which results.

A pattern is a function with the numbers of the arguments that are active in a call of it and of
the results that are. Each pattern becomes a derivative of its own, shared by all calls like it.
Patterns are found from the root down, since what is active in a function follows from its call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjointgen.analysis.differentiation.activity import Activity, Depends, activity
from adjointgen.ir.nodes import Call, Function, walk
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A function and what is active in a call: arguments and results, by number."""

    function: str
    wrt: tuple[int, ...]
    results: tuple[int, ...]


def pattern_of(call: Call, facts: Activity) -> Pattern | None:
    """The pattern of a call, or None where nothing is active in it."""
    wrt = tuple(k for k, a in enumerate(call.args) if facts.active(a))
    results = tuple(k for k, r in enumerate(call.results) if facts.active(r))
    return Pattern(call.function, wrt, results) if wrt and results else None


def patterns(
    root: Function, facts: Activity, callees: Mapping[str, Function], depends: Depends
) -> dict[Pattern, Activity]:
    """All patterns that a program needs, each with what is active in the function.

    A pattern comes after those that it needs itself, as far as recursion allows.
    """
    known: dict[Pattern, Activity] = {}
    needs: dict[Pattern, list[Pattern]] = {}
    waiting = list(_in(root, facts))
    first = list(waiting)
    while waiting:
        pattern = waiting.pop()
        if pattern in known:
            continue
        function = callees[pattern.function]
        wrt = [function.body.params[k] for k in pattern.wrt]
        known[pattern] = activity(function, wrt, pattern.results, depends)
        needs[pattern] = list(_in(function, known[pattern]))
        waiting += needs[pattern]
    return {pattern: known[pattern] for pattern in _callees_first(first, needs)}


def _in(function: Function, facts: Activity) -> Iterator[Pattern]:
    for stmt in walk(function.body):
        if isinstance(stmt, Call) and (pattern := pattern_of(stmt, facts)) is not None:
            yield pattern


def _callees_first(
    first: list[Pattern], needs: Mapping[Pattern, list[Pattern]]
) -> Iterator[Pattern]:
    """Depth first, without recursion: chains of calls may be long."""
    seen: set[Pattern] = set()
    stack = [(p, False) for p in reversed(first)]
    while stack:
        pattern, done = stack.pop()
        if done:
            yield pattern
        elif pattern not in seen:
            seen.add(pattern)
            stack.append((pattern, True))
            stack += [(p, False) for p in reversed(needs[pattern])]
