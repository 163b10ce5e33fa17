"""Products of lines of an array in a loop nest, all of which are there before the nest begins.

    for i in range(n):                      the lines are those of X, one per iteration
        y = X[i] @ C
    for i in range(r):                      each is read before it is written, so it is a line of
        for j in range(q):                  what A was before the nest
            A[i, j] = A[i, j] @ C

Every loop of the nest goes along an axis of its own, and the nest leaves the other factor as it is.
A product that raises must raise in the loop as well: the lengths that meet are equal, or the loops
certainly run. What only one arm of a branch reads may be computed in vain, and stays. So does what
is read of an array that loops around the nest write to: all that is multiplied is recorded, which
would be more than what is overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import prod
from typing import Final

from adjointgen.analysis.loops.outer_product_sums import Piece, pieces_of, range_of
from adjointgen.analysis.loops.surviving_elements import unchanged
from adjointgen.analysis.values.storage_classes import Storage
from adjointgen.analysis.values.symbolic_lengths import Measures
from adjointgen.costs import MATMUL_FROM, MATMUL_MEMORY
from adjointgen.ir.affine import Affine, Box, Forms, least, variable
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Loop,
    Operand,
    Stmt,
    Value,
    defined_in,
    operands_of,
    walk,
)
from adjointgen.ir.types import Dim
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import const

MOVED: Final = frozenset({"transpose", "load"})
"""What is made of an array that is there, at no cost."""
COUNTED: Final = frozenset({"add", "sub", "mul"})
"""What is made of whole numbers that are there."""
EXACT: Final = frozenset({"float64", "float32", "complex128", "complex64"})


@dataclass(frozen=True, slots=True)
class Run:
    """The axis along which a loop goes, from `offset` beyond its index on."""

    loop: Loop
    offset: int


@dataclass(frozen=True, slots=True)
class Line:
    """What is read of an array: a part of each axis, or one place per iteration."""

    array: Operand
    axes: tuple[Piece | Run, ...]

    @property
    def kept(self) -> tuple[Piece | Run, ...]:
        """The axes that are left of all lines together."""
        return tuple(a for a in self.axes if isinstance(a, Run) or ":" in a[0])


@dataclass(frozen=True, slots=True)
class Multiplied:
    """A product of a line, by a vector or matrix on its right, or on its left if `turned`.

    It may be made before the nest if the lengths that meet, where there are any, are equal. What
    is `stored` is all that the nest does: the lengths of the product and of its place. `lengths`
    are those of the matrix.
    """

    stmt: Apply
    line: Line
    other: Operand
    turned: bool
    meeting: tuple[Dim, Dim] | None
    stored: tuple[Dim, Dim] | None
    lengths: tuple[Dim | None, ...]

    @property
    def is_large(self) -> bool | None:
        """Whether the matrix has many entries; None where that is not known."""
        known = [None if d is None else d.known for d in self.lengths]
        return None if None in known else prod(n or 0 for n in known) > MATMUL_FROM

    @property
    def is_wide(self) -> bool:
        """Whether the products are known to be much longer than the lines."""
        known = [None if d is None else d.known for d in self.lengths]
        line, *product = known[::-1] if self.turned else known
        return line is not None and any(n is not None and n > MATMUL_MEMORY * line for n in product)


class Finder:
    """What is known of one nest; `around` is what the loops around it define."""

    def __init__(
        self,
        nest: Loop,
        classes: Storage,
        measures: Callable[[], Measures],
        around: Collection[str],
    ) -> None:
        self.nest = nest
        self.around = around
        self.measures = measures
        applied = (s for s in walk(nest.body) if isinstance(s, Apply))
        self.makers = {r.name: s for s in applied for r in s.results}
        self.inside = frozenset(v.name for v in defined_in(nest.body)) | {nest.index.name}
        self.origins = dict(_origins(nest))
        self.classes = classes
        self._before: Mapping[str, Operand] | None = None

    def products(self) -> Iterator[Multiplied]:
        """The products of lines of which the loops from the nest inwards number the axes."""
        for stmt, block, chain in _products((self.nest,)):
            direct = (o for s in block.stmts for o in operands_of(s))
            if stmt.result in direct or stmt.result in block.yields:
                found = self.product(stmt, chain, False) or self.product(stmt, chain, True)
                if found is not None:
                    yield found

    def product(self, stmt: Apply, chain: tuple[Loop, ...], turned: bool) -> Multiplied | None:
        part, other = stmt.args[::-1] if turned else stmt.args
        if not self.is_fixed(other) or part.type.dtype != other.type.dtype:
            return None
        line = self.line(part, chain)
        if line is None or not _multiplies(part, other, turned) or not _is_last(part, line):
            return None
        shared = 1 if turned and other.type.rank == 2 else 0
        if all(map(_runs_once, chain)):
            return None
        meeting = _lengths(part, other, shared)
        if all(map(_certainly_runs, chain)) or self.meets(part, other, shared):
            meeting = None
        elif meeting is None:
            return None
        stored = _stored(stmt, chain[-1].body.stmts)
        return Multiplied(stmt, line, other, turned, meeting, stored, other.type.shape or ())

    def line(self, part: Operand, chain: tuple[Loop, ...]) -> Line | None:
        """The line of an array before the nest that an operand is."""
        made = self.makers.get(part.name) if isinstance(part, Value) else None
        pieces = pieces_of(made) if made is not None and made.op == "load" else None
        if made is None or pieces is None or not made.args[0].type.is_array:
            return None
        array = made.args[0] if self.is_fixed(made.args[0]) else self.before.get(made.result.name)
        if array is None or array.type.shape != made.args[0].type.shape:
            return None
        if self.changes(array) and not self.is_replaced(made):
            return None
        forms = Forms(self.makers, frozenset(c.index.name for c in chain), self.inside)
        bounds = {c.index.name: forms.bounds(c) for c in chain}
        box = {name: (b.low, b.high) for name, b in bounds.items()}
        axes = [self.axis(piece, chain, forms, box) for piece in pieces]
        runs = [a.loop.index.name for a in axes if isinstance(a, Run)]
        if None in axes or sorted(runs) != sorted(box):
            return None
        return Line(array, tuple(a for a in axes if a is not None))

    def axis(
        self, piece: Piece, chain: tuple[Loop, ...], forms: Forms, box: Box
    ) -> Piece | Run | None:
        """An axis of which every iteration reads the same, or one place; None for another."""
        text, operands = piece
        if all(map(self.is_fixed, operands)):
            return piece
        form = forms.of(operands[0]) if text == "_" else None
        for loop in chain if form is not None else ():
            offset = form - variable(loop.index.name) if form is not None else Affine()
            low = None if form is None else least(form, box)
            if not offset.terms and low is not None and low >= 0 and self.counts(loop):
                return Run(loop, offset.constant)
        return None

    def changes(self, array: Operand) -> bool:
        """Whether the loops around write to an array, so that all that is read is recorded."""
        made = self.measures().makers.get(array.name) if isinstance(array, Value) else None
        if made is not None and made.op in MOVED:
            return self.changes(made.args[0])
        around = isinstance(array, Value) and array.name in self.around
        return around and self.classes.written(array)

    def is_replaced(self, read: Apply) -> bool:
        """Whether the nest writes all that it reads, and has to keep it for that alone."""
        pieces = pieces_of(read)
        return any(
            s.op == "store" and s.args[0] == read.args[0] and pieces_of(s) == pieces
            for s in self.makers.values()
        )

    def counts(self, loop: Loop) -> bool:
        """Whether a loop goes through a range that is known before the nest."""
        return loop.bounds[2] in (const(1), const(-1)) and all(map(self.is_fixed, loop.bounds))

    def is_fixed(self, operand: Operand) -> bool:
        """Whether an operand is there before the nest, but for moving axes and taking parts."""
        if not isinstance(operand, Value) or operand.name not in self.inside:
            return True
        made = self.makers.get(operand.name)
        if made is None:
            return False
        if made.op == "dim" and self.as_long(made) is not None:
            return True
        counted = made.op in COUNTED and made.result.type.dtype == "int64"
        free = made.op in MOVED or (counted and made.result.type.is_scalar)
        return free and all(map(self.is_fixed, made.args))

    def as_long(self, dim: Apply) -> Operand | None:
        """The array before the nest that is as long as one that the nest writes to."""
        (array,), axis = dim.args, dim.option("axis")
        found = array
        while isinstance(found, Value) and found.name in self.inside:
            if found.name not in self.origins:
                return None
            found = self.origins[found.name]
        assert isinstance(axis, int)
        lengths = [(a.type.shape or ())[axis : axis + 1] for a in (array, found)]
        return found if lengths[0] == lengths[1] not in ((), (None,)) else None

    @property
    def before(self) -> Mapping[str, Operand]:
        """The arrays of which a part is read where the nest has not written yet."""
        if self._before is None:
            self._before = unchanged(self.nest, self.classes)
        return self._before

    def meets(self, part: Operand, other: Operand, shared: int) -> bool:
        """Whether the lengths over which a product sums are certainly equal."""
        measures = self.measures()
        one, two = measures.of(part), measures.of(other)
        return one is not None and two is not None and one[-1] == two[shared]


def _origins(nest: Loop) -> Iterator[tuple[str, Operand]]:
    """For what a nest carries and writes, the array that it is a version of."""
    for stmt in (nest, *walk(nest.body)):
        match stmt:
            case Loop():
                for param, init, _, result in carried(stmt):
                    yield from ((param.name, init), (result.name, init))
            case Apply(op="store" | "accumulate"):
                yield stmt.result.name, stmt.args[0]


def _products(chain: tuple[Loop, ...]) -> Iterator[tuple[Apply, Block, tuple[Loop, ...]]]:
    """The products that every iteration of a nest comes by, with their loops."""
    if chain[-1].trips is not None:
        return
    for stmt in chain[-1].body.stmts:
        match stmt:
            case Loop():
                yield from _products((*chain, stmt))
            case Apply(op="matmul" | "dot"):
                yield stmt, chain[-1].body, chain


def _multiplies(part: Operand, other: Operand, turned: bool) -> bool:
    """Whether the products of all lines are one product of arrays of numbers."""
    ranks = part.type.rank, other.type.rank
    plain = part.type.dtype in EXACT and part.type.is_array and other.type.is_array
    return plain and ranks[0] in ((1,) if turned else (1, 2)) and ranks[1] in (1, 2)


def _is_last(part: Operand, line: Line) -> bool:
    """Whether the axis that is summed over is the last of all lines, or can be."""
    kept = line.kept
    return not isinstance(kept[-1], Run) or (part.type.rank == 1 and len(kept) == 2)


def _lengths(part: Operand, other: Operand, shared: int) -> tuple[Dim, Dim] | None:
    one, two = (part.type.shape or (None,))[-1], (other.type.shape or (None,))[shared]
    return None if one is None or two is None else (one, two)


def _stored(product: Apply, stmts: Sequence[Stmt]) -> tuple[Dim, Dim] | None:
    """The last lengths of a product and of where it is stored, if nothing else is done."""
    store = stmts[-1]
    if not isinstance(store, Apply) or store.op != "store" or store.args[1] != product.result:
        return None
    if any(
        not isinstance(s, Apply) or s.op not in MOVED | COUNTED for s in stmts[:-1] if s != product
    ):
        return None
    one, two = (o.type.shape or (None,) for o in (product.result, store.result))
    return None if one[-1] is None or two[-1] is None else (one[-1], two[-1])


def _runs_once(loop: Loop) -> bool:
    known = range_of(loop)
    return known is not None and len(known) <= 1


def _certainly_runs(loop: Loop) -> bool:
    return bool(range_of(loop))
