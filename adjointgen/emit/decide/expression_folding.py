"""Which temporaries are written inside the expression that uses them.

    t = x * y; z = sin(t)   becomes   z = sin(x * y)

A temporary that is read once, in the block that defines it, may move to its reader if nothing
between the two changes what it reads: no write into the storage of an operand, no new version of
a variable that it reads (which would need a second name), and no effect, if it is the user's own
code. What has an effect itself is not moved behind what the user's code reads after it, nor into an
operand that is evaluated on some paths only. A branch whose arms are single expressions is one
itself: `a if c else b`, `a and b`.

One pass in program order. Keys stand for what can change; `_changed` holds the last position at
which each did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.costs import CONDITIONAL_LENGTH, EXPRESSION_LENGTH
from adjointgen.emit.decide.coalescing_classes import Families, home, written
from adjointgen.emit.decide.positions import Layer, Place, every_place
from adjointgen.emit.decide.printing_cleanup import has_effect, is_users_expression
from adjointgen.ir.nodes import (
    LOOPS,
    STORES,
    WRITES,
    Apply,
    Branch,
    Call,
    Loop,
    Operand,
    Replay,
    Stmt,
    Value,
    operands_of,
    results_of,
)
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE

_EFFECT = "!"
_READ = "?"
_REGION = "region"


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that may be folded: the statement it is and what it reads in the end."""

    place: Place
    reads: tuple[Value, ...]
    weight: int
    users_code: bool
    acts: bool


@dataclass(frozen=True, slots=True)
class Folds:
    """The statement of each folded temporary, and the branches that are expressions."""

    folded: dict[str, Stmt]
    conditional: frozenset[str]

    def is_expression(self, stmt: Stmt) -> bool:
        return (
            isinstance(stmt, Branch)
            and bool(stmt.results)
            and (stmt.results[0].name in self.conditional)
        )

    def is_folded(self, stmt: Stmt) -> bool:
        results = results_of(stmt)
        return len(results) == 1 and results[0].name in self.folded

    def leaves(self, operand: Operand) -> Iterator[Value]:
        """The named values that printing an operand reads."""
        stack = [operand]
        while stack:
            top = stack.pop()
            if not isinstance(top, Value):
                continue
            stmt = self.folded.get(top.name)
            if stmt is None:
                yield top
            else:
                stack += reversed(expression_operands(stmt))


def expression_operands(stmt: Stmt) -> tuple[Operand, ...]:
    """What the expression that a statement is reads."""
    if isinstance(stmt, Branch):
        return (stmt.test, *stmt.then.yields, *stmt.orelse.yields)
    return operands_of(stmt)


def fold(layer: Layer, reads: Counter[str], families: Families) -> Folds:
    """The folds of a function body."""
    folding = _Folding(reads, families)
    folding.trivial(layer)
    folding.function(layer)
    return Folds(folding.folded, frozenset(folding.conditional))


class _Folding:
    def __init__(self, reads: Counter[str], families: Families) -> None:
        self.folded: dict[str, Stmt] = {}
        self.conditional: set[str] = set()
        self._reads = reads
        self._families = families
        self._changed: dict[str, int] = {}
        self._last_read: dict[str, int] = {}
        self._pending: dict[str, Expression] = {}
        self._inside: dict[str, Expression] = {}

    def trivial(self, layer: Layer) -> None:
        """Fold `len(x)` and `i - 1` wherever they are read: a name says no more.

        Not if `x` is assigned anew, because its old value would then be kept for it.
        """
        stable, trivial = set(_stable(layer, self._families)), list[Stmt]()
        for place in every_place(layer):
            if _is_trivial(place.stmt, stable):
                (result,) = results_of(place.stmt)
                stable.add(result.name)
                found = self._expression(place)
                assert found is not None
                self._fold(result, found, place.at)
                trivial.append(place.stmt)
        # What it is made of is read as often.
        for stmt in reversed(trivial):
            times = self._reads[results_of(stmt)[0].name]
            for operand in operands_of(stmt):
                if isinstance(operand, Value):
                    self._reads[operand.name] += max(times - 1, 0)

    def function(self, layer: Layer) -> None:
        """The results of a function have names where there are several."""
        for place in layer.places:
            self._place(place)
        if len(layer.block.yields) == 1:
            self._take(layer.block.yields[0], layer.end)

    def _layer(self, layer: Layer) -> None:
        outer, self._pending = self._pending, {}
        for place in layer.places:
            self._place(place)
        late = [y for y in layer.block.yields if self._is_version(y)]
        for operand in layer.block.yields:
            if operand not in late:
                self._take(operand, layer.end)
        for value in late:
            self._take_version(value, layer.end)
        self._pending = outer

    def _place(self, place: Place) -> None:
        stmt = place.stmt
        operands = operands_of(stmt)
        fixed = set(self._fixed(stmt))
        for k, operand in enumerate(operands):
            if k in fixed or (k and self._acts(stmt, operand)):
                self._read(operand, place.at)
            else:
                self._take(operand, place.at)
        if isinstance(stmt, LOOPS):
            self._define(*(p for layer in place.layers for p in layer.block.params), at=place.at)
        if isinstance(stmt, Loop):
            self._define(stmt.index, at=place.at)
        for layer in place.layers:
            self._layer(layer)
        self._changes(place)
        self._offer(place)

    def _acts(self, stmt: Stmt, operand: Operand) -> bool:
        """Whether an operand has an effect that would come on some paths only, if written here."""
        row = TABLE.rows.get(stmt.op) if isinstance(stmt, Apply) else None
        lazy = row is not None and (row.truth == "operand" or row.entries == "chosen")
        found = self._pending.get(operand.name) if isinstance(operand, Value) else None
        return lazy and found is not None and found.acts

    def _fixed(self, stmt: Stmt) -> Iterator[int]:
        """The operands that must be names: what is written to, or printed more than once."""
        if not isinstance(stmt, Apply):
            return
        if stmt.op in WRITES:
            yield 0
        code = stmt.option("code")
        if isinstance(code, str):
            bound = stmt.option("bound")
            yield from (k for k in range(len(stmt.args)) if bound or code.count(f"_{k}_") != 1)
            yield from stmt.option("writes", ())  # type: ignore[misc]

    def _changes(self, place: Place) -> None:
        """Note what a statement changes."""
        stmt = place.stmt
        if isinstance(stmt, Apply):
            for _, old in written(stmt):
                self._changed["s" + self._families.storage.find(old.name)] = place.at
        if has_effect(stmt) and isinstance(stmt, Replay | Call | Apply):
            self._changed[_EFFECT] = place.at
        elif isinstance(stmt, Apply) and is_users_expression(stmt):
            self._changed[_READ] = place.at
        if isinstance(stmt, Apply) and stmt.option("region"):
            # What may raise inside of it is raised inside of it.
            self._changed[_REGION] = place.at
        for value in results_of(stmt):
            if value.root or self._reads[value.name] != 1:
                self._define(value, at=place.end)

    def _define(self, *values: Value, at: int) -> None:
        for value in values:
            self._changed["f" + self._families.family.find(value.name)] = at

    def _read(self, operand: Operand, at: int) -> None:
        if isinstance(operand, Value):
            self._last_read[self._families.family.find(operand.name)] = at

    def _take(self, operand: Operand, at: int) -> None:
        """An operand is printed at a position: fold it if it can be moved there."""
        self._read(operand, at)
        if not isinstance(operand, Value) or operand.root:
            return
        if operand.name in self.folded:
            for leaf in self._inside[operand.name].reads:
                self._read(leaf, at)
            return
        found = self._pending.pop(operand.name, None)
        if found is not None and self._can_move(found):
            self._fold(operand, found, at)

    def _fold(self, value: Value, found: Expression, at: int) -> None:
        self.folded[value.name] = found.place.stmt
        self._inside[value.name] = found
        for leaf in found.reads:
            self._read(leaf, at)

    def _can_move(self, found: Expression) -> bool:
        return all(self._changed.get(key, -1) <= found.place.end for key in self._keys(found))

    def _keys(self, found: Expression) -> Iterator[str]:
        for value in found.reads:
            yield "f" + self._families.family.find(value.name)
            if value.type.is_mutable:
                yield "s" + self._families.storage.find(value.name)
        if found.users_code:
            yield _EFFECT
        if found.acts:
            yield _READ
        yield _REGION

    def _is_version(self, operand: Operand) -> bool:
        """Whether a yield is a new version of a variable that this block computes for it alone."""
        return isinstance(operand, Value) and bool(operand.root) and operand.name in self._pending

    def _take_version(self, value: Operand, at: int) -> None:
        """`u, v = v, u + v`: a version moves to the end if the older is read after it."""
        assert isinstance(value, Value)
        found = self._pending.pop(value.name)
        older = self._last_read.get(self._families.family.find(value.name), -1)
        if older > found.place.end and self._can_move(found):
            self._fold(value, found, at)
        self._read(value, at)

    def _offer(self, place: Place) -> None:
        """Make a statement available for folding."""
        results = results_of(place.stmt)
        if len(results) != 1 or results[0].name in self.folded:
            return
        found = self._expression(place)
        if found is None:
            return
        if isinstance(place.stmt, Branch):
            self.conditional.add(results[0].name)
        if self._reads[results[0].name] == 1:
            self._pending[results[0].name] = found

    def _expression(self, place: Place) -> Expression | None:
        """The statement as an expression, if it is one of reasonable length."""
        stmt = place.stmt
        match stmt:
            case Apply() if stmt.option("region"):
                return None
            case Apply() if not has_effect(stmt) or is_users_expression(stmt):
                limit = EXPRESSION_LENGTH
            case Call(effect=False, results=(_,)):
                limit = EXPRESSION_LENGTH
            case Branch() if self._is_conditional(place):
                limit = CONDITIONAL_LENGTH
            case _:
                return None
        reads: list[Value] = []
        weight, users_code = 1, isinstance(stmt, Apply) and is_users_expression(stmt)
        acts = users_code and has_effect(stmt)
        for operand in expression_operands(stmt):
            found = self._inside.get(operand.name) if isinstance(operand, Value) else None
            if found is not None:
                reads += found.reads
                weight += found.weight
                users_code |= found.users_code
                acts |= found.acts
            elif isinstance(operand, Value):
                reads.append(operand)
        if weight > limit:
            return None
        return Expression(place, tuple(reads), weight, users_code, acts)

    def _is_conditional(self, place: Place) -> bool:
        """Whether a branch has one result and arms that are nothing but its value.

        An arm that keeps or updates the older version of the variable is a statement.
        """
        stmt = place.stmt
        if not isinstance(stmt, Branch) or len(stmt.results) != 1:
            return False
        (result,) = stmt.results
        for layer in place.layers:
            (end,) = layer.block.yields
            if is_undefined(end) or not all(map(self._is_folded, layer.places)):
                return False
            inside = self._inside.get(end.name) if isinstance(end, Value) else None
            reads = inside.reads if inside else (end,) if isinstance(end, Value) else ()
            if any(home(value) == home(result) != "t" for value in reads):
                return False
        return True

    def _is_folded(self, place: Place) -> bool:
        results = results_of(place.stmt)
        return len(results) == 1 and results[0].name in self.folded


def _is_trivial(stmt: Stmt, stable: set[str]) -> bool:
    """Whether a temporary is the length of a stable array, or a stable integer and a literal."""
    if not isinstance(stmt, Apply) or len(stmt.results) != 1 or stmt.result.root:
        return False
    if has_effect(stmt):
        # It stands for the exception that it may end in.
        return False
    names = [a.name for a in stmt.args if isinstance(a, Value)]
    if stmt.op == "dim":
        return stmt.args[0].type.is_array and stable.issuperset(names)
    integers = all(a.type.is_scalar and a.type.dtype == "int64" for a in stmt.args)
    return stmt.op in ("add", "sub") and integers and len(names) == 1 and names[0] in stable


def _stable(layer: Layer, families: Families) -> Iterator[str]:
    """Loop indices, and the values of variables that get no value but by writes in place."""
    fresh: Counter[str] = Counter(families.family.find(p.name) for p in layer.block.params)
    arrays = list(layer.block.params)
    for place in every_place(layer):
        stmt = place.stmt
        if isinstance(stmt, Loop):
            yield stmt.index.name
        if isinstance(stmt, Apply | Call | Replay):
            new = [] if isinstance(stmt, Apply) and stmt.op in STORES else results_of(stmt)
            fresh.update(families.family.find(value.name) for value in new)
        arrays += results_of(stmt)
        arrays += (p for inner in place.layers for p in inner.block.params)
    yield from (v.name for v in arrays if fresh[families.family.find(v.name)] <= 1)
