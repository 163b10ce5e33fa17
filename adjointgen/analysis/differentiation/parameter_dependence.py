"""Which results of a function depend on which of its parameters, and which of these it puts where.

    def keep(x): STATE.last = x        x → STATE
    def last(): return STATE.last      STATE → the result

A call in a function is an edge from the arguments to the results that this says, so a table that
passes through a helper beside an active value does not become active. Recursive functions start
from no dependence, and what is found is followed until nothing is new: the least fixed point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from adjointgen.analysis.differentiation.activity import Depends, graph, reached
from adjointgen.analysis.differentiation.object_flow import (
    Flow,
    Source,
    contents,
    outside,
    read_outside,
    written_outside,
)
from adjointgen.ir.nodes import Apply, Call, Function, Operand, Value, walk

NOTHING: Final[frozenset[Source]] = frozenset()


def dependence(callees: Iterable[Function]) -> Depends:
    """For every function by name what comes into its results, into the contents of its parameters
    and into objects of the module, and what of.
    """
    functions = {f.name: f for f in reversed(tuple(callees))}
    found: dict[str, Flow] = {
        name: Flow((NOTHING,) * len(f.body.yields), (NOTHING,) * len(f.body.params))
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


def _of(function: Function, found: Mapping[str, Flow]) -> Flow:
    forward, _ = graph(function, found)
    texts = sorted({*_named(function, found)})
    starts: list[tuple[Source, str]] = [(k, p.name) for k, p in enumerate(function.body.params)]
    starts += [(text, outside(text)) for text in texts]
    reach = [(source, reached([node], forward)) for source, node in starts]

    def into(*nodes: str) -> frozenset[Source]:
        return frozenset(s for s, names in reach if not names.keys().isdisjoint(nodes))

    return Flow(
        tuple(into(*_nodes(y)) for y in function.body.yields),
        tuple(into(*_inside(p)) for p in function.body.params),
        tuple((text, into(outside(text)) - {text}) for text in texts),
    )


def _named(function: Function, found: Mapping[str, Flow]) -> Iterator[str]:
    """The objects of the module that a function names, and those that it calls."""
    for stmt in walk(function.body):
        if isinstance(stmt, Call) and stmt.function in found:
            yield from (text for text, _ in found[stmt.function].modules)
        elif isinstance(stmt, Apply):
            yield from (*read_outside(stmt), *written_outside(stmt))


def _nodes(result: Operand) -> list[str]:
    """The nodes of a result: of an object, what has been put into it as well."""
    return [result.name, *_inside(result)] if isinstance(result, Value) else []


def _inside(operand: Operand) -> list[str]:
    inside = contents(operand)
    return [] if inside is None else [inside]
