"""`functools.cached_property` of an instance: computed at the first read, then an attribute.

    obj.name    not computed yet: the function of the property, and obj.name = its result
                computed before: the number that the object holds

What the object of the caller's holds was computed from attributes as they were. It does not change
with them any more, and the user will hardly mean that: where one of them is differentiated, the
operation `cached` is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType, MemberDescriptorType

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Closure, Ref, Seq, Struct
from adjointgen.frontend.domain.structures import Closed
from adjointgen.frontend.expressions.instances import find
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.scope_lookup import live_resolver, private
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Apply, Operand, Value

_PLAIN = (int, str, type(None))
HELP = "it was computed before the call: delete it from the object, or make a new object"


def note_read(ctx: Context, struct: Struct, name: str, text: str) -> None:
    """Note that an attribute is read which the object has kept since before the call."""
    assert isinstance(struct.kind, Class)
    found = find(struct.kind.type, name)
    live = ctx.memo.get(("live", struct.place))
    if live is None or found is None or not isinstance(found[1], cached_property):
        return
    if (known := struct.get(name)) is None or live[2].get(name) != known:
        return
    used = _attributes(ctx, struct.kind.type, found[1].func, {name})
    for other in sorted((used or set()) & set(vars(live[0])) - set(struct.keys)):
        if not isinstance(vars(live[0])[other], _PLAIN):
            raise Closed(struct.place or (), other)
    rows = zip(struct.keys, struct.items, strict=True)
    items = [v for k, v in rows if k != name and (used is None or k in used)]
    leaves = tuple(dict.fromkeys(leaf for item in items for leaf in _leaves(ctx, item)))
    if leaves:
        options = (("because", HELP), ("shown", text))
        ctx.add(Apply((), "cached", leaves, options, ctx.span()))


def _leaves(ctx: Context, value: Abstract) -> Iterator[Operand]:
    """The numbers and arrays of a structure that may be differentiated."""
    known = content(ctx, value)
    if isinstance(known, Seq | Struct):
        for item in known.items:
            yield from _leaves(ctx, item)
    elif isinstance(known, Ref | Value):
        operand = read(ctx, known)
        if operand.type.is_differentiable:
            yield operand


def _attributes(ctx: Context, cls: type, function: object, seen: set[str]) -> set[str] | None:
    """The attributes of its object that a method reads; None where it may read any."""
    resolver = live_resolver(ctx)
    made = resolver.classify(function, "", "") if resolver is not None else None
    given = parameters(made.source.arguments) if isinstance(made, Closure) else []
    if not isinstance(made, Closure) or not given:
        return None
    nodes = list(ast.walk(made.source.node))
    members = [n for n in nodes if isinstance(n, ast.Attribute) and _is_name(n.value, given[0].arg)]
    if len(members) < sum(_is_name(n, given[0].arg) for n in nodes):
        return None
    found: set[str] = set()
    for name in {private(cls, n.attr) for n in members} - seen:
        seen.add(name)
        further = _behind(ctx, cls, name, seen)
        if further is None:
            return None
        found |= further
    return found


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _behind(ctx: Context, cls: type, name: str, seen: set[str]) -> set[str] | None:
    """What is read where a method reads one attribute of its object."""
    found = find(cls, name)
    match found and found[1]:
        case property(fget=function) | cached_property(func=function):
            more = _attributes(ctx, cls, function, seen)
            return None if more is None else {name, *more}
        case FunctionType() as function:
            return _attributes(ctx, cls, function, seen)
    plain = (
        found is None
        or isinstance(found[1], MemberDescriptorType)
        or not hasattr(found[1], "__get__")
    )
    return {name} if plain else None
