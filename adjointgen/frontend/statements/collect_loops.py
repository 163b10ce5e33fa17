"""Comprehensions whose number of entries depends on values, as loops that append.

[f(x) for x in xs if x > 0]     r = [];  for x in xs: if x > 0: r.append(f(x))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count as count_from

from adjointgen.frontend.control.branches import branch, test_of, truth
from adjointgen.frontend.control.carried_loops import carry
from adjointgen.frontend.control.growing_lists import grown, push
from adjointgen.frontend.control.row_lists import is_rows, put_row
from adjointgen.frontend.domain.abstract_values import UNKNOWN, Abstract, Ref, Seq
from adjointgen.frontend.expressions.special_methods import iterated
from adjointgen.frontend.expressions.subscripts import assign_part
from adjointgen.frontend.iteration.generator_loops import Driven, drive, is_driven
from adjointgen.frontend.iteration.iteration import plan, use
from adjointgen.frontend.iteration.looked_at import between, parts_of
from adjointgen.frontend.iteration.loop_plans import Plan, Step, Walk, of_entries
from adjointgen.frontend.source.name_liveness import Facts, Names
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, write
from adjointgen.ir.nodes import Block, Loop, Operand, Value
from adjointgen.ir.types import INT
from adjointgen.records import dataclass

Node = ast.ListComp | ast.GeneratorExp
Found = Plan | Driven | tuple[Abstract, ...] | Walk


def collected(ctx: Context, node: Node, found: Found) -> Abstract:
    """The results as a list."""
    name = f"%list{len(ctx.info)}"
    ctx.set(name, new_cell(ctx, Seq((), "list"), ""))
    _Collecting(ctx, node, name).run(node.generators, found)
    result = ctx.state.names.pop(ctx.key(name))
    assert isinstance(result, Ref)
    held = ctx.state.cells[result.cell]
    return held if isinstance(held, Value) else result


@dataclass(frozen=True, slots=True)
class _Collecting:
    """A comprehension, and the name of the list that it fills."""

    ctx: Context
    node: Node
    name: str

    def run(self, generators: Sequence[ast.comprehension], found: Found) -> None:
        """`for target in found: ...`, one by one where the entries are known."""
        if isinstance(found, Plan):
            self.loop(generators, found)
            return
        if isinstance(found, Driven):
            self.driven(generators, found)
            return
        steps = of_entries(found) if isinstance(found, tuple) else found
        for k in count_from(0):
            step = steps(k)
            if step is None:
                return
            self.one(generators, step)

    def one(self, generators: Sequence[ast.comprehension], step: Step) -> None:
        """An entry, if it is not left out."""

        def enter() -> None:
            self.enter(generators, step.make())

        if step.passes is None:
            enter()
        else:
            self.where(step.passes(), enter, generators[0].iter)

    def driven(self, generators: Sequence[ast.comprehension], found: Driven) -> None:
        """The entries of a generator."""
        facts, live = self.facts(generators)
        use(self.ctx, found.value, UNKNOWN)
        each = lambda entry: self.one(generators, Step(lambda: entry))  # noqa: E731
        drive(self.ctx, found, each, facts, live)
        use(self.ctx, found.value)

    def facts(self, generators: Sequence[ast.comprehension]) -> tuple[Facts, Names]:
        """The facts of an iteration, and what is live after the loop."""
        ctx = self.ctx
        sources = [g.iter for g in generators[1:]]
        inside = [part for g in generators for part in (g.target, *g.ifs)]
        parts = ctx.liveness.sequence([*inside, *sources, self.node.elt])
        facts = Facts(parts.gen, parts.kill, parts.binds, writes=frozenset((self.name,)))
        return facts, _live(ctx, [g.target for g in generators])

    def loop(self, generators: Sequence[ast.comprehension], found: Plan) -> None:
        ctx = self.ctx
        facts, live = self.facts(generators)

        def body(index: Operand) -> None:
            passes = None if found.passes is None else partial(found.passes, index)
            self.one(generators, Step(lambda: found.at(index), passes))

        counted_loop(ctx, self.node, facts, live, found, body)

    def enter(self, generators: Sequence[ast.comprehension], entry: Abstract) -> None:
        self.ctx.actions.assign(self.ctx, generators[0].target, entry)
        self.passed(generators[0].ifs, generators[1:])

    def passed(self, tests: Sequence[ast.expr], inner: Sequence[ast.comprehension]) -> None:
        """`if test: ...`, one condition in the other."""
        if not tests:
            self.deeper(inner)
            return
        then = lambda: self.passed(tests[1:], inner)  # noqa: E731
        self.where(self.ctx.expression(tests[0]), then, tests[0])

    def where(self, value: Abstract, then: Callable[[], None], node: ast.AST) -> None:
        """`if value: then()`."""
        ctx = self.ctx
        known = truth(ctx, value)
        if known is None:
            names = frozenset(n for frame, n in ctx.state.names if frame == ctx.frame.number)
            branch(ctx, test_of(ctx, value), then, lambda: None, ctx.live | names, node)
        elif known:
            then()

    def deeper(self, inner: Sequence[ast.comprehension]) -> None:
        if inner:
            over = iterated(self.ctx, self.ctx.expression(inner[0].iter), self.node)
            if is_driven(self.ctx, over):
                self.run(inner, Driven(over))
                return
            with between(self.ctx, parts_of(inner, self.node.elt), inner[0].iter):
                found = plan(self.ctx, over)
            self.run(inner, found)
            return
        ctx, owner = self.ctx, self.ctx.get(self.name)
        value = ctx.expression(self.node.elt)
        if grown(ctx, owner) is not None:
            push(ctx, owner, [value], self.node)
            return
        known = content(ctx, owner)
        if is_rows(known):
            put_row(ctx, known, value, self.node)
            return
        if not isinstance(owner, Ref) or not isinstance(known, Seq):
            what = "a list whose length depends on the numbers has entries of no one kind"
            ctx.unlike("AG106", what, "collect numbers, or arrays of one shape", node=self.node)
        write(ctx, owner, Seq((*known.items, hold(ctx, value, "")), "list"))


def fill(
    ctx: Context, node: ast.AST, target: ast.expr, element: ast.expr, name: str, found: Plan
) -> None:
    """`for k, target in ...: name[k] = element`, for a comprehension."""
    parts = ctx.liveness.sequence([target, element])
    facts = Facts(parts.gen, parts.kill, parts.binds, writes=frozenset((name,)))
    live = _live(ctx, [target])

    def body(index: Operand) -> None:
        ctx.actions.assign(ctx, target, found.at(index))
        value = ctx.expression(element)
        assign_part(ctx, ctx.get(name), index, value, node)

    counted_loop(ctx, node, facts, live, found, body)


def _live(ctx: Context, targets: Sequence[ast.expr]) -> Names:
    """What may be read after a comprehension: what `:=` binds in it is bound outside of it."""
    named = frozenset(n for frame, n in ctx.state.names if frame == ctx.frame.number)
    return (ctx.live | named) - ctx.liveness.sequence(targets).binds


def counted_loop(
    ctx: Context,
    node: ast.AST,
    facts: Facts,
    live: Names,
    found: Plan,
    body: Callable[[Operand], None],
) -> None:
    """Append a loop that is known to run to its end, its body given by its index."""
    indices: list[Value] = []

    def once() -> None:
        indices.append(ctx.value("", INT, "k"))
        body(indices[-1])

    pieces = carry(ctx, node, facts, live, once)
    block, span = Block(pieces.params, pieces.stmts, pieces.yields), ctx.span(node)
    ctx.add(Loop(pieces.results, indices[-1], found.bounds, pieces.inits, block, span=span))
    ctx.state = pieces.after
