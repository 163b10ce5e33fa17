"""The state of one generation and the tables of productions that it draws from.

A production is a row: a feature tag, a weight, a condition, and a function that builds text. The
four tables (scalar expressions, array expressions, tests, statements) are filled by the modules
beside this one, and refer to each other through `Generation` alone. So every module states one
kind of thing, and coverage is a count of tags.

Text is built with redundant parentheses; the generator parses and prints it once at the end.
Every expression carries a rough bound of its magnitude. The bound steers generation towards
values near one; it need not be sound, because each program is run before it is handed out.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

Shape = tuple[int, ...]
Kind = Literal["float", "int", "array", "list", "mask", "index"]
T = TypeVar("T")

CALM: Final = 3.0  # the bound to which stored values are brought
WILD: Final = 12.0  # the bound beyond which no expression is built further


@dataclass(frozen=True, slots=True)
class Expr:
    """Text of an expression and a rough bound of its magnitude."""

    text: str
    mag: float

    def __str__(self) -> str:
        return f"({self.text})"


@dataclass(frozen=True, slots=True)
class Var:
    """A name in scope. Arrays that share a `storage` share memory; `lo..hi` bounds an integer."""

    name: str
    kind: Kind
    shape: Shape = ()
    storage: int = 0
    lo: int = 0
    hi: int = 0
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the generated module: shapes of its parameters and of its result."""

    name: str
    params: tuple[Shape, ...]
    result: Shape | None
    mutates: bool


@dataclass(frozen=True, slots=True)
class ScalarRule:
    tag: str
    weight: float
    leaf: bool
    when: "Callable[[Generation], bool]"
    build: "Callable[[Generation, int], Expr]"


@dataclass(frozen=True, slots=True)
class ArrayRule:
    tag: str
    weight: float
    leaf: bool
    when: "Callable[[Generation, Shape], bool]"
    build: "Callable[[Generation, Shape, int], Expr]"


@dataclass(frozen=True, slots=True)
class TestRule:
    tag: str
    weight: float
    leaf: bool
    when: "Callable[[Generation], bool]"
    build: "Callable[[Generation, int], str]"


@dataclass(frozen=True, slots=True)
class StatementRule:
    tag: str
    weight: float
    inside: float
    cost: int
    when: "Callable[[Generation], bool]"
    build: "Callable[[Generation], list[str]]"


SCALARS: Final[list[ScalarRule]] = []
ARRAYS: Final[list[ArrayRule]] = []
TESTS: Final[list[TestRule]] = []
STATEMENTS: Final[list[StatementRule]] = []

POOLS: Final[dict[str, tuple[str, ...]]] = {
    "float": ("s", "t", "u", "w", "p", "q", "r", "total", "acc", "rate"),
    "array": ("y", "z", "h", "g", "b", "work", "state", "flux"),
    "matrix": ("A", "B", "M", "P", "grid", "jac"),
    "int": ("k", "m", "count", "step", "pos"),
    "mask": ("mask", "keep", "hot"),
    "index": ("idx", "perm", "order"),
    "loop": ("i", "j", "l", "ii", "jj"),
    "view": ("v", "part", "inner", "edge", "tail"),
    "item": ("e", "xi", "val", "row", "item"),
    "list": ("items", "terms", "parts"),
}
TOPICS: Final = ("calls", "functions", "lists", "tuples", "dicts", "objects", "flow", "kinds")
CLASHES: Final = ("x_bar", "y_bar", "result", "y_dot", "tape", "i_1", "y_1", "t_bar", "result_bar")


def always(_: "Generation") -> bool:
    return True


def any_shape(_: "Generation", __: Shape) -> bool:
    return True


class Generation:
    """Random choices, the names in scope, and what has been used so far."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.tags: set[str] = set()
        self.scope: dict[str, Var] = {}
        self.mags: dict[int, float] = {}
        self.positive: set[int] = set()
        self.frozen: set[int] = set()
        self.stamps: dict[str, int] = {}
        self.taken: set[str] = set()
        self.helpers: list[Helper] = []
        self.module: list[str] = []
        self.loops: list[int] = []
        self.level = 0
        self.constants: set[str] = set()
        self.arguments: set[str] = set()
        self.budget = 0
        self.clock = 0
        self.result: tuple[Shape, ...] = ((),)
        self.math = "math."
        self.topics = _topics(seed)
        self.pending: list[tuple[Var, float]] = []
        size, other = self.rng.randint(2, 6), self.rng.choice((1, 2, 2, 3, 3, 4, 5))
        self.shapes: tuple[Shape, ...] = _shapes(size, other)

    # Choices.

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.rng.randrange(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        return self.rng.choices(items, weights)[0]

    def tag(self, *names: str) -> None:
        self.tags.update(names)

    def number(self, low: float, high: float) -> str:
        """A constant that no argument equals: arguments end in a fourth decimal of their own."""
        return repr(round(self.rng.uniform(low, high), self.rng.choice((1, 2, 2, 3))))

    # Names.

    def fresh(self, pool: str) -> str:
        """A name that the function has not used."""
        if pool in ("float", "array") and self.chance(0.02):
            names = [name for name in CLASHES if name not in self.taken]
            if names:
                self.tag("name_clash")
                return self.take(self.pick(names))
        free = [name for name in POOLS[pool] if name not in self.taken]
        if free:
            return self.take(free[0] if pool == "loop" else self.pick(free))
        name, number = self.pick(POOLS[pool]), 2
        while f"{name}{number}" in self.taken:
            number += 1
        return self.take(f"{name}{number}")

    def take(self, name: str) -> str:
        self.taken.add(name)
        return name

    def declare(self, var: Var, mag: float = 1.0) -> Var:
        """Put a name in scope; an array without a storage gets one of its own."""
        if var.kind in ("array", "list", "float") and var.storage == 0:
            self.clock += 1
            var = replace(var, storage=self.clock)
            self.mags[var.storage] = mag
        self.scope[var.name] = var
        self.touch(var)
        return var

    def touch(self, var: Var) -> None:
        self.clock += 1
        self.stamps[var.name] = self.clock

    def mag(self, var: Var) -> float:
        return self.mags.get(var.storage, 1.0)

    def grow(self, var: Var, mag: float) -> None:
        """A write: the bound of the memory, and the time of the last write to the name."""
        self.mags[var.storage] = max(self.mag(var), mag)
        self.touch(var)

    def find(self, kind: Kind, rank: int | None = None) -> list[Var]:
        found = [var for var in self.scope.values() if var.kind == kind]
        return found if rank is None else [var for var in found if len(var.shape) == rank]

    def writable(self, kind: Kind) -> list[Var]:
        locked = self.frozen | self.positive
        return [v for v in self.find(kind) if not v.fixed and v.storage not in locked]

    def spare(self, items: Sequence[Var]) -> list[Var]:
        """Names to overwrite: arguments only now and then, for what they held is lost."""
        own = [var for var in items if var.name not in self.arguments]
        return own if own and self.chance(0.8) else list(items)

    def recent(self, items: Sequence[Var]) -> Var:
        """One of `items`, those written last more often: results should depend on most writes."""
        ranked = sorted(items, key=lambda var: -self.stamps.get(var.name, 0))
        return self.weighted(ranked, [1.0 / (2 + place) for place in range(len(ranked))])

    def shape(self, rank: int | None = None) -> Shape:
        known = [s for s in self.shapes if rank is None or len(s) == rank]
        used = [v.shape for v in self.find("array", rank)]
        return self.pick(used if used and self.chance(0.6) else known)

    def depth(self) -> int:
        """How deep the expression of a statement goes: mostly as deep as people write."""
        return self.weighted((1, 2, 3), (4, 5, 2))

    @property
    def trips(self) -> int:
        """How often the statement being built may run."""
        product = 1
        for count in self.loops:
            product *= max(count, 1)
        return product

    # Expressions and statements.

    def scalar(self, depth: int) -> Expr:
        leaf = depth <= 0 or self.chance(0.12)
        rows = [r for r in SCALARS if r.leaf == leaf and r.when(self)]
        row = self.weighted(rows, [r.weight for r in rows])
        self.tag(row.tag)
        return self.settle(row.build(self, depth - 1), WILD)

    def array(self, shape: Shape, depth: int) -> Expr:
        leaf = depth <= 0 or self.chance(0.15)
        rows = [r for r in ARRAYS if r.leaf == leaf and r.when(self, shape)]
        row = self.weighted(rows, [r.weight for r in rows])
        self.tag(row.tag)
        return self.settle(row.build(self, shape, depth - 1), WILD, array=True)

    def value(self, shape: Shape, depth: int) -> Expr:
        return self.array(shape, depth) if shape else self.scalar(depth)

    def test(self, depth: int) -> str:
        rows = [r for r in TESTS if (r.leaf or depth > 0) and r.when(self)]
        row = self.weighted(rows, [r.weight for r in rows])
        self.tag(row.tag)
        return row.build(self, depth - 1)

    def statement(self) -> list[str]:
        rows = [r for r in STATEMENTS if r.cost <= self.budget and r.when(self)]
        row = self.weighted(rows, [r.inside if self.level else r.weight for r in rows])
        self.tag(row.tag)
        self.budget -= row.cost
        return row.build(self)

    def settle(self, e: Expr, bound: float, array: bool = False) -> Expr:
        """`e`, brought below `bound` by a smooth function if it may exceed it."""
        if e.mag <= bound:
            return e
        lib = "np." if array or self.chance(0.4) else self.math
        how = self.pick(("scale", "scale", "sin", "tanh", "soft"))
        if how == "scale" or (how == "soft" and len(e.text) > 24):
            return Expr(f"{max(round(0.9 * bound / e.mag, 3), 0.001)} * {e}", bound)
        if how == "soft":
            return Expr(f"{e} / (1.0 + {e} * {e})", 0.5)
        return Expr(f"{lib}{how}{e}", 1.0)

    def calm(self, e: Expr, array: bool = False) -> Expr:
        return self.settle(e, CALM, array)

    # Blocks.

    @contextmanager
    def nested(self, trips: int | None = None) -> Iterator[None]:
        """A body: names that it defines end with it; `trips` says that it is a loop's."""
        outer = dict(self.scope)
        self.level += 1
        if trips is not None:
            self.loops.append(trips)
        yield
        if trips is not None:
            self.loops.pop()
        self.level -= 1
        self.scope = {name: var for name, var in self.scope.items() if name in outer}

    def body(self, most: int = 3) -> list[str]:
        """One or more statements, within the budget; a body is never empty."""
        self.budget = max(self.budget, 1)
        lines = self.statement()
        for _ in range(self.rng.randint(0, most - 1)):
            if self.budget > 0:
                lines += self.statement()
        return lines


def indent(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


def _topics(seed: str) -> frozenset[str]:
    """What half of the programs are about, besides arithmetic: features meet more often so."""
    rng = random.Random(f"{seed} is about")
    if rng.random() < 0.5:
        return frozenset()
    return frozenset(rng.sample(TOPICS, rng.choice((1, 2, 2, 3))))


def _shapes(size: int, other: int) -> tuple[Shape, ...]:
    """Shapes of one program: few sizes, so that arrays fit each other; length-1 axes are rare."""
    square = (size, size) if size <= 4 else (size, 2)
    common: tuple[Shape, ...] = ((size,), (size,), (size,), (other,), square, (size, other))
    return (*common, square, (other, size), (1, size), (size, 1))
