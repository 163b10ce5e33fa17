"""Distribution of a loop: its sums of products with vectors are one product of matrices after it.

    for k in range(n):                          for k in range(n):
        ...                                         ...
        W_bar += np.outer(y_bar, x[k])     ->       rows[k] = y_bar
                                                W_bar += rows.T @ x

What a loop of a reverse sweep only adds to can be added when it is done, and a sum of products of
columns and rows is a product of matrices, which reads and writes the sum once and not once per
iteration. In the same way the columns `B @ y_bar` that a loop adds to one place each are the
columns of one product. A vector that is added to a part of the rows stands among zeros. Vectors
that are rows or columns of a matrix already are taken from there. Only sums of derivatives: the
order of the user's own sums is theirs. (Gradients of weights are computed so in recurrent networks:
Appleyard, Kocisky and Blunsom 2016, "Optimizing performance of recurrent neural networks on GPUs".)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from adjointgen.analysis.loops.outer_product_sums import Finder, Given, Product, Rows, range_of
from adjointgen.costs import OUTER_SUM_FROM
from adjointgen.ir.edit import carried, rebuild, substitute, substitute_in, substitute_stmt
from adjointgen.ir.nodes import (
    NESTED,
    Apply,
    Block,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    defined_in,
    reads_of,
    results_of,
    walk,
)
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Names, const


def gather(function: Function, primal: Collection[str]) -> Function:
    """The function with such sums after their loops; the user's own sums stay where they are."""
    if not any(isinstance(s, Apply) and s.op in ("outer", "matmul") for s in walk(function.body)):
        return function
    work = _Gathering(Builder(Names.of(function)), primal)
    body = work.block(function.body)
    return replace(function, body=body) if work.changed else function


@dataclass(frozen=True, slots=True)
class _Sum:
    """What a loop adds to one matrix: the products by the names of the sums, in reverse order."""

    init: Operand
    products: Mapping[str, tuple[str, Product]]
    whole: bool


class _Gathering:
    def __init__(self, builder: Builder, primal: Collection[str]) -> None:
        self.builder = builder
        self.primal = primal
        self.changed = False

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        zeros: dict[str, Apply] = {}
        for stmt in block.stmts:
            if isinstance(stmt, NESTED):
                stmt = rebuild(stmt, lambda o: o, self.block)
            if isinstance(stmt, Apply) and stmt.op in ("zeros", "zeros_like"):
                zeros[stmt.result.name] = stmt
            stmts += self.loop(stmt, zeros) if isinstance(stmt, Loop) else [stmt]
        return replace(block, stmts=tuple(stmts))

    def loop(self, loop: Loop, zeros: Mapping[str, Apply]) -> list[Stmt]:
        """A loop, and what is added after it instead of inside."""
        plain, loop = loop, self.named(loop)
        found = self.sums(loop)
        if not found:
            return [plain]
        self.changed = True
        self.builder.span = loop.span
        with self.builder.block() as before:
            rows = _Kept(self.builder, loop, zeros)
            factors = (f for s in found.values() for _, p in s.products.values() for f in _both(p))
            for factor in dict.fromkeys(factors):
                if isinstance(factor, Rows):
                    rows.begin(factor)
        body = rows.body({name: p for s in found.values() for name, (_, p) in s.products.items()})
        results = [
            self.builder.value(r.root, r.type) if k in found else r
            for k, r in enumerate(loop.results)
        ]
        with self.builder.block() as after:
            for k, each in found.items():
                empty = each.whole and isinstance(each.init, Value) and each.init.name in zeros
                total = None if empty else each.init if each.whole else results[k]
                self.add(total, each, rows, loop.results[k])
        kept = list(rows.arrays.values())
        inits = (*loop.inits, *(first for first, _, _ in kept))
        ends = (*results, *(last for _, _, last in kept))
        return [*before, replace(loop, results=ends, inits=inits, body=body), *after]

    def named(self, loop: Loop) -> Loop:
        """The loop with a name for its index, which numbers rows now."""
        if loop.index.root.strip("_"):
            return loop
        index = self.builder.value("step", loop.index.type)
        return replace(loop, index=index, body=substitute_in(loop.body, {loop.index.name: index}))

    def sums(self, loop: Loop) -> dict[int, _Sum]:
        """The matrices to which a loop adds products, by their numbers among what it carries."""
        if loop.trips is not None or loop.bounds[2] not in (const(1), const(-1)):
            return {}
        known = range_of(loop)
        if known is not None and not known:
            return {}
        makers = {r.name: s for s in loop.body.stmts if isinstance(s, Apply) for r in results_of(s)}
        inside = {v.name for v in defined_in(loop.body)} | {loop.index.name}
        finder = Finder(loop, makers, inside)
        reads = Counter(v.name for v in reads_of(loop.body))
        found = {}
        for k, (param, init, end, result) in enumerate(carried(loop)):
            if param.type.rank != 2 or result.name in self.primal or _is_small(param):
                continue
            links = self.links(param, end, makers, reads)
            products: dict[str, tuple[str, Product]] = {}
            for link in links:
                product = finder.product(link, init)
                alone = isinstance(link.args[1], Value) and reads[link.args[1].name] == 1
                if product is not None and alone and _is_exact(product, param):
                    products[link.result.name] = link.op, product
            all_of_them = [p for _, p in products.values()]
            kept = {n: p for n, p in products.items() if finder.reads_all(p[1], all_of_them)}
            if kept:
                found[k] = _Sum(init, kept, len(kept) == len(links))
        return found

    def links(
        self, param: Value, end: Operand, makers: Mapping[str, Apply], reads: Mapping[str, int]
    ) -> list[Apply]:
        """The sums from a matrix to what becomes of it; none if anything else reads it."""
        found: list[Apply] = []
        while isinstance(end, Value) and end != param:
            stmt = makers.get(end.name)
            if stmt is None or stmt.op not in ("add", "sub", "accumulate"):
                return []
            if reads[end.name] != 1 or end.name in self.primal:
                return []
            found.append(stmt)
            end = stmt.args[0]
        return found if end == param and reads[param.name] == 1 else []

    def add(self, total: Operand | None, sum: _Sum, rows: _Kept, result: Value) -> None:
        """All products of a sum, the last of which gives its result."""
        products = list(sum.products.values())[::-1]
        for op, product in products:
            made: Operand = rows.product(product)
            if total is None and op != "sub" and rows.is_all(sum.init, product.place):
                total = made
                continue
            start = sum.init if total is None else total
            total = rows.added(start, "sub" if op == "sub" else "add", made, product.place)
        assert isinstance(total, Value)
        self.builder.name_last(total, result)


class _Kept:
    """The matrices of vectors of one loop: at its beginning, in its body and at its end."""

    def __init__(self, builder: Builder, loop: Loop, zeros: Mapping[str, Apply]) -> None:
        self.builder = builder
        self.loop = loop
        self.zeros = zeros
        self.arrays: dict[object, tuple[Value, Value, Value]] = {}
        start, stop, step = loop.bounds
        self.up = step == const(1)
        low, high = (start, stop) if self.up else (stop, start)
        self.count = high if low == const(0) else builder.apply("sub", high, low)
        self.stop = stop
        if not isinstance(self.count, Const) and not _is_length(self.count):
            self.count = builder.apply("max", self.count, const(0))
            # Counted from the end, what is negative would not be empty.
            self.stop = self.count if low == const(0) else builder.apply("add", low, self.count)

    def begin(self, rows: Rows) -> None:
        """The matrix before the loop."""
        if _key(rows) in self.arrays:
            return
        zeros = self.zeros.get(rows.like.name) if isinstance(rows.like, Value) else None
        like = zeros.args[0] if zeros is not None and zeros.op == "zeros_like" else rows.like
        length = self.builder.apply("dim", like, axis=rows.axis)
        op = "empty" if rows.piece == ":" else "zeros"
        dtype = rows.value.type.dtype
        stem = f"{rows.value.root or 't'}_rows"
        first = self.builder.apply(op, self.count, length, stem=stem, dtype=dtype)
        param, last = (self.builder.value("", first.type, stem) for _ in range(2))
        self.arrays[_key(rows)] = first, param, last

    def body(self, products: Mapping[str, Product]) -> Block:
        """The body of the loop, where vectors are kept in the places of sums."""
        by: dict[str, Operand] = {}
        now = {key: param for key, (_, param, _) in self.arrays.items()}
        left = set(now)
        with self.builder.block() as made:
            for stmt in self.loop.body.stmts:
                product = products.get(stmt.result.name) if isinstance(stmt, Apply) else None
                if product is None or not isinstance(stmt, Apply):
                    self.builder.add(substitute_stmt(stmt, by))
                    continue
                by[stmt.result.name] = substitute(stmt.args[0], by)
                for factor in _both(product):
                    if isinstance(factor, Rows) and _key(factor) in left:
                        left.remove(_key(factor))
                        now[_key(factor)] = self.store(now[_key(factor)], factor)
        params = (*self.loop.body.params, *(param for _, param, _ in self.arrays.values()))
        yields = (*(substitute(y, by) for y in self.loop.body.yields), *now.values())
        return Block(params, tuple(made), yields)

    def store(self, array: Value, rows: Rows) -> Value:
        row: Operand = self.loop.index
        start = self.loop.bounds[0]
        if not self.up:
            row = self.builder.apply("sub", start, row)
        elif start != const(0):
            row = self.builder.apply("sub", row, start)
        index = "_" if rows.piece == ":" else f"_, {rows.piece}"
        return self.builder.apply("store", array, rows.value, row, *rows.at, index=index)

    def product(self, product: Product) -> Value:
        """All that the loop would have added, in order of its rows or columns."""
        if product.place is None:
            factors = self.matrix(product.one, True), self.matrix(product.other, False)
        elif product.place == 1:
            factors = self.matrix(product.one, False), self.matrix(product.other, True)
        else:
            factors = self.matrix(product.other, False), self.matrix(product.one, True)
        return self.builder.apply("matmul", *factors)

    def matrix(self, factor: Rows | Given, turned: bool) -> Operand:
        """A factor, a row per iteration, or turned round."""
        made: Operand
        if isinstance(factor, Rows):
            _, _, made = self.arrays[_key(factor)]
        else:
            made = self.part(factor.array, factor.along)
            turned = turned != factor.turned
        return self.builder.apply("transpose", made) if turned else made

    def part(self, array: Value, axis: int | None) -> Operand:
        """What the iterations run through of an array."""
        if axis is None or self.covers(array, axis):
            return array
        index, at = self.lines(axis)
        return self.builder.apply("load", array, *at, index=index)

    def lines(self, axis: int) -> tuple[str, tuple[Operand, ...]]:
        """The index of the rows or columns that the iterations run through."""
        start = self.loop.bounds[0]
        first = start == const(0)
        piece = ":_" if first else "_:_"
        return f":, {piece}" if axis else piece, (self.stop,) if first else (start, self.stop)

    def covers(self, array: Operand, axis: int) -> bool:
        """Whether the iterations run through a whole axis."""
        start, stop, _ = self.loop.bounds
        length = (array.type.shape or (None, None))[axis]
        return start == const(0) and length is not None and stop.type.value == length

    def is_all(self, total: Operand, place: int | None) -> bool:
        """Whether a product is added to all of a sum."""
        return place is None or self.covers(total, place)

    def added(self, total: Operand, op: str, product: Operand, place: int | None) -> Value:
        """A sum with a product, at the rows or columns of the iterations."""
        if self.is_all(total, place):
            return self.builder.apply(op, total, product)
        index, at = self.lines(place or 0)
        return self.builder.apply("accumulate", total, product, *at, index=index)


def _both(product: Product) -> tuple[Rows | Given, Rows | Given]:
    return product.one, product.other


def _key(rows: Rows) -> object:
    """What is the same for vectors that are kept once."""
    length = (rows.like.type.shape or (None, None))[rows.axis] or (rows.like, rows.axis)
    return rows.value, rows.piece, rows.at, length


def _is_exact(product: Product, sum: Value) -> bool:
    """Whether what is kept is as exact as the sum."""
    values = (f.value if isinstance(f, Rows) else f.array for f in _both(product))
    return all(v.type.dtype == sum.type.dtype for v in values) and sum.type.dtype in EXACT


EXACT = ("float64", "complex128")


def _is_length(operand: Operand) -> bool:
    length = operand.type.value
    return length is not None and "." in length.symbol and length.offset >= 0


def _is_small(value: Value) -> bool:
    known = [d.known for d in value.type.shape or () if d is not None]
    sizes = [n for n in known if n is not None]
    return len(sizes) == 2 and sizes[0] * sizes[1] <= OUTER_SUM_FROM
