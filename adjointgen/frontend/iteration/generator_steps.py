"""Generators of which entries are taken one by one: what is left of the body is known.

    g = steps(x);  a = next(g);  b = next(g)    the body up to its first `yield`, then on to another

A body is a stack of what is left of its blocks and loops. Tests and loops with a `yield` inside
have to be known when the program is generated; what stands between is lowered as it is.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import (
    OVER,
    UNKNOWN,
    Abstract,
    Generator,
    Ref,
    Struct,
)
from adjointgen.frontend.iteration.generator_loops import body
from adjointgen.frontend.iteration.iteration import peeked, use
from adjointgen.frontend.iteration.loop_plans import Plan, Walk, copied, few, of_entries, of_indices
from adjointgen.frontend.source.generator_bodies import ITEM, Hand, hands, inside
from adjointgen.frontend.state.context import JUMPED, NO, Context
from adjointgen.frontend.state.storage_cells import hold
from adjointgen.ir.nodes import Const
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import const

_JUMPS = (ast.Return, ast.Break, ast.Continue)


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a block."""

    stmts: tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """A loop, and how many of its entries were taken."""

    node: ast.For | ast.While
    steps: Walk | None
    taken: int


Left = tuple[Rest | Running, ...]


def advanced(ctx: Context, owner: Ref) -> tuple[Abstract] | None:
    """The next entry of the generator in a cell, which goes on to it; None at its end."""
    held = ctx.state.cells[owner.cell]
    assert isinstance(held, Struct)
    made, at = held.items
    assert isinstance(made, Generator)
    if not isinstance(at, Const) or at.value == UNKNOWN:
        what = "how many entries this generator has given is not known here"
        ctx.unlike("AG106", what, "make a list, and use an index")
    if ctx.catching:
        ctx.refuse("AG101", "a generator runs inside `try`", "take its entries before")
    if at.value == OVER:
        return None
    assert isinstance(at.value, int)
    ctx.state.cells[owner.cell] = held.of((made, const(UNKNOWN)))
    frame = ctx.frames[made.frame]
    first: Left = (Rest(tuple(body(ctx, frame, False))),)
    outer = ctx.frame, ctx.live, ctx.node
    ctx.frame = frame
    found, left = _Stepping(ctx).entry(first if made.left is None else made.left)
    ctx.frame, ctx.live, ctx.node = outer
    place = OVER if found is None else at.value + 1
    ctx.state.cells[owner.cell] = held.of((Generator(made.frame, left), const(place)))
    return found


@dataclass(frozen=True, slots=True)
class _Stepping:
    ctx: Context

    def entry(self, left: Left) -> tuple[tuple[Abstract] | None, Left]:
        """The next entry, and what is left then."""
        ctx = self.ctx
        while left and not ctx.state.dead:
            ctx.live = ctx.frame.locals | {ITEM}
            top, *others = left
            below = tuple(others)
            if isinstance(top, Running):
                left = self.turn(top, below)
            elif not top.stmts:
                left = below
            else:
                stmt, *rest = top.stmts
                left = (Rest(tuple(rest)), *below)
                ctx.node = stmt
                if isinstance(stmt, Hand):
                    return (hold(ctx, ctx.expression(stmt.value), ""),), left
                left = self.statement(stmt, left)
        return None, ()

    def statement(self, stmt: ast.stmt, left: Left) -> Left:
        """What is left after a statement, of which no entry came."""
        ctx = self.ctx
        match stmt:
            case ast.Return(value=value):
                if value is not None:
                    ctx.expression(value)
                return ()
            case ast.Break() | ast.Continue():
                while not isinstance(left[0], Running):
                    left = left[1:]
                return left[1:] if isinstance(stmt, ast.Break) else left
            case ast.If() if hands(stmt) or any(isinstance(n, _JUMPS) for n in inside([stmt])):
                return (Rest(tuple(stmt.body if self.holds(stmt.test) else stmt.orelse)), *left)
            case ast.For() if hands(stmt):
                return (Running(stmt, self.over(stmt), 0), *left)
            case ast.While() if hands(stmt):
                return (Running(stmt, None, 0), *left)
            case ast.Try() if hands(stmt):
                what = "entries of a generator with `finally` are taken one by one"
                ctx.refuse("AG101", what, "loop over it", node=stmt)
        ctx.actions.statements(ctx, [stmt], ctx.live)
        if ctx.flag(JUMPED) != NO:
            self.unknown(stmt)
        return left

    def holds(self, test: ast.expr) -> bool:
        known = truth(self.ctx, self.ctx.asked(test))
        return self.unknown(test) if known is None else known

    def unknown(self, node: ast.AST) -> bool:
        what = "how far a generator goes is not known, of which entries are taken one by one"
        return self.ctx.unlike("AG106", what, "loop over it", node=node)

    def over(self, node: ast.For) -> Walk:
        """The entries of a loop of the generator."""
        ctx = self.ctx
        value = hold(ctx, ctx.expression(node.iter), "")
        steps: Walk | None = ctx.actions.walk(ctx, value)
        if steps is not None:
            return steps
        found = peeked(ctx, value)
        use(ctx, value, UNKNOWN)
        if not isinstance(found, Plan):
            return of_entries(found)
        indices = few(found)
        if indices is None:
            self.unknown(node.iter)
        assert indices is not None
        return of_indices(found, indices)

    def turn(self, loop: Running, below: Left) -> Left:
        """Another iteration of a loop, or what follows it."""
        ctx, node = self.ctx, loop.node
        copied(ctx, node)
        ctx.node = node
        again = Running(node, loop.steps, loop.taken + 1)
        if isinstance(node, ast.While):
            if not self.holds(node.test):
                return (Rest(tuple(node.orelse)), *below)
            return (Rest(tuple(node.body)), again, *below)
        assert loop.steps is not None
        step = loop.steps(loop.taken)
        if step is None:
            return (Rest(tuple(node.orelse)), *below)
        known = True if step.passes is None else truth(ctx, step.passes())
        if known is None:
            self.unknown(node.iter)
        if not known:
            return (again, *below)
        ctx.actions.assign(ctx, node.target, step.make())
        return (Rest(tuple(node.body)), again, *below)
