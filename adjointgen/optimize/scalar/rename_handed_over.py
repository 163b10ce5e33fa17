"""Copy coalescing: an adjoint that is only handed over has its last name from the start.

    misfit_bar = ...; u_bar = misfit_bar; for ...: u_bar[1:-1] += ...

The reverse of a copy, or of an alias, hands one adjoint over to another variable, which a loop
carries or a branch gives. Where nothing else reads the first, the second name serves both. The
user's own values keep their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from adjointgen.analysis.values.liveness import uses
from adjointgen.ir.edit import flags_of, with_values
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Function,
    Loop,
    Operand,
    Value,
    While,
    walk,
)
from adjointgen.records import replace


def retitle(function: Function, primal: Collection[str]) -> Function:
    """The function with derivatives named after the variables that they are handed over to."""
    count = uses(function.body)
    makers = {
        stmt.result.name: stmt
        for stmt in walk(function.body)
        if isinstance(stmt, Apply) and len(stmt.results) == 1 and stmt.result.root
    }
    for name in primal:
        makers.pop(name, None)
    roots: dict[str, str] = {}
    for value, receiver in _handed_over(function.body):
        if receiver.root and receiver.name not in primal:
            _name(value, receiver.root, makers, count, roots)
    return replace(function, body=_titled(function.body, roots)) if roots else function


def _handed_over(body: Block) -> Iterator[tuple[Operand, Value]]:
    """What loops and branches take, with the value that takes it."""
    for stmt in walk(body):
        match stmt:
            case Loop() | While():
                yield from zip(stmt.inits, stmt.body.params, strict=True)
                yield from zip(stmt.body.yields[flags_of(stmt) :], stmt.body.params, strict=True)
            case Branch():
                for arm in (stmt.then, stmt.orelse):
                    yield from zip(arm.yields, stmt.results, strict=True)


def _name(
    operand: Operand,
    root: str,
    makers: Mapping[str, Apply],
    count: Counter[str],
    roots: dict[str, str],
) -> None:
    """Name a value, and the versions that it is made of, if nothing else reads them."""
    waiting = [operand]
    while waiting:
        value = waiting.pop()
        made = makers.get(value.name) if isinstance(value, Value) else None
        if made is None or count[made.result.name] != 1 or made.result.root == root:
            continue
        roots[made.result.name] = root
        waiting += [a for a in made.args if isinstance(a, Value) and a.root == made.result.root]


def _titled(block: Block, roots: Mapping[str, str]) -> Block:
    return with_values(block, lambda v: replace(v, root=roots[v.name]) if v.name in roots else v)
