"""Tapes as arrays of known size: what loops record is stored under the numbers of the iterations.

    for i in range(n):                        for i in range(n):
        for j in range(i):                        for j in range(i):
            record tape <- x            ->            tape[i, j] = x

A tape becomes an array where every loop around the record counts through what is not negative and
is not left early, and what it counts to, or down from, is known before the outermost begins: an
inner loop that depends on the index of an outer one ends where it ends last. All other tapes stay
lists.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from adjointgen.analysis.values.maybe_undefined import undefined
from adjointgen.ir.edit import rebuild, substitute_in
from adjointgen.ir.nodes import (
    NESTED,
    TAPES,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    blocks_of,
    defined_in,
    slots_of,
    walk,
)
from adjointgen.ir.types import Type
from adjointgen.targets.loops.build.entry_expressions import pattern
from adjointgen.targets.loops.build.length_operands import Lengths
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Names, const

Path = tuple[tuple[Stmt, int], ...]
"""The statements around a place, outermost first, and which of its blocks each time."""


@dataclass(frozen=True, slots=True)
class Tape:
    """A slot that becomes an array: where it is recorded and replayed."""

    slot: str
    forward: Path
    reverse: Path
    value: Value
    sizes: tuple[Operand, ...]


def with_arrays(function: Function, builder: Builder, lengths: Lengths) -> Function:
    """The function with every tape whose size is known as an array."""
    body = _counted(function.body, builder.names)
    returned = set(slots_of(function.results))
    missing = undefined(body)
    for slot in dict.fromkeys(s.slot for s in walk(body) if isinstance(s, Record)):
        if slot not in returned:
            body = _Move(builder, lengths, body, slot).made(missing)
    return replace(function, body=body)


class _Move:
    """Moves one tape into an array."""

    def __init__(self, builder: Builder, lengths: Lengths, body: Block, slot: str) -> None:
        self.builder = builder
        self.lengths = lengths
        self.body = body
        self.slot = slot

    def made(self, missing: Container[str]) -> Block:
        """The body with the tape as an array; what may be `missing` when recorded has no shape."""
        forward = list(_places(self.body, self.slot, Record))
        reverse = list(_places(self.body, self.slot, Replay))
        if len(forward) != 1 or len(reverse) != 1:
            return self.body
        there, back = forward[0], reverse[0]
        record, replayed = there[-1][0], back[-1][0]
        assert isinstance(record, Record) and isinstance(replayed, Replay)
        loops, again = _loops(there), _loops(back)
        if any(isinstance(s, While) for s, _ in (*there, *back)):
            return self.body
        if not loops or len(loops) != len(again) or not isinstance(record.value, Value):
            return self.body
        if record.value.name in missing:
            return self.body
        if not _is_outer(self.body, there[0][0], back[0][0]) or not _match(loops, again):
            return self.body
        with self.builder.block() as measured:
            sizes = self.sizes(there, record.value.type)
        if sizes is None:
            return self.body
        return self.moved(there, back, record.value.type, sizes, measured)

    def sizes(self, path: Path, type: Type) -> list[Operand] | None:
        """The length of the tape along each loop, and those of what is recorded."""
        inside: dict[str, Stmt | None] = {}
        for stmt, _ in path[:-1]:
            for block in blocks_of(stmt):
                inside |= dict.fromkeys(v.name for v in defined_in(block))
                inside |= {
                    r.name: s for s in walk(block) if isinstance(s, Apply) for r in s.results
                }
        loops = {s.index.name: s for s in _loops(path)}
        largest = _Largest(self.builder, self.lengths, inside, loops)
        if not all(map(largest.begins, _loops(path))):
            return None
        found = [largest.end(loop) for loop in _loops(path)]
        if type.kind not in ("scalar", "array") or type.shape is None:
            return None
        if not all(self.lengths.has(d) for d in type.shape) or None in found:
            return None
        own = [self.lengths.size(d) for d in type.shape if d is not None]
        return [*(self.lengths.not_negative(f) for f in found if f is not None), *own]

    def moved(
        self, there: Path, back: Path, type: Type, sizes: list[Operand], made: list[Stmt]
    ) -> Block:
        options = {} if type.dtype == "float64" else {"dtype": type.dtype}
        with self.builder.block() as allocated:
            empty = self.builder.apply("empty", *sizes, root=self.slot, **options)
            shape = (*(None,) * (len(sizes) - len(type.shape or ())), *(type.shape or ()))
            empty = self.builder.retyped(empty, type.with_shape(shape))
        at = next(k for k, s in enumerate(self.body.stmts) if s is there[0][0])
        first, full = self.recorded(there, 0, empty, [])
        stmts = [*self.body.stmts[:at], *made, *allocated, first, *self.body.stmts[at + 1 :]]
        outer = next(k for k, s in enumerate(stmts) if s is back[0][0])
        stmts[outer] = self.replayed(back, 0, full, [])
        return replace(self.body, stmts=tuple(stmts))

    def recorded(
        self, path: Path, depth: int, tape: Value, indices: list[Operand]
    ) -> tuple[Stmt, Value]:
        """A statement on the way to the record, with the tape as one more result."""
        stmt, which = path[depth]
        result = replace(tape, name=self.builder.names.fresh(tape.root))
        if isinstance(stmt, Record):
            index = pattern(len(indices))
            args = (tape, stmt.value, *indices)
            return Apply((result,), "store", args, (("index", index),), stmt.span), result
        if isinstance(stmt, Loop):
            param = replace(tape, name=self.builder.names.fresh(tape.root))
            body = self.inside(path, depth, stmt.body, param, [*indices, stmt.index])
            body = replace(body, params=(*body.params, param))
            loop = replace(
                stmt, results=(*stmt.results, result), inits=(*stmt.inits, tape), body=body
            )
            return loop, result
        assert isinstance(stmt, Branch)
        arms = [stmt.then, stmt.orelse]
        for k, arm in enumerate(arms):
            if k == which:
                arms[k] = self.inside(path, depth, arm, tape, indices)
            else:
                arms[k] = replace(arm, yields=(*arm.yields, tape))
        results = (*stmt.results, result)
        return replace(stmt, results=results, then=arms[0], orelse=arms[1]), result

    def inside(
        self, path: Path, depth: int, block: Block, tape: Value, indices: list[Operand]
    ) -> Block:
        inner = path[depth + 1][0]
        made, end = self.recorded(path, depth + 1, tape, indices)
        stmts = tuple(made if s is inner else s for s in block.stmts)
        return replace(block, stmts=stmts, yields=(*block.yields, end))

    def replayed(self, path: Path, depth: int, tape: Value, indices: list[Operand]) -> Stmt:
        stmt, which = path[depth]
        if isinstance(stmt, Replay):
            index = pattern(len(indices))
            return Apply((stmt.result,), "load", (tape, *indices), (("index", index),), stmt.span)
        inner = path[depth + 1][0]
        if isinstance(stmt, Loop):
            indices = [*indices, stmt.index]
        made = self.replayed(path, depth + 1, tape, indices)

        def changed(block: Block) -> Block:
            return replace(block, stmts=tuple(made if s is inner else s for s in block.stmts))

        if isinstance(stmt, Loop):
            return replace(stmt, body=changed(stmt.body))
        assert isinstance(stmt, Branch)
        return (
            replace(stmt, then=changed(stmt.then))
            if which == 0
            else replace(stmt, orelse=changed(stmt.orelse))
        )


def _counted(block: Block, names: Names) -> Block:
    """The block with a name for the index of every loop that has a record and none of its own."""

    def counted(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, NESTED):
            return stmt
        stmt = rebuild(stmt, lambda operand: operand, inner)
        if not isinstance(stmt, Loop) or stmt.index.root.strip("_"):
            return stmt
        if not any(isinstance(s, TAPES) for s in walk(stmt.body)):
            return stmt
        index = replace(stmt.index, name=names.fresh("step"), root="step")
        body = substitute_in(stmt.body, {stmt.index.name: index})
        return replace(stmt, index=index, body=body)

    def inner(block: Block) -> Block:
        return replace(block, stmts=tuple(map(counted, block.stmts)))

    return inner(block)


def _places(block: Block, slot: str, of: type) -> Iterator[Path]:
    """Where a slot is recorded or replayed."""
    for stmt in block.stmts:
        if isinstance(stmt, of) and getattr(stmt, "slot", "") == slot:
            yield ((stmt, 0),)
        for k, inner in enumerate(blocks_of(stmt)):
            for path in _places(inner, slot, of):
                yield ((stmt, k), *path)


def _loops(path: Path) -> list[Loop]:
    return [s for s, _ in path if isinstance(s, Loop)]


def _match(forward: list[Loop], reverse: list[Loop]) -> bool:
    """Whether the iterations are counted, and are those of the other sweep."""
    for loop, again in zip(forward, reverse, strict=True):
        step = loop.bounds[2]
        if loop.trips is not None or loop.backwards or not again.backwards:
            return False
        if not isinstance(step, Const) or step != again.bounds[2]:
            return False
        if not isinstance(step.value, int):
            return False
    return True


def _falls(loop: Loop) -> bool:
    """Whether a loop counts downwards, as the user wrote it."""
    step = loop.bounds[2]
    return isinstance(step, Const) and isinstance(step.value, int) and step.value < 0


def _is_outer(body: Block, *stmts: Stmt) -> bool:
    return all(any(s is stmt for s in body.stmts) for stmt in stmts)


class _Largest:
    """The largest value that the end of a loop takes, by what is known before the outermost."""

    def __init__(
        self,
        builder: Builder,
        lengths: Lengths,
        inside: dict[str, Stmt | None],
        loops: dict[str, Loop],
    ) -> None:
        self.builder = builder
        self.lengths = lengths
        self.inside = inside
        self.loops = loops

    def begins(self, loop: Loop) -> bool:
        """Whether the least index of a loop is not negative."""
        first, stop, _ = loop.bounds
        if not _falls(loop):
            return self.counts(first)
        if isinstance(stop, Const):
            return isinstance(stop.value, int) and stop.value >= -1
        return self.counts(stop)

    def end(self, loop: Loop) -> Operand | None:
        """A number above every index of a loop."""
        if not _falls(loop):
            return self.stop(loop.bounds[1])
        first = self.stop(loop.bounds[0])
        if isinstance(first, Const):
            return const(int(str(first.value)) + 1)
        return None if first is None else self.builder.apply("add", first, const(1))

    def counts(self, operand: Operand) -> bool:
        """Whether it is certain that a number is not negative."""
        if isinstance(operand, Const):
            return isinstance(operand.value, int) and operand.value >= 0
        if operand.name in self.loops:
            return self.begins(self.loops[operand.name])
        match self.inside.get(operand.name):
            case Apply(op="add", args=(first, second)):
                return self.counts(first) and self.counts(second)
        return False

    def stop(self, operand: Operand) -> Operand | None:
        if isinstance(operand, Const):
            return operand
        if operand.name in self.loops:
            outer = self.end(self.loops[operand.name])
            return None if outer is None else self.builder.apply("sub", outer, const(1))
        if operand.name not in self.inside:
            return operand
        if operand.type.value is not None and self.lengths.has(operand.type.value):
            return self.lengths.operand(operand.type.value)
        match self.inside[operand.name]:
            case Apply(op="add" | "sub" as op, args=(first, Const() as second)):
                found = self.stop(first)
                return None if found is None else self.builder.apply(op, found, second)
        return None
