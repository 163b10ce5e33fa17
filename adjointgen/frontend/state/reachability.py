"""Which storage can still be read: by the names that are live, and what they lead to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Derived,
    Lazy,
    Method,
    Partial,
    Ref,
    Seq,
    Struct,
    Super,
    Whole,
    Zipped,
)
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.context import CALLER, LAYOUT, UNSEEN, Context
from adjointgen.frontend.state.program_state import Key, State
from adjointgen.ir.nodes import Operand


def kept_keys(ctx: Context, names: Iterable[Key], live: Names) -> list[Key]:
    """The names that may still be read: those that are live here, and all of other frames."""
    here, pinned = ctx.frame.number, ctx.frame.pinned
    if "super" in live:
        # `super()` reads the first parameter, which its text has not.
        arguments = ctx.frame.source.arguments
        pinned = pinned | {arg.arg for arg in (*arguments.posonlyargs, *arguments.args)[:1]}
    return [
        key
        for key in dict.fromkeys(names)
        if key[0] != here or key[1] in live or key[1].startswith("%") or key[1] in pinned
    ]


def reachable(names: Iterable[Abstract], cells: dict[int, Operand | Whole]) -> dict[int, None]:
    """The cells that values lead to."""
    found: dict[int, None] = {}
    stack = list(names)
    while stack:
        value = stack.pop()
        match value:
            case Ref(cell=cell) if cell not in found:
                found[cell] = None
                if isinstance(held := cells.get(cell), Seq | Struct):
                    stack.append(held)
            case Seq(items=items) | Struct(items=items) | Zipped(parts=items):
                stack.extend(items)
            case Method(owner=owner) | Bound(owner=owner) | Super(owner=owner):
                stack.append(owner)
            case Partial(function=function, args=args, keywords=keywords):
                stack += (function, *args, *(v for _, v in keywords))
            case Derived(function=function, args=args):
                stack += (function, *args)
            case Lazy(over=over, make=make):
                stack += (over, make)
            case Closure(defaults=defaults):
                stack.extend(v for _, v in defaults)
    return found


def others_of(ctx: Context, cell: int) -> set[int]:
    """The tangled cells, beside one, that are read after the present statement."""
    names = (k for k in ctx.state.names if k[0] != CALLER)
    kept = kept_keys(ctx, names, ctx.live)
    cells = reachable([ctx.state.names[k] for k in kept], ctx.state.cells)
    return {c for c in cells if ctx.state.tangled.get(c)} - {cell}


def callers_cells(state: State) -> set[int]:
    """The cells of the caller's arrays and lists."""
    names = state.names.items()
    return {v.cell for (frame, _), v in names if frame == CALLER and isinstance(v, Ref)}


def callers_objects(state: State) -> set[int]:
    """The cells of the caller's objects, at whatever depth of the arguments."""
    names = state.names.items()
    return {
        v.cell
        for (frame, name), v in names
        if frame == CALLER and isinstance(v, Ref) and isinstance(state.cells.get(v.cell), Struct)
    }


ARGUMENT: Final = "it may be that of an argument"


def is_unseen(ctx: Context, cell: int, reason: str) -> bool:
    """Whether nobody sees into which of the tangled arrays is written: all others are read no more.

    A program that stands for the function writes to the arguments of its caller, who reads them.
    """
    if reason != UNSEEN and others_of(ctx, cell):
        return False
    if reason == LAYOUT or not ctx.outlines.primal or ctx.outlines.open:
        return True
    cells = callers_cells(ctx.state)
    return cell in cells or cells.isdisjoint(ctx.state.tangled)
