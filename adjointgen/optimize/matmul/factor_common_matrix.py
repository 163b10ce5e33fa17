"""A common factor of a sum: what a loop multiplies by one matrix is added up, and multiplied once.

                                            t = np.zeros((4, 4))
    for j in range(2):                      for j in range(2):
        y_bar += a @ (b[j] * c[j])     ->       t += b[j] * c[j]
                                            y_bar += a @ t

The sum of products with a common factor is the product of the factor and the sum: one product of
matrices instead of one per iteration. The loop is sure to run, so that the factor is read as
before, and the lengths of what is added up are numbers. The user's own sums keep their order, but
in a compiled program, whose sums over arrays are added in any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TypeGuard

from adjointgen.analysis.loops.outer_product_sums import range_of
from adjointgen.ir.edit import carried, name_of, rebuild
from adjointgen.ir.nodes import (
    NESTED,
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    defined_in,
    reads_of,
    walk,
)
from adjointgen.ir.types import Dim
from adjointgen.optimize.matmul.matmul_after_loop import EXACT
from adjointgen.records import dataclass, replace
from adjointgen.rules.arrays.indexing import numbers_of
from adjointgen.rules.framework.builder import Builder, Names, const


def factored(function: Function, primal: Collection[str], compiled: bool) -> Function:
    """The function with such products after their loops."""
    if not any(isinstance(s, Apply) and s.op == "matmul" for s in walk(function.body)):
        return function
    work = _Factoring(function, frozenset() if compiled else primal)
    body = work.block(function.body)
    return replace(function, body=body) if work.changed else function


@dataclass(frozen=True, slots=True)
class _Sum:
    """What a loop adds to an array: a product, of which one factor, at `at`, is its own."""

    update: Apply
    product: Apply
    at: int
    turned: Apply | None
    """The transpose that is taken of the other factor inside the loop."""

    @property
    def term(self) -> Value:
        term = self.product.args[self.at]
        assert isinstance(term, Value)
        return term


class _Factoring:
    def __init__(self, function: Function, primal: Collection[str]) -> None:
        self.builder = Builder(Names.of(function))
        self.primal = primal
        self.changed = False
        self.axes = {f"{p.name}.{k}": (p, k) for p in function.body.params for k in _axes(p)}
        """The axes of the arguments, by the symbols of their lengths."""

    def block(self, block: Block) -> Block:
        with self.builder.block() as made:
            for stmt in block.stmts:
                if isinstance(stmt, NESTED):
                    stmt = rebuild(stmt, lambda o: o, self.block)
                self.builder.span = stmt.span
                found = self.sums(stmt) if isinstance(stmt, Loop) else {}
                if isinstance(stmt, Loop) and found:
                    self.loop(stmt, found)
                else:
                    self.builder.add(stmt)
        return replace(block, stmts=tuple(made))

    def sums(self, loop: Loop) -> dict[int, _Sum]:
        """The sums of such products, by their numbers among what the loop carries."""
        if loop.trips is not None or not range_of(loop):
            return {}
        makers = {s.result.name: s for s in loop.body.stmts if _is_single(s)}
        inside = {v.name for v in defined_in(loop.body)} | {loop.index.name}
        reads = Counter(v.name for v in reads_of(loop.body))
        found = {}
        for k, (param, _, end, _) in enumerate(carried(loop)):
            update = makers.get(name_of(end))
            if update is None or update.op not in ("add", "accumulate") or update.args[0] != param:
                continue
            product = makers.get(name_of(update.args[1]))
            names = [param.name, *(name_of(s.result) for s in (update, product) if s)]
            if product is None or product.op != "matmul" or any(reads[n] != 1 for n in names):
                continue
            if any(n in self.primal for n in names):
                continue
            places = numbers_of(update) if update.op == "accumulate" else ()
            turned = [_transpose(makers.get(name_of(a)), inside) for a in product.args]
            own = [
                n for n, a in enumerate(product.args) if name_of(a) in inside and turned[n] is None
            ]
            if len(own) == 1 and not any(name_of(p) in inside for p in places):
                one = _Sum(update, product, own[0], turned[1 - own[0]])
                if self.is_matrix(one.term) and param.type.dtype == one.term.type.dtype:
                    found[k] = one
        return found

    def is_matrix(self, value: Value) -> bool:
        """Whether a value is a matrix of known lengths, whose sums are as exact as it is."""
        lengths = [d for d in value.type.shape or () if d is not None]
        known = all(d.known is not None or d.symbol in self.axes for d in lengths)
        return value.type.rank == 2 == len(lengths) and known and value.type.dtype in EXACT

    def length(self, dim: Dim | None) -> Operand:
        assert dim is not None
        if dim.known is not None:
            return const(dim.known)
        array, axis = self.axes[dim.symbol]
        found = self.builder.apply("dim", array, axis=axis)
        return self.builder.apply("add", found, const(dim.offset)) if dim.offset else found

    def loop(self, loop: Loop, found: dict[int, _Sum]) -> None:
        """The loop that adds up the terms, and what is added after it."""
        self.changed = True
        by = {one.update.result.name: one for one in found.values()}
        gone = {one.product.result.name for one in found.values()}
        params, inits = list(loop.body.params), list(loop.inits)
        ends, results = list(loop.body.yields), list(loop.results)
        for k, one in found.items():
            lengths = [self.length(d) for d in one.term.type.shape or ()]
            inits[k] = self.builder.apply("zeros", *lengths, stem="t")
            params[k], results[k] = (self.builder.value("", one.term.type, "t") for _ in range(2))
        with self.builder.block() as made:
            for stmt in loop.body.stmts:
                if not _is_single(stmt) or stmt.result.name not in by.keys() | gone:
                    self.builder.add(stmt)
                elif stmt.result.name in by:
                    (k,) = (k for k, one in found.items() if one.update == stmt)
                    ends[k] = self.builder.apply("add", params[k], found[k].term, stem="t")
        body = Block(tuple(params), tuple(made), tuple(ends))
        self.builder.add(replace(loop, results=tuple(results), inits=tuple(inits), body=body))
        for k, one in found.items():
            factors = list(one.product.args)
            factors[one.at] = results[k]
            if one.turned is not None:
                factors[1 - one.at] = self.builder.apply("transpose", *one.turned.args, stem="t")
            total = self.builder.apply("matmul", *factors, stem="t")
            args: tuple[Operand, ...] = (loop.inits[k], total, *one.update.args[2:])
            self.builder.add(replace(one.update, results=(loop.results[k],), args=args))


def _is_single(stmt: Stmt) -> TypeGuard[Apply]:
    return isinstance(stmt, Apply) and len(stmt.results) == 1


def _transpose(stmt: Apply | None, inside: Collection[str]) -> Apply | None:
    """A statement that transposes what stays."""
    plain = stmt is not None and stmt.op == "transpose" and stmt.option("axes") is None
    return stmt if stmt is not None and plain and name_of(stmt.args[0]) not in inside else None


def _axes(value: Value) -> range:
    return range(value.type.rank or 0)
