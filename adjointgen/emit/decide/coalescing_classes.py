"""Which values want one name, and which may share storage: two equivalences by union-find.

    family   versions of one variable: same root; a store and the array it writes; what a loop
             carries; what a branch gives and what its arms yield
    storage  the same without the roots, and with views: a value may share memory with the rest
             of its class

A write in place changes what a later read of its storage class sees; a new version of a variable
wants the name that the older versions of its family have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjointgen.ir.edit import carried, stem
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Loop,
    Operand,
    Value,
    While,
    defined_in,
    walk,
)
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE


class Union:
    """Union-find over names, with path halving."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, name: str) -> str:
        parent = self._parent
        above = parent.get(name, name)
        while above != name:
            parent[name] = parent.get(above, above)
            name = parent[name]
            above = parent.get(name, name)
        return name

    def join(self, a: str, b: str) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self._parent[b] = a


@dataclass(frozen=True, slots=True)
class Families:
    """The two equivalences of one function."""

    family: Union
    storage: Union


def home(value: Value) -> str:
    """The variable that a value is a version of, by its root or else by its name."""
    return value.root or stem(value.name)


def written(stmt: Apply) -> Iterator[tuple[Value, Value]]:
    """The new versions that an in-place statement gives, each with the array it writes to."""
    pairs: Iterable[tuple[Value, Operand]] = ()
    if stmt.op in WRITES:
        pairs = ((stmt.result, stmt.args[0]),)
    elif writes := stmt.option("writes"):
        assert isinstance(writes, tuple)
        pairs = zip(stmt.results[-len(writes) :], (stmt.args[k] for k in writes), strict=True)
    yield from ((new, old) for new, old in pairs if isinstance(old, Value))


def families(body: Block) -> Families:
    """The families and storage classes of the values of a body."""
    family, storage = Union(), Union()
    for a, b in _versions(body):
        family.join(a.name, b.name)
        if a.type.is_mutable or b.type.is_mutable:
            storage.join(a.name, b.name)
    for stmt in walk(body):
        if isinstance(stmt, Apply):
            for old in _viewed(stmt):
                for new in stmt.results:
                    if new.type.is_mutable:
                        storage.join(old.name, new.name)
    first: dict[str, str] = {}
    for value in defined_in(body):
        if value.root:
            family.join(first.setdefault(value.root, value.name), value.name)
    return Families(family, storage)


def _versions(body: Block) -> Iterator[tuple[Value, Value]]:
    for stmt in walk(body):
        match stmt:
            case Apply():
                yield from written(stmt)
            case Loop() | While():
                for param, init, end, result in carried(stmt):
                    yield from ((param, o) for o in (init, end, result) if isinstance(o, Value))
            case Branch():
                for arm in (stmt.then, stmt.orelse):
                    for result, end in zip(stmt.results, arm.yields, strict=True):
                        if isinstance(end, Value):
                            yield result, end


def _viewed(stmt: Apply) -> Iterator[Value]:
    """The operands whose storage the results may share."""
    row = TABLE.rows.get(stmt.op)
    every = stmt.op in ("verbatim", "statement")
    shared = range(len(stmt.args)) if every else row.alias if row is not None else ()
    for k in shared:
        operand = stmt.args[k] if k < len(stmt.args) else None
        if isinstance(operand, Value) and operand.type.is_mutable:
            yield operand
