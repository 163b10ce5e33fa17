"""Which lengths the statements of a program need to be equal, or NumPy raises ValueError.

    t = x * y                   x.0 = y.0
    a = A @ x                   A.1 = x.0
    u[...] = w                  u.0 = w.0
    p = x[mask]                 x.0 = mask.0

Statements that every run executes count: those in loops and branches may not run. The lengths are
those of the arguments and what follows from them; what the type of a later value says is not used,
since types are inferred from the same equalities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from adjointgen.analysis.values.symbolic_lengths import BROADCASTING, ONE, Length, Lengths, Measures
from adjointgen.costs import LENGTH_DEPTH
from adjointgen.ir.nodes import STORES, Apply, Function, Operand, Value
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.table import TABLE


@dataclass(frozen=True, slots=True)
class Need:
    """Two lengths that have to be equal, and the exception that a run ends in if they are not."""

    one: Length
    other: Length
    failure: str = "ValueError"


@dataclass(slots=True)
class Classes:
    """Classes of equal lengths."""

    leaders: dict[Length, Length] = field(default_factory=dict)

    @classmethod
    def of(cls, needs: Iterable[Need]) -> Classes:
        """The classes of lengths that have to be equal."""
        made = cls()
        for need in needs:
            made.join(need)
        return made

    def leader(self, length: Length) -> Length:
        """What stands for all lengths that are equal to this one."""
        while length in self.leaders:
            length = self.leaders[length]
        return length

    def join(self, need: Need) -> bool:
        """State that two lengths are equal; whether that was not known before."""
        one, other = self.leader(need.one), self.leader(need.other)
        if one != other:
            self.leaders[other] = one
        return one != other


def required(function: Function) -> Iterator[Need]:
    """What a function needs of lengths that may be unlike."""
    lengths = _Lengths({p.name for p in function.body.params})
    lengths.read(function.body)
    for stmt in function.body.stmts:
        if isinstance(stmt, Apply) and len(stmt.results) == 1:
            yield from (need for need in lengths.met(stmt) if need.one != need.other)


class _Lengths(Measures):
    """Lengths that follow from those of arguments alone."""

    def __init__(self, params: set[str]) -> None:
        super().__init__()
        self.params = params

    def of(self, operand: Operand, depth: int = LENGTH_DEPTH) -> Lengths | None:
        shape = operand.type.shape
        if not shape or not isinstance(operand, Value):
            return () if shape == () else None
        if operand.name not in self.found:
            self.found[operand.name] = self.measured(operand, depth)
        return self.found[operand.name]

    def measured(self, value: Value, depth: int) -> Lengths:
        shape = value.type.shape or ()
        if value.name not in self.params:
            shape = (None,) * len(shape)
        return super().measured(replace(value, type=replace(value.type, shape=shape)), depth)

    def broadcast(self, parts: Sequence[Lengths | None]) -> list[Length | None] | None:
        """Lengths that met are equal from then on, so one of them stands for all."""
        if None in parts:
            return None
        return [next(iter(column), ONE) for column in _columns([p for p in parts if p is not None])]

    def met(self, stmt: Apply) -> Iterator[Need]:
        """The lengths that a statement compares."""
        row = TABLE.get(stmt.op)
        arrays = [found for a in stmt.args if (found := self.of(a))]
        if stmt.op in STORES:
            yield from self.stored(stmt)
        elif isinstance(stmt.option("index"), str):
            yield from self.masked(stmt)
        elif row.contracts and len(arrays) == 2:
            yield Need(arrays[0][-1], arrays[1][-2:][0])
        elif _is_broadcast(stmt):
            for column in _columns(arrays):
                yield from (Need(column[0], other) for other in column[1:])

    def stored(self, stmt: Apply) -> Iterator[Need]:
        """A value fills a part: each of its axes is as long as that of the part, or 1."""
        whole = self.of(stmt.args[0]) if stmt.args[0].type.is_array else None
        read = replace(stmt, args=(stmt.args[0], *stmt.args[2:]))
        part = None if whole is None else self.part(whole, read, 1)
        value = self.of(stmt.args[1])
        for want, have in zip(reversed(part or ()), reversed(value or ()), strict=False):
            if want is not None and have != ONE:
                yield Need(want, have)

    def masked(self, stmt: Apply) -> Iterator[Need]:
        """A mask has the lengths of the axes that it picks from."""
        if stmt.option("index") == "_" and stmt.args[1].type.dtype == "bool":
            pair = self.of(stmt.args[0]) or (), self.of(stmt.args[1]) or ()
            for axis, entries in zip(*pair, strict=False):
                yield Need(axis, entries, "IndexError")


def _columns(parts: Sequence[Lengths]) -> list[list[Length]]:
    """The lengths other than 1 that meet when arrays are broadcast, axis by axis."""
    columns = zip_longest(*(reversed(p) for p in parts), fillvalue=ONE)
    return [[n for n in column if n != ONE] for column in columns][::-1]


def _is_broadcast(stmt: Apply) -> bool:
    """Whether an operation brings its operands to one shape: each entry is one of theirs.

    Of a function with a rule of a user's own no more is known than the rule says.
    """
    row = TABLE.get(stmt.op)
    if row.noun == "choice":
        return stmt.args[0].type.is_array
    return row.kind == "elementwise" or (bool(row.symbol) and row.infer in BROADCASTING)
