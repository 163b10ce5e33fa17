"""What one iteration adds to a matrix, where that is a column, a row or an outer product.

A += np.outer(u, v)            the sum is U.T @ V, with a row of U and V per iteration
A[:, i:] += np.outer(u, v)     the same, where v stands in a row of zeros from i on
A[:, i] += B @ v               the sum is B @ V.T
A[i, :] += B @ v               the sum is V @ B.T
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adjointgen.ir.nodes import Apply, Const, Loop, Operand, Value
from adjointgen.records import dataclass
from adjointgen.rules.arrays.indexing import is_basic, numbers_of
from adjointgen.rules.framework.builder import const

Piece = tuple[str, tuple[Operand, ...]]
"""The index of an axis, with its operands."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A vector per iteration, in a row as long as an axis of `like`: the part where it stands."""

    value: Value
    piece: str
    at: tuple[Operand, ...]
    like: Operand
    axis: int


@dataclass(frozen=True, slots=True)
class Given:
    """A matrix that is there, or its transpose; `along` is the axis of the iterations, if any."""

    array: Value
    turned: bool
    along: int | None = None


@dataclass(frozen=True, slots=True)
class Product:
    """`one.T @ other` of an outer product; `other @ one.T` added to rows, or the transpose of that
    to columns, of which there is one per iteration along the axis `place`."""

    one: Rows | Given
    other: Rows | Given
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Finder:
    """What is known of a loop: what makes its values, which are all of its `inside`."""

    loop: Loop
    makers: Mapping[str, Apply]
    inside: Collection[str]

    @property
    def counts_up(self) -> bool:
        """Whether indices are 0 or more and follow each other, as rows do."""
        start, _, step = self.loop.bounds
        known = isinstance(start, Const) and isinstance(start.value, int) and start.value >= 0
        return known and step == const(1)

    def product(self, sum: Apply, init: Operand) -> Product | None:
        """What a sum adds to a matrix that is `init` before the loop."""
        pieces = _pieces(sum)
        made = self.makers.get(sum.args[1].name) if isinstance(sum.args[1], Value) else None
        if pieces is None or made is None:
            return None
        if made.op == "outer":
            (rows, at), (columns, beyond) = pieces
            if ":" not in rows or ":" not in columns:
                return None
            one = self.vector(made.args[0], rows, at, init, 0)
            other = self.vector(made.args[1], columns, beyond, init, 1)
            return None if one is None or other is None else Product(one, other)
        if made.op == "matmul" and self.counts_up:
            return self.line(made, pieces)
        return None

    def line(self, made: Apply, pieces: tuple[Piece, Piece]) -> Product | None:
        """A product of a matrix and a vector that is added to a row or a column."""
        place = [k for k, piece in enumerate(pieces) if piece == ("_", (self.loop.index,))]
        if len(place) != 1 or pieces[1 - place[0]][0] != ":":
            return None
        ranks = [a.type.rank for a in made.args]
        if ranks not in ([2, 1], [1, 2]):
            return None
        shared = ranks.index(2)
        matrix = self.matrix(made.args[shared], 1 - shared)
        if matrix is None:
            return None
        array, axis, (piece, at) = matrix
        rows = self.vector(made.args[1 - shared], piece, at, array, axis)
        return None if rows is None else Product(Given(array, axis == 0), rows, place[0])

    def reads_all(self, product: Product, others: Collection[Product]) -> bool:
        """Whether the loop reads all of a matrix that its product after the loop reads.

        What nobody has read may be anything: `nan` times zero is no zero. A part from `i` or
        `i + 1` on is all but the first column at first, which an outer product may read.
        """
        matrix, rows = product.one, product.other
        if product.place is None or not isinstance(rows, Rows) or rows.piece == ":":
            return True
        if rows.piece != "_:" or self.loop.bounds[0] != const(0) or not isinstance(matrix, Given):
            return False
        if rows.at == (self.loop.index,):
            return True
        made = self.makers.get(rows.at[0].name) if isinstance(rows.at[0], Value) else None
        next_one = made is not None and made.op == "add" and _is_next(made, self.loop.index)
        first = Given(matrix.array, rows.axis == 1, rows.axis)
        return next_one and any(first in (p.one, p.other) for p in others)

    def vector(
        self, operand: Operand, piece: str, at: tuple[Operand, ...], like: Operand, axis: int
    ) -> Rows | Given | None:
        """A factor of an outer product: a line of a matrix that is there, or to be kept."""
        if not isinstance(operand, Value) or operand.type.rank != 1:
            return None
        made = self.makers.get(operand.name)
        if piece == ":" and made is not None and made.op == "load" and self.counts_up:
            pieces, array = _pieces(made), made.args[0]
            if pieces is not None and self.is_outside(array) and isinstance(array, Value):
                along = [k for k, p in enumerate(pieces) if p == ("_", (self.loop.index,))]
                if len(along) == 1 and pieces[1 - along[0]][0] == ":":
                    return Given(array, along[0] == 1, along[0])
        return Rows(operand, piece, at, like, axis)

    def matrix(self, operand: Operand, axis: int) -> tuple[Value, int, Piece] | None:
        """The matrix of which an operand is a part along an axis, that axis, and which part."""
        if self.is_outside(operand) and isinstance(operand, Value):
            return operand, axis, (":", ())
        made = self.makers.get(operand.name) if isinstance(operand, Value) else None
        if made is None:
            return None
        if made.op == "transpose" and made.option("axes") is None:
            return self.matrix(made.args[0], 1 - axis)
        pieces, array = _pieces(made) if made.op == "load" else None, made.args[0]
        if pieces is None or not self.is_outside(array) or not isinstance(array, Value):
            return None
        whole = pieces[1 - axis][0] == ":" and ":" in pieces[axis][0]
        return (array, axis, pieces[axis]) if whole else None

    def is_outside(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand.name not in self.inside


def _is_next(made: Apply, index: Value) -> bool:
    return set(made.args) == {index, const(1)}


def _pieces(stmt: Apply) -> tuple[Piece, Piece] | None:
    """The index of the two axes of a matrix; None for what is no slice or single place."""
    if stmt.args[0].type.rank != 2:
        return None
    if stmt.op in ("add", "sub"):
        return (":", ()), (":", ())
    match pieces_of(stmt):
        case (first, second):
            return first, second
    return None


def pieces_of(stmt: Apply) -> tuple[Piece, ...] | None:
    """The index of each axis of an array; None for what is no slice or single place."""
    rank = stmt.args[0].type.rank
    if rank is None or not is_basic(stmt):
        return None
    operands = list(numbers_of(stmt))
    found: list[Piece] = []
    for piece in str(stmt.option("index")).split(", "):
        if piece in ("None", "...") or piece.count(":") > 1:
            return None
        taken = tuple(operands.pop(0) for _ in range(piece.count("_")))
        found.append((piece, taken))
    found += [(":", ())] * (rank - len(found))
    return tuple(found) if len(found) == rank else None


def range_of(loop: Loop) -> range | None:
    """The indices of a loop, where its bounds are numbers."""
    match [b.value for b in loop.bounds if isinstance(b, Const)]:
        case [int(start), int(stop), int(step)] if step:
            return range(start, stop, step)
    return None
