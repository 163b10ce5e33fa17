"""Distribution of a loop: its products with lines of an array are one product before the loop.

    for i in range(n):                          rows = X @ C
        y = X[i] @ C                    ->      for i in range(n):
        ...                                         y = rows[i]

The mirror image of `matmul_after_loop.py`. A product of matrices reads its factors once, and runs
as fast as a machine can; one per line runs as fast as its memory. Before a function is
differentiated, that goes for its derivatives, too: they are those of one product, and nothing of
the lines is recorded. In a reverse sweep it goes for the products of what was there before it
began.

A product is a call of a library that promises no order of its sums, by lines as by matrices: so
this is done to the user's own products, while sums that they write stay as they are. A loop that is
left with copying the products into an array is an assignment. (Loop distribution and vectorisation:
Allen and Kennedy 1987, "Automatic translation of Fortran programs to vector form".)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from adjointgen.analysis.loops.loop_matmuls import Finder, Line, Multiplied, Run
from adjointgen.analysis.loops.outer_product_sums import Piece
from adjointgen.analysis.values.storage_classes import storage
from adjointgen.analysis.values.symbolic_lengths import Measures
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    LOOPS,
    NESTED,
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    blocks_of,
    defined_in,
    walk,
)
from adjointgen.ir.types import Dim
from adjointgen.optimize.matmul.loop_range_slices import WHOLE, ends, joined, reach
from adjointgen.optimize.matmul.loop_to_assignment import assigned, uncopied
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names


def ahead(function: Function, compiled: bool = False) -> Function:
    """The function with such products before their loops.

    A compiler has loops for products with vectors and with small matrices, and joins these with
    others.
    """
    work = _Ahead(function, compiled)
    body = work.block(function.body)
    if not work.rows:
        return function
    made = assigned(dead(replace(function, body=body)), work.rows, work.builder)
    return uncopied(made, work.classes)


def waiting(functions: Iterable[Function], compiled: bool) -> frozenset[tuple[Dim, Dim]]:
    """The lengths that would have to be known to be equal for more of such products.

    For a compiler, those that would have to be known to be short come with themselves.
    """
    found: set[tuple[Dim, Dim]] = set()
    for function in functions:
        work = _Ahead(function, compiled)
        work.block(function.body)
        found |= work.waiting
    return frozenset(found)


class _Ahead:
    def __init__(self, function: Function, compiled: bool) -> None:
        self.function = function
        self.compiled = compiled
        self.builder = Builder(Names.of(function))
        self.classes = storage(function)
        self.rows: set[str] = set()
        self.waiting: set[tuple[Dim, Dim]] = set()
        self.around: frozenset[str] = frozenset()
        self._measures: Measures | None = None

    def measures(self) -> Measures:
        if self._measures is None:
            self._measures = Measures()
            for stmt in walk(self.function.body):
                if isinstance(stmt, Apply):
                    self._measures.note(stmt)
        return self._measures

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            if isinstance(stmt, Loop):
                before, stmt = self.loop(stmt)
                stmts += before
            stmts.append(self.nested(stmt) if isinstance(stmt, NESTED) else stmt)
        return replace(block, stmts=tuple(stmts))

    def nested(self, stmt: Stmt) -> Stmt:
        around = self.around
        if isinstance(stmt, LOOPS):
            self.around |= {v.name for b in blocks_of(stmt) for v in defined_in(b)}
        made = rebuild(stmt, lambda o: o, self.block)
        self.around = around
        return made

    def loop(self, loop: Loop) -> tuple[list[Stmt], Loop]:
        """The products of a nest that its outermost loop can do without, and the nest."""
        finder = Finder(loop, self.classes, self.measures, self.around)
        products = [p for p in finder.products() if self.is_meant(p)]
        for product in products:
            self.waiting |= {d for d in (product.meeting, product.stored) if d is not None}
            if self.compiled:
                self.waiting |= {(d, d) for d in product.lengths if d is not None}
        found = {p.stmt.result.name: p for p in products if p.meeting is None}
        if not found:
            return [], loop
        with self.builder.block() as before:
            made = _Made(self.builder, finder)
            work = _Reading(self.builder, made, found)
        self.rows |= {r.name for r in work.rows.values()}
        return before, replace(loop, body=work.block(loop.body))

    def is_meant(self, product: Multiplied) -> bool:
        """Whether one product is faster, and takes no more memory than it should."""
        if product.is_wide or not self.compiled:
            return not product.is_wide
        large = not self.around if product.is_large is None else product.is_large
        return large and product.other.type.rank == 2


class _Reading:
    """A nest that reads its products instead of making them."""

    def __init__(self, builder: Builder, made: _Made, found: Mapping[str, Multiplied]) -> None:
        self.builder = builder
        self.makers = made.makers
        self.found = found
        self.rows = {name: made.rows(p) for name, p in found.items()}
        runs = [a for p in found.values() for a in p.line.axes if isinstance(a, Run)]
        self.bounds = {r.loop.index.name: made.counted(r).loop.bounds for r in runs}

    def block(self, block: Block) -> Block:
        with self.builder.block() as made:
            for stmt in block.stmts:
                product = self.found.get(stmt.result.name) if _is_one(stmt) else None
                if product is not None:
                    self.read(product)
                elif isinstance(stmt, NESTED):
                    self.builder.add(rebuild(self.with_bounds(stmt), lambda o: o, self.block))
                else:
                    self.builder.add(stmt)
        return replace(block, stmts=tuple(made))

    def with_bounds(self, stmt: Stmt) -> Stmt:
        """A loop by the bounds that are there before the nest."""
        if not isinstance(stmt, Loop) or stmt.index.name not in self.bounds:
            return stmt
        return replace(stmt, bounds=self.bounds[stmt.index.name])

    def read(self, product: Multiplied) -> None:
        """The line of an iteration."""
        self.builder.span = product.stmt.span
        kept = product.line.kept
        order = (kept[1], kept[0]) if isinstance(kept[-1], Run) else kept
        index = [("_", (self.row(a),)) if isinstance(a, Run) else WHOLE for a in order[:-1]]
        text, at = joined(index)
        line = self.builder.apply("load", self.rows[product.stmt.result.name], *at, index=text)
        self.builder.name_last(line, product.stmt.result)

    def row(self, run: Run) -> Operand:
        """The number of an iteration, counted from the least index."""
        low, _ = ends(replace(run.loop, bounds=self.bounds[run.loop.index.name]))
        return low.before(self.builder, self.makers, run.loop.index)


class _Made:
    """The products of one nest, before it."""

    def __init__(self, builder: Builder, finder: Finder) -> None:
        self.builder = builder
        self.finder = finder
        self.makers = finder.measures().makers
        self.moved: dict[str, Operand] = {}

    def rows(self, product: Multiplied) -> Value:
        """The products of all lines."""
        self.builder.span = product.stmt.span
        lines, other = self.lines(product.line), self.brought(product.other)
        if isinstance(product.line.kept[-1], Run):
            lines = self.builder.apply("transpose", lines)
        if product.turned and other.type.rank == 2:
            other = self.builder.apply("transpose", other)
        stem = f"{product.stmt.result.root or 't'}_rows"
        return self.builder.apply("matmul", lines, other, stem=stem)

    def brought(self, operand: Operand) -> Operand:
        """An operand that the nest makes of what is there before."""
        if not isinstance(operand, Value) or operand.name not in self.finder.inside:
            return operand
        if operand.name not in self.moved:
            made = self.finder.makers[operand.name]
            options: dict[str, Any] = dict(made.options)
            before = self.finder.as_long(made) if made.op == "dim" else None
            args = map(self.brought, made.args) if before is None else (before,)
            self.moved[operand.name] = self.builder.apply(made.op, *args, **options)
        return self.moved[operand.name]

    def lines(self, line: Line) -> Operand:
        """All lines that the iterations read, in their array."""
        array = self.brought(line.array)
        shape = array.type.shape or ()
        pieces = [self.piece(a, dim) for a, dim in zip(line.axes, shape, strict=True)]
        if all(piece == WHOLE for piece in pieces):
            return array
        text, at = joined(pieces)
        return self.builder.apply("load", array, *at, index=text)

    def piece(self, axis: Piece | Run, dim: Dim | None) -> Piece:
        """What all iterations read of an axis."""
        if isinstance(axis, Run):
            return reach(self.builder, self.makers, self.counted(axis), dim)
        text, operands = axis
        return text, tuple(map(self.brought, operands))

    def counted(self, run: Run) -> Run:
        """The loop along an axis by bounds that are there before the nest."""
        start, stop, step = map(self.brought, run.loop.bounds)
        return replace(run, loop=replace(run.loop, bounds=(start, stop, step)))


def _is_one(stmt: Stmt) -> TypeGuard[Apply]:
    return isinstance(stmt, Apply) and len(stmt.results) == 1
