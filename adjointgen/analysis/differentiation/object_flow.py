"""What is put into an object may be taken out of it: edges of activity through storage unseen.

    kept.append(x)              x → contents of kept
    row = table[k]              contents of table ↔ contents of row: one may lie in the other
    y = kept[0]                 contents of kept → y

The IR has no versions of a passive object, and the user's code may put an active value into one. So
objects have contents, the same ones at every time and under every name, that what is handed over
flows into, and what is read comes from. Objects of the module have one for all of them: `STATE` may
be `other.STATE` as well, and lie in a table. Its numbers and arrays are known by their text. The
option `keeps` of the user's code lists the operands that may keep the others, `outside` the objects
of the module that may. Nothing is differentiated along these edges: where they lead from an input
to an output, the code that keeps an active value is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjointgen.ir.edit import flags_of
from adjointgen.ir.nodes import Apply, Branch, Call, Loop, Operand, Stmt, Value, While
from adjointgen.records import dataclass
from adjointgen.rules.framework.opaque_writes import ANYTHING

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
    if stmt.option("pure"):
        return []
    kept = stmt.option("keeps") or ()
    assert isinstance(kept, tuple)
    names = [contents(stmt.args[k]) for k in kept]
    return [name for name in names if name] + [outside(t) for t in written_outside(stmt)]


OBJECTS: Final = "objects"
"""All objects of the module that may hold others: one may be reached by several names."""
PUT: Final = "what is put"
"""What code puts into the module under any name, for code that may read all names."""
TAKEN: Final = "what is taken"
"""What code may put under any name, for code that reads one."""


def read_outside(stmt: Apply) -> tuple[str, ...]:
    """Where in the module the code may take things from."""
    return _places(stmt, TAKEN)


def written_outside(stmt: Apply) -> tuple[str, ...]:
    """Where in the module the code may put things."""
    return _places(stmt, PUT)


def _places(stmt: Apply, unnamed: str) -> tuple[str, ...]:
    """What the code names of the module, and what stands for names that others may have meant."""
    named = modules_objects(stmt)
    if named[-1:] == (ANYTHING,):
        return (*named[:-1], OBJECTS, PUT, TAKEN)
    return (*named, unnamed) if named else ()


def modules_objects(stmt: Apply) -> tuple[str, ...]:
    """What the code names of the module: its objects are one, its arrays and numbers are apart."""
    given = stmt.option("outside") or ()
    assert isinstance(given, tuple)
    read = stmt.results[0].type.kind if len(stmt.results) == 1 else ""
    plain = read in ("array", "scalar") and given == (stmt.option("code"),)
    apart = ("getattr(", ANYTHING)
    named = (text if plain or text.startswith(apart) else OBJECTS for text in given)
    return tuple(sorted(named, key=ANYTHING.__eq__))


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
    for inside in [*sources, *map(outside, read_outside(stmt))]:
        for result in stmt.results:
            yield inside, result.name
            if (made := contents(result)) is not None:
                yield from ((inside, made), (made, inside))


Source = int | str
"""A parameter, by its number, or what the module holds, by its name."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What comes into the results of a function, into the contents of its parameters, and into
    objects of the module, which are known by their text."""

    results: tuple[frozenset[Source], ...]
    parameters: tuple[frozenset[Source], ...]
    modules: tuple[tuple[str, frozenset[Source]], ...] = ()


def handed(stmt: Call, flow: Flow) -> Iterator[Edge]:
    """The edges of a call through objects."""
    known = [*flow.results, *flow.parameters, *(sources for _, sources in flow.modules)]
    ends = [(result.name, contents(result)) for result in stmt.results]
    ends += [("", contents(arg)) for arg in stmt.args]
    ends += [("", outside(text)) for text, _ in flow.modules]
    for (name, made), sources in zip(ends, known, strict=False):
        for source in sorted(sources, key=str):
            arg = stmt.args[source] if isinstance(source, int) else None
            inside = outside(source) if isinstance(source, str) else contents(stmt.args[source])
            if name and inside is not None:
                yield inside, name
            if made is not None and isinstance(arg, Value):
                yield arg.name, made
            if made is not None and inside is not None and made != inside:
                yield from ((inside, made), (made, inside))


def filled(stmt: Call, flow: Flow) -> Iterator[tuple[str, int]]:
    """The contents that a call may put an argument into, each with the number of the argument."""
    ends = [(contents(arg), into) for arg, into in zip(stmt.args, flow.parameters, strict=False)]
    ends += [(outside(text), into) for text, into in flow.modules]
    for made, sources in ends:
        if made is not None:
            yield from ((made, source) for source in sources if isinstance(source, int))


def _alike(*operands: Operand) -> Iterator[Edge]:
    """Names that may be of one object."""
    first, *others = operands
    for other in others:
        a, b = contents(first), contents(other)
        if a is not None and b is not None:
            yield from ((a, b), (b, a))
