"""`for` and `while`, their `else`, and what `break`, `continue` and `return` do inside them.

A jump sets flags and leaves the rest of its path out: `continue` ends the iteration, `break` also
sets the loop's stop flag, and `return` also sets `returned` and the result, which the loop then
carries; after the loop the rest of the function stands under `if not returned`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from adjointgen.frontend.control.backtrack import Mismatch, attempt, tried
from adjointgen.frontend.control.branches import branch, test_of, truth
from adjointgen.frontend.control.carried_loops import carry
from adjointgen.frontend.control.growing_lists import growing, prepare
from adjointgen.frontend.control.loop_fixpoint import Pieces
from adjointgen.frontend.control.none_flags import optionally
from adjointgen.frontend.control.try_flags import leaving
from adjointgen.frontend.domain.abstract_values import OVER as USED_UP
from adjointgen.frontend.domain.abstract_values import UNKNOWN, Abstract, Seq
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.expressions.special_methods import iterated as run_over_by
from adjointgen.frontend.iteration.generator_loops import Driven, drive, is_driven, is_kept, leaves
from adjointgen.frontend.iteration.iteration import peeked, use
from adjointgen.frontend.iteration.kept_containers import kept_containers
from adjointgen.frontend.iteration.lazy_iteration import walk
from adjointgen.frontend.iteration.looked_at import between
from adjointgen.frontend.iteration.loop_plans import (
    FEW,
    Plan,
    Step,
    Walk,
    copied,
    few,
    from_zero,
    observed_indices,
    of_entries,
    of_indices,
)
from adjointgen.frontend.iteration.object_iteration import (
    asked_each,
    check_lengths,
    kept_entries,
    run_over,
)
from adjointgen.frontend.source.directives import schedule_of
from adjointgen.frontend.source.name_liveness import NOTHING, Facts, Names, either, then
from adjointgen.frontend.state.context import BROKEN, JUMPED, NO, RETURNED, STOPPED, YES, Context
from adjointgen.frontend.state.observed_outcomes import iteration
from adjointgen.frontend.state.program_state import OVER
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Block, Loop, Operand, Value
from adjointgen.ir.types import INT, Type
from adjointgen.records import replace

DEEPEST: Final = 24
"""So many iterations may stand each within a branch of the one before."""


def for_(ctx: Context, node: ast.For) -> None:
    after, value = ctx.live, ctx.expression(node.iter)
    with kept_entries(ctx, value, node), kept_containers(ctx, [node.iter], node, value):
        _over(ctx, node, run_over_by(ctx, value, node), after)


def _over(ctx: Context, node: ast.For, iterated: Abstract, after: Names) -> None:
    ctx.node = node
    if (stepped := asked_each(ctx, node, iterated)) is not None:
        ctx.statement(stepped)
        return
    if is_driven(ctx, iterated):
        if not _taken_in_part(ctx, node, iterated, after):
            _driven(ctx, node, iterated, after)
        return
    steps = walk(ctx, iterated)
    with between(ctx, [node.target, *node.body], node.iter, _may_leave(ctx, node)):
        found = None if steps is not None else peeked(ctx, iterated)
    # The loop holds on to what it runs over, whatever becomes of the name.
    over = f"{OVER}{len(ctx.blocks)}"
    ctx.set(over, iterated)
    if isinstance(found, Plan):
        use(ctx, iterated, UNKNOWN)
        optionally(ctx, lambda: _carried(ctx, node, found, iterated, after))
        use(ctx, iterated, UNKNOWN if _may_leave(ctx, node) else USED_UP)
    else:
        before = content(ctx, iterated)
        _unroll(ctx, node, steps or of_entries(found or ()), after)
        if isinstance(before, Seq) and before.kind == "set" and content(ctx, iterated) != before:
            ctx.refuse("AG101", "a set is changed in a loop over it", "loop over `list(...)`")
    ctx.state.names.pop(ctx.key(over), None)


def _taken_in_part(ctx: Context, node: ast.For, iterated: Abstract, after: Names) -> bool:
    """Take entries of a generator one by one, where the loop may leave some that are read later."""
    if not (_may_leave(ctx, node) or leaves(iterated)) or not is_kept(ctx, iterated, after):
        return False
    steps = walk(ctx, iterated)
    if steps is None:
        return False
    made = tried(ctx, lambda: _unroll(ctx, node, steps, after), Kind.UNLIKE)
    return not isinstance(made, Mismatch)


def _driven(ctx: Context, node: ast.For, iterated: Abstract, after: Names) -> None:
    """A loop over a generator."""
    facts = body_facts(ctx, node)
    driven = Driven(iterated, _may_leave(ctx, node))

    def run(live: Names) -> None:
        each = lambda entry: _iteration(ctx, node, Step(lambda: entry), live)  # noqa: E731
        drive(ctx, driven, each, facts, live)

    use(ctx, iterated, UNKNOWN)
    optionally(ctx, lambda: looping(ctx, node, after, run))
    use(ctx, iterated, UNKNOWN if driven.left or leaves(iterated) else USED_UP)


def _may_leave(ctx: Context, node: ast.For) -> bool:
    """Whether a loop may be left before its end."""
    jumps = ctx.liveness.sequence(node.body).jumps
    return bool(jumps & {"break", "return"} or ctx.catching)


def _carried(ctx: Context, node: ast.For, found: Plan, iterated: Abstract, after: Names) -> None:
    """A loop over indices; one of known length that cannot be carried is unrolled."""

    def loop() -> None:
        # What grows in a loop that can be unrolled is known entry by entry.
        with ctx.growth(few(found) is None):
            looping(ctx, node, after, lambda live: _index_loop(ctx, node, found, iterated, live))

    def one_by_one() -> Callable[[], None] | None:
        indices = few(found)
        if indices is None:
            indices = observed_indices(ctx, node.iter, found, iterated)
        if indices is None:
            return None
        return lambda: _unroll(ctx, node, of_indices(found, indices), after)

    attempt(ctx, loop, one_by_one)


def looping(
    ctx: Context, node: ast.For | ast.While, after: Names, run: Callable[[Names], None]
) -> None:
    """Run the loop, then its `else` unless it was broken out of."""
    broken = ctx.flag(BROKEN)
    ctx.set(BROKEN, NO)
    facts = ctx.liveness.of(node)
    outer = ctx.frame.looping
    ctx.live = ctx.frame.looping = after | facts.gen
    with leaving(ctx):
        run(ctx.live)
        ctx.frame.looping = outer
        if "return" in facts.jumps:
            returned = ctx.flag(RETURNED)
            ctx.set(JUMPED, returned)
            ctx.set(STOPPED, returned)
    if facts.kill is None and not ctx.state.dead:
        ctx.state.dead = "return" not in facts.jumps and ctx.flag(JUMPED) == NO
        ctx.set(JUMPED, YES)
        ctx.set(STOPPED, YES)
    was_broken = ctx.flag(BROKEN)
    ctx.set(BROKEN, broken)
    if node.orelse:
        lower = ctx.actions.statements
        known = truth(ctx, was_broken)
        if known is False:
            lower(ctx, node.orelse, after)
        elif known is None:
            orelse = lambda: lower(ctx, node.orelse, after)  # noqa: E731
            branch(ctx, was_broken, lambda: None, orelse, after, node)


def body_facts(ctx: Context, node: ast.For | ast.While) -> Facts:
    """The facts of one iteration, with what the loop variables bind."""
    body = ctx.liveness.sequence(node.body)
    if isinstance(node, ast.For):
        return then(either(ctx.liveness.of(node.target), Facts()), either(body, Facts()))
    return then(ctx.liveness.of(node.test), either(body, Facts()))


def certain(ctx: Context, node: ast.For | ast.While) -> Names:
    """The names that every iteration assigns before it reads them, and before it ends."""
    target = ctx.liveness.of(node.target).binds if isinstance(node, ast.For) else frozenset()
    body = ctx.liveness.sequence(node.body)
    if body.jumps or body.kill is None or ctx.catching:
        return frozenset()
    return target | (body.kill - body_facts(ctx, node).gen)


def _index_loop(ctx: Context, node: ast.For, found: Plan, iterated: Abstract, live: Names) -> None:
    index = ctx.value("", INT, "k")
    facts = body_facts(ctx, node)
    chosen = found.passes is not None
    lists = [] if ctx.catching or chosen else growing(ctx, node, facts, iterated)
    found = from_zero(ctx, found) if lists else found
    root = node.target.id if isinstance(node.target, ast.Name) and found.direct else ""
    filled: list[int] = []

    def body() -> None:
        nonlocal index
        index = ctx.value(root, _index_type(found), "k")
        ctx.growing |= dict.fromkeys(filled, index)
        passes = None if found.passes is None else partial(found.passes, index)
        before = run_over(ctx, iterated)
        _iteration(ctx, node, Step(lambda: found.at(index), passes), live)
        check_lengths(ctx, before)

    if lists:
        filled = prepare(ctx, lists, found.bounds[1], body, node)
    runs = bool(few(found))
    sure = NOTHING if chosen else certain(ctx, node)
    pieces = carry(ctx, node, facts, live, body, sure, runs)
    for cell in filled:
        del ctx.growing[cell]
    _emit_for(ctx, pieces, index, found, node)


def _iteration(ctx: Context, node: ast.For, step: Step, live: Names) -> None:
    """The body with an entry, unless that is left out."""

    def enter() -> None:
        ctx.actions.assign(ctx, node.target, step.make())
        ctx.actions.statements(ctx, node.body, live)

    value = YES if step.passes is None else step.passes()
    known = truth(ctx, value)
    if known is None:
        branch(ctx, test_of(ctx, value), enter, lambda: None, live, node)
    elif known:
        enter()


def _emit_for(ctx: Context, pieces: Pieces, index: Value, found: Plan, node: ast.For) -> None:
    stops = pieces.stop != NO
    trips = ctx.value("", INT, "trips") if stops else None
    yields = (pieces.stop, *pieces.yields) if stops else pieces.yields
    body = Block(pieces.params, pieces.stmts, yields)
    inits, backwards = pieces.inits, found.backwards
    loop = Loop(pieces.results, index, found.bounds, inits, body, backwards, trips)
    kept = schedule_of(ctx.frame.source, node)
    ctx.add(replace(loop, span=ctx.span(node), schedule=kept))
    ctx.state = pieces.after


def _index_type(found: Plan) -> Type:
    dtype = found.bounds[0].type.dtype
    return INT if dtype in ("object", "bool") else Type(dtype)


def _unroll(ctx: Context, node: ast.For, steps: Walk, after: Names) -> None:
    """Entries that are known, one after the other.

    A jump in an unrolled iteration is one of a sequence: the iterations after it stand under the
    flag, each in the branch of the one before where only the run tells which way it goes.
    """
    facts = ctx.liveness.of(node)
    live = after | facts.gen
    inside = 0

    def rest(k: int) -> None:
        nonlocal inside
        if ctx.state.dead or (step := steps(k)) is None:
            return
        if k == FEW or inside > DEEPEST:
            most = f"{FEW} different entries" if k == FEW else f"{DEEPEST} nested iterations"
            ctx.unlike("AG106", f"more than {most} to loop over", "make it an array", node=node)
        copied(ctx, node)
        ctx.live = live
        with iteration(ctx, node, k):
            _iteration(ctx, node, step, live)
        ctx.set(JUMPED, NO)
        inside += truth(ctx, ctx.flag(STOPPED)) is None
        unless(ctx, ctx.flag(STOPPED), lambda: rest(k + 1), live, node)

    def run(_: Names) -> None:
        ctx.set(STOPPED, NO)
        rest(0)
        ctx.set(STOPPED, NO)
        ctx.set(JUMPED, NO)

    looping(ctx, node, after, run)


def unless(
    ctx: Context, flag: Operand, action: Callable[[], object], live: Names, node: ast.AST
) -> None:
    known = truth(ctx, flag)
    if known is None:
        branch(ctx, flag, lambda: None, action, live, node)
    elif not known:
        action()


def break_(ctx: Context, node: ast.Break) -> None:
    for flag in (JUMPED, STOPPED, BROKEN):
        ctx.set(flag, YES)


def continue_(ctx: Context, node: ast.Continue) -> None:
    ctx.set(JUMPED, YES)


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.For: for_,
    ast.Break: break_,
    ast.Continue: continue_,
}
