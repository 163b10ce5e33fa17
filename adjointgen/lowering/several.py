"""A derivative along several directions at once: what does not depend on them is computed once.

    for k in range(n):                          for k in range(n):
        t_dot = a[k] * x_dot[k]                     t = b[k] * x[k]
        t = b[k] * x[k]                  ->         for q in range(26):
        y_dot[k] = t * t_dot                            t_dot = a[k] * x_dot[k, q]
                                                        y_dot[k, q] = t * t_dot

Every derivative has one axis more, its last. The statements on numbers that follow from the seeds
(`wide.py`) gather in one loop over the directions, behind the others of their block: values have no
storage here, so that no order can be wrong. A number that is read outside of its loop is an entry
of an array; a loop of a few iterations that carries one is put into the loop over the directions
instead, which leaves it a number. That inner loop has neighbours in memory as its entries, so it is
one that compilers vectorise. (Vector forward and reverse modes: Griewank and Walther 2008, 3.5.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjointgen.errors import NotSeveral
from adjointgen.ir.edit import carried, rebuild, stem, with_columns
from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    defined_in,
    reads_of,
    results_of,
)
from adjointgen.ir.types import INT
from adjointgen.lowering.wide import touches, wide_type, wide_values, widened
from adjointgen.records import dataclass, replace
from adjointgen.rules.build import Builder, Names, const

FEW = 16
"""The most iterations of a loop that is put into the loop over the directions."""
MADE = ("zeros", "empty")


@dataclass(slots=True)
class Column:
    """What a loop over directions carries: an array, and the name under which it leaves."""

    param: Value
    init: Operand
    last: Value


def several(function: Function, seeds: Sequence[str], ends: Sequence[int], count: int) -> Function:
    """The program with `count` seeds at once; `ends` are the positions of its derivatives.

    Raises NotSeveral where it can follow them only one by one.
    """
    yields = [function.body.yields[k] for k in ends]
    if any(isinstance(y, Const) for y in yields):
        raise NotSeveral
    wide = wide_values(function, seeds, [y.name for y in yields if isinstance(y, Value)])
    work = _Several(function, wide, count)
    body = work.block(function.body)
    return replace(function, body=body)


class _Several:
    """One walk over the blocks."""

    def __init__(self, function: Function, wide: frozenset[str], count: int) -> None:
        self.builder = Builder(Names.of(function))
        self.wide = wide
        self.count = count
        self.reads = Counter(v.name for v in reads_of(function.body))
        everything = {v.name: v for v in defined_in(function.body)}.values()
        self.scalars = [v for v in everything if v.type.is_scalar and v.name in wide]
        self.homes: dict[str, Value] = {}
        """For a number that the next iteration has, what the loop carries: its array is there."""

    def block(self, block: Block) -> Block:
        run: list[Stmt] = []
        waiting: set[str] = set()

        def flush() -> None:
            if run:
                _Run(self, run).add()
            run.clear()
            waiting.clear()

        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                if not touches(stmt, self.wide):
                    self.builder.add(stmt)
                elif self.is_pointwise(stmt):
                    run.append(stmt)
                    waiting |= {r.name for r in results_of(stmt)}
                elif isinstance(stmt, Loop) and self.is_inner(stmt):
                    passive = self.without(stmt)
                    if passive is not None:
                        self.builder.add(passive)
                    run.append(stmt)
                    waiting |= {r.name for r in results_of(stmt)}
                else:
                    if touches(stmt, waiting):
                        flush()
                    self.builder.add(self.whole(stmt))
            flush()
        params = tuple(map(self.value, block.params))
        return Block(params, tuple(made), tuple(map(self.operand, block.yields)))

    def value(self, value: Value) -> Value:
        return widened(value, self.count) if value.name in self.wide else value

    def operand(self, operand: Operand) -> Operand:
        return self.value(operand) if isinstance(operand, Value) else operand

    def is_pointwise(self, stmt: Stmt) -> bool:
        """Whether a statement is one on numbers, for each direction the same."""
        match stmt:
            case Apply(op="load", results=(result,)):
                return result.type.is_scalar
            case Apply(op=op, args=(base, stored, *_), options=options) if op in STORES:
                index = str(dict(options)["index"])
                full = len(index.split(",")) == base.type.rank
                return stored.type.is_scalar and full and not any(c in index for c in ":.N")
            case Apply(results=(result,), args=args):
                return all(t.is_scalar for t in (result.type, *(a.type for a in args)))
        return False

    def is_inner(self, loop: Loop) -> bool:
        """Whether a loop of few iterations carries numbers that are wide, and no other array."""
        bounds = [b.value for b in loop.bounds if isinstance(b, Const) and type(b.value) is int]
        if loop.trips is not None or len(bounds) < 3 or not bounds[2]:
            return False
        kept = [p for p in loop.body.params if p.type.is_array and p.name not in self.wide]
        counts = any(p.type.is_scalar and p.name in self.wide for p in loop.body.params)
        few = len(range(*bounds)) <= FEW and not kept
        return few and counts and all(self.fits(s) for s in loop.body.stmts)

    def fits(self, stmt: Stmt) -> bool:
        """Whether a statement can stand in the loop over the directions."""
        if not touches(stmt, self.wide):
            return isinstance(stmt, Apply) and stmt.op not in STORES
        return self.is_pointwise(stmt) or (isinstance(stmt, Loop) and self.is_inner(stmt))

    def without(self, loop: Loop) -> Loop | None:
        """What is left of a loop without anything wide."""
        columns = [k for k, p in enumerate(loop.body.params) if p.name not in self.wide]
        if not columns:
            return None
        rest = with_columns(loop, columns)
        assert isinstance(rest, Loop)
        stmts: list[Stmt] = []
        for stmt in rest.body.stmts:
            inner = stmt
            if touches(stmt, self.wide):
                found = self.without(stmt) if isinstance(stmt, Loop) else None
                if found is None:
                    continue
                inner = found
            stmts.append(inner)
        return replace(rest, body=replace(rest.body, stmts=tuple(stmts)))

    def whole(self, stmt: Stmt) -> Stmt:
        """A statement that is not on numbers alone."""
        if isinstance(stmt, NESTED):
            return self.nested(stmt)
        if not isinstance(stmt, Apply):
            raise NotSeveral
        match stmt.op:
            case "dim":
                return rebuild(stmt, self.operand, lambda b: b)
            case op if op in MADE:
                args = (*stmt.args, const(self.count))
                return replace(stmt, args=args, results=(self.value(stmt.result),))
            case "load" | "copy" | "zeros_like" if stmt.args[0].type.is_array:
                self.require(stmt.args[0])
            case op if op in STORES:
                base, stored = stmt.args[:2]
                self.require(base)
                if isinstance(stored, Value) and (
                    stored.type.is_scalar or stored.name in self.wide
                ):
                    self.require(stored)
                if isinstance(stored, Value) and stored.type.is_scalar:
                    raise NotSeveral
            case _:
                raise NotSeveral
        return rebuild(stmt, self.operand, lambda b: b, self.value)

    def require(self, operand: Operand) -> None:
        if not isinstance(operand, Value) or operand.name not in self.wide:
            raise NotSeveral

    def nested(self, stmt: Loop | While | Branch) -> Stmt:
        """A loop or branch around loops over the directions."""
        if isinstance(stmt, Branch):
            results = stmt.results
            then, orelse = (
                self.ending(self.block(b), b, results) for b in (stmt.then, stmt.orelse)
            )
            results = tuple(map(self.value, results))
            return replace(stmt, results=results, then=then, orelse=orelse)
        inits = tuple(self.meeting(init, param) for param, init, _, _ in carried(stmt))
        for param, _, end, _ in carried(stmt):
            if isinstance(end, Value) and param.type.is_scalar and param.name in self.wide:
                self.homes[end.name] = param
        flags = (*stmt.body.yields[: len(stmt.body.yields) - len(inits)],)
        ends = (*(None for _ in flags), *stmt.body.params)
        body = self.ending(self.block(stmt.body), stmt.body, ends)
        results = tuple(map(self.value, stmt.results))
        if isinstance(stmt, Loop):
            return replace(stmt, inits=inits, body=body, results=results)
        return replace(stmt, inits=inits, body=body, results=results, test=self.block(stmt.test))

    def ending(self, made: Block, block: Block, ends: Sequence[Value | None]) -> Block:
        """A block whose yields are as wide as what they become."""
        with self.builder.block() as more:
            yields = tuple(
                y if end is None else self.meeting(y, end)
                for y, end in zip(block.yields, ends, strict=True)
            )
        return replace(made, stmts=(*made.stmts, *more), yields=yields)

    def meeting(self, operand: Operand, end: Value) -> Operand:
        """An operand as wide as what it becomes."""
        if end.name not in self.wide or (isinstance(operand, Value) and operand.name in self.wide):
            return self.operand(operand)
        if not operand.type.is_scalar:
            raise NotSeveral
        filled = self.builder.apply("full", const(self.count), operand, stem="t")
        return self.builder.retyped(filled, wide_type(end.type, self.count))


class _Run:
    """Statements on numbers in one loop over the directions."""

    def __init__(self, whole: _Several, stmts: Sequence[Stmt]) -> None:
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
            raise NotSeveral
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
            raise NotSeveral
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
