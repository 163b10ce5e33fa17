"""Whether a list that grows in a loop is seen by anything else than the statement that appends.

    b = y                           def size(): return len(y)       for k in source(y): s += len(y)
    for v in x:                     for v in x:                     def source(z):
        y.append(v); s += len(b)        y.append(v); s += size()        z.append(k); yield k

Each of these sees the list grow, so it may not have its final length from the start.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Derived,
    Generator,
    Lazy,
    Method,
    Partial,
    Ref,
    Seq,
    Struct,
    Super,
    Zipped,
)
from adjointgen.frontend.source.generator_bodies import Hand
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.program_state import Key


def is_watched(ctx: Context, name: str, node: ast.For, over: Abstract) -> bool:
    """Whether a loop `over` a value may look at the list of a name that its body has once."""
    parts = [part for stmt in node.body for part in ast.walk(stmt)]
    own, here = _key(ctx, ctx.frame.number, name), ctx.frame.number
    if any(isinstance(part, Hand) for part in parts):
        # What runs over this generator goes on at each entry, with all names that it has.
        keys = [key for key in ctx.state.names if key != own or key[0] != here]
    else:
        keys = [_key(ctx, here, n) for n in _names(parts) if n != name]
    ref = ctx.get(name)
    assert isinstance(ref, Ref)
    return _leads_to(ctx, keys, over, ref.cell)


def _names(parts: Iterable[ast.AST]) -> set[str]:
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _key(ctx: Context, number: int, name: str) -> Key:
    """The name as that of the frame that it is found in, from one of this number outwards."""
    frame = ctx.frames.get(number)
    while frame is not None:
        if (frame.number, name) in ctx.state.names or name in frame.locals:
            return (frame.number, name)
        frame = ctx.frames.get(frame.outer)
    return (number, name)


def _leads_to(ctx: Context, keys: Iterable[Key], over: Abstract, cell: int) -> bool:
    """Whether names, or `over`, lead to a cell, also by what functions among them read."""
    left: list[Abstract] = [over]
    waiting, known, passed = list(keys), set[Key](), set[int]()
    while left or waiting:
        if waiting:
            key = waiting.pop()
            if key not in known and (value := ctx.state.names.get(key)) is not None:
                left.append(value)
            known.add(key)
            continue
        value = left.pop()
        if isinstance(value, Class) and value.is_local:
            # Its methods may read any name.
            return True
        if isinstance(value, Ref):
            if value.cell == cell:
                return True
            if value.cell in passed:
                continue
            passed.add(value.cell)
        left.extend(_inside(ctx, value))
        waiting.extend(_read(ctx, value))
    return False


def _inside(ctx: Context, value: Abstract) -> Iterable[Abstract]:
    """What a value is made of."""
    match value:
        case Ref(cell=cell):
            held = ctx.state.cells.get(cell)
            return (held,) if isinstance(held, Seq | Struct) else ()
        case Struct(items=items, kind=Class() as kind):
            return (kind, *items)
        case Seq(items=items) | Struct(items=items) | Zipped(parts=items):
            return items
        case Method(owner=owner) | Super(owner=owner):
            return (owner,)
        case Bound(function=function, owner=owner):
            return (function, owner)
        case Partial(function=function, args=args, keywords=keywords):
            return (function, *args, *(v for _, v in keywords))
        case Derived(function=function, args=args):
            return (function, *args)
        case Lazy(over=over, make=make, test=test):
            return (over, make) if test is None else (over, make, test)
        case Closure(defaults=defaults):
            return tuple(v for _, v in defaults)
    return ()


def _read(ctx: Context, value: Abstract) -> Iterator[Key]:
    """The names that a function reads of the frames that it stands in, and those of a generator."""
    match value:
        case Closure(source=source, frame=number) if number in ctx.frames:
            for name in sorted(_names(ast.walk(source.node))):
                yield _key(ctx, number, name)
        case Generator(frame=number):
            frame = ctx.frames[number]
            yield from [key for key in ctx.state.names if key[0] == number]
            for name in sorted(_names(ast.walk(frame.source.node))):
                yield _key(ctx, number, name)
