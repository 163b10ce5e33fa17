"""Lists and dicts of the module are not changed by a loop over them.

    for v in QUEUE:             Python takes the entries that are there when it comes to them
        QUEUE.remove(v)

A loop whose entries are known one by one has those from its start. So a write into what the loop
runs over, by its body or by a function that is called there, is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Absent,
    Abstract,
    Lazy,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.domain.module_tables import container, holds_attribute, holds_entry
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import entries_key, keys_key
from adjointgen.frontend.state.module_objects import layout, living
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.storage_cells import content


@contextmanager
def kept_containers(
    ctx: Context, over: Sequence[ast.expr], node: ast.AST, value: Abstract = ABSENT
) -> Iterator[None]:
    """Refuse to change the lists and dicts of the module that these expressions name meanwhile, or
    that a value of theirs has.

    Raises Unsupported (AG101).
    """
    held = [one for expression in over for one in _containers(ctx, expression)]
    held += _zipped(ctx, value)
    events = ctx.outlines.facts.events
    start = len(events)
    yield
    kept = {keys_key(one) if isinstance(one, dict) else entries_key(one) for one in held}
    if kept and not kept.isdisjoint(events[start:]):
        what = "a list or dict of the module is changed in a loop over it"
        ctx.refuse("AG101", what, "loop over a copy: list(...)", node=node)


def _containers(ctx: Context, expression: ast.expr) -> Iterator[list[Any] | dict[Any, Any]]:
    """The lists and dicts of the module in an expression; of a copy, there are none."""
    left: list[ast.AST] = [expression]
    while left:
        part = left.pop()
        if _copies(part):
            continue
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript):
            for one in _live(ctx, part):
                if type(one) in (list, dict):
                    yield one
        left.extend(ast.iter_child_nodes(part))


def _zipped(ctx: Context, value: Abstract) -> Iterator[list[Any] | dict[Any, Any]]:
    """The lists and dicts that a `zip` or `map` takes its entries from."""
    known = content(ctx, value)
    if is_iterator(known):
        known = known.items[0]
    parts = (known.over,) if isinstance(known, Lazy) else ()
    for part in known.parts if isinstance(known, Zipped) else parts:
        one = container(layout(ctx, part))
        if type(one) in (list, dict):
            yield one
        yield from _zipped(ctx, part)


def _copies(part: ast.AST) -> bool:
    """Whether this makes a list or dict of its own, before the loop begins."""
    match part:
        case ast.Call(func=ast.Name(id=name)):
            return name in ("list", "tuple", "sorted", "dict", "set")
        case ast.Subscript(slice=ast.Slice()):
            return True
    return False


def _live(ctx: Context, part: ast.AST) -> list[Any]:
    """The object of the module that a name, or a path from one, is now, in a box."""
    match part:
        case ast.Name(id=name):
            value = lookup(ctx, name)
            if isinstance(value, Absent):
                return []
            own = living(ctx, value)
            found = container(layout(ctx, value)) if own is None else own.value
            return [] if found is None else [found]
        case ast.Attribute(value=base, attr=name):
            owners = [one for one in _live(ctx, base) if holds_attribute(one, name)]
            return [getattr(one, name) for one in owners]
        case ast.Subscript(value=base, slice=ast.Constant(value=key)):
            return [one[key] for one in _live(ctx, base) if holds_entry(one, key)]
    return []
