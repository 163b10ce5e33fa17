"""Batching: a program for one sample becomes one for many, whose values have a batch axis first.

    def f(x, w):                             def f(x, w):
        y = np.tanh(w @ x)             ->        y = np.tanh(x @ w.T)
        return np.sum(y)                         return np.sum(y, axis=1)

Statements of which no operand is another for each sample stay as they are. The others are what the
field `batch` of their rows says; loops stay loops, a branch that all samples take stays one, and
one that is decided for each sample becomes both arms and a choice, entry by entry. NotBatched where
that cannot be: samples are done one by one then. (Batching transformations: `vmap` of JAX; a choice
for a branch: if-conversion, Allen, Kennedy, Porterfield and Warren 1983.)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.batching.axis_symbols import renumbered
from adjointgen.batching.batched_values import Many, is_made, many_values
from adjointgen.errors import NoRule
from adjointgen.ir.edit import flags_of, is_among, rebuild
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    walk,
)
from adjointgen.ir.types import COMPLEX, PYTHON, REAL, Dim, Type
from adjointgen.records import replace
from adjointgen.rules.framework.batching import (
    Sample,
    aligned,
    entries,
    lengths_of,
    not_batched,
    repeated,
)
from adjointgen.rules.framework.builder import Builder, Handle, Names
from adjointgen.rules.framework.table import TABLE, Row, Rule


def batched(function: Function, params: Collection[str], ends: Collection[int] = ()) -> Function:
    """The program over a batch axis of these parameters; its results have one, too.

    Of a program for several directions only the results at the places `ends` do.

    Raises NotBatched where samples have to be done one by one.
    """
    inputs = [p for p in function.body.params if p.root in params]
    for param in inputs:
        if param.type.kind not in ("scalar", "array") or param.type.shape is None:
            not_batched(f"{param.root} is no number or array")
    work = _Batch(function, inputs)
    return replace(function, body=work.whole(function.body, ends or range(len(function.names))))


class _Batch:
    """One walk over the blocks."""

    def __init__(self, function: Function, inputs: list[Value]) -> None:
        self.many: Many = many_values(function, [p.name for p in inputs])
        self.builder = Builder(Names.of(function))
        self.first = inputs[0]
        self.shift = {p.root: p for p in inputs}
        self.length = Dim(f"{inputs[0].root}.0")
        self.count: Handle | None = None
        self.before: Stmt | None = None
        self.known: dict[str, Operand] = {}
        """What stands for values that other statements than theirs have made."""

    def whole(self, body: Block, ends: Collection[int]) -> Block:
        """The body, which begins with the number of samples."""
        if any(self.is_many(y) for k, y in enumerate(body.yields) if k not in ends):
            not_batched("a value depends on what it is a derivative along")
        params = tuple(map(self.value, body.params))
        with self.builder.block() as made:
            count = self.builder.apply("dim", self.value(self.first), stem="samples", axis=0)
            self.count = self.builder.handle(count)
            for stmt in body.stmts:
                self.statement(stmt)
            yields = self.yields(body, ends)
        return Block(params, tuple(made), yields)

    def block(self, block: Block, wide: Collection[int] = ()) -> Block:
        """A block whose yields of these numbers are one for each sample."""
        params = tuple(map(self.value, block.params))
        with self.builder.block() as made:
            for stmt in block.stmts:
                self.statement(stmt)
            yields = self.yields(block, wide)
        return Block(params, tuple(made), yields)

    def yields(self, block: Block, wide: Collection[int]) -> tuple[Operand, ...]:
        """What a block yields, of which these numbers are one for each sample."""
        return tuple(
            self.each(y) if k in wide else self.operand(y) for k, y in enumerate(block.yields)
        )

    def is_many(self, operand: Operand) -> bool:
        return is_among(operand, self.many.values)

    def value(self, value: Value) -> Value:
        """A value as it is now: with a batch axis, where it is one for each sample."""
        return replace(value, type=self.type(value.type, value.name in self.many.values))

    def type(self, type: Type, many: bool) -> Type:
        """A type with its lengths named by the axes that the arguments have now."""
        moved = renumbered(type, lambda name, axis: axis + (name in self.shift))
        if not many:
            return moved
        if moved.shape is None or type.kind not in ("scalar", "array"):
            not_batched("a list, an object or an array of unknown rank is one for each sample")
        return Type(type.dtype, (self.length, *moved.shape), "array")

    def operand(self, operand: Operand) -> Operand:
        if not isinstance(operand, Value):
            return operand
        return self.known.get(operand.name) or self.value(operand)

    def each(self, operand: Operand) -> Operand:
        """An operand with a batch axis, of equal samples where it has none."""
        if self.is_many(operand) or (isinstance(operand, Const) and is_undefined(operand)):
            return self.operand(operand)
        if operand.type.kind not in ("scalar", "array"):
            not_batched("a result is no number or array")
        assert self.count is not None
        handle = self.builder.handle(self.operand(operand))
        return repeated(handle, self.count).operand  # type: ignore[no-any-return]

    def statement(self, stmt: Stmt) -> None:
        """Add what a statement is for all samples."""
        self.builder.span = stmt.span
        match stmt:
            case Apply():
                self.apply(stmt)
            case Record(slot=slot, value=value):
                wide = slot in self.many.slots
                made = self.each(value) if wide else self.operand(value)
                self.builder.add(replace(stmt, value=made))
            case Replay():
                self.builder.add(replace(stmt, result=self.value(stmt.result)))
            case Call():
                not_batched("a function is called for each sample")
            case _:
                self.nested(stmt)

    def apply(self, stmt: Apply) -> None:
        row = TABLE.get(stmt.op)
        many = tuple(map(self.is_many, stmt.args))
        results = tuple(map(self.value, stmt.results))
        if not any(many):
            if stmt.results and stmt.results[0].name in self.many.values:
                self.before = self.builder.last
                self.define(stmt, (self.made(stmt),), results)
                return
            self.builder.add(replace(stmt, results=results, args=self.operands(stmt)))
            return
        if any(_is_raised(stmt, a) for a, one in zip(stmt.args, many, strict=True) if one):
            not_batched("numbers of NumPy's meet others of a lower precision")
        rule = row.batch or (entries if row.kind == "elementwise" else None)
        if rule is None or stmt.option("effect"):
            not_batched(f"{_spelled(row, stmt)} has no form for many")
        self.before = self.builder.last
        made = self.ruled(rule, row, stmt, many)
        if row.measures:
            self.known[stmt.result.name] = self.builder.lower(made)
            return
        self.define(stmt, made if isinstance(made, tuple) else (made,), results)

    def ruled(self, rule: Rule, row: Row, stmt: Apply, many: tuple[bool, ...]) -> Any:
        """What a rule makes of a statement."""
        try:
            with self.builder.called_as(stmt):
                return rule(self.sample(row, stmt, many))
        except NoRule as error:
            # An operation that is not defined for arrays of this rank.
            not_batched(f"{_spelled(row, stmt)} has no form for these: {error.message}")

    def operands(self, stmt: Apply) -> tuple[Operand, ...]:
        return tuple(map(self.operand, stmt.args))

    def sample(self, row: Row, stmt: Apply, many: tuple[bool, ...]) -> Sample:
        """What a rule is given."""
        assert self.count is not None
        given = stmt.settings | array_spelling(row, stmt)
        types = tuple(self.type(r.type, False) for r in stmt.results)
        handles = tuple(map(self.builder.handle, self.operands(stmt)))
        return Sample(stmt.op, handles, many, row.defaults | given, given, types, self.count)

    def made(self, stmt: Apply) -> Handle:
        """A new array for each sample, of a shape that all have."""
        assert is_made(stmt) and self.count is not None
        row = TABLE[stmt.op]
        args = [self.builder.handle(o) for o in self.operands(stmt)]
        if row.sized and not all(a.type.is_scalar for a in args):
            not_batched("a shape is one value")
        if row.shape_only:
            args = lengths_of(args[0]) if args[0].type.rank else []
        name = stmt.op.removesuffix("_like")
        return self.count.apply(name, self.count, *args, dtype=stmt.result.type.dtype)

    def define(self, stmt: Apply, made: tuple[Handle, ...], results: tuple[Value, ...]) -> None:
        """Give what a rule made the names that the statement defines."""
        for handle, result in zip(made, results, strict=True):
            operand = self.builder.lower(handle)
            if operand.type.dtype != result.type.dtype or operand.type.rank != result.type.rank:
                not_batched(f"{stmt.op} has another type for many")
        last = self.builder.last
        ours = tuple(self.builder.lower(h) for h in made)
        if isinstance(last, Apply) and last is not self.before and last.results == ours:
            self.builder.replace_last(replace(last, results=results))
            return
        for operand, result in zip(ours, results, strict=True):
            self.known[result.name] = operand

    def nested(self, stmt: Loop | While | Branch) -> None:
        match stmt:
            case Branch():
                self.branch(stmt)
            case Loop(bounds=bounds):
                if any(map(self.is_many, bounds)):
                    not_batched("how often a loop runs is another for each sample")
                self.loop(stmt)
            case While():
                if any(map(self.is_many, stmt.test.yields)):
                    not_batched("how often a loop runs is another for each sample")
                self.loop(stmt)

    def loop(self, stmt: Loop | While) -> None:
        """A loop that runs as often for each sample."""
        flags = flags_of(stmt)
        if any(map(self.is_many, stmt.body.yields[:flags])):
            not_batched("when a loop is left is another for each sample")
        columns = [k for k, p in enumerate(stmt.body.params) if p.name in self.many.values]
        inits = tuple(
            self.each(i) if k in columns else self.operand(i) for k, i in enumerate(stmt.inits)
        )
        body = self.block(stmt.body, [flags + k for k in columns])
        results = tuple(map(self.value, stmt.results))
        if isinstance(stmt, While):
            test, trips = self.block(stmt.test), self.value(stmt.trips)
            more = replace(stmt, results=results, trips=trips, inits=inits, test=test, body=body)
            self.builder.add(more)
            return
        made = rebuild(stmt, self.operand, lambda b: b, self.value)
        assert isinstance(made, Loop)
        self.builder.add(replace(made, inits=inits, body=body))

    def branch(self, stmt: Branch) -> None:
        """A branch that all samples take, or both arms."""
        wide = [k for k, r in enumerate(stmt.results) if r.name in self.many.values]
        results = tuple(map(self.value, stmt.results))
        if not self.is_many(stmt.test):
            then, orelse = (self.block(b, wide) for b in (stmt.then, stmt.orelse))
            test = self.operand(stmt.test)
            made = replace(stmt, results=results, test=test, then=then, orelse=orelse)
            self.builder.add(made)
            return
        for arm in (stmt.then, stmt.orelse):
            _require_pure(arm)
            for inner in arm.stmts:
                self.statement(inner)
        for k, result in enumerate(results):
            self.choose(stmt.test, stmt.then.yields[k], stmt.orelse.yields[k], result)

    def choose(self, test: Operand, a: Operand, b: Operand, result: Value) -> None:
        """`np.where` of what the arms of a branch give."""
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Const) and is_undefined(one):
                self.known[result.name] = self.each(other)
                return
        if any(o.type.kind not in ("scalar", "array") or o.type.shape is None for o in (a, b)):
            not_batched("a choice is of objects or lists")
        rank = (result.type.rank or 1) - 1
        if any(o.type.rank != rank for o in (a, b)):
            not_batched("a choice is of arrays of several ranks")
        handles = [self.builder.handle(self.operand(o)) for o in (test, a, b)]
        made = self.builder.lower(
            handles[0].apply("select", aligned(handles[0], 0, rank), *handles[1:])
        )
        if made.type.dtype != result.type.dtype:
            not_batched("a choice is of several dtypes")
        self.builder.name_last(made, result)  # type: ignore[arg-type]


def _spelled(row: Row, stmt: Apply) -> str:
    spelled = stmt.option("spelling")
    names = [spelled] if isinstance(spelled, str) else row.spellings
    return str(names[0]).lstrip(".") if names else stmt.op


def array_spelling(row: Row, stmt: Apply) -> dict[str, str]:
    """How an operation on arrays is called that is one of Python's numbers for one sample."""
    own = stmt.option("spelling")
    arrays = [s for s in row.spellings if s.startswith(("numpy.", "scipy."))]
    if isinstance(own, str) and not own.startswith(("math.", "builtins.", "cmath.")):
        return {"spelling": own} if own.startswith((".", "numpy.", "scipy.")) else {}
    if row.symbol or row.code or not row.spellings or row.spellings[0] in arrays:
        return {}
    return {"spelling": arrays[0]} if arrays else {}


def _require_pure(arm: Block) -> None:
    """Raise NotBatched where an arm does more than compute: both arms run for all samples."""
    for stmt in walk(arm):
        match stmt:
            case Apply() if TABLE.get(stmt.op).effect or not stmt.results:
                not_batched("a branch is taken by some samples, and does more than compute")
            case While() | Call():
                not_batched("a branch is taken by some samples, and may not end for others")


def _is_raised(stmt: Apply, operand: Operand) -> bool:
    """Whether a number of a sample, which is NumPy's, would raise the dtype of the result.

    Types take it for one of Python's, which does not.
    """
    if not operand.type.is_scalar or operand.type.dtype not in PYTHON or len(stmt.args) < 2:
        return False
    return any(r.type.dtype in (*REAL, *COMPLEX) and _is_low(r.type.dtype) for r in stmt.results)


def _is_low(dtype: str) -> bool:
    return dtype not in ("float64", "complex128")
