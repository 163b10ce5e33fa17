"""Comprehensions, as the loops that they abbreviate.

    [f(x) for x in xs]      r = [0.0] * len(xs);  for k, x in enumerate(xs): r[k] = f(x)
    sum(f(x) for x in xs)   the same, and then its sum

Over entries that are known it is the tuple of the results. The target is local, so its name gets
back what it had before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.control.backtrack import attempt, or_none
from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.control.growing_lists import filled
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Lazy,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.domain.constant_bounds import ENTRIES
from adjointgen.frontend.expressions.special_methods import iterated as run_over_by
from adjointgen.frontend.iteration.generator_expressions import (
    ENTRY,
    ROW,
    check_names,
    generator,
)
from adjointgen.frontend.iteration.generator_loops import Driven, is_driven
from adjointgen.frontend.iteration.iteration import entries, has_generator, plan, use
from adjointgen.frontend.iteration.kept_containers import kept_containers
from adjointgen.frontend.iteration.lazy_iteration import each, walk
from adjointgen.frontend.iteration.looked_at import between, objects_in, parts_of
from adjointgen.frontend.iteration.loop_plans import (
    Plan,
    Walk,
    copied,
    count,
    few,
    from_zero,
    observed_indices,
    of_entries,
    of_indices,
)
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import expression as as_written
from adjointgen.frontend.state.observed_outcomes import iteration, went
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, read, shown_type
from adjointgen.frontend.statements.collect_loops import collected, fill
from adjointgen.ir.nodes import Apply, Value
from adjointgen.ir.types import INT, OBJECT, Type
from adjointgen.records import replace

Node = ast.ListComp | ast.GeneratorExp


def comprehension(ctx: Context, node: Node) -> Abstract:
    """The results as a list."""
    check_names(ctx, node.generators)
    generator, *inner = node.generators
    iterated = run_over_by(ctx, ctx.expression(generator.iter), node)
    names = {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
    kept = kept_containers(ctx, [generator.iter], node)
    with kept, ctx.bound_inside(sorted(names)):
        if not inner:
            return _single(ctx, node, generator, iterated)
        if is_driven(ctx, iterated):
            return collected(ctx, node, Driven(iterated))
        gathered = lambda: _gathered(ctx, node, iterated)  # noqa: E731
        return attempt(ctx, lambda: _nested(ctx, node, iterated), lambda: gathered)


def _gathered(ctx: Context, node: Node, iterated: Abstract) -> Abstract:
    with between(ctx, parts_of(node.generators, node.elt), node.generators[0].iter):
        found = plan(ctx, iterated)
    return collected(ctx, node, found)


def as_list(ctx: Context, lazy: Abstract) -> Abstract:
    """What code reads that is handed an iterator: all entries, if there is an end of them."""
    if has_generator(ctx, lazy):
        what = "a generator is used as a number or array here"
        ctx.refuse("AG102", what, "use its entries one by one, or make a list of it")
    return drained(ctx, lazy)


def drained(ctx: Context, lazy: Abstract) -> Abstract:
    """The entries that a generator has, all of them now, as a list."""
    node = ctx.node
    assert node is not None
    match lazy:
        case Zipped(how="reversed" | "iter" as how, parts=[part]) if _is_object(ctx, part):
            return verbatim(ctx, f"list({how}(_0_))", (read(ctx, part),), OBJECT)

    def each(target: str, source: str) -> ast.comprehension:
        name = ast.copy_location(ast.Name(target, ast.Store()), node)
        return ast.comprehension(name, ast.copy_location(ast.Name(source, ast.Load()), node), [], 0)

    entry = ast.copy_location(ast.Name(ENTRY, ast.Load()), node)
    joined = isinstance(lazy, Lazy) and lazy.lists
    generators = [each(ROW, ROW), each(ENTRY, ROW)] if joined else [each(ENTRY, ENTRY)]
    made = ast.copy_location(ast.ListComp(entry, generators), node)
    with kept_containers(ctx, [], node, lazy), ctx.bound_inside([ENTRY, ROW]):
        if isinstance(lazy, Lazy) and joined:
            return collected(ctx, made, plan(ctx, replace(lazy, lists=False)))
        return _single(ctx, made, generators[0], lazy)


def _is_object(ctx: Context, part: Abstract) -> bool:
    known = content(ctx, part)
    return isinstance(known, Value | Ref) and read(ctx, known).type == OBJECT


def _single(ctx: Context, node: Node, generator: ast.comprehension, iterated: Abstract) -> Abstract:
    if is_driven(ctx, iterated):
        made = collected(ctx, node, Driven(iterated))
        use(ctx, iterated)
        return made
    if (steps := walk(ctx, iterated)) is not None:
        return _chosen_or_collected(ctx, node, generator, steps)
    start = len(ctx.blocks[-1])
    with between(ctx, parts_of([generator], node.elt), generator.iter):
        found = plan(ctx, iterated)
    if isinstance(found, tuple):
        return _chosen_or_collected(ctx, node, generator, of_entries(found))
    if found.passes is not None:
        return collected(ctx, node, found)

    def one_by_one() -> Callable[[], Abstract] | None:
        indices = few(found)
        if indices is None:
            indices = observed_indices(ctx, generator.iter, found, iterated)
        if indices is None:
            if not or_none(ctx, lambda: _makes_objects(ctx, node, generator, found)):
                return None
            return lambda: _passive(ctx, node, generator, iterated, start)
        return lambda: _known(ctx, node, generator, of_indices(found, indices))

    return attempt(ctx, lambda: _looped(ctx, node, generator, found, iterated, start), one_by_one)


def _nested(ctx: Context, node: Node, iterated: Abstract) -> Abstract:
    """`[e for a in x for b in y]`: over known entries, one comprehension in the other."""
    outer, *inner = node.generators
    found = entries(ctx, iterated)
    if found is None:
        return _gathered(ctx, node, iterated)
    items: list[Abstract] = []
    rest = ast.copy_location(ast.ListComp(node.elt, inner), node)
    for entry in found:
        ctx.actions.assign(ctx, outer.target, entry)
        if _chosen(ctx, outer):
            part = entries(ctx, ctx.expression(rest))
            if part is None or len(items) + len(part) > ENTRIES:
                ctx.unlike("AG106", "a comprehension over two loops", "write them out", node=node)
            items += part
    return Seq(tuple(items), "list")


def _chosen_or_collected(
    ctx: Context,
    node: Node,
    generator: ast.comprehension,
    steps: Walk,
    found: Plan | None = None,
) -> Abstract:
    """The results for known entries; a list of some length where conditions depend on values."""
    gathered = lambda: collected(ctx, node, found or steps)  # noqa: E731
    return attempt(ctx, lambda: _known(ctx, node, generator, steps), lambda: gathered)


def _known(ctx: Context, node: Node, generator: ast.comprehension, steps: Walk) -> Seq:
    items = []
    for k, entry in enumerate(each(ctx, steps)):
        copied(ctx, node)
        with iteration(ctx, node, k):
            ctx.actions.assign(ctx, generator.target, entry)
            if _chosen(ctx, generator):
                items.append(hold(ctx, ctx.expression(node.elt), ""))
    return Seq(tuple(items), "list")


def _chosen(ctx: Context, generator: ast.comprehension) -> bool:
    """Whether an entry passes the conditions, which must be known."""
    for test in generator.ifs:
        value = ctx.expression(test)
        known = truth(ctx, value)
        known = went(ctx, test, value) if known is None else known
        if known is None:
            ctx.unlike(
                "AG106",
                "how many entries this has depends on values",
                "use a loop or np.where",
                node=test,
            )
        if not known:
            return False
    return True


def _looped(
    ctx: Context,
    node: Node,
    generator: ast.comprehension,
    found: Plan,
    iterated: Abstract,
    start: int,
) -> Abstract:
    """A loop that fills a list; what was added since `start` takes the entries out."""
    if generator.ifs:
        indices = few(found)
        if indices is None:
            return collected(ctx, node, found)
        return _chosen_or_collected(ctx, node, generator, of_indices(found, indices), found)
    counted = from_zero(ctx, found)
    element, seen = _element_type(ctx, node, generator, counted)
    if element.kind == "object":
        made = _one_by_one(ctx, node, generator, found) if seen == HIDDEN else None
        return made or _as_written(ctx, node, generator, iterated, start)
    if element.rank == 0 and not (seen is not None and ctx.frame.looping):
        # An array without axes is a number; one that shows another array is one as long as that
        # is not written to.
        element = Type(element.dtype)
        ctx.shown |= {seen} if seen is not None else set()
    if not element.is_scalar:
        return collected(ctx, node, found)
    listed = filled(ctx, element, count(ctx, counted.bounds))
    name = f"%list{len(ctx.info)}"
    ctx.set(name, new_cell(ctx, listed, ""))
    fill(ctx, node, generator.target, node.elt, name, counted)
    return _taken(ctx, name)


def _taken(ctx: Context, name: str) -> Abstract:
    """The list that a name stood for, which nothing else stands for now."""
    result = ctx.state.names.pop(ctx.key(name))
    assert isinstance(result, Ref)
    held = ctx.state.cells[result.cell]
    return held if isinstance(held, Value) else result


def _one_by_one(
    ctx: Context, node: Node, generator: ast.comprehension, found: Plan
) -> Abstract | None:
    """The results for the entries one by one, where these are known and that can be lowered."""
    indices = few(found)
    if indices is None:
        return None
    return or_none(ctx, lambda: _known(ctx, node, generator, of_indices(found, indices)))


def _as_written(
    ctx: Context, node: Node, generator: ast.comprehension, iterated: Abstract, start: int
) -> Value:
    """The comprehension as it stands, without the statements since `start`."""
    whole = isinstance(iterated, Value) and shown_type(ctx, ctx.state, iterated) == OBJECT
    if whole or [*objects_in(ctx, iterated)]:
        # An iterator would be at its end.
        del ctx.blocks[-1][start:]
    own = isinstance(generator.iter, ast.Name) and generator.iter.id in (ENTRY, ROW)
    if own and not whole:
        # It is no name of the user's that could be copied, and would be drained to be passed on.
        what = "this iterator is handed to code that is copied as it stands"
        ctx.refuse("AG102", what, "loop over it, or wait for it, here", node=ctx.node)
    called = any(isinstance(n, ast.Call) for n in ast.walk(generator.iter))
    return as_written(ctx, node, known={generator.iter: iterated} if own or called else None)


def _element_type(
    ctx: Context, node: Node, generator: ast.comprehension, counted: Plan
) -> tuple[Type, int | None]:
    """The type of one result, found by lowering one and throwing it away; the cell it shows."""
    with ctx.block(ctx.state.fork()):
        ctx.actions.assign(ctx, generator.target, counted.at(ctx.value("", INT, "k")))
        found = ctx.expression(node.elt)
        seen = found.cell if isinstance(found, Ref) else None
        held = read(ctx, hold(ctx, found, ""))
        inside = _takes_floats(ctx) or (isinstance(held, Value) and held.name in ctx.tables)
        return held.type, HIDDEN if held.type.kind == "object" and inside else seen


def _makes_objects(ctx: Context, node: Node, generator: ast.comprehension, found: Plan) -> bool:
    """Whether an entry of a comprehension is an instance of a class of the user's."""
    counted = from_zero(ctx, found)
    with ctx.block(ctx.state.fork()):
        ctx.actions.assign(ctx, generator.target, counted.at(ctx.value("", INT, "k")))
        made = content(ctx, ctx.expression(node.elt))
    return isinstance(made, Struct) and isinstance(made.kind, Class)


def _passive(
    ctx: Context, node: Node, generator: ast.comprehension, iterated: Abstract, start: int
) -> Abstract:
    """A list of many objects that no float goes into, as it stands."""
    made = or_none(ctx, lambda: _as_written(ctx, node, generator, iterated, start))
    takes = (s.args for s in ctx.blocks[-1] if isinstance(s, Apply) and made in s.results)
    if made is None or any(o.type.is_differentiable for args in takes for o in args):
        what = "how many objects this list has is not known"
        ctx.unlike("AG106", what, "make it of arrays", node=node)
    return made


HIDDEN = -1
"""What holds floats: an object that the module holds, or what is taken out of one that does."""


def _takes_floats(ctx: Context) -> bool:
    """Whether code that is copied as it stands takes floats, in a program with derivatives."""
    copied = (s for s in ctx.blocks[-1] if isinstance(s, Apply) and s.option("code"))
    floats = any(o.type.is_differentiable for stmt in copied for o in stmt.args)
    return floats and not ctx.outlines.primal


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.ListComp: comprehension,
    ast.GeneratorExp: generator,
}
