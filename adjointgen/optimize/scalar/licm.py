"""Loop-invariant code motion: what an iteration does not change is computed before the loop.

    for j in range(n):                          t = -total_bar
        t = -total_bar                          for j in range(n):
        x_bar[j] += t * L[i, j]         ->          x_bar[j] += t * L[i, j]
        L_bar[i, j] += t * x[j]                     L_bar[i, j] += t * x[j]

Only what derivatives compute moves: the user's own statements stay. What could raise, such as a
quotient or an element that may not be there, moves only where the loop is sure to run, or where it
costs so much that asking whether the loop runs is worth a line. Integers stay in the indices that
they are written in. (Loop-invariant code motion: Muchnick 1997, section 13.2.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from adjointgen.analysis.loops.outer_product_sums import range_of
from adjointgen.costs import QUESTION_FROM
from adjointgen.ir.affine import Affine, Forms, is_inside
from adjointgen.ir.edit import is_of_numbers, name_of, rebuild
from adjointgen.ir.nodes import (
    LOOPS,
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
    reads_of,
    results_of,
    walk,
)
from adjointgen.ir.types import BOOL, Dim
from adjointgen.optimize.scalar.cse import consumed, is_pure
from adjointgen.optimize.scalar.load_hoisting import Steady
from adjointgen.records import dataclass, replace
from adjointgen.rules.arrays.indexing import Slice, Slot, numbers_of, parse_index
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.table import TABLE

_Place = tuple[tuple[Dim | None, ...], str, tuple[str, ...]]
SURE = frozenset({"neg", "add", "sub", "mul"})
"""Operations of numbers, and of arrays as long as each other, that do not raise."""


def hoist(function: Function, primal: frozenset[str], compiled: bool = False) -> Function:
    """The function with such computations before its loops.

    A compiler does this by itself with numbers, and makes no arrays of what costs little.
    """
    if not any(isinstance(s, LOOPS) for s in walk(function.body)):
        return function
    work = _Hoisting(function, primal, compiled)
    body = work.block(function.body)
    return replace(function, body=body) if work.changed else function


@dataclass(frozen=True, slots=True)
class _Moved:
    """Statements of a loop that may come before it, in their order."""

    stmts: tuple[Apply, ...]
    raising: bool


class _Hoisting:
    """`box` has the bounds of the indices of the loops around."""

    def __init__(self, function: Function, primal: frozenset[str], compiled: bool) -> None:
        self.primal = primal
        self.compiled = compiled
        self.consumed = frozenset(consumed(function))
        self.builder = Builder(Names.of(function))
        self.box: dict[str, tuple[Affine | None, Affine | None]] = {}
        self.forms = Forms.everywhere(function.body)
        self.steady = Steady(function, self.forms)
        self.changed = False
        self.there: set[str] = set()
        """Elements that were written before the loops that read them."""
        self.accessed: list[set[_Place]] = []
        """Elements that the blocks around read or write in any case, from the outside in."""

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        self.accessed.append({place for s in block.stmts if (place := _place(s)) is not None})
        for stmt in block.stmts:
            if isinstance(stmt, LOOPS):
                stmts += self.loop(stmt)
            else:
                stmts.append(rebuild(stmt, lambda o: o, self.block))
        self.accessed.pop()
        return replace(block, stmts=tuple(stmts))

    def loop(self, loop: Loop | While) -> Iterable[Stmt]:
        """A loop, and before it what does not change in it."""
        if isinstance(loop, Loop):
            bounds = self.forms.bounds(loop)
            self.box[loop.index.name] = (bounds.low, bounds.high)
        loop = replace(loop, body=self.block(loop.body))
        if isinstance(loop, Loop):
            del self.box[loop.index.name]
            if not self.compiled and is_of_numbers(loop.body):
                kept = self.primal | self.consumed
                before = loop
                loop, there = self.steady.read_before(loop, self.box, kept, self.is_there)
                self.changed |= loop is not before
                self.there |= there
        moved = self.moved(loop)
        if not moved.stmts:
            return [loop]
        self.changed = True
        names = {s.result.name: s for s in moved.stmts}
        rest = tuple(s for s in loop.body.stmts if not _is_one(s, names))
        less = replace(loop, body=replace(loop.body, stmts=rest))
        if moved.raising and isinstance(less, Loop):
            return self.asked(less, moved.stmts)
        return [*moved.stmts, less]

    def asked(self, loop: Loop, before: tuple[Apply, ...]) -> Iterable[Stmt]:
        """`if the loop runs: before; loop`."""
        start, stop, _ = loop.bounds
        order = (stop, start) if _direction(loop) > 0 else (start, stop)
        test = Value(self.builder.names.fresh("t"), BOOL)
        values = results_of(loop)
        inside = {v.name: replace(v, name=self.builder.names.fresh(v.name)) for v in values}
        inner = rebuild(loop, lambda o: o, lambda b: b, lambda v: inside.get(v.name, v))
        then = Block((), (*before, inner), tuple(inside[v.name] for v in values))
        ends = (*loop.inits, *((const(0),) if loop.trips else ()))
        yield Apply((test,), "gt", order, span=loop.span)
        yield Branch(values, test, then, Block((), (), ends), span=loop.span)

    def moved(self, loop: Loop | While) -> _Moved:
        """What moves; what may raise only if the loop runs, which is asked for something dear."""
        found = self.invariants(loop)
        if not found:
            return _Moved((), False)
        worth = self.worth(loop, found)
        bold = self.bold(found)
        certain = isinstance(loop, Loop) and bool(range_of(loop))
        dear = any(worth[name] >= QUESTION_FROM for name in bold & worth.keys())
        asked = dear and not certain and _direction(loop) != 0
        roots = worth.keys() if certain or asked else worth.keys() - bold
        return _Moved(tuple(_with_operands(found, roots)), asked)

    def invariants(self, loop: Loop | While) -> dict[str, Apply]:
        """The statements of the body that read nothing that the loop changes, by their results."""
        inside = {p.name for p in loop.body.params}
        if isinstance(loop, Loop):
            inside.add(loop.index.name)
        found: dict[str, Apply] = {}
        for stmt in loop.body.stmts:
            if isinstance(stmt, Apply) and self.may_move(stmt, inside):
                found[stmt.result.name] = stmt
            else:
                inside.update(r.name for r in results_of(stmt))
        return found

    def may_move(self, stmt: Apply, inside: set[str]) -> bool:
        if not is_pure(stmt) or len(stmt.results) != 1:
            return False
        name = stmt.result.name
        if name in self.primal or name in self.consumed:
            return False
        return inside.isdisjoint(a.name for a in stmt.args if isinstance(a, Value))

    def worth(self, loop: Loop | While, found: Mapping[str, Apply]) -> dict[str, float]:
        """What the rest of the body reads that is worth a line before the loop, and its cost."""
        numbers = not self.compiled and is_of_numbers(loop.body)
        rest = tuple(s for s in loop.body.stmts if not _is_one(s, found))
        uses = Counter(v.name for v in reads_of(replace(loop.body, stmts=rest)))
        read = frozenset(uses)
        uses.update(name_of(a) for s in found.values() for a in s.args)
        cost: dict[str, float] = {}
        worth: dict[str, float] = {}
        for name, stmt in found.items():
            inside = {name_of(a) for a in stmt.args if uses[name_of(a)] == 1}
            cost[name] = TABLE[stmt.op].cost + sum(cost.get(a, 0.0) for a in inside)
            if name not in read:
                continue
            if not stmt.result.type.is_scalar:
                pays = self.is_dear(stmt, cost[name])
            else:
                pays = numbers and (uses[name] > 1 or cost[name] >= 2.0 or stmt.op == "load")
                pays = pays and stmt.result.type.is_differentiable
            if pays:
                worth[name] = cost[name]
        return worth

    def is_dear(self, stmt: Apply, cost: float) -> bool:
        """Whether an array is worth its storage while the loop runs."""
        return cost >= (QUESTION_FROM if self.compiled else 1.0) and not TABLE[stmt.op].alias

    def bold(self, found: Mapping[str, Apply]) -> set[str]:
        """What may raise, or needs what may."""
        bold: set[str] = set()
        for name, stmt in found.items():
            if not self.is_sure(stmt) or any(name_of(a) in bold for a in stmt.args):
                bold.add(name)
        return bold

    def is_sure(self, stmt: Apply) -> bool:
        """Whether a statement does not raise, whatever its numbers are."""
        if stmt.op == "load":
            return stmt.result.name in self.there or self.is_there(stmt)
        shapes = {a.type.shape for a in stmt.args if not a.type.is_scalar}
        known = all(shape is not None and None not in shape for shape in shapes)
        return stmt.op in SURE and known and len(shapes) <= 1

    def is_there(self, load: Apply) -> bool:
        """Whether every place that a part is taken at is inside the array, or read anyway."""
        place = _place(load)
        if any(place in around for around in self.accessed):
            return True
        operands = numbers_of(load)
        shape = load.args[0].type.shape or ()
        for axis, item in enumerate(parse_index(str(load.option("index")))):
            if isinstance(item, Slice):
                continue
            if not isinstance(item, int | Slot) or axis >= len(shape):
                return False
            at = operands[item.number] if isinstance(item, Slot) else const(item)
            if not self.is_inside(at, shape[axis]):
                return False
        return True

    def is_inside(self, place: Operand, length: Dim | None) -> bool:
        form = self.forms.of(place) if place.type.is_scalar else None
        return form is not None and length is not None and is_inside(form, length, self.box)


def _place(stmt: Stmt) -> _Place | None:
    """The element or part that a statement reads or writes, in arrays of a shape that is known."""
    if not isinstance(stmt, Apply) or not (stmt.op == "load" or stmt.op in STORES):
        return None
    shape = stmt.args[0].type.shape
    if shape is None or None in shape:
        return None
    return shape, str(stmt.option("index")), tuple(map(_named, numbers_of(stmt)))


def _named(operand: Operand) -> str:
    return operand.name if isinstance(operand, Value) else repr(operand.value)


def _direction(loop: Loop | While) -> int:
    """Whether a loop's range goes up or down, as far as that is known."""
    match loop:
        case Loop(bounds=(_, _, Const(value=int(step)))):
            return step
        case _:
            return 0


def _is_one(stmt: Stmt, found: Mapping[str, Apply]) -> bool:
    return isinstance(stmt, Apply) and len(stmt.results) == 1 and stmt.result.name in found


def _with_operands(found: Mapping[str, Apply], roots: Collection[str]) -> Iterator[Apply]:
    """The statements that make these, in their order."""
    needed = set(roots)
    for name in reversed([*found]):
        if name in needed:
            needed.update(name_of(a) for a in found[name].args)
    return (stmt for name, stmt in found.items() if name in needed)
