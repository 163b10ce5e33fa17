"""Integers as affine forms: `2*i - j + n + 1` over loop indices and what a nest leaves unchanged.

Enough arithmetic to bound an index: a loop index lies between its loop's bounds, which are affine
in the indices further out, so replacing the innermost index first ends at a constant where there is
one. (Fourier–Motzkin elimination in the triangular case; Feautrier 1991 for the affine view.)
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ir.nodes import Apply, Block, Const, Loop, Operand, walk
from adjointgen.ir.types import Dim
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant + sum of coefficient * name`; the terms are sorted and have no zeros."""

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Affine) -> Affine:
        total = dict(self.terms)
        for name, coefficient in other.terms:
            total[name] = total.get(name, 0) + coefficient
        return Affine(self.constant + other.constant, _sorted(total))

    def __sub__(self, other: Affine) -> Affine:
        return self + other.times(-1)

    def times(self, factor: int) -> Affine:
        return Affine(self.constant * factor, _sorted({n: c * factor for n, c in self.terms}))

    def coefficient(self, name: str) -> int:
        return dict(self.terms).get(name, 0)

    def replaced(self, name: str, by: Affine) -> Affine:
        """The form with a name replaced by a form."""
        factor = self.coefficient(name)
        rest = Affine(self.constant, tuple(t for t in self.terms if t[0] != name))
        return rest + by.times(factor) if factor else self


def _sorted(terms: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((n, c) for n, c in terms.items() if c))


def variable(name: str) -> Affine:
    return Affine(0, ((name, 1),))


def of_dim(dim: Dim) -> Affine:
    """A length; its symbol is marked, so that it cannot be taken for a value's name."""
    symbol = ((f"${dim.symbol}", 1),) if dim.symbol else ()
    return Affine(dim.offset, symbol)


class Forms:
    """Affine forms of integer operands; None where there is none.

    `makers` are the statements that define values, `indices` the loop indices in scope. A value
    that no statement of the nest defines is a name of its own.
    """

    def __init__(self, makers: Mapping[str, Apply], indices: frozenset[str], inner: frozenset[str]):
        self.makers = makers
        self.indices = indices
        self.inner = inner

    @classmethod
    def everywhere(cls, body: Block) -> Forms:
        """The forms of a function as a whole: its scalars, and the indices of all its loops."""
        makers: dict[str, Apply] = {}
        indices: set[str] = set()
        for stmt in walk(body):
            if isinstance(stmt, Loop):
                indices.add(stmt.index.name)
            elif isinstance(stmt, Apply) and [r.type.is_scalar for r in stmt.results] == [True]:
                makers[stmt.result.name] = stmt
        return cls(makers, frozenset(indices), frozenset())

    def of(self, operand: Operand) -> Affine | None:
        if isinstance(operand, Const):
            plain = isinstance(operand.value, int) and not isinstance(operand.value, bool)
            return Affine(operand.value) if plain else None  # type: ignore[arg-type]
        if operand.name in self.indices:
            return variable(operand.name)
        if operand.type.value is not None:
            return of_dim(operand.type.value)
        stmt = self.makers.get(operand.name)
        if stmt is not None and stmt.op in ("add", "sub", "mul", "neg"):
            return self._arithmetic(stmt)
        return None if operand.name in self.inner else variable(operand.name)

    def _arithmetic(self, stmt: Apply) -> Affine | None:
        forms = [self.of(a) for a in stmt.args]
        known = [f for f in forms if f is not None]
        if len(known) < len(forms):
            return None
        match stmt.op, known:
            case "add", [a, b]:
                return a + b
            case "sub", [a, b]:
                return a - b
            case "neg", [a]:
                return a.times(-1)
            case "mul", [a, b] if not a.terms:
                return b.times(a.constant)
            case "mul", [a, b] if not b.terms:
                return a.times(b.constant)
            case _:
                return None

    def bounds(self, loop: Loop) -> Bounds:
        """The least and greatest index of a loop, where its step is a known 1 or -1."""
        start, stop, step = (self.of(b) for b in loop.bounds)
        if step == Affine(1):
            last = None if stop is None else stop + Affine(-1)
            return Bounds(start, last, 1 if not loop.backwards else -1)
        if step == Affine(-1):
            last = None if stop is None else stop + Affine(1)
            return Bounds(last, start, -1 if not loop.backwards else 1)
        return Bounds(None, None, 0)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Inclusive bounds of a loop index, and the direction in which it moves (0: unknown)."""

    low: Affine | None
    high: Affine | None
    direction: int


Box = Mapping[str, tuple[Affine | None, Affine | None]]


def least(form: Affine, box: Box) -> int | None:
    """The least value of a form over a box of bounds, innermost name last; None if not known.

    Lengths are not negative, so a form that ends in lengths with positive coefficients is at least
    its constant.
    """
    for name in reversed(list(box)):
        if all(n.startswith("$") and "." in n and c > 0 for n, c in form.terms):
            return form.constant
        factor = form.coefficient(name)
        if factor:
            bound = box[name][0 if factor > 0 else 1]
            if bound is None:
                return None
            form = form.replaced(name, bound)
    settled = all(n.startswith("$") and "." in n and c > 0 for n, c in form.terms)
    return form.constant if settled else None


def moved(form: Affine | None, by: Mapping[str, Affine]) -> Affine | None:
    """The form with names replaced by forms, one after the other."""
    if form is None:
        return None
    for name, other in by.items():
        form = form.replaced(name, other)
    return form


def is_inside(form: Affine, length: Dim, box: Box) -> bool:
    """Whether a place is certainly within an axis."""
    low, high = (least(f, box) for f in (form, of_dim(length) - form - Affine(1)))
    return low is not None and high is not None and low >= 0 and high >= 0
