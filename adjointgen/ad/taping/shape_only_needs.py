"""Forward arrays of which a reverse block reads no more than the shape: their lengths will do.

    t = zeros_like(a)         becomes    t = zeros_like(b)    or    t = zeros(n, m)
    t = reshape_like(v, a)    becomes    t = reshape(v, n, m)
    t = unbroadcast(v, a)     becomes    t = unbroadcast(v, broadcast_to(0.0, n, m))

for an `a` of an iteration whose numbers the reverse sweep does not read, a `b` of the same shape
whose numbers it does, and lengths that the forward sweep has as numbers or measures behind `a`.
`record` would keep `a` otherwise, or compute it again, for its shape alone.

What is a view of an array that is there anyway is left alone: asking it costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator

from adjointgen.ad.taping.reverse_lengths import Held
from adjointgen.analysis.values.maybe_undefined import shape_read, undefined
from adjointgen.analysis.values.symbolic_lengths import Length, Measures
from adjointgen.ir.affine import Affine
from adjointgen.ir.edit import is_among, merged, rebuild, substitute
from adjointgen.ir.nodes import (
    NESTED,
    WRITES,
    Apply,
    Block,
    Const,
    Operand,
    Options,
    Stmt,
    Value,
    blocks_of,
    operands_of,
    results_of,
    walk,
)
from adjointgen.ir.types import FLOAT, INT, Dim
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names, const
from adjointgen.rules.framework.table import TABLE

VIEWS = frozenset(("load", "reshape", "transpose", "swapaxes", "expand_dims", "squeeze"))
Place = tuple[int, ...]
_FILLED = {"zeros_like": "zeros", "ones_like": "ones"}


def _shape_read(op: str) -> int | None:
    return 0 if op == "dim" else shape_read(op)


def sizing(body: Block, names: Names) -> Sizing:
    """What is known of the shapes in the body of an open adjoint."""
    facts = _Facts()
    facts.block(body, False, ())
    wanted = facts.wanted()
    shapeless = undefined(body) | _loose(body) if wanted else frozenset[str]()
    wanted = [n for n in wanted if _is_sized(facts.values[n], shapeless)]
    measures = Measures()
    if wanted:
        measures.read(body)
    return Sizing(names, facts, measures, wanted, shapeless)


@dataclass(slots=True)
class _Facts:
    """Where the values of paired forward blocks are defined, and how reverse blocks read them.

    A place is the path of blocks to a definition, each by its identity. What is `fixed` is read by
    arithmetic of a reverse block, and not only to undo a write; what is `written` is a version of
    an array that is written in place, so that reading it may need a copy.
    """

    firsts: set[int] = field(default_factory=set)
    places: dict[str, Place] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    makers: dict[str, Apply] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    shapes: set[str] = field(default_factory=set)
    counts: dict[str, set[Place]] = field(default_factory=dict)

    def block(self, block: Block, reverse: bool, place: Place) -> None:
        if not reverse:
            self.define(block.params, place)
        for stmt in block.stmts:
            again = reverse or self.is_second(stmt)
            if isinstance(stmt, Apply) and stmt.op in WRITES:
                versions = (*stmt.args[:1], *stmt.results)
                self.written.update(v.name for v in versions if isinstance(v, Value))
            if again:
                self.read(stmt)
            elif isinstance(stmt, Apply):
                self.make(stmt, place)
            for inner in blocks_of(stmt):
                self.block(inner, again, (*place, id(inner)))
            if not again:
                self.define(results_of(stmt), place)
        if reverse:
            self.numbers.update(o.name for o in block.yields if isinstance(o, Value))

    def is_second(self, stmt: Stmt) -> bool:
        """Whether a statement is the reverse of one before it."""
        if not isinstance(stmt, NESTED) or not stmt.pair:
            return False
        known = stmt.pair in self.firsts
        self.firsts.add(stmt.pair)
        return known

    def define(self, values: tuple[Value, ...], place: Place) -> None:
        for value in values:
            self.places[value.name] = place
            self.values[value.name] = value

    def is_length(self, name: str, of: str) -> bool:
        """Whether a number is certainly no -1: an array has been made with it where a value is."""
        place = self.places[of]
        return any(place[: len(at)] == at for at in self.counts.get(name, ()))

    def make(self, stmt: Apply, place: Place) -> None:
        if len(stmt.results) == 1:
            self.makers[stmt.result.name] = stmt
        for operand in stmt.args if TABLE.get(stmt.op).sized else ():
            if isinstance(operand, Value):
                self.counts.setdefault(operand.name, set()).add(place)

    def read(self, stmt: Stmt) -> None:
        """Note what a statement of a reverse block reads itself."""
        at = _shape_read(stmt.op) if isinstance(stmt, Apply) else None
        for k, operand in enumerate(operands_of(stmt)):
            if isinstance(operand, Value):
                (self.shapes if k == at else self.numbers).add(operand.name)
                if isinstance(stmt, Apply) and k != at and stmt.op not in WRITES:
                    self.fixed.add(operand.name)

    def wanted(self) -> list[str]:
        """The values that are read for their shape alone, in the order of the forward sweep."""
        names = [n for n in self.places if n in self.shapes and n not in self.numbers]
        return [n for n in names if self.places[n] and self.is_kept(n)]

    def is_kept(self, name: str) -> bool:
        """Whether asking a value for its shape takes more than a view of what is there."""
        while name in self.makers and self.makers[name].op in VIEWS:
            source = self.makers[name].args[0]
            if not isinstance(source, Value):
                return True
            name = source.name
        return bool(self.places.get(name)) and name not in self.numbers


def _is_sized(value: Value, shapeless: Container[str]) -> bool:
    """Whether the lengths of a value can be asked where it is defined."""
    return value.type.is_array and bool(value.type.rank) and value.name not in shapeless


def _loose(body: Block) -> set[str]:
    """Arrays that may be a number instead, until the first array is added."""
    pairs = [pair for stmt in walk(body) for pair in merged(stmt) if pair[0].type.is_array]
    found: set[str] = set()
    while True:
        more = {v.name for v, o in pairs if o.type.is_scalar or is_among(o, found)}
        if more <= found:
            return found
        found |= more


class Sizing:
    """What is read in place of the shape of each wanted array, block by block.

    `after` holds what is measured behind the definition of a value, `measured` the lengths that a
    place has by then, `by` what stands for lengths that the reverse sweep has asked for itself.
    """

    def __init__(
        self,
        names: Names,
        facts: _Facts,
        measures: Measures,
        wanted: Collection[str],
        shapeless: Container[str],
    ) -> None:
        self.names = names
        self.facts = facts
        self.measures = measures
        self.wanted = frozenset(wanted)
        self.after: dict[str, list[Stmt]] = {}
        self.measured: dict[tuple[Place, Length], Value] = {}
        self.by: dict[str, Operand] = {}
        self.alike: dict[tuple[object, ...], Value] = {}
        for name, value in facts.values.items() if wanted else ():
            is_fixed = name in facts.fixed and name not in facts.written
            if is_fixed and _is_sized(value, shapeless):
                self.alike.setdefault(self.key(value, facts.places[name]), value)

    def key(self, value: Value, place: Place) -> tuple[object, ...]:
        return place, value.type.dtype, self.measures.of(value)

    def close(
        self, forward: Block, reverse: Block, defined: Collection[str], held: Held
    ) -> tuple[Block, Block]:
        """A forward block and its reverse, with lengths in place of the arrays defined there."""
        mine = self.wanted.intersection(defined)
        if not mine:
            return forward, reverse
        reverse = _Block(self, mine, held).block(reverse)
        return self.with_measures(forward), reverse

    def with_measures(self, block: Block) -> Block:
        stmts: list[Stmt] = [m for p in block.params for m in self.after.get(p.name, ())]
        for stmt in block.stmts:
            stmts.append(stmt)
            stmts += [m for r in results_of(stmt) for m in self.after.get(r.name, ())]
        return replace(block, stmts=tuple(stmts))

    def same(self, value: Value) -> Value | None:
        """An array of the same type and shape whose numbers are read anyway."""
        place = self.facts.places[value.name]
        keys = (self.key(value, place[:k]) for k in range(len(place), -1, -1))
        return next((self.alike[key] for key in keys if key in self.alike), None)

    def length(self, value: Value, axis: int) -> Operand:
        """The length of an axis: a number of the forward sweep, or measured there."""
        place, term = self.facts.places[value.name], (self.measures.of(value) or ())[axis]
        source = value
        match term:
            case Dim(symbol="", offset=count):
                return const(count)
            case ("integer", Affine(0, ((name, 1),))) if self.facts.is_length(name, value.name):
                return self.facts.values[name]
            case ("axis", str(name), int(k)):
                source, axis = self.facts.values[name], k
        if (place, term) not in self.measured:
            length = Value(self.names.fresh("n"), INT, "n")
            asked = Apply((length,), "dim", (source,), (("axis", axis),))
            self.after.setdefault(value.name, []).append(asked)
            self.measured[place, term] = length
        return self.measured[place, term]


@dataclass(frozen=True, slots=True)
class _Block:
    """A reverse block in which the arrays of `mine` are asked for nothing."""

    sizing: Sizing
    mine: Collection[str]
    held: Held

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            if isinstance(stmt, Apply):
                stmts += self.statement(stmt)
            else:
                stmts.append(rebuild(stmt, self.operand, self.block))
        return Block(block.params, tuple(stmts), tuple(map(self.operand, block.yields)))

    def operand(self, operand: Operand) -> Operand:
        return substitute(operand, self.sizing.by)

    def statement(self, stmt: Apply) -> list[Stmt]:
        stmt = replace(stmt, args=tuple(map(self.operand, stmt.args)))
        at = _shape_read(stmt.op)
        like = None if at is None else stmt.args[at]
        if at is None or not isinstance(like, Value) or like.name not in self.mine:
            return [stmt]
        same = self.sizing.same(like)
        if same is not None:
            return [_with(stmt, at, same)]
        if stmt.op == "reshape_like" and like.type.rank == 1:
            return [replace(stmt, op="reshape", args=(stmt.args[0], const(-1)))]
        made: list[Stmt] = []
        if stmt.op == "dim":
            axis = int(str(stmt.option("axis")))
            self.sizing.by[stmt.result.name] = self.length(like, axis, made)
            return made
        lengths = tuple(self.length(like, k, made) for k in range(like.type.rank or 0))
        return [*made, *self.with_lengths(stmt, at, lengths)]

    def length(self, value: Value, axis: int, made: list[Stmt]) -> Operand:
        """The length of an axis, of what is held if the type tells."""
        length = (value.type.shape or ())[axis]
        source = None if length is None else self.held.axis(length)
        if length is None or source is None:
            return self.sizing.length(value, axis)
        array, place = source
        known = (array.type.shape or ())[place] or length
        n = self.computed("dim", (array,), made, value=known, axis=place)
        if length.offset != known.offset:
            n = self.computed("add", (n, const(length.offset - known.offset)), made, value=length)
        # Of fewer entries a slice leaves none.
        return n if length.offset >= 0 else self.computed("max", (n, const(0)), made)

    def computed(
        self,
        op: str,
        args: tuple[Operand, ...],
        made: list[Stmt],
        value: Dim | None = None,
        axis: int | None = None,
    ) -> Value:
        result = Value(self.sizing.names.fresh("n"), replace(INT, value=value), "")
        made.append(Apply((result,), op, args, () if axis is None else (("axis", axis),)))
        return result

    def with_lengths(self, stmt: Apply, at: int, lengths: tuple[Operand, ...]) -> Iterator[Stmt]:
        """What reads lengths in place of the shape of an array."""
        dtype = stmt.result.type.dtype
        match stmt.op:
            case "zeros_like" | "ones_like":
                options: Options = () if dtype == "float64" else (("dtype", dtype),)
                yield replace(stmt, op=_FILLED[stmt.op], args=lengths, options=options)
            case "reshape_like":
                yield replace(stmt, op="reshape", args=(stmt.args[0], *lengths))
            case "expand" if stmt.args[0].type.is_scalar:
                args = (stmt.args[0], *lengths)
                yield replace(stmt, op="broadcast_to", args=args, options=())
            case _:
                like = stmt.args[at]
                shape = Value(self.sizing.names.fresh("t"), like.type)
                none = Const(0.0, replace(FLOAT, dtype=like.type.dtype))
                yield Apply((shape,), "broadcast_to", (none, *lengths))
                yield _with(stmt, at, shape)


def _with(stmt: Apply, at: int, operand: Operand) -> Apply:
    return replace(stmt, args=(*stmt.args[:at], operand, *stmt.args[at + 1 :]))
