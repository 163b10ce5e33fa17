"""Loops that bisect: inputs enter their brackets where they start, then through tests alone.

    a, b = 0.0, x + 1.0
    while b - a > tol:                  b starts from x, and stays a mean of where a and b started
        c = 0.5 * (a + b)
        if f(c, x) > 0: b = c           what x does here is in the test
        else: a = c

What such a loop finds is differentiated as the mean of its starting values that the tests have
chosen. That is no derivative of the root, which the tests follow. Told are values that a loop
computes of each other: what is computed of itself alone, `if t > x: y = 2 * y`, is a choice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from adjointgen.analysis.differentiation.activity import Activity, Depends, edges_of, reached
from adjointgen.analysis.differentiation.discrete_influence import ancestors
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import Apply, Block, Branch, Loop, Operand, Value, While, defined_in, walk


def brackets(loop: Loop | While, facts: Activity, depends: Depends) -> tuple[Value, ...]:
    """The results of a loop that are found by tests of the inputs, from where these start it."""
    inner = _edges(loop, depends)
    outside = _outside(loop.body, facts)
    data = reached(outside, inner)
    chosen = reached(_chosen(loop.body, outside), inner)
    rows = [
        (param, end, result)
        for param, _, end, result in carried(loop)
        if isinstance(end, Value) and end.name in chosen and end.name not in data
    ]
    # Each of a bracket moves towards another: through values of this turn, the circle left out.
    turn = _turn(loop, depends)
    return tuple(
        result
        for _, end, result in rows
        if facts.active(result)
        and any(end.name in reached([p.name], turn) for p, e, _ in rows if e is not end)
    )


def _outside(body: Block, facts: Activity) -> tuple[str, ...]:
    """The varied values of around a loop that its body reads."""
    own = {v.name for v in defined_in(body)}
    read = (o.name for stmt in walk(body) for o in _operands(stmt) if isinstance(o, Value))
    return tuple(dict.fromkeys(n for n in read if n not in own and n in facts.varied))


def _operands(stmt: object) -> tuple[Operand, ...]:
    args: tuple[Operand, ...] = getattr(stmt, "args", getattr(stmt, "inits", ()))
    return args


def _chosen(body: Block, outside: tuple[str, ...]) -> Iterator[str]:
    """What tests choose that come of values of around the loop."""
    for stmt in walk(body):
        match stmt:
            case Branch(test=Value() as test, results=results):
                made = results
            case Apply(op="select" | "where", args=(Value() as test, *_)):
                made = stmt.results
            case _:
                continue
        if not ancestors(body, [test.name]).isdisjoint(outside):
            yield from (result.name for result in made)


def _turn(loop: Loop | While, depends: Depends) -> Mapping[str, list[str]]:
    """The edges of one turn of a loop."""
    found: dict[str, list[str]] = defaultdict(list)
    for stmt in walk(loop.body):
        for source, target in edges_of(stmt, depends):
            found[source].append(target)
    return found


def _edges(loop: Loop | While, depends: Depends) -> Mapping[str, list[str]]:
    """The edges inside a loop and from turn to turn, without those from where it starts."""
    found = dict(_turn(loop, depends))
    for param, _, end, _ in carried(loop):
        if isinstance(end, Value) and param.type.is_differentiable:
            found[end.name] = [*found.get(end.name, ()), param.name]
    return found
