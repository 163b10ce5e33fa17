"""What is put into an object may be taken out of it: edges of activity through storage unseen.

    kept.append(x)              x → contents of kept
    row = table[k]              contents of table ↔ contents of row: one may lie in the other
    y = kept[0]                 contents of kept → y

The IR has no versions of a passive object, and the user's code may put an active value into one. So
objects have contents, the same ones at every time and under every name, that what is handed over
flows into, and what is read comes from. An object of the module is known by its text. The option
`keeps` of the user's code lists the operands that may keep the others, `outside` the objects of the
module that may. Nothing is differentiated along these edges: where they lead from an input to an
output, the code that keeps an active value is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from adjointgen.ir.edit import flags_of
from adjointgen.ir.nodes import Apply, Branch, Call, Loop, Operand, Stmt, Value, While

Edge = tuple[str, str]


def contents(operand: Operand) -> str | None:
    """The node of what is in an object."""
    if isinstance(operand, Value) and operand.type.kind == "object":
        return f"in {operand.name}"
    return None


def outside(text: str) -> str:
    """The node of what is in an object of the module."""
    return f"in the module's {text}"


def keepers(stmt: Apply) -> list[str]:
    """The contents that a piece of the user's code may put its operands into."""
    kept = stmt.option("keeps") or ()
    assert isinstance(kept, tuple)
    names = [contents(stmt.args[k]) for k in kept]
    return [name for name in names if name] + [outside(t) for t in modules_objects(stmt)]


def modules_objects(stmt: Apply) -> tuple[str, ...]:
    """The objects of the module that the code names."""
    given = stmt.option("outside") or ()
    assert isinstance(given, tuple)
    return given


def keeping(stmt: Stmt) -> Iterator[Edge]:
    """The edges that one statement draws, those inside its blocks left out."""
    match stmt:
        case Apply(op="verbatim" | "statement"):
            yield from _code(stmt)
        case Apply():
            for arg in stmt.args:
                if (inside := contents(arg)) is not None:
                    yield from ((inside, result.name) for result in stmt.results)
        case Loop() | While():
            yields = stmt.body.yields[flags_of(stmt) :]
            for row in zip(stmt.body.params, stmt.inits, yields, stmt.results, strict=True):
                yield from _alike(*row)
        case Branch():
            for arms in zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True):
                yield from _alike(*arms)


def _code(stmt: Apply) -> Iterator[Edge]:
    for kept in keepers(stmt):
        for arg in stmt.args:
            if isinstance(arg, Value):
                yield arg.name, kept
                inside = contents(arg)
                if inside is not None and inside != kept:
                    yield from ((inside, kept), (kept, inside))
    sources = [inside for arg in stmt.args if (inside := contents(arg)) is not None]
    for inside in [*sources, *map(outside, modules_objects(stmt))]:
        for result in stmt.results:
            yield inside, result.name
            if (made := contents(result)) is not None:
                yield from ((inside, made), (made, inside))


def handed(stmt: Call, known: Sequence[Collection[int]]) -> Iterator[Edge]:
    """The edges of a call: `known` says what comes into its results and into what it is given."""
    ends = [(result.name, contents(result)) for result in stmt.results]
    ends += [("", contents(arg)) for arg in stmt.args]
    for (name, made), places in zip(ends, known, strict=False):
        for arg in (stmt.args[k] for k in sorted(places)):
            inside = contents(arg)
            if name and inside is not None:
                yield inside, name
            if made is not None and isinstance(arg, Value):
                yield arg.name, made
            if made is not None and inside is not None and made != inside:
                yield from ((inside, made), (made, inside))


def _alike(*operands: Operand) -> Iterator[Edge]:
    """Names that may be of one object."""
    first, *others = operands
    for other in others:
        a, b = contents(first), contents(other)
        if a is not None and b is not None:
            yield from ((a, b), (b, a))
