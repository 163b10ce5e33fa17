"""Comprehensions whose number of entries depends on values, as loops that append.

[f(x) for x in xs if x > 0]     r = [];  for x in xs: if x > 0: r.append(f(x))
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from adjointgen.frontend.branches import branch, test_of, truth
from adjointgen.frontend.carry import carry
from adjointgen.frontend.cells import content, hold, new_cell, write
from adjointgen.frontend.context import Context
from adjointgen.frontend.growth import grown, push
from adjointgen.frontend.iterate import Plan, plan
from adjointgen.frontend.liveness import Facts
from adjointgen.frontend.values import Abstract, Ref, Seq
from adjointgen.ir.nodes import Block, Loop, Value
from adjointgen.ir.types import INT
from adjointgen.records import dataclass

Node = ast.ListComp | ast.GeneratorExp
Found = Plan | tuple[Abstract, ...]


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
        if isinstance(found, tuple):
            for entry in found:
                self.enter(generators, entry)
        else:
            self.loop(generators, found)

    def loop(self, generators: Sequence[ast.comprehension], found: Plan) -> None:
        ctx, index = self.ctx, self.ctx.value("", INT, "k")
        sources = [g.iter for g in generators[1:]]
        inside = [part for g in generators for part in (g.target, *g.ifs)]
        parts = ctx.liveness.sequence([*inside, *sources, self.node.elt])
        facts = Facts(parts.gen, parts.kill, parts.binds, writes=frozenset((self.name,)))
        own = frozenset(n for frame, n in ctx.state.names if frame == ctx.frame.number)
        live = (ctx.live | own) - parts.binds

        def body() -> None:
            nonlocal index
            index = ctx.value("", INT, "k")
            self.enter(generators, found.at(index))

        pieces = carry(ctx, self.node, facts, live, body)
        block, span = Block(pieces.params, pieces.stmts, pieces.yields), ctx.span(self.node)
        ctx.add(Loop(pieces.results, index, found.bounds, pieces.inits, block, span=span))
        ctx.state = pieces.after

    def enter(self, generators: Sequence[ast.comprehension], entry: Abstract) -> None:
        self.ctx.actions["assign"](self.ctx, generators[0].target, entry)
        self.passed(generators[0].ifs, generators[1:])

    def passed(self, tests: Sequence[ast.expr], inner: Sequence[ast.comprehension]) -> None:
        """`if test: ...`, one condition in the other."""
        ctx = self.ctx
        if not tests:
            self.deeper(inner)
            return
        value = ctx.expression(tests[0])
        known = truth(ctx, value)
        if known is None:
            names = frozenset(n for frame, n in ctx.state.names if frame == ctx.frame.number)
            test = test_of(ctx, value)
            then = lambda: self.passed(tests[1:], inner)  # noqa: E731
            branch(ctx, test, then, lambda: None, ctx.live | names, tests[0])
        elif known:
            self.passed(tests[1:], inner)

    def deeper(self, inner: Sequence[ast.comprehension]) -> None:
        if inner:
            self.run(inner, plan(self.ctx, self.ctx.expression(inner[0].iter)))
            return
        ctx, owner = self.ctx, self.ctx.get(self.name)
        value = ctx.expression(self.node.elt)
        if grown(ctx, owner) is not None:
            push(ctx, owner, [value], self.node)
            return
        known = content(ctx, owner)
        assert isinstance(owner, Ref) and isinstance(known, Seq)
        write(ctx, owner, Seq((*known.items, hold(ctx, value, "")), "list"))
