"""Every statement in its place, as far as one is known.

A statement that a transform made has the span of what it was made for, but not all have one: a
replay comes from where its value was recorded, and anything else from the loop or branch around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from adjointgen.errors import Span
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Block, Function, Record, Replay, Stmt, blocks_of
from adjointgen.records import replace


def placed(function: Function) -> Function:
    """The function with the spans that its statements lack."""
    slots = dict(_slots(function.body, None))

    def within(outer: Span | None, inner: Block) -> Block:
        return replace(inner, stmts=tuple(place(stmt, outer) for stmt in inner.stmts))

    def place(stmt: Stmt, outer: Span | None) -> Stmt:
        recorded = slots.get(stmt.slot) if isinstance(stmt, Replay) else None
        span = stmt.span or recorded or outer
        return replace(rebuild(stmt, lambda given: given, lambda b: within(span, b)), span=span)

    return replace(function, body=within(None, function.body))


def shown(file: str) -> str:
    """A file as views name it: never by a path of one machine."""
    path = PurePath(file)
    return path.name if path.is_absolute() else path.as_posix()


def _slots(block: Block, outer: Span | None) -> Iterator[tuple[str, Span]]:
    """Where each tape is written."""
    for stmt in block.stmts:
        span = stmt.span or outer
        if isinstance(stmt, Record) and span:
            yield stmt.slot, span
        for inner in blocks_of(stmt):
            yield from _slots(inner, span)
