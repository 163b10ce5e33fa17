"""Scalar replacement: what a loop reads or adds to at one place is a number while the loop runs.

    for k in range(m):                        t = c[i, j]
        c[i, j] += a[i, k] * b[k, j]   ->     for k in range(m):
                                                  t += a[i, k] * b[k, j]
                                              c[i, j] = t

A compiler must assume that a store to one array changes another, and reads and writes memory each
time (scalar replacement: Callahan, Carr and Kennedy 1990, "Improving register allocation for
subscripted variables"). Where a loop may run no time, what is read before it is read under that
condition. Sums of a derivative have no order that anybody wrote, so that they may be added in
several places at once; the user's own sums keep theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from adjointgen.ir.affine import Forms, least
from adjointgen.ir.edit import (
    carried,
    name_of,
    reads_by,
    rebuild,
    substitute,
    substitute_in,
    substitute_stmt,
)
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
    defined_in,
    reads_of,
    walk,
)
from adjointgen.ir.types import Type
from adjointgen.records import replace
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.targets.loops.build.op_classes import zero_of
from adjointgen.targets.loops.passes.literal_reassociation import literals_first
from adjointgen.targets.loops.passes.loop_fusion import computes

Place = tuple[str, tuple[Operand, ...]]
"""The index of one entry, as it is written, and its operands."""


def in_registers(function: Function, primal: Collection[str]) -> Function:
    """The function with such entries as numbers; `primal` are the names of the user's values."""
    makers = {r.name: s for s in walk(function.body) if isinstance(s, Apply) for r in s.results}
    work = _Registers(Builder(Names.of(function)), frozenset(primal), makers)
    return literals_first(replace(function, body=work.block(function.body)), primal)


class _Registers:
    def __init__(
        self, builder: Builder, primal: frozenset[str], makers: Mapping[str, Apply]
    ) -> None:
        self.builder = builder
        self.primal = primal
        self.makers = makers
        self.path: list[Loop] = []

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        inner = list(map(self.inner, block.stmts))
        for at, stmt in enumerate(inner):
            if isinstance(stmt, Loop) and stmt.trips is None and computes(stmt):
                self.path.append(stmt)
                stmts += self.loop(stmt, [*stmts, *inner[at + 1 :]])
                self.path.pop()
            else:
                stmts.append(stmt)
        return replace(block, stmts=tuple(stmts))

    def inner(self, stmt: Stmt) -> Stmt:
        if not isinstance(stmt, NESTED):
            return stmt
        if not isinstance(stmt, Loop):
            return rebuild(stmt, lambda operand: operand, self.block)
        self.path.append(stmt)
        made = rebuild(stmt, lambda operand: operand, self.block)
        self.path.pop()
        return made

    def apart(self, one: Place, other: Place) -> bool:
        """Whether two places are certainly not the same, in any iteration."""
        indices = frozenset(loop.index.name for loop in self.path)
        forms = Forms(self.makers, indices, frozenset())
        box = {}
        for loop in self.path:
            bounds = forms.bounds(loop)
            box[loop.index.name] = bounds.low, bounds.high
        for a, b in zip(axis_by_axis(*one) or (), axis_by_axis(*other) or (), strict=True):
            first, second = forms.of(a), forms.of(b)
            if first is None or second is None:
                continue
            far = [least(form, box) for form in (first - second, second - first)]
            # An index that counts from the end may be any.
            floors = [least(form, box) for form in (first, second)]
            if any(k is not None and k > 0 for k in far) and None not in floors:
                return min(k for k in floors if k is not None) >= 0
        return False

    def loop(self, loop: Loop, around: Sequence[Stmt]) -> list[Stmt]:
        """A loop, with what is read before it and written after it."""
        self.builder.span = loop.span
        after: list[Stmt] = []
        with self.builder.block() as before:
            for k, (param, _, _, _) in reversed(list(enumerate(carried(loop)))):
                if not param.type.is_scalar:
                    loop = self.promoted(loop, k, around, after)
            loop = self.hoisted(loop, around)
        if not any(isinstance(s, NESTED) for s in loop.body.stmts):
            loop = self.freed(loop)
        return [*before, loop, *after]

    def promoted(self, loop: Loop, k: int, around: Sequence[Stmt], after: list[Stmt]) -> Loop:
        """The loop with a number for an array of which it changes one entry."""
        param, init, end, result = carried(loop)[k]
        chain = _chain(loop.body, param, end)
        place = self.place_of_all(chain)
        if place is None or param.type.dtype not in WHOLE or not _is_fixed(place, loop):
            return loop
        runs = self.runs(loop, place, {name_of(init), result.name}, around)
        if runs is None or init in set(reads_of(loop.body)):
            return loop
        type = Type(param.type.dtype)
        number, last = (self.builder.value(param.root, type) for _ in range(2))
        first = self.when(runs, type, lambda: self.load(init, place), const(0.0))
        body = self.with_number(loop.body, k, chain, place, init, number)
        with self.builder.block() as written:
            stored = self.when(runs, result.type, lambda: self.store(init, last, place), init)
            self.builder.name_last(stored, result)
        after += written
        results = (*loop.results[:k], last, *loop.results[k + 1 :])
        inits = (*loop.inits[:k], first, *loop.inits[k + 1 :])
        return replace(loop, results=results, inits=inits, body=body)

    def with_number(
        self, body: Block, k: int, chain: list[Apply], place: Place, init: Operand, number: Value
    ) -> Block:
        """A body that carries the number; other entries are read where they were before."""
        by: dict[str, Operand] = {body.params[k].name: number}
        with self.builder.block() as made:
            for stmt in body.stmts:
                if stmt not in chain or not isinstance(stmt, Apply):
                    self.builder.add(substitute_stmt(stmt, by))
                elif place_of(stmt) == place:
                    by[stmt.result.name] = self.in_place(stmt, by)
                else:
                    args = (init, *(substitute(a, by) for a in stmt.args[1:]))
                    self.builder.add(replace(stmt, args=args))
        params = (*body.params[:k], number, *body.params[k + 1 :])
        return Block(params, tuple(made), tuple(substitute(y, by) for y in body.yields))

    def place_of_all(self, chain: Sequence[Apply]) -> Place | None:
        """The place that is written; what is read elsewhere is read where nothing is written."""
        written = {place_of(s) for s in chain if s.op in STORES}
        (place,) = written if len(written) == 1 else (None,)
        others = {place_of(s) for s in chain} - written
        return place if all(place and o and self.apart(place, o) for o in others) else None

    def in_place(self, stmt: Apply, by: dict[str, Operand]) -> Operand:
        """What a read, a write or a sum at the place is to the number that stands there."""
        now = by[name_of(stmt.args[0])]
        if stmt.op == "load":
            return now
        value = substitute(stmt.args[1], by)
        if stmt.op == "store":
            return value
        made = self.builder.apply("add", now, value)
        number = replace(stmt.result, type=made.type)  # By its name it is known for the user's.
        self.builder.name_last(made, number)
        return number

    def runs(
        self, loop: Loop, place: Place, names: set[str], around: Sequence[Stmt]
    ) -> Operand | None:
        """Whether a place may be read before a loop: a test, or a literal where that is certain."""
        start, stop, step = loop.bounds
        if any(_touches(s, place, names) for s in around):
            return const(True)
        if not isinstance(step, Const) or not isinstance(step.value, int):
            return None
        if isinstance(start, Const) and isinstance(stop, Const):
            trips = len(range(*(int(str(b.value)) for b in (start, stop, step))))
            return const(True) if trips else None
        return self.builder.apply("lt" if step.value > 0 else "gt", start, stop)

    def when(self, test: Operand, type: Type, make: Callable[[], Value], other: Operand) -> Value:
        """A value that is made under a condition."""
        if isinstance(test, Const):
            return make()
        with self.builder.block() as made:
            value = make()
        result = self.builder.value(value.root, type)
        arms = Block((), tuple(made), (value,)), Block((), (), (other,))
        self.builder.add(Branch((result,), test, *arms, span=self.builder.span))
        return result

    def load(self, array: Operand, place: Place) -> Value:
        index, at = place
        return self.builder.apply("load", array, *at, index=index)

    def store(self, array: Operand, value: Operand, place: Place) -> Value:
        index, at = place
        return self.builder.apply("store", array, value, *at, index=index)

    def hoisted(self, loop: Loop, around: Sequence[Stmt]) -> Loop:
        """The loop without what it reads at one place of an array that it leaves alone."""
        if not any(isinstance(s, Apply) and s.op in STORES for s in walk(loop.body)):
            return loop
        by: dict[str, Operand] = {}
        known: dict[tuple[Operand, Place], Operand] = {}
        left: list[Stmt] = []
        for stmt in loop.body.stmts:
            place = place_of(stmt)
            if place is None or not isinstance(stmt, Apply) or stmt.op != "load":
                left.append(stmt)
                continue
            array = self.before(loop, stmt.args[0], place)
            runs = None
            if stmt.result.type.is_scalar and _is_fixed((place[0], (array, *place[1])), loop):
                runs = self.runs(loop, place, {name_of(array)}, around)
            if runs is None:
                left.append(stmt)
                continue
            if (array, place) not in known:
                type = stmt.result.type
                read = lambda a=array, p=place: self.load(a, p)  # noqa: E731
                known[array, place] = self.when(runs, type, read, zero_of(type.dtype))
            by[stmt.result.name] = known[array, place]
        body = replace(loop.body, stmts=tuple(left))
        return replace(loop, body=substitute_in(body, by)) if by else loop

    def before(self, loop: Loop, array: Operand, place: Place) -> Operand:
        """The array as it was before the loop, if a place of it is left alone there."""
        for param, init, end, _ in carried(loop):
            if param == array and not array.type.is_scalar:
                chain = _chain(loop.body, param, end)
                places = [place_of(s) for s in chain if s.op in STORES]
                if chain and all(p is not None and self.apart(p, place) for p in places):
                    return init
        return array

    def freed(self, loop: Loop) -> Loop:
        """An innermost loop whose sums of a derivative may be added in any order."""
        made = {s.result.name: s for s in loop.body.stmts if isinstance(s, Apply)}
        reads = Counter(v.name for v in reads_of(loop.body))
        sums: dict[str, Apply] = {}
        for param, _, end, _ in carried(loop):
            links: list[Apply] = []
            while name_of(end) in made and reads[name_of(end)] == 1:
                stmt = made[name_of(end)]
                if stmt.op != "add" or stmt.result.name in self.primal:
                    break
                links.append(stmt)
                end = stmt.args[0]
            if end == param and reads[param.name] == 1 and param.type.dtype in WHOLE:
                sums |= {s.result.name: s for s in links if s.result.type.is_scalar}
        stmts = [
            replace(s, op="plus") if isinstance(s, Apply) and s.result.name in sums else s
            for s in loop.body.stmts
        ]
        return replace(loop, body=replace(loop.body, stmts=tuple(stmts)))


WHOLE = ("float64", "complex128")
"""What a store to an array does not round."""


def place_of(stmt: Stmt) -> Place | None:
    """The one entry that a statement reads or writes."""
    if not isinstance(stmt, Apply) or stmt.op not in ("load", *STORES):
        return None
    index, numbers = str(stmt.option("index")), numbers_of(stmt)
    at = axis_by_axis(index, numbers)
    array = stmt.args[0].type
    if at is None or not array.is_array or len(at) != array.rank:
        return None
    return (index, numbers) if all(n.type.is_scalar for n in numbers) else None


def _chain(body: Block, param: Value, end: Operand) -> list[Apply]:
    """All statements that touch the versions of an array in a body; none if one is no entry."""
    names, found = {param.name}, []
    for stmt in body.stmts:
        used = {v.name for v in reads_by(stmt)} & names
        if not used:
            continue
        if not isinstance(stmt, Apply) or place_of(stmt) is None or used != {name_of(stmt.args[0])}:
            return []
        if any(name_of(a) in names for a in stmt.args[1:]):
            return []
        if stmt.op in STORES:
            if stmt.args[1].type.dtype != param.type.dtype:
                return []
            names.add(stmt.result.name)
        found.append(stmt)
    latest = next((s.result.name for s in reversed(found) if s.op in STORES), "")
    return found if latest and name_of(end) == latest else []


def _is_fixed(place: Place, loop: Loop) -> bool:
    """Whether nothing of what a place is computed from changes in a loop."""
    inside = {v.name for v in defined_in(loop.body)} | {loop.index.name}
    return not any(name_of(o) in inside for o in place[1])


def _touches(stmt: Stmt, place: Place, names: set[str]) -> bool:
    """Whether a statement touches the place in one of the versions of an array."""
    if place_of(stmt) != place or not isinstance(stmt, Apply):
        return False
    return bool({name_of(stmt.args[0]), stmt.result.name} & names)
