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

from adjointgen.frontend.branches import truth
from adjointgen.frontend.cells import hold, new_cell, read
from adjointgen.frontend.collecting import collected, fill
from adjointgen.frontend.context import Context
from adjointgen.frontend.growth import filled
from adjointgen.frontend.iterate import Plan, count, entries, few, from_zero, plan
from adjointgen.frontend.values import Abstract, Ref, Seq
from adjointgen.frontend.verbatim import expression as as_written
from adjointgen.frontend.ways import attempt
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import INT, Type
from adjointgen.rules.build import const

Node = ast.ListComp | ast.GeneratorExp


def comprehension(ctx: Context, node: Node) -> Abstract:
    """The results as a list."""
    generator, *inner = node.generators
    iterated = ctx.expression(generator.iter)
    names = {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
    with ctx.bound_inside(sorted(names)):
        if not inner:
            return _single(ctx, node, generator, iterated)
        gathered = lambda: collected(ctx, node, plan(ctx, iterated))  # noqa: E731
        return attempt(ctx, lambda: _nested(ctx, node, iterated), lambda: gathered)


def _single(ctx: Context, node: Node, generator: ast.comprehension, iterated: Abstract) -> Abstract:
    found = plan(ctx, iterated)
    if isinstance(found, tuple):
        return _chosen_or_collected(ctx, node, generator, found, found)

    def one_by_one() -> Callable[[], Abstract] | None:
        indices = few(found)
        if indices is None:
            return None
        rows = tuple(indices)
        return lambda: _known(ctx, node, generator, tuple(found.at(const(k)) for k in rows))

    return attempt(ctx, lambda: _looped(ctx, node, generator, found), one_by_one)


def _nested(ctx: Context, node: Node, iterated: Abstract) -> Abstract:
    """`[e for a in x for b in y]`: over known entries, one comprehension in the other."""
    outer, *inner = node.generators
    found = entries(ctx, iterated)
    if found is None:
        return collected(ctx, node, plan(ctx, iterated))
    items: list[Abstract] = []
    rest = ast.copy_location(ast.ListComp(node.elt, inner), node)
    for entry in found:
        ctx.actions["assign"](ctx, outer.target, entry)
        if _chosen(ctx, outer):
            part = entries(ctx, ctx.expression(rest))
            if part is None:
                ctx.refuse("AG106", "a comprehension over two loops", "write them out", node=node)
            items += part
    return Seq(tuple(items), "list")


def _chosen_or_collected(
    ctx: Context,
    node: Node,
    generator: ast.comprehension,
    known: tuple[Abstract, ...],
    found: Plan | tuple[Abstract, ...],
) -> Abstract:
    """The results for known entries; a list of some length where conditions depend on values."""
    gathered = lambda: collected(ctx, node, found)  # noqa: E731
    return attempt(ctx, lambda: _known(ctx, node, generator, known), lambda: gathered)


def _known(
    ctx: Context, node: Node, generator: ast.comprehension, known: tuple[Abstract, ...]
) -> Seq:
    items = []
    for entry in known:
        ctx.actions["assign"](ctx, generator.target, entry)
        if _chosen(ctx, generator):
            items.append(hold(ctx, ctx.expression(node.elt), ""))
    return Seq(tuple(items), "list")


def _chosen(ctx: Context, generator: ast.comprehension) -> bool:
    """Whether an entry passes the conditions, which must be known."""
    for test in generator.ifs:
        known = truth(ctx, ctx.expression(test))
        if known is None:
            ctx.refuse(
                "AG106",
                "how many entries this has depends on values",
                "use a loop or np.where",
                node=test,
            )
        if not known:
            return False
    return True


def _looped(ctx: Context, node: Node, generator: ast.comprehension, found: Plan) -> Abstract:
    if generator.ifs:
        indices = few(found)
        if indices is None:
            return collected(ctx, node, found)
        known = tuple(found.at(const(k)) for k in indices)
        return _chosen_or_collected(ctx, node, generator, known, found)
    counted = from_zero(ctx, found)
    number = count(ctx, counted.bounds)
    element, seen = _element_type(ctx, node, generator, counted)
    if element.kind == "object":
        return as_written(ctx, node)
    if element.rank == 0 and not (seen is not None and ctx.frame.looping):
        # An array without axes is a number; one that shows another array is one as long as that
        # is not written to.
        element = Type(element.dtype)
        ctx.shown |= {seen} if seen is not None else set()
    if not element.is_scalar:
        return collected(ctx, node, found)
    made = filled(ctx, element, number)
    name = f"%list{len(ctx.info)}"
    ctx.set(name, new_cell(ctx, made, ""))
    fill(ctx, node, generator.target, node.elt, name, counted)
    result = ctx.state.names.pop(ctx.key(name))
    assert isinstance(result, Ref)
    held = ctx.state.cells[result.cell]
    return held if isinstance(held, Value) else result


def _element_type(
    ctx: Context, node: Node, generator: ast.comprehension, counted: Plan
) -> tuple[Type, int | None]:
    """The type of one result, found by lowering one and throwing it away; the cell it shows."""
    with ctx.block(ctx.state.fork()):
        ctx.actions["assign"](ctx, generator.target, counted.at(ctx.value("", INT, "k")))
        found = ctx.expression(node.elt)
        seen = found.cell if isinstance(found, Ref) else None
        return read(ctx, hold(ctx, found, "")).type, seen


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.ListComp: comprehension,
    ast.GeneratorExp: comprehension,
}
