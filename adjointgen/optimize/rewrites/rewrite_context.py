"""What a rewrite may ask about the program: definitions, how often a value is read, and storage.

A rewrite looks through a value at the statement that defines it, and then reads that statement's
operands later than the program did. That must not cost anything:

* `made_by` gives any definition, for what its operation says without its arrays.
* `known` definitions have no operand whose storage has been overwritten since: reading the older
  version of an array would force a copy of it.
* `own` definitions are read once, and stand in the same block, so that what is written instead is
  computed instead, and as often.
* `like` gives an array of a value's shape that is there anyway, so that nothing is kept, recorded
  or restored for its shape alone.

The user's statements (`frozen`) are neither changed nor looked through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from adjointgen.analysis.values.symbolic_lengths import Measures
from adjointgen.ir.nodes import WRITES, Apply, Const, Operand, Options, Stmt, Value, results_of
from adjointgen.ir.types import Type, same_length
from adjointgen.optimize.rewrites.numpy_numbers import gives_numpy
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


@dataclass(frozen=True, slots=True)
class Term:
    """An expression that is to be written: an operation on operands and terms."""

    op: str
    args: tuple[Operand | Term, ...]
    options: Options = ()

    @property
    def type(self) -> Type:
        (type,) = TABLE[self.op].infer(tuple(a.type for a in self.args), dict(self.options))
        return type

    @property
    def operands(self) -> Iterator[Operand]:
        """All that it reads."""
        for arg in self.args:
            if isinstance(arg, Term):
                yield from arg.operands
            else:
                yield arg


Rewrite = Callable[[Apply, "Context"], Operand | Term | None]


@dataclass(slots=True)
class Context:
    """The sweep so far: definitions, where and when they stand, how often values are read, and
    when arrays were overwritten. Seeds of a reverse sweep come `later`, until it begins.
    """

    uses: Counter[str]
    frozen: frozenset[str]
    divided: Collection[str] = frozenset()
    block: int = 0
    definitions: dict[str, Apply] = field(default_factory=dict)
    blocks: dict[str, int] = field(default_factory=dict)
    clock: int = 0
    times: dict[str, int] = field(default_factory=dict)
    of_numpy: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    lengths: Measures = field(default_factory=Measures)
    _views: dict[str, str] = field(default_factory=dict)
    _writes: dict[str, int] = field(default_factory=dict)
    _near: set[str] = field(default_factory=set)
    _sized: dict[Type, list[Value]] = field(default_factory=dict)
    changed: dict[str, Apply | None] = field(default_factory=dict)
    _first_factor: dict[str, str] = field(default_factory=dict)
    _inside: dict[str, str] = field(default_factory=dict)
    _shared: Counter[str] = field(default_factory=Counter)
    _reader: dict[str, str] = field(default_factory=dict)

    def made_by(self, operand: Operand, *ops: str) -> Apply | None:
        """The statement that defines an operand, if it is of one of these operations, or of any."""
        found = self.definitions.get(operand.name) if isinstance(operand, Value) else None
        return None if found is None or (ops and found.op not in ops) else found

    def known(self, operand: Operand, *ops: str) -> Apply | None:
        """The same, where its operands may be read again."""
        found = self.made_by(operand, *ops)
        if found is None or not self._writes:
            return found
        made = self.times[found.result.name]
        return None if any(self._written(a) > made for a in found.args) else found

    def standing(self, operand: Operand, *ops: str) -> Apply | None:
        """A known definition, or one of the user's of which the same holds."""
        found = self.lengths.makers.get(operand.name) if isinstance(operand, Value) else None
        if found is None or found.op not in ops or len(found.results) != 1:
            return None
        made = self.times[found.result.name]
        return None if any(self._written(a) > made for a in found.args) else found

    def own(self, operand: Operand, *ops: str) -> Apply | None:
        """The same, where the operand is read here alone."""
        found = self.known(operand, *ops)
        if found is None or self.uses[found.result.name] != 1:
            return None
        return found if self.blocks[found.result.name] == self.block else None

    def offer(self, values: Iterable[Value], certain: bool) -> None:
        """Values of the function's own block; `certain` if they are defined on every path."""
        for value in values:
            self._near.add(value.name)
            shape = value.type.shape
            if certain and value.root and value.type.is_array and shape and None not in shape:
                self._sized.setdefault(value.type, []).append(value)

    def like(self, operand: Operand) -> Value | None:
        """An array of the same shape, where the operand is one of an inner block or overwritten."""
        if not isinstance(operand, Value):
            return None
        if operand.name in self._near and not self._is_stale(operand):
            return None
        candidates = self._sized.get(operand.type, [])
        while candidates and self._is_stale(candidates[0]):
            candidates.pop(0)
        ready = (v for v in candidates if v.name not in self.later and not self._is_stale(v))
        return next(ready, None)

    def _is_stale(self, value: Value) -> bool:
        return self._written(value) > self.times.get(value.name, 0)

    def note(self, stmt: Apply) -> None:
        """A statement has been appended."""
        self.clock += 1
        self.lengths.note(stmt)
        for result in stmt.results:
            self.times[result.name] = self.clock
            self.blocks[result.name] = self.block
            if not self.is_frozen(stmt):
                self.definitions[result.name] = stmt
        row = TABLE.rows.get(stmt.op)
        if row is not None and gives_numpy(stmt, row, self.of_numpy):
            self.of_numpy.update(r.name for r in stmt.results)
        if stmt.op == "mul" and not self.is_frozen(stmt):
            self._note_product(stmt)
        if stmt.op in WRITES:
            self._write(stmt.args[0])
        elif row is not None and row.alias and isinstance(base := stmt.args[row.alias[0]], Value):
            views = (r for r in stmt.results if not r.type.is_scalar)
            self._views.update((r.name, base.name) for r in views)

    def enter(self, inits: Iterable[Operand]) -> None:
        """A loop begins, which may overwrite what enters it."""
        self.clock += 1
        for init in inits:
            self._write(init)

    def is_frozen(self, stmt: Apply) -> bool:
        return not self.frozen.isdisjoint([r.name for r in stmt.results])

    def _note_product(self, stmt: Apply) -> None:
        """Which product with a constant the factors of a product begin with.

        `((c * a) * b) * d` is a chain of products, each read by the next alone.
        """
        a, b = stmt.args
        if number(a) is not None:
            self._first_factor[stmt.result.name] = stmt.result.name
        elif isinstance(a, Value) and not a.root and rank(a) <= rank(b):
            first = self._first_factor.get(a.name)
            if first is not None and self.own(a, "mul") is not None:
                self._first_factor[stmt.result.name] = first
                self._inside[a.name] = first
                self._reader[a.name] = stmt.result.name

    def first_of_chain(self, operand: Operand) -> Apply | None:
        """The product with a constant that a chain of products begins with.

        Only where the chain is longer, no product in it has a name of the user's, and each is read
        by the next alone.
        """
        found = self.own(operand, "mul")
        first = None if found is None else self._first_factor.get(found.result.name)
        if found is None or found.result.root or first in (None, found.result.name):
            return None
        if first is None or self._shared[first]:
            return None
        return self.definitions[first]

    def change(self, stmt: Apply, last: Operand) -> None:
        """A statement is written in the place of one of a chain of products that ends with `last`.

        What else has read that, and is not read itself, goes: it would be taken for the new one.
        """
        self.changed[stmt.result.name] = self.definitions[stmt.result.name] = stmt
        self.lengths.note(stmt)
        reader = self._reader.get(last.name, "") if isinstance(last, Value) else ""
        if reader and not self.uses[reader]:
            self.changed[reader] = None

    def with_changes(self, stmts: Iterable[Stmt]) -> Iterator[Stmt]:
        """Statements, with what is to be written in their places."""
        for stmt in stmts:
            is_one = self.changed and isinstance(stmt, Apply) and len(stmt.results) == 1
            found = self.changed.get(results_of(stmt)[0].name, stmt) if is_one else stmt
            if found is not None:
                yield found

    def count(self, name: str, by: int) -> None:
        """A value is read so many times more."""
        first = self._inside.get(name)
        if first is not None:
            self._shared[first] -= self.uses[name] > 1
            self._shared[first] += self.uses[name] + by > 1
        self.uses[name] += by

    def read(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value):
                self.count(operand.name, 1)

    def unread(self, operands: Iterable[Operand]) -> None:
        """Operands are read once less; what is not read at all reads nothing."""
        waiting = [o.name for o in operands if isinstance(o, Value)]
        while waiting:
            name = waiting.pop()
            self.count(name, -1)
            definition = self.definitions.get(name)
            if self.uses[name] == 0 and definition is not None:
                waiting.extend(a.name for a in definition.args if isinstance(a, Value))

    def _write(self, operand: Operand) -> None:
        if isinstance(operand, Value) and operand.type.is_mutable:
            self._writes[operand.name] = self.clock

    def _written(self, operand: Operand) -> int:
        """When an array, or one that it is a view of, was overwritten last; 0 for never."""
        last = 0
        name = operand.name if isinstance(operand, Value) else None
        while name is not None:
            last = max(last, self._writes.get(name, 0))
            name = self._views.get(name)
        return last


def term(op: str, *args: Operand | Term, **options: Any) -> Term:
    """An operation that is to be written."""
    return Term(op, args, tuple(sorted(options.items())))


def number(operand: Operand) -> int | float | None:
    """The real number that a constant is."""
    if not isinstance(operand, Const) or isinstance(operand.value, bool):
        return None
    if not operand.type.is_scalar:
        return None
    return operand.value if isinstance(operand.value, int | float) else None


def literal(value: int | float, like: Type) -> Const:
    """A number as a constant: typed as Python's literal, which is weak beside any array."""
    return const(value) if like.dtype in ("float64", "int64", "bool") else Const(value, like)


def rank(operand: Operand) -> int:
    """How many axes may be longer than one; not known counts as many."""
    shape = operand.type.shape
    return 99 if shape is None else sum(d is None or d.known != 1 for d in shape)


def same_shape(a: Type, b: Type) -> bool:
    """Whether two shapes are certainly equal."""
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return False
    return all(same_length(p, q) for p, q in zip(a.shape, b.shape, strict=True))


def same_type(a: Type, b: Type) -> bool:
    """Whether two types are certainly equal."""
    return (a.kind, a.dtype) == (b.kind, b.dtype) and same_shape(a, b)


def identical(a: Operand, b: Operand) -> bool:
    """Whether two operands are one; the constants 0.0 and -0.0 are not, and NaN is itself."""
    if isinstance(a, Const) and isinstance(b, Const):
        return a.type == b.type and repr(a.value) == repr(b.value)
    return isinstance(a, Value) and isinstance(b, Value) and a.name == b.name


def fits(made: Type, type: Type) -> bool:
    """Whether a rewrite gives a result of the kind, dtype and rank that it has to have."""
    return (made.kind, made.dtype, made.rank) == (type.kind, type.dtype, type.rank)
