"""Which values may live in one piece of storage when the program runs in place.

Classes by union-find: the result of a store and the array it writes; what a loop carries (initial
value, parameter, yield, result); the result of a branch and what its arms yield. A class is
*written* if one of its values is stored into. Copies and arithmetic begin new classes.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.ir.nodes import (
    WRITES,
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
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage class of every array value, by a representative name."""

    classes: dict[str, str]
    written_classes: frozenset[str]
    shared_classes: frozenset[str] = frozenset()
    """Those that objects hold, which have to stay as the user's program leaves them."""

    def of(self, value: Operand) -> str:
        """The class of a value; a value of its own class is its own representative."""
        assert isinstance(value, Value)
        return self.classes.get(value.name, value.name)

    def written(self, value: Operand) -> bool:
        """Whether something is stored into the class of this value."""
        return isinstance(value, Value) and self.of(value) in self.written_classes

    def undone(self, value: Operand) -> bool:
        """Whether stores into the class of this value may be undone after the program."""
        return self.written(value) and self.of(value) not in self.shared_classes


def storage(function: Function) -> Storage:
    """The storage classes of a function. Linear in the size of the program."""
    union = _Union()
    written: set[str] = set()
    shared: set[str] = set()
    for stmt in walk(function.body):
        match stmt:
            case Apply(op=op) if op in WRITES:
                union.join(stmt.results[0], stmt.args[0])
                written.add(stmt.results[0].name)
            case Apply():
                for k in _writes(stmt):
                    written.add(stmt.results[k].name)
                for new, old in rewritten(stmt):
                    union.join(new, old)
                    shared.add(new.name)
            case Loop():
                _join_carried(union, stmt.results, stmt.inits, stmt.body, int(bool(stmt.trips)))
            case While():
                _join_carried(union, stmt.results, stmt.inits, stmt.body, int(stmt.breaks))
                for a, b in zip(stmt.test.params, stmt.results, strict=True):
                    union.join(a, b)
            case Branch():
                for arm in (stmt.then, stmt.orelse):
                    for result, end in zip(stmt.results, arm.yields, strict=True):
                        union.join(result, end)
            case _:
                pass
    classes = {name: union.find(name) for name in union.parent}
    named = (frozenset(classes.get(name, name) for name in names) for names in (written, shared))
    return Storage(classes, *named)


def rewritten(stmt: Apply) -> Iterator[tuple[Value, Operand]]:
    """New versions of what the user's code writes to through storage that it has, and the old."""
    places, through = stmt.option("writes", ()), stmt.option("through", ())
    assert isinstance(places, tuple) and isinstance(through, tuple)
    news = stmt.results[len(stmt.results) - len(places) :]
    yield from ((r, stmt.args[k]) for k, r in zip(places, news, strict=True) if k in through)
    shared = stmt.option("shared", ())
    assert isinstance(shared, tuple)
    for k in shared:
        held = stmt.args[k]
        if isinstance(held, Value):
            yield held, held


def _writes(stmt: Apply) -> range:
    """The results of user's code that are new versions of operands it wrote to."""
    writes = stmt.option("writes", ())
    assert isinstance(writes, tuple)
    return range(len(stmt.results) - len(writes), len(stmt.results))


def _join_carried(
    union: _Union, results: tuple[Value, ...], inits: tuple[Operand, ...], body: Block, flags: int
) -> None:
    for k, result in enumerate(results):
        union.join(result, inits[k])
        union.join(result, body.params[k])
        union.join(result, body.yields[flags + k])


class _Union:
    """Union-find with path halving over names of values that are not scalars."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}

    def find(self, name: str) -> str:
        parent = self.parent
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def join(self, a: Operand, b: Operand) -> None:
        if not isinstance(a, Value) or not isinstance(b, Value):
            return
        if a.type.is_scalar and b.type.is_scalar:
            return
        self.parent[self.find(a.name)] = self.find(b.name)
