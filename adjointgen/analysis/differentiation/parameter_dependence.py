"""Which results of a function depend on which of its parameters, and which of these it puts where.

A call in a function is an edge from the arguments to the results that this says, so a table that
passes through a helper beside an active value does not become active. Recursive functions start
from no dependence, and what is found is followed until nothing is new: the least fixed point.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.analysis.differentiation.activity import Depends, graph, reached
from adjointgen.analysis.differentiation.object_flow import contents
from adjointgen.ir.nodes import Call, Function, Operand, Value, walk


def dependence(callees: Iterable[Function]) -> Depends:
    """For every function by name: the numbers of the parameters that come into each result, then
    into the contents of each parameter.
    """
    functions = {f.name: f for f in reversed(tuple(callees))}
    found: dict[str, tuple[frozenset[int], ...]] = {
        name: (frozenset(),) * (len(f.body.yields) + len(f.body.params))
        for name, f in functions.items()
    }
    callers: dict[str, list[str]] = {name: [] for name in functions}
    for name, function in functions.items():
        for stmt in walk(function.body):
            if isinstance(stmt, Call):
                callers[stmt.function].append(name)
    # What calls nothing comes first, since callees are listed after their callers.
    waiting = dict.fromkeys(functions)
    while waiting:
        name = next(iter(waiting))
        del waiting[name]
        new = _of(functions[name], found)
        if new != found[name]:
            found[name] = new
            waiting |= dict.fromkeys(callers[name])
    return found


def _of(function: Function, found: Depends) -> tuple[frozenset[int], ...]:
    forward, _ = graph(function, found)
    reach = [reached([p.name], forward) for p in function.body.params]
    ends = [_nodes(y) for y in function.body.yields]
    ends += [_inside(p) for p in function.body.params]
    return tuple(
        frozenset(k for k, names in enumerate(reach) if not names.keys().isdisjoint(end))
        for end in ends
    )


def _nodes(result: Operand) -> list[str]:
    """The nodes of a result: of an object, what has been put into it as well."""
    return [result.name, *_inside(result)] if isinstance(result, Value) else []


def _inside(operand: Operand) -> list[str]:
    inside = contents(operand)
    return [] if inside is None else [inside]
