"""What a function with a cache returns: one object for all calls with the same arguments.

    @lru_cache                          a = nodes(3)
    def nodes(n):                       a *= 2.0        # the next nodes(3) is twice as large
        return np.linspace(0, 1, n)

The body is lowered as if it ran in each call. That is the same where it has no effect but its
result, and where no program writes to that. Where it is not the same it is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Ref, Seq, Struct
from adjointgen.frontend.state.call_effects import is_effect, only_raises, reached
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import hold
from adjointgen.records import replace
from adjointgen.wrapping import has_cache

_OWNER = "the cache of "


def is_cached(closure: Closure) -> bool:
    """Whether a function is called through a cache: decorated with one, or wrapped by one."""
    return closure.cached or has_cache(closure.source.node)


def is_kept(ctx: Context, value: Abstract) -> bool:
    """Whether a value is what a function with a cache has returned."""
    return isinstance(value, Ref) and ctx.info[value.cell].module.startswith(_OWNER)


def through_cache(
    ctx: Context, closure: Closure, compute: Callable[[], Abstract], node: ast.AST
) -> Abstract:
    """The result of a function that may have a cache; then nothing may be written to it."""
    if not is_cached(closure):
        return compute()
    block, start, before = ctx.blocks[-1], len(ctx.blocks[-1]), dict(ctx.state.cells)
    made = compute()
    changed = any(ctx.state.cells.get(cell) is not held for cell, held in before.items())
    inside = reached(block[start:], ctx.outlines.functions())
    if changed or any(is_effect(stmt) and not only_raises(stmt) for stmt in inside):
        ctx.refuse(
            "AG101",
            "a function with a cache has effects, which only its first call has",
            "call it before, and pass what it returns as an argument",
            node=node,
        )
    return _kept(ctx, made, f"{_OWNER}{closure.source.name}", set())


def _kept(ctx: Context, made: Abstract, owner: str, seen: set[int]) -> Abstract:
    made = hold(ctx, made, "")
    if isinstance(made, Seq | Struct):
        return made.of([_kept(ctx, item, owner, seen) for item in made.items])
    if isinstance(made, Ref) and made.cell not in seen:
        seen.add(made.cell)
        ctx.info[made.cell] = replace(ctx.info[made.cell], module=owner)
        held = ctx.state.cells[made.cell]
        if isinstance(held, Seq | Struct):
            items = [_kept(ctx, item, owner, seen) for item in held.items]
            ctx.state.cells[made.cell] = held.of(items)
    return made
