"""Statements on numbers in one loop over the directions (`vector_mode.py`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjointgen.ir.edit import carried, stem
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    defined_in,
    reads_of,
    results_of,
)
from adjointgen.ir.types import INT
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.targets.loops.directions.direction_dependence import not_several, widened


@dataclass(slots=True)
class Column:
    """What a loop over directions carries: an array, and the name under which it leaves."""

    param: Value
    init: Operand
    last: Value


class Whole:
    """What is known of the program whose directions are followed."""

    def __init__(self, function: Function, wide: frozenset[str], count: int) -> None:
        self.builder = Builder(Names.of(function))
        self.wide = wide
        self.count = count
        self.reads = Counter(v.name for v in reads_of(function.body))
        everything = {v.name: v for v in defined_in(function.body)}.values()
        self.scalars = [v for v in everything if v.type.is_scalar and v.name in wide]
        self.homes: dict[str, Value] = {}
        """For a number that the next iteration has, what the loop carries: its array is there."""

    def value(self, value: Value) -> Value:
        return widened(value, self.count) if value.name in self.wide else value

    def operand(self, operand: Operand) -> Operand:
        return self.value(operand) if isinstance(operand, Value) else operand


class Run:
    """Statements on numbers in one loop over the directions."""

    def __init__(self, whole: Whole, stmts: Sequence[Stmt]) -> None:
        self.whole = whole
        self.builder = whole.builder
        self.stmts = stmts
        self.index = Value(self.builder.names.fresh("q"), INT, "q")
        self.inner: dict[str, Operand] = {}
        """What stands for a value inside of the loop."""
        self.columns: list[Column] = []

    def add(self) -> None:
        """Append the loop, and before it the arrays of numbers that are read elsewhere."""
        own = Counter(v.name for v in reads_of(Block((), tuple(self.stmts), ())))
        made = [r for s in self.stmts for r in results_of(s) if r.name in self.whole.wide]
        leaving = [r for r in made if self.whole.reads[r.name] > own[r.name]]
        homes = self.homes([r for r in leaving if r.type.is_scalar])
        with self.builder.block() as body:
            self.enter(own, {home.name: column for column, home in homes})
            for base in self.bases():
                self.columns.append(Column(self.define(base), self.whole.value(base), base))
            for stmt in self.stmts:
                self.builder.span = stmt.span
                self.statement(stmt)
            for column, _ in homes:
                self.fill(column)
        if {r.name for r in leaving if r.type.is_array} - {c.last.name for c in self.columns}:
            raise not_several()
        columns = [*self.columns, *(column for column, _ in homes)]
        inner = Block(
            tuple(c.param for c in columns),
            tuple(body),
            tuple(self.inner[c.last.name] for c in columns),
        )
        bounds = const(0), const(self.whole.count), const(1)
        results = tuple(self.whole.value(c.last) for c in columns)
        inits = tuple(c.init for c in columns)
        span = self.stmts[0].span
        self.builder.add(Loop(results, self.index, bounds, inits, inner, span=span))

    def homes(self, leaving: Sequence[Value]) -> list[tuple[Column, Value]]:
        """The arrays of numbers that are read elsewhere: those of the loop around, or new ones."""
        found: list[tuple[Column, Value]] = []
        taken: set[str] = set()
        for value in leaving:
            type = self.whole.value(value).type
            home = self.whole.homes.get(value.name)
            if home is None or home.name in taken:
                home = self.builder.value("", value.type, "t")
                size, options = const(self.whole.count), {"dtype": type.dtype}
                options = {} if type.dtype == "float64" else options
                made = self.builder.value("", type, "t")
                self.builder.add(Apply((made,), "empty", (size,), (*options.items(),)))
            else:
                made = self.whole.value(home)
            taken.add(home.name)
            found.append((Column(self.builder.value("", type, "t"), made, value), home))
        return found

    def enter(self, own: Counter[str], homes: Mapping[str, Column]) -> None:
        """Read the numbers that other loops have left in arrays."""
        mine = {v.name for v in defined_in(Block((), tuple(self.stmts), ()))}
        for value in self.whole.scalars:
            if value.name in own and value.name not in mine:
                loaded = self.builder.value(value.root, value.type, "t")
                held = homes[value.name].param if value.name in homes else self.whole.value(value)
                args = held, self.index
                self.builder.add(Apply((loaded,), "load", args, (("index", "_"),)))
                self.inner[value.name] = loaded

    def bases(self) -> Iterator[Value]:
        """The arrays from outside that the statements write to."""
        mine = {r.name for s in self.stmts for r in results_of(s)}
        found: dict[str, Value] = {}
        for stmt in self.stmts:
            written: Sequence[Operand] = ()
            if isinstance(stmt, Loop):
                written = [i for p, i, _, _ in carried(stmt) if p.type.is_array]
            elif isinstance(stmt, Apply) and stmt.op in STORES:
                written = stmt.args[:1]
            for base in written:
                if isinstance(base, Value) and base.name in self.whole.wide:
                    found.setdefault(base.name, base)
        yield from (base for base in found.values() if base.name not in mine)

    def fill(self, column: Column) -> None:
        """Store a number that is read elsewhere."""
        last = self.builder.value("", column.param.type, "t")
        args = column.param, self.inner[column.last.name], self.index
        self.builder.add(Apply((last,), "store", args, (("index", "_"),)))
        self.inner[column.last.name] = last

    def operand(self, operand: Operand) -> Operand:
        if not isinstance(operand, Value):
            return operand
        return self.inner.get(operand.name, self.whole.value(operand))

    def define(self, value: Value) -> Value:
        """A value of the loop's own."""
        type = self.whole.value(value).type if value.type.is_array else value.type
        name = self.builder.names.fresh(value.root or stem(value.name))
        made = replace(value, name=name, type=type)
        self.inner[value.name] = made
        return made

    def written(self, base: Operand, result: Value) -> Operand:
        """The array that becomes `result`, which the loop carries."""
        assert isinstance(base, Value)
        column = next((c for c in self.columns if c.last.name == base.name), None)
        if column is not None:
            column.last = result
        elif base.name not in self.inner:
            raise not_several()
        return self.operand(base)

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Loop):
            self.loop(stmt)
            return
        assert isinstance(stmt, Apply)
        args = list(map(self.operand, stmt.args))
        options = dict(stmt.options)
        base = stmt.args[0] if stmt.args else None
        if isinstance(base, Value) and base.name in self.whole.wide and base.type.is_array:
            if stmt.op in STORES:
                args[0] = self.written(base, stmt.result)
            args.append(self.index)
            options["index"] = f"{options['index']}, _"
        results = tuple(map(self.define, stmt.results))
        self.builder.add(Apply(results, stmt.op, tuple(args), (*options.items(),), stmt.span))

    def loop(self, loop: Loop) -> None:
        """A loop of a few iterations, once per direction."""
        inits = tuple(
            (
                self.written(init, result)
                if param.type.is_array and param.name in self.whole.wide
                else self.operand(init)
            )
            for param, init, _, result in carried(loop)
        )
        index = self.define(loop.index)
        params = tuple(map(self.define, loop.body.params))
        with self.builder.block() as made:
            for stmt in loop.body.stmts:
                self.statement(stmt)
        body = Block(params, tuple(made), tuple(map(self.operand, loop.body.yields)))
        # What is not wide is read from the loop that has only that.
        wide = self.whole.wide
        results = tuple(
            self.define(r) if r.name in wide else self.builder.value(r.root, r.type, "t")
            for r in loop.results
        )
        self.builder.add(replace(loop, results=results, index=index, inits=inits, body=body))
