"""Loop vectorisation: reverse loops with independent iterations are statements on slices.

    for k in range(i):                          t = -A_bar[i, j]
        t = -A_bar[i, j]                        A_bar[:i, j] += t * A[i, :i]
        A_bar[k, j] += t * A[i, k]        ->    A_bar[i, :i] += t * A[:i, j]
        A_bar[i, k] += t * A[k, j]

For NumPy, whose elements are slow, and of derivatives alone: the user's loops stay, and sums of
derivatives have no order to keep. Which loops are of that kind is what `independent_iterations.py`
says. (Data dependence and vectorisation: Allen and Kennedy 1987.)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from adjointgen.analysis.loops.independent_iterations import Access, Lanes
from adjointgen.ir.edit import name_of, rebuild, with_values
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    walk,
)
from adjointgen.ir.types import BOOL
from adjointgen.optimize.scalar.licm import SURE
from adjointgen.records import replace
from adjointgen.rules.arrays.index_arithmetic import Place, place, written
from adjointgen.rules.framework.builder import Builder, Names, index_text
from adjointgen.rules.framework.table import TABLE

OTHERS: Final = frozenset({"neg", "pos", "conj", "real", "imag"})
"""Operations that are not declared by entries, and take arrays entry by entry."""


def slices(function: Function, primal: Collection[str]) -> Function:
    """The function with such loops as slices, but those with statements of the `primal`."""
    if not any(isinstance(s, Loop) and _is_plain(s, primal) for s in walk(function.body)):
        return function
    work = _Slicing(function, primal)
    body = work.block(function.body)
    return replace(function, body=body) if work.changed else function


WHOLE: Final = ":"


class _Stays(Exception):
    """A loop is not of that kind."""


def _is_plain(loop: Loop, primal: Collection[str]) -> bool:
    """Whether a loop does nothing but to compute derivatives, one result at a time."""
    return bool(loop.body.stmts) and all(
        isinstance(s, Apply) and len(s.results) == 1 and s.result.name not in primal
        for s in loop.body.stmts
    )


class _Slicing:
    """A function on its way; `lanes` knows the loops around."""

    def __init__(self, function: Function, primal: Collection[str]) -> None:
        self.primal = primal
        self.builder = Builder(Names.of(function))
        self.lanes = Lanes(function, primal)
        self.changed = False

    def block(self, block: Block) -> Block:
        with self.builder.block() as made, self.lanes.inside(block):
            for stmt in block.stmts:
                if isinstance(stmt, Loop):
                    self.loop(stmt)
                else:
                    self.builder.add(rebuild(stmt, lambda o: o, self.block))
        return replace(block, stmts=tuple(made))

    def loop(self, loop: Loop) -> None:
        """The loop, or what stands for it."""
        with self.lanes.within(loop):
            try:
                if not _is_plain(loop, self.primal):
                    raise _Stays
                made: tuple[Stmt, ...] = _Body(self, loop).statements()
                self.changed = True
            except _Stays:
                made = (replace(loop, body=self.block(loop.body)),)
        for stmt in made:
            self.builder.add(stmt)


class _Body:
    """One loop. `vectors` has what a number of the body is for all iterations at once, `versions`
    what a version of an array is, `totals` those of a sum; `kept` stays the number that it is.

    With `guarded`, something may be read that is not there unless the loop runs.
    """

    def __init__(self, work: _Slicing, loop: Loop) -> None:
        facts = work.lanes.of(loop)
        if facts is None:
            raise _Stays
        self.builder, self.lanes = work.builder, work.lanes
        self.loop, self.facts = loop, facts
        self.guarded = False
        self.made: set[str] = set()
        self.kept: set[str] = set()
        self.indices: set[str] = {loop.index.name}
        self.vectors: dict[str, Operand] = {}
        self.versions: dict[str, Operand] = {}
        self.totals: dict[str, Operand] = {}
        for param, init in zip(loop.body.params, loop.inits, strict=True):
            carried = self.versions if param.type.is_array else self.totals
            carried[param.name] = init

    def statements(self) -> tuple[Stmt, ...]:
        """What stands for the loop."""
        with self.builder.block() as made:
            start, stop = (self.sum(b) for b in self.loop.bounds[:2])
            forwards = self.facts.step > 0
            self.low, self.high = (start, stop) if forwards else (stop + 1, start + 1)
            for stmt in self.loop.body.stmts:
                assert isinstance(stmt, Apply)
                self.builder.span = stmt.span
                self.statement(stmt)
            ends = [self.end(y) for y in self.loop.body.yields]
            if len({e.name for e in ends}) < len(ends):
                raise _Stays
            if self.guarded:
                self.builder.span = self.loop.span
                test = self.builder.value("", BOOL)
        block = Block((), tuple(made), tuple(ends))
        if self.guarded:
            return self.asked(test, block)
        names = dict(zip((e.name for e in ends), self.loop.results, strict=True))
        return with_values(block, lambda v: names.get(v.name, v)).stmts

    def asked(self, test: Value, block: Block) -> tuple[Stmt, ...]:
        """`if the loop runs: block`."""
        with self.builder.block() as before:
            order = self.written(self.high), self.written(self.low)
        before.append(Apply((test,), "gt", order, span=self.loop.span))
        other = Block((), (), self.loop.inits)
        return *before, Branch(self.loop.results, test, block, other, span=self.loop.span)

    def end(self, operand: Operand) -> Value:
        """What a loop leaves behind."""
        name = name_of(operand)
        found = self.versions.get(name) or self.totals.get(name)
        if not isinstance(found, Value) or found in self.loop.inits:
            raise _Stays
        return found

    def statement(self, stmt: Apply) -> None:
        if stmt.op == "load":
            self.load(stmt)
        elif stmt.op in STORES:
            self.store(stmt)
        elif stmt.op in ("add", "sub") and self.is_total(stmt):
            self.total(stmt)
        else:
            self.apply(stmt)

    def operand(self, operand: Operand) -> Operand:
        """What an operand is for all iterations: a vector, or the same number in each."""
        if isinstance(operand, Const) or self.is_kept(operand):
            return operand
        if operand.name not in self.vectors:
            raise _Stays
        return self.vectors[operand.name]

    def is_kept(self, operand: Operand) -> bool:
        name = name_of(operand)
        return name in self.kept or name not in self.facts.inside

    def apply(self, stmt: Apply) -> None:
        """An operation on numbers, as one on vectors."""
        row = TABLE.rows.get(stmt.op)
        if row is None or row.effect:
            raise _Stays
        if any(name_of(a) in self.indices for a in stmt.args):
            self.indices.add(stmt.result.name)
            return
        args = [self.operand(a) for a in stmt.args]
        if not any(map(self.is_vector, args)):
            self.keep(stmt, stmt.op not in SURE)
            return
        numpy = any(s.startswith("numpy.") for s in row.spellings)
        entrywise = row.kind == "elementwise" and numpy and not row.code
        if stmt.op not in OTHERS and not entrywise:
            raise _Stays
        made = self.builder.apply(stmt.op, *args, root=stmt.result.root, **stmt.settings)
        self.vector(stmt.result, made)

    def is_vector(self, operand: Operand) -> bool:
        return name_of(operand) in self.made

    def vector(self, number: Value, made: Operand) -> None:
        if not isinstance(made, Value) or made.type.rank != 1:
            raise _Stays
        self.vectors[number.name] = made
        self.made.add(made.name)

    def keep(self, stmt: Apply, bold: bool) -> None:
        """A statement that is the same in every iteration."""
        self.builder.add(stmt)
        self.kept.add(stmt.result.name)
        self.guarded |= bold

    def part(self, stmt: Apply) -> tuple[Access, str, list[Operand]]:
        """What an access to an array is for all iterations: its index, with a slice."""
        access = self.facts.accesses.get(stmt.result.name)
        if access is None:
            raise _Stays
        self.guarded |= access.bold
        items = [self.item(access, axis) for axis in range(len(access.items))]
        if len(items) > 1 and isinstance(items[-1], slice) and _is_whole(items[-1]):
            items.pop()
        operands: list[Any] = []
        index = ", ".join(index_text(item, operands) for item in items)
        return access, index, [self.builder.lower(o) for o in operands]

    def item(self, access: Access, axis: int) -> Any:
        """An index of the access, or the slice that all iterations take."""
        item = access.items[axis]
        if axis != access.axis:
            return self.builder.handle(item)
        rest = self.sum(item, self.loop.index.name)
        if access.sign > 0:
            low, high = self.low + rest, self.high + rest
        else:
            low, high = (rest + end.times(-1) + 1 for end in (self.high, self.low))
        start = self.builder.handle(self.written(low)) if low != Place() else None
        end = self.written(high)
        length = (access.stmt.args[0].type.shape or ())[axis]
        whole = length is not None and end.type.value == length
        return slice(start, None if whole else self.builder.handle(end))

    def sum(self, number: Operand, without: str = "") -> Place:
        """An integer as a sum, where the index of the loop is nothing."""
        name = name_of(number)
        if without and name == without:
            return Place()
        made, within = self.lanes.makers.get(name), name in self.indices
        plain = made is not None and made.op in ("add", "sub")
        if made is None or not (within or (plain and not getattr(number, "root", ""))):
            return place(number)
        if not plain:
            raise _Stays
        a, b = (self.sum(x, without) for x in made.args)
        return a + b.times(1 if made.op == "add" else -1)

    def written(self, at: Place) -> Operand:
        """A sum as an operand, if nothing is in it twice."""
        if any(abs(factor) != 1 for factor, _ in at.terms):
            raise _Stays
        return written(self.builder, at)

    def load(self, stmt: Apply) -> None:
        base = stmt.args[0]
        array = self.versions.get(base.name, base) if isinstance(base, Value) else base
        access, index, operands = self.part(stmt)
        if access.axis is None:
            self.keep(replace(stmt, args=(array, *operands)), False)
            return
        if index == WHOLE:
            made = array
        else:
            made = self.builder.apply("load", array, *operands, root=stmt.result.root, index=index)
        self.vector(stmt.result, self.turned(made, access))

    def turned(self, vector: Operand, access: Access) -> Operand:
        """A vector in the order of the entries, or of the iterations."""
        if access.sign > 0:
            return vector
        return self.builder.lower(self.builder.handle(vector)[::-1])

    def store(self, stmt: Apply) -> None:
        base, value = stmt.args[0], self.operand(stmt.args[1])
        if not isinstance(base, Value) or base.name not in self.versions:
            raise _Stays
        access, index, operands = self.part(stmt)
        is_vector = self.is_vector(value)
        if access.axis is None:
            if not is_vector or stmt.op != "accumulate" or self.lanes.decides(stmt):
                raise _Stays
            value = self.summed(value)
        elif is_vector:
            value = self.turned(value, access)
        args = self.versions[base.name], value, *operands
        if index == WHOLE and stmt.op == "accumulate":
            made = self.builder.apply("add", *args, root=stmt.result.root)
        else:
            made = self.builder.apply(stmt.op, *args, root=stmt.result.root, index=index)
        self.versions[stmt.result.name] = made

    def is_total(self, stmt: Apply) -> bool:
        names = [name_of(a) for a in stmt.args]
        return names[0] in self.totals or (stmt.op == "add" and names[1] in self.totals)

    def total(self, stmt: Apply) -> None:
        """A sum that goes on from iteration to iteration."""
        total, term = stmt.args
        if name_of(total) not in self.totals:
            total, term = term, total
        vector = self.operand(term)
        if not self.is_vector(vector) or self.lanes.decides(stmt):
            raise _Stays
        args = self.totals[total.name], self.summed(vector)  # type: ignore[union-attr]
        made = self.builder.apply(stmt.op, *args, root=stmt.result.root)
        self.totals[stmt.result.name] = made

    def summed(self, vector: Operand) -> Operand:
        """The sum of a vector; that of a product is one of BLAS."""
        made = self.builder.made(vector)
        if made is not None and made.op == "mul":
            a, b = made.args
            if all(self.is_vector(x) and x.type.dtype == "float64" for x in (a, b)):
                return self.builder.apply("matmul", a, b)
        return self.builder.apply("sum", vector)


def _is_whole(part: slice) -> bool:
    return part.start is None and part.stop is None
