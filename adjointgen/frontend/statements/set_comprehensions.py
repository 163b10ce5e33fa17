"""Sets of constants, and set comprehensions over what floats are read of.

Of equal entries it is the set of that entry.

{a.shape for a in arrays}       {arrays[0].shape}      if all are the same lengths
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.frontend.expressions.comparisons import comparison
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import expression as as_written
from adjointgen.frontend.state.set_order import are_keys, display, set_of
from adjointgen.frontend.state.snapshots import restore, snapshot
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.ir.types import INTEGER
from adjointgen.rules.framework.builder import const


def set_comprehension(ctx: Context, node: ast.SetComp) -> Abstract:
    """The set of constants, or of one entry, or the code as it stands."""
    before = snapshot(ctx)
    copied = or_none(ctx, lambda: as_written(ctx, node))
    if copied is not None and not _takes_floats(ctx, copied):
        return copied
    restore(ctx, before)
    found = or_none(ctx, lambda: _of_known(ctx, node))
    if found is not None:
        return found
    restore(ctx, before)
    return as_written(ctx, node)


def set_display(ctx: Context, node: ast.Set) -> Abstract:
    """`{"a", "b"}`: a set whose entries are known, or the code as it stands."""
    keys = [e.value for e in node.elts if isinstance(e, ast.Constant)]
    known = [const(key) for key in keys if isinstance(key, str | int)]
    plain = len(known) == len(node.elts) and are_keys(known)
    made = display(known) if plain else None
    return as_written(ctx, node) if made is None else made


def _takes_floats(ctx: Context, copied: Value) -> bool:
    made = (s for s in ctx.blocks[-1] if isinstance(s, Apply) and copied in s.results)
    return any(o.type.is_differentiable for stmt in made for o in stmt.args)


def _of_known(ctx: Context, node: ast.SetComp) -> Seq | None:
    """The set, if its entries are constants, or equal for certain."""
    row = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
    known = content(ctx, ctx.expression(row))
    if not isinstance(known, Seq) or not known.items:
        return None
    if are_keys(known.items):
        return set_of(known.items)
    first, *others = (content(ctx, item) for item in known.items)
    equal = (truth(ctx, comparison(ctx, ast.Eq, first, one)) for one in others)
    return Seq((first,), "set") if _is_hashed(first) and all(equal) else None


def _is_hashed(value: Abstract) -> bool:
    """Whether this is an integer or another constant, or a tuple of these."""
    if isinstance(value, Seq):
        return value.kind == "tuple" and all(map(_is_hashed, value.items))
    return isinstance(value, Const) or (
        isinstance(value, Value) and value.type.is_scalar and value.type.dtype in INTEGER
    )


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Set: set_display,
    ast.SetComp: set_comprehension,
}
