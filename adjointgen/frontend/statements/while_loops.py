"""`while` loops, and those of them that are known iteration by iteration.

What cannot be carried is lowered iteration by iteration, as far as its tests are known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.control.backtrack import attempt
from adjointgen.frontend.control.branches import branch, test_of, truth
from adjointgen.frontend.control.carried_loops import carry
from adjointgen.frontend.control.loop_fixpoint import Pieces
from adjointgen.frontend.control.none_flags import optionally
from adjointgen.frontend.iteration.loop_plans import DEEP, FEW
from adjointgen.frontend.source.directives import schedule_of
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.context import JUMPED, NO, STOPPED, YES, Context
from adjointgen.frontend.state.observed_outcomes import iteration, went
from adjointgen.frontend.statements.loops import body_facts, certain, looping, unless
from adjointgen.ir.nodes import Apply, Block, Const, Operand, Stmt, While, walk
from adjointgen.ir.types import BOOL, INT
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE


def while_(ctx: Context, node: ast.While) -> None:
    """What cannot be carried is lowered iteration by iteration, as far as tests are known."""
    after = ctx.live

    def loop(run: Callable[[Context, ast.While, Names], None]) -> None:
        looping(ctx, node, after, lambda live: run(ctx, node, live))

    def one_by_one() -> Callable[[], None] | None:
        with ctx.block(ctx.state.fork()), iteration(ctx, node, -1):
            known = _known(ctx, node)
        return None if known is None else lambda: loop(_while_known)

    optionally(ctx, lambda: attempt(ctx, lambda: loop(_while), one_by_one))


def _known(ctx: Context, node: ast.While) -> bool | None:
    """Whether there is another iteration."""
    value = ctx.asked(node.test)
    known = truth(ctx, value)
    return went(ctx, node.test, value) if known is None else known


def _while_known(ctx: Context, node: ast.While, live: Names) -> None:
    """`while items:` over a list that shrinks."""

    def rest(count: int, depth: int) -> None:
        if ctx.state.dead:
            return
        ctx.live = live
        with iteration(ctx, node, count - 1):
            known = _known(ctx, node)
        if known is None or count == FEW or depth == DEEP:
            ctx.unlike(
                "AG106",
                "a list changes its length in a loop that is not known iteration by iteration",
                "use an array of fixed shape, and count the entries in use",
                node=node,
            )
        if known:
            with iteration(ctx, node, count):
                ctx.actions.statements(ctx, node.body, live)
            ctx.set(JUMPED, NO)
            stopped = ctx.flag(STOPPED)
            below = depth + (truth(ctx, stopped) is None)
            unless(ctx, stopped, lambda: rest(count + 1, below), live, node)

    ctx.set(STOPPED, NO)
    rest(0, 0)
    ctx.set(STOPPED, NO)
    ctx.set(JUMPED, NO)


def _while(ctx: Context, node: ast.While, live: Names) -> None:
    in_body = any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test))
    tests: list[Stmt] = []
    test: Operand = YES

    def body() -> None:
        nonlocal in_body, tests, test
        if in_body:
            _stop_unless(ctx, node, live)
            return
        start = ctx.state
        with ctx.block(ctx.state.fork()) as tests:
            before = dict(ctx.state.cells)
            ctx.live = live
            value = ctx.asked(node.test)
            known = truth(ctx, value)
            test = test_of(ctx, value) if known is None else Const(known, BOOL)
            changed = any(ctx.state.cells[cell] != held for cell, held in before.items())
        if _asks_others(tests):
            # The reverse sweep answers what the body sends, and does not ask again whether to stop.
            in_body, tests, test, ctx.state = True, [], YES, start
            return body()
        if changed:
            ctx.refuse(
                "AG101",
                "the test of this while writes into an array",
                node=node.test,
                help="write `while True:` and break",
            )
        ctx.actions.statements(ctx, node.body, live)

    pieces = carry(ctx, node, body_facts(ctx, node), live, body, certain(ctx, node))
    _emit_while(ctx, pieces, Block(pieces.params, tuple(tests), (test,)), node)


def _asks_others(tests: list[Stmt]) -> bool:
    """Whether a test sends a message to another process."""
    every = walk(Block((), tuple(tests), ()))
    return any(isinstance(stmt, Apply) and TABLE.get(stmt.op).message for stmt in every)


def _stop_unless(ctx: Context, node: ast.While, live: Names) -> None:
    """`if not test: stop`, then the body: for a test that assigns names which the body reads."""
    value = ctx.asked(node.test)
    known = truth(ctx, value)

    def go_on() -> None:
        ctx.actions.statements(ctx, node.body, live)

    def stop() -> None:
        ctx.set(JUMPED, YES)
        ctx.set(STOPPED, YES)

    if known is not None:
        (go_on if known else stop)()
    else:
        branch(ctx, test_of(ctx, value), go_on, stop, live, node)


def _emit_while(ctx: Context, pieces: Pieces, test: Block, node: ast.While) -> None:
    breaks = pieces.stop != NO
    yields = (pieces.stop, *pieces.yields) if breaks else pieces.yields
    body = Block(pieces.params, pieces.stmts, yields)
    trips = ctx.value("", INT, "trips")
    loop = While(pieces.results, trips, pieces.inits, test, body, breaks, span=ctx.span(node))
    ctx.add(replace(loop, schedule=schedule_of(ctx.frame.source, node)))
    ctx.state = pieces.after


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.While: while_}
