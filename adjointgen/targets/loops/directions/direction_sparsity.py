"""Dynamic sparsity: long loops leave out the directions in which all is zero that they read.

                                            low, high = 0, 0
                                            for q in range(26):
                                                for j in range(4):
                                                    if t_dot[j, q] != 0.0:
                                                        if high == 0:
                                                            low = q
                                                        high = q + 1
    for v in range(n):                      for v in range(n):
        for j in range(4):                      for j in range(4):
            for q in range(26):                     for q in range(low, high):
                y_dot[v, j, q] +=     ->                y_dot[v, j, q] +=
                    c[v] * t_dot[j, q]                      c[v] * t_dot[j, q]

A Jacobian's directions are unit vectors, and what stands along a chain depends on few of them. What
is added is linear in small arrays that the loop leaves alone, with numbers of the program's
arguments for factors: these arrays are looked at once, before the loop, and where all their entries
along a direction are zero, nothing would be added there. (A structural zero by what is found at run
time: Griewank and Walther 2008, section 7.1, dynamic sparsity.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import prod

from adjointgen.analysis.loops.outer_product_sums import range_of
from adjointgen.costs import ENTRIES_LOOKED_AT
from adjointgen.ir.edit import carried, name_of, rebuild
from adjointgen.ir.nodes import (
    NESTED,
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
    defined_in,
    walk,
)
from adjointgen.ir.types import INT
from adjointgen.records import replace
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.targets.loops.build.op_classes import zero_of
from adjointgen.targets.loops.passes.loop_fusion import computes

SUMS = ("add", "sub", "plus")
Bounds = tuple[Operand, Operand, Operand]


def narrowed(function: Function) -> Function:
    """The function with such loops over fewer directions."""
    work = _Narrowing(function)
    return replace(function, body=work.block(function.body))


class _Narrowing:
    def __init__(self, function: Function) -> None:
        self.builder = Builder(Names.of(function))
        given = {p.name for p in function.body.params}
        self.finite = given | {
            s.result.name
            for s in walk(function.body)
            if isinstance(s, Apply) and s.op == "load" and name_of(s.args[0]) in given
        }
        """The arguments, and their numbers."""
        self.bounds: dict[str, Bounds] = {}
        """The new bounds of loops, by their indices."""

    def block(self, block: Block) -> Block:
        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                if isinstance(stmt, Loop):
                    self.look(stmt)
                if isinstance(stmt, NESTED):
                    stmt = rebuild(stmt, lambda operand: operand, self.block)
                if isinstance(stmt, Loop):
                    bounds = self.bounds.get(stmt.index.name, stmt.bounds)
                    stmt = replace(stmt, bounds=bounds)
                self.builder.add(stmt)
        return replace(block, stmts=tuple(made))

    def look(self, loop: Loop) -> None:
        """Add before a loop what it finds of the directions that those inside are over."""
        inside = {v.name for v in defined_in(loop.body)}
        known: dict[tuple[str, ...], Bounds] = {}
        for one in _long(loop):
            if one.index.name in self.bounds:
                continue
            arrays = _Linear(one, self.finite).arrays()
            if not arrays or any(a.name in inside for a in arrays):
                continue
            key = tuple(a.name for a in arrays)
            if key not in known:
                known[key] = self.found(one, arrays)
            self.bounds[one.index.name] = known[key]

    def found(self, over: Loop, arrays: Sequence[Value]) -> Bounds:
        """The first direction in which an entry is not zero, and the last and one."""
        low, high = (self.builder.value(root, INT) for root in ("low", "high"))
        index = self.builder.value("q", INT)
        with self.builder.block() as made:
            ends: tuple[Operand, ...] = low, high
            for array in arrays:
                ends = self.entries(array, (), index, ends)
        body = Block((low, high), tuple(made), ends)
        first, past = (self.builder.value(root, INT) for root in ("low", "high"))
        inits = const(0), const(0)
        self.builder.add(Loop((first, past), index, over.bounds, inits, body, span=over.span))
        return first, past, const(1)

    def entries(
        self, array: Value, at: tuple[Value, ...], index: Value, ends: tuple[Operand, ...]
    ) -> tuple[Operand, ...]:
        """What is known after the entries of one direction, those at some first indices."""
        length, *inner = _lengths(array)[len(at) :]
        if not inner:
            return self.entry(array, (*at, index), index, ends)
        params = tuple(self.builder.value(e.root, INT) for e in ends if isinstance(e, Value))
        j = self.builder.value("", INT, "j")
        with self.builder.block() as made:
            last = self.entries(array, (*at, j), index, params)
        results = tuple(self.builder.value(p.root, INT) for p in params)
        body = Block(params, tuple(made), last)
        bounds = const(0), const(length), const(1)
        self.builder.add(Loop(results, j, bounds, ends, body, span=self.builder.span))
        return results

    def entry(
        self, array: Value, at: tuple[Value, ...], index: Value, ends: tuple[Operand, ...]
    ) -> tuple[Operand, ...]:
        pattern = ", ".join("_" for _ in at)
        number = self.builder.apply("load", array, *at, index=pattern, stem="t")
        test = self.builder.apply("ne", number, zero_of(array.type.dtype), stem="t")
        low, high = ends
        with self.builder.block() as made:
            first = self.builder.apply("eq", high, const(0), stem="t")
            begins = self.builder.value("low", INT)
            arms = Block((), (), (index,)), Block((), (), (low,))
            self.builder.add(Branch((begins,), first, *arms, span=self.builder.span))
            past = self.builder.apply("add", index, const(1), root="high")
        results = tuple(self.builder.value(root, INT) for root in ("low", "high"))
        then = Block((), tuple(made), (begins, past))
        orelse = Block((), (), (low, high))
        self.builder.add(Branch(results, test, then, orelse, span=self.builder.span))
        return results


def _long(loop: Loop) -> Iterator[Loop]:
    """The innermost loops over numbers of this one, with one around them that may run long."""
    for path in _paths((loop,)):
        trips = [range_of(one) for one in path[:-1]]
        if any(t is None or len(t) > ENTRIES_LOOKED_AT for t in trips):
            yield path[-1]


def _paths(path: tuple[Loop, ...]) -> Iterator[tuple[Loop, ...]]:
    """The loops to each one inside the last."""
    stack = list(path[-1].body.stmts)
    while stack:
        stmt = stack.pop()
        if isinstance(stmt, Loop):
            yield (*path, stmt)
            yield from _paths((*path, stmt))
        elif isinstance(stmt, Branch):
            stack += [*stmt.then.stmts, *stmt.orelse.stmts]


def _lengths(array: Value) -> list[int]:
    """The lengths of an array, where all are known."""
    known = [None if d is None else d.known for d in array.type.shape or ()]
    return [n for n in known if n is not None] if None not in known else []


class _Linear:
    """A loop that only adds, along its index, what is linear in arrays with that for last axis."""

    def __init__(self, loop: Loop, finite: Collection[str]) -> None:
        self.loop = loop
        self.found: dict[str, Value] = {}
        self.linear: set[str] = set()
        """What is zero where these arrays are."""
        self.finite = set(finite)
        """What is a number of the arguments, or a product of such."""

    def arrays(self) -> list[Value]:
        """These arrays; none if the loop is another."""
        loop = self.loop
        known = range_of(loop)
        plain = computes(loop) and loop.trips is None and known is not None and len(known) > 1
        if not plain or loop.bounds[0] != const(0) or loop.bounds[2] != const(1):
            return []
        written = {p.name for p in loop.body.params}
        if any(p.type.is_scalar for p in loop.body.params):
            return []
        if not all(self.statement(s, written) for s in loop.body.stmts):
            return []
        rows = sum(prod(_lengths(a)[:-1]) for a in self.found.values())
        return list(self.found.values()) if rows <= ENTRIES_LOOKED_AT else []

    def statement(self, stmt: Stmt, written: set[str]) -> bool:
        """Whether a statement has no place in the direction of zeros alone."""
        if isinstance(stmt, Loop):
            return self.inner(stmt)
        if not isinstance(stmt, Apply):
            return False
        if stmt.op in STORES:
            base, value = stmt.args[:2]
            adds = stmt.op == "accumulate" and name_of(base) in written
            written.add(stmt.result.name)
            return adds and name_of(value) in self.linear
        self.number(stmt)
        return not any(name_of(a) in written for a in stmt.args)

    def number(self, stmt: Apply) -> None:
        """Note what a number is."""
        names = [name_of(a) for a in stmt.args]
        linear = [n in self.linear for n in names]
        fine = [self.is_finite(a) for a in stmt.args]
        if stmt.op == "load":
            self.load(stmt)
        elif stmt.op == "mul":
            if any(one and other for one, other in zip(linear, reversed(fine), strict=True)):
                self.linear.add(stmt.result.name)
            elif all(fine):
                self.finite.add(stmt.result.name)
        elif (stmt.op == "neg" or stmt.op in SUMS) and all(linear):
            self.linear.add(stmt.result.name)

    def load(self, stmt: Apply) -> None:
        array = stmt.args[0]
        at = axis_by_axis(str(stmt.option("index")), numbers_of(stmt))
        if at is None or not isinstance(array, Value) or len(at) != array.type.rank:
            return
        lengths = _lengths(array)
        known = range_of(self.loop)
        if at[-1] == self.loop.index and lengths and known == range(lengths[-1]):
            self.found[array.name] = array
            self.linear.add(stmt.result.name)

    def is_finite(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return True
        return operand.name in self.finite

    def inner(self, loop: Loop) -> bool:
        """Whether a loop inside carries numbers that are linear, and does nothing else."""
        if loop.trips is not None or any(p.type.is_array for p in loop.body.params):
            return False
        if not all(name_of(init) in self.linear for init in loop.inits):
            return False
        self.linear |= {p.name for p in loop.body.params}
        if not all(self.statement(s, set()) for s in loop.body.stmts):
            return False
        self.linear |= {result.name for *_, result in carried(loop)}
        return all(name_of(y) in self.linear for y in loop.body.yields)
