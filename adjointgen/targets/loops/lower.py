"""Lowering: blocks of array statements become blocks of loop nests over numbers.

    t = np.sin(x)                               for i in range(n):
    y = a * t + x                       ->          y[i] = a * np.sin(x[i]) + x[i]

Which arrays have no storage of their own, but are computed where they are read, is what
`delay_plan.py` says. (Delayed arrays: Keller and others 2010, "Regular, shape-polymorphic, parallel
arrays in Haskell".)
"""

from __future__ import annotations

from adjointgen.analysis.values.maybe_undefined import undefined
from adjointgen.analysis.values.symbolic_lengths import Measures
from adjointgen.ir.edit import name_of, rebuild
from adjointgen.ir.nodes import (
    LOOPS,
    NESTED,
    STORES,
    Apply,
    Block,
    Branch,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    results_of,
)
from adjointgen.ir.types import INT, Dim
from adjointgen.records import replace
from adjointgen.rules.arrays.index_arithmetic import Place, place, written
from adjointgen.rules.arrays.indexing import Slice, Slot
from adjointgen.rules.framework.builder import Builder, Names
from adjointgen.targets.loops.build.delay_plan import Plan, Planner, is_broad
from adjointgen.targets.loops.build.entry_expressions import (
    Entries,
    Survey,
    filled,
    margins,
    pattern,
    repeated,
)
from adjointgen.targets.loops.build.expand_unsupported import spelled_out
from adjointgen.targets.loops.build.invariant_lengths import lasting
from adjointgen.targets.loops.build.length_operands import Lengths
from adjointgen.targets.loops.build.loop_nests import Axis, Nests, spans_of
from adjointgen.targets.loops.build.mask_lowering import without_masks
from adjointgen.targets.loops.build.op_classes import Kind, is_count, is_filled, kind
from adjointgen.targets.loops.build.reductions import Fold
from adjointgen.targets.loops.build.tape_arrays import with_arrays

ANYWHERE = Value("any place", INT)
"""Stands for the places that a list of indices names."""


def lowered(function: Function, apart: frozenset[str] = frozenset()) -> Function:
    """The function with its array statements as loop nests, and its tapes as arrays.

    Arrays that are kept `apart` lend their storage to no others.
    """
    builder = Builder(Names.of(function))
    function = spelled_out(without_masks(function, builder), builder)
    work = Lowering(builder, apart)
    with builder.block() as made:
        for param in function.body.params:
            work.lengths.measure(param)
        function = with_arrays(function, builder, work.lengths)
        work.shapes.loose |= undefined(function.body)
        work.measures.read(function.body)
        body = work.block(function.body, frozenset())
    body = replace(body, stmts=(*made, *body.stmts))
    return replace(function, body=body)


class Lowering:
    """One walk over the blocks, outer before inner."""

    def __init__(self, builder: Builder, apart: frozenset[str]) -> None:
        self.builder = builder
        self.apart = apart
        self.lengths = Lengths(builder)
        self.shapes = self.lengths.shapes
        self.nests = Nests(builder, {}, self.lengths)
        self.counts = self.nests.counts
        self.measures = Measures()
        self.carried: dict[str, tuple[Dim, ...]] = {}
        """The lengths of what loops carry, where no iteration changes them."""

    def block(self, block: Block, owned: frozenset[str]) -> Block:
        """A block; the arrays that it may overwrite are its own and those that it carries."""
        known = dict(self.lengths.known)
        found = self.kinds(block)
        self.lengths.known = dict(known)
        plan = Planner(block, found, self.shapes).made()
        outer = self.nests.delayed
        self.nests.delayed = {**outer, **plan.delayed}
        mine = {p.name for p in block.params} & owned
        with self.builder.block() as made:
            for param in block.params:
                self.lengths.measure(param)
            for at, stmt in enumerate(block.stmts):
                self.statement(at, stmt, plan, mine)
                mine |= {r.name for r in results_of(stmt)}
        self.lengths.known, self.nests.delayed = known, outer
        return replace(block, stmts=tuple(made))

    def kinds(self, block: Block) -> list[Kind]:
        """The kinds of the statements; those stay whose lengths nothing tells."""
        found: list[Kind] = []
        for param in block.params:
            self.shapes.define(param, self.carried.get(param.name))
        self.shapes.reckoned.see(block.params)
        for stmt in block.stmts:
            self.shapes.reckoned.note(stmt)
            own: Kind = kind(stmt, self.counts) if isinstance(stmt, Apply) else "other"
            self.loosen(stmt)
            lengths = None
            loose = isinstance(stmt, Apply) and any(map(self.shapes.is_loose, stmt.args))
            if isinstance(stmt, Apply) and own != "other" and not loose:
                lengths = self.shapes.made(stmt)
            if lengths is None:
                own = "other"
            if isinstance(stmt, Loop):
                self.carried.update(lasting(stmt, self.measures, self.shapes))
            for result in results_of(stmt):
                self.shapes.define(result, self.carried.get(result.name, lengths))
                if not all(map(self.lengths.has, self.shapes.of(result))):
                    self.shapes.telling.add(result.name)
                self.lengths.promised(result)
            self.count(stmt)
            found.append(own)
        return found

    def loosen(self, stmt: Stmt) -> None:
        """Note the arrays that may be numbers: what loops begin with, and what paths leave."""
        match stmt:
            case Apply():
                if any(map(self.shapes.is_loose, stmt.args)):
                    self.shapes.loose |= {r.name for r in stmt.results if r.type.is_array}
            case Branch():
                for result, *ends in zip(
                    stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True
                ):
                    self.shapes.meet(result, ends)
            case Loop() | While():
                for k, init in enumerate(stmt.inits):
                    for value in (stmt.results[k], stmt.body.params[k]):
                        self.shapes.meet(value, [init])
                    if isinstance(stmt, While):
                        self.shapes.meet(stmt.test.params[k], [init])

    def count(self, stmt: Stmt) -> None:
        """Note lengths, and sums and products that are not negative."""
        if isinstance(stmt, Apply) and stmt.op in ("dim", "add", "sub", "mul"):
            args = stmt.op in ("add", "mul") and all(is_count(a, self.counts) for a in stmt.args)
            if stmt.op == "dim" or args or self.shapes.reckoned.counts(stmt.result):
                self.counts.add(stmt.result.name)

    def statement(self, at: int, stmt: Stmt, plan: Plan, mine: set[str]) -> None:
        self.builder.span = stmt.span
        if isinstance(stmt, NESTED):
            self.builder.add(self.nested(stmt))
        elif not isinstance(stmt, Apply) or plan.kinds[at] == "other":
            self.builder.add(stmt)
        else:
            self.apply(at, stmt, plan, mine)
            return
        for value in results_of(stmt):
            self.lengths.measure(value)

    def nested(self, stmt: Stmt) -> Stmt:

        def inner(block: Block) -> Block:
            return self.block(block, frozenset(p.name for p in block.params))

        deeper = isinstance(stmt, LOOPS)
        self.nests.depth += deeper
        if isinstance(stmt, Loop):
            self.shapes.reckoned.enter(stmt)
            start, _, step = stmt.bounds
            upwards = is_count(start, self.counts) and is_count(step, self.counts)
            if upwards or self.shapes.reckoned.counts(stmt.index):
                self.counts.add(stmt.index.name)
        made = rebuild(stmt, lambda operand: operand, inner)
        if isinstance(stmt, Loop):
            self.shapes.reckoned.leave(stmt)
        self.nests.depth -= deeper
        return made

    def apply(self, at: int, stmt: Apply, plan: Plan, mine: set[str]) -> None:
        name = stmt.result.name
        self.lengths.reckon(self.shapes.of(stmt.result))
        self.check(stmt)
        if name in plan.delayed:
            if name in plan.kept:
                self.builder.add(stmt)
                self.lengths.measure(stmt.result)
        elif plan.kinds[at] == "fold":
            self.named(Fold(self.nests, stmt).made(), stmt.result)
        elif plan.kinds[at] == "change" and not is_broad(stmt):
            self.named(self.changed(stmt), stmt.result)
        elif is_filled(stmt):
            self.builder.add(self.constant(stmt))
        elif name not in plan.straight and self.stays(stmt, plan.kinds[at]):
            self.builder.add(stmt)
            self.lengths.measure(stmt.result)
        else:
            self.named(self.array(at, stmt, plan, mine), stmt.result)

    def stays(self, stmt: Apply, kind: Kind) -> bool:
        """Whether a part, or a copy, is better made by a statement than entry by entry.

        A part that is not delayed is overwritten before it is read, and would be copied.
        """
        if stmt.op == "copy":
            return kind == "part" or self.in_memory(stmt.args[0])
        if kind != "part" or stmt.op != "load":
            return kind == "part"
        return not all(map(self.lengths.has, self.shapes.of(stmt.result)))

    def in_memory(self, operand: Operand) -> bool:
        return not isinstance(operand, Value) or operand.name not in self.nests.delayed

    def check(self, stmt: Apply) -> None:
        """The lengths that have to be equal, compared."""
        for one, other in self.shapes.meeting.get(stmt.result.name, ()):
            if stmt.op in STORES:
                self.measured(stmt)
            a, b = self.lengths.operand(one), self.lengths.operand(other)
            if a != b:
                self.builder.apply("same", a, b)

    def measured(self, stmt: Apply) -> None:
        """The lengths of the part that a write changes, which only the part itself tells."""
        lengths = self.shapes.part(stmt)
        self.lengths.reckon(lengths)
        if all(map(self.lengths.has, lengths)):
            return
        part = self.builder.apply("load", stmt.args[0], *stmt.args[2:], index=stmt.option("index"))
        self.lengths.state(part, lengths)

    def constant(self, stmt: Apply) -> Stmt:
        """An array of equal entries, by its lengths."""
        if not stmt.op.endswith("_like"):
            return stmt
        dims = [self.lengths.size(d) for d in self.shapes.of(stmt.result)]
        dtype = stmt.result.type.dtype
        options = () if dtype == "float64" else (("dtype", dtype),)
        fill = stmt.args[1:] if stmt.op == "full_like" else ()
        op = stmt.op.removesuffix("_like")
        return Apply(stmt.results, op, (*dims, *fill), options, stmt.span)

    def named(self, made: Operand, result: Value) -> None:
        """Give what the last statement made the name that the rest of the program knows."""
        assert isinstance(made, Value)
        self.builder.name_last(made, result)

    def array(self, at: int, stmt: Apply, plan: Plan, mine: set[str]) -> Operand:
        """All entries of an array, in the storage of one that nobody reads any more if possible."""
        value = stmt.result
        self.nests.delayed[value.name] = stmt
        axes = [Axis(d) for d in self.shapes.of(value)]
        survey, indices = self.nests.survey(value, axes)
        identity = repeated(self.shapes.of(value), tuple(map(place, indices)))
        own = self.reusable(survey, value, identity)
        free = [a for a in own if a.name in mine and plan.until.get(a.name, at) <= at]
        if free:
            axes = self.touched(value, free[0], axes)
            made = self.nests.filled(value, free[0], axes, free[0].name)
        else:
            made = self.nests.filled(value, self.nests.empty(value), axes, "")
        del self.nests.delayed[value.name]
        return made

    def reusable(self, survey: Survey, value: Value, identity: tuple[Place, ...]) -> list[Value]:
        """The arrays of the same type of which each entry is read where it is written only."""
        same = [
            array
            for array, places in survey.reads.items()
            if array.type.dtype == value.type.dtype
            and self.shapes.of(array) == self.shapes.of(value)
            and places == {identity}
            and (array.name in self.apart) == (value.name in self.apart)
        ]
        return sorted(same, key=lambda array: array.root != value.root)

    def touched(self, value: Value, base: Value, axes: list[Axis]) -> list[Axis]:
        """The entries that are written, where all that is left alone is in place already."""
        sides: list[list[tuple[int, int]]] = []
        stmt = self.nests.delayed.get(value.name)
        while stmt is not None and stmt.op in STORES:
            sides.append([margins(i) for i in filled(stmt, len(axes)) if isinstance(i, Slice)])
            array = stmt.args[0]
            assert isinstance(array, Value)
            if array == base:
                least = [
                    tuple(map(min, zip(*each, strict=True))) for each in zip(*sides, strict=True)
                ]
                return [Axis(a.length, *edge) for a, edge in zip(axes, least, strict=True)]
            stmt = self.nests.delayed.get(array.name)
        return axes

    def changed(self, stmt: Apply) -> Operand:
        """A write to part of an array, entry by entry; the value is kept first if it must be."""
        array, value = stmt.args[:2]
        self.measured(stmt)
        axes = [Axis(d) for d in self.shapes.part(stmt)]
        survey, indices = self.nests.survey(value, axes)
        target = self.places(stmt, indices, None)
        if isinstance(array, Value) and clashes(survey, array, target):
            assert isinstance(value, Value)
            own = [Axis(d) for d in self.shapes.of(value)]
            value = self.nests.filled(value, self.nests.empty(value), own, "")

        def body(indices: list[Value], carried: list[Operand]) -> list[Operand]:
            entries = self.nests.entries(spans_of(indices, axes), name_of(array), carried[0])
            inside = tuple(map(place, indices))
            new = entries.at(value, repeated(self.shapes.of(value), inside))
            at = [written(self.builder, p) for p in self.places(stmt, indices, entries)]
            if stmt.op == "accumulate":
                before = self.builder.apply("load", carried[0], *at, index=pattern(len(at)))
                new = self.builder.apply("add", before, new)
            return [self.nests.stored(carried[0], new, at)]

        bounds = [self.nests.bounds(axis) for axis in axes]
        root = array.root if isinstance(array, Value) else ""
        return self.nests.nest(bounds, [array], body, root)[0]

    def places(self, stmt: Apply, indices: list[Value], entries: Entries | None) -> list[Place]:
        """The place in the array of an entry of the part that is written.

        Without `entries` a list of indices names places that nothing is known of.
        """
        rest, row = iter(indices), None
        found = []
        shape = self.shapes.of(stmt.args[0])
        for item, dim in zip(filled(stmt, len(shape)), shape, strict=True):
            match item:
                case Slot(number=number):
                    listed = stmt.args[2 + number]
                    if not listed.type.is_scalar:
                        row = place(next(rest)) if row is None else row
                        listed = ANYWHERE if entries is None else entries.at(listed, (row,))
                    found.append(place(listed))
                case int() if item < 0:
                    found.append(place(self.lengths.operand(dim)) + item)
                case int():
                    found.append(Place((), item))
                case Slice(start=Slot(number=number)):
                    found.append(place(stmt.args[2 + number]) + place(next(rest)))
                case Slice(start=start):
                    found.append(place(next(rest)) + (start if isinstance(start, int) else 0))
        return found


def clashes(survey: Survey, array: Value, target: list[Place]) -> bool:
    """Whether an entry may be read after it has been written."""
    for read in survey.reads.get(array, ()):
        apart = any(
            a.terms == b.terms and a.offset != b.offset and not _running(a)
            for a, b in zip(read, target, strict=True)
        )
        if list(read) != target and not apart:
            return True
    return False


def _running(at: Place) -> bool:
    """Whether a place runs with an index of the nest."""
    return any(" " in term.name for _, term in at.terms)
