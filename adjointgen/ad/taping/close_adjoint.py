"""Closing the adjoint: what the reverse sweep reads of the forward sweep, recomputed or recorded.

For every forward block and its reverse the set needed is free(reverse) ∩ defined(forward):
to-be-recorded analysis as a set intersection (Hascoët, Naumann, Pascual 2005). Blocks are closed
from the inside out, so that what an inner reverse block recomputes becomes a need of the outer
ones. A needed value is

* recomputed, if it follows from what the reverse sweep has anyway: loop indices, values from
  outside the loop, arrays that the reverse sweep restores (then iterations are independent of each
  other, or nearly so, and nothing is kept);
* recomputed, if it follows by cheap arithmetic from what is recorded;
* recorded, otherwise: `Record` after its definition, `Replay` before its first use.

Element reads of an array that is overwritten can be recorded one by one, or the array restored
by undoing its stores, each with the element it overwrote; the cheaper is chosen per array.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ad.modes.adjoint import Open
from adjointgen.ad.modes.adjoint_state import Path
from adjointgen.ad.taping.recompute_or_record import plan
from adjointgen.ad.taping.recording_plan import Plan, Scope
from adjointgen.ad.taping.restore_arrays import read_across, worth_restoring
from adjointgen.ad.taping.reverse_lengths import Held, measured_in
from adjointgen.ad.taping.shape_only_needs import Sizing, sizing
from adjointgen.ad.taping.tape_sharing import handed_on
from adjointgen.analysis.values.maybe_undefined import undefined
from adjointgen.errors import InternalError
from adjointgen.ir.edit import name_of, rebuild, substitute_stmt
from adjointgen.ir.nodes import (
    NESTED,
    Apply,
    Block,
    Branch,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    defined_in,
    reads_of,
    results_of,
    walk,
)
from adjointgen.ir.text import show
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names


def record(
    program: Open,
    recompute: bool = True,
    restore: bool = True,
    hoist: bool = True,
    apart: bool = False,
) -> Function:
    """The adjoint program with every value in scope. Its loops and branches are tied no more.

    Without `recompute` every needed value is recorded; without `restore` no array is restored for
    the sake of its elements; without `hoist` what a loop reads of the forward sweep is read in it.
    `apart` says that the sweeps will be two functions.
    """
    keep = worth_restoring(program) if restore else frozenset()
    names = Names.of(program.function)
    function = dead(program.function, keep)
    program = replace(program, standing=_left(program.standing, function))
    pairs = frozenset(s.pair for s in walk(function.body) if isinstance(s, NESTED))
    shapeless, shapes = undefined(function.body), sizing(function.body, names)
    work = _Close(program, names, recompute, pairs, int(apart), shapeless, shapes, hoist)
    closed = work.top(function.body)
    if lost := read_across(closed):
        raise InternalError(
            f"the adjoint reads {', '.join(sorted(lost))} out of scope", show(closed)
        )
    return replace(function, body=_untied(closed))


def _left(standing: Mapping[str, Apply], function: Function) -> dict[str, Apply]:
    """The elements of arrays that the program still has."""
    defined = {value.name for value in defined_in(function.body)}
    return {k: load for k, load in standing.items() if name_of(load.args[0]) in defined}


def _untied(block: Block) -> Block:
    """The block without pairs; a forward block without a reverse has some inside still."""
    if not any(stmt.pair for stmt in walk(block) if isinstance(stmt, NESTED)):
        return block
    stmts: list[Stmt] = []
    for stmt in block.stmts:
        made = stmt
        if isinstance(stmt, NESTED):
            untied = replace(stmt, pair=0)
            made = rebuild(untied, lambda operand: operand, _untied)
        stmts.append(made)
    return replace(block, stmts=tuple(stmts))


@dataclass(frozen=True, slots=True)
class _Close:
    """Closes blocks, inner ones first.

    `visible` are the values in scope around the reverse block at hand, and before it; those that
    are `shapeless` may not be defined there.
    """

    program: Open
    names: Names
    recompute: bool
    pairs: frozenset[int]
    depth: int
    shapeless: frozenset[str]
    shapes: Sizing
    hoist: bool
    visible: dict[str, Value] = field(default_factory=dict)

    def top(self, body: Block) -> Block:
        """The function's body: both sweeps stand in it, so only their blocks need closing."""
        self.visible.update({p.name: p for p in body.params})
        closed = self.nested(body.stmts, body.stmts, self.depth, ())
        return replace(body, stmts=tuple(closed.get(id(s), s) for s in body.stmts))

    def nested(
        self, forward: tuple[Stmt, ...], reverse: tuple[Stmt, ...], depth: int, path: Path
    ) -> dict[int, Stmt]:
        """The closed statements among the given ones, by identity."""
        first: dict[int, Stmt] = {}
        closed: dict[int, Stmt] = {}
        for stmt in () if forward is reverse else forward:
            if isinstance(stmt, NESTED) and stmt.pair:
                first[stmt.pair] = stmt
                closed[id(stmt)] = replace(stmt, pair=0)
        for stmt in reverse:
            if isinstance(stmt, NESTED) and stmt.pair:
                twin = first.setdefault(stmt.pair, stmt)
                closed[id(stmt)] = replace(stmt, pair=0)
                if twin is not stmt:
                    closed[id(twin)], closed[id(stmt)] = self.twins(twin, stmt, depth, path)
            self.visible.update({r.name: r for r in results_of(stmt)})
        return closed

    def twins(self, forward: Stmt, reverse: Stmt, depth: int, path: Path) -> tuple[Stmt, Stmt]:
        match forward, reverse:
            case (Loop() | While()), Loop():
                self.visible[reverse.index.name] = reverse.index
                inner, index = (*path, (forward.pair, 0)), reverse.index.name
                f, r = self.close(forward.body, reverse.body, depth + 1, inner, index)
                closed = replace(forward, body=f, pair=0), replace(reverse, body=r, pair=0)
                return handed_on(*closed, self.names) if self.recompute else closed
            case Branch(), Branch():
                f1, r1 = self.close(forward.then, reverse.then, depth, (*path, (forward.pair, 0)))
                f2, r2 = self.close(
                    forward.orelse, reverse.orelse, depth, (*path, (forward.pair, 1))
                )
                return (
                    replace(forward, then=f1, orelse=f2, pair=0),
                    replace(reverse, then=r1, orelse=r2, pair=0),
                )
            case _:
                raise AssertionError("a pair of unlike statements")

    def close(
        self, forward: Block, reverse: Block, depth: int, path: Path, index: str = ""
    ) -> tuple[Block, Block]:
        """One forward block and its reverse, the blocks inside them first."""
        mine = {
            v.name for v in (*reverse.params, *(r for s in reverse.stmts for r in results_of(s)))
        }
        self.visible.update({p.name: p for p in reverse.params})
        closed = self.nested(forward.stmts, reverse.stmts, depth, path)
        for name in mine:
            self.visible.pop(name, None)
        forward = replace(forward, stmts=tuple(closed.get(id(s), s) for s in forward.stmts))
        reverse = replace(reverse, stmts=tuple(closed.get(id(s), s) for s in reverse.stmts))
        defined = {v.name for v in defined_in(forward)}
        held = Held((*reverse.params, *self.visible.values()), self.shapeless)
        reverse = measured_in(reverse, defined, held)
        forward, reverse = self.shapes.close(forward, reverse, defined, held)
        decided = plan(
            forward,
            reverse,
            self.program,
            Scope(self.visible, path, self.pairs, self.shapeless, index if self.hoist else ""),
            depth > 0 and self.recompute,
        )
        slots = {v.name: self.names.fresh(f"{v.root or v.name}_tape") for v in decided.recorded}
        return _recording(forward, decided, slots), self.replaying(reverse, decided, slots)

    def replaying(self, block: Block, decided: Plan, slots: dict[str, str]) -> Block:
        """The reverse block with each needed value provided before its first use."""
        provide = _Provide(self, decided, slots)
        for position, stmt in enumerate(block.stmts):
            for value in (*decided.early.get(position, ()), *_free(stmt)):
                provide.value(value)
            provide.made.append(substitute_stmt(stmt, provide.held))
        for end in block.yields:
            provide.value(end)
        yields = tuple(provide.operand(end) for end in block.yields)
        return replace(block, stmts=tuple(provide.made), yields=yields)


def _free(stmt: Stmt) -> list[Value]:
    """What a statement reads from outside itself, in order."""
    if isinstance(stmt, Apply):
        return [a for a in dict.fromkeys(stmt.args) if isinstance(a, Value)]
    block = Block((), (stmt,), ())
    inside = {v.name for v in defined_in(block)}
    return [v for v in dict.fromkeys(reads_of(block)) if v.name not in inside]


def _recording(block: Block, decided: Plan, slots: dict[str, str]) -> Block:
    """The forward block with each recorded value pushed as soon as it is defined."""
    stmts: list[Stmt] = [Record(slots[p.name], p) for p in block.params if p.name in slots]
    for stmt in block.stmts:
        stmts.append(stmt)
        stmts += [Record(slots[r.name], r, stmt.span) for r in results_of(stmt) if r.name in slots]
    return replace(block, stmts=tuple(stmts))


class _Provide:
    """Statements that make needed values available in a reverse block, as they come up."""

    def __init__(self, close: _Close, decided: Plan, slots: dict[str, str]) -> None:
        self.close = close
        self.decided = decided
        self.slots = slots
        self.made: list[Stmt] = []
        self.held: dict[str, Operand] = {}
        self.order = decided.order

    def value(self, operand: Operand) -> None:
        """Make a needed value available, with all that it is recomputed from."""
        if not isinstance(operand, Value):
            return
        missing = {operand.name: operand}
        stack = [operand]
        while stack:
            for source in self.sources(stack.pop()):
                if source.name not in missing:
                    missing[source.name] = source
                    stack.append(source)
        for name in sorted(missing, key=lambda n: self.order.get(n, 0)):
            self.provide(missing[name])

    def sources(self, value: Value) -> list[Value]:
        """What a value is recomputed from and the reverse sweep does not hold."""
        stmt = self.decided.recomputed.get(value.name)
        if stmt is None or value.name in self.held:
            return []
        held = self.decided.restored_at
        return [a for a in stmt.args if isinstance(a, Value) and held(a, value.name) is None]

    def provide(self, value: Value) -> None:
        """One value: replayed, or recomputed from what is there."""
        name = value.name
        if name in self.held:
            return
        if name in self.slots:
            self.made.append(Replay(self.again(value), self.slots[name]))
        elif name in self.decided.recomputed:
            stmt = self.decided.recomputed[name]
            args = tuple(self.argument(arg, name) for arg in stmt.args)
            results = tuple(self.again(r) for r in stmt.results)
            self.made.append(replace(stmt, results=results, args=args))

    def argument(self, arg: Operand, reader: str) -> Operand:
        held = self.decided.restored_at(arg, reader)
        return self.operand(arg) if held is None else held

    def operand(self, operand: Operand) -> Operand:
        return self.held.get(operand.name, operand) if isinstance(operand, Value) else operand

    def again(self, value: Value) -> Value:
        """The value's counterpart in the reverse sweep."""
        again = replace(value, name=self.close.names.fresh(value.root or value.name))
        self.held[value.name] = again
        return again
