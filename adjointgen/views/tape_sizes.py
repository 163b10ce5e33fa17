"""How many bytes of data a tape holds, as formulas of lengths and numbers of iterations.

What lists and numbers of Python take beside their data is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from adjointgen.ir.nodes import (
    Block,
    Branch,
    Const,
    Loop,
    Operand,
    Record,
    While,
    blocks_of,
)
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.builder import const


def recorded_bytes(block: Block) -> dict[tuple[str, str], str]:
    """The bytes that each record puts on its tape in all, by tape and value."""
    return {
        (stmt.slot, str(stmt.value)): _text(stmt.value.type, counts, sure)
        for stmt, counts, sure in _records(block, (), True)
    }


def bytes_of(type: Type) -> str:
    """The bytes of one value."""
    return _text(type, (), True)


def _records(
    block: Block, counts: tuple[str, ...], sure: bool
) -> Iterator[tuple[Record, tuple[str, ...], bool]]:
    """The records with the numbers of iterations of the loops around, and whether all run."""
    for stmt in block.stmts:
        if isinstance(stmt, Record):
            yield stmt, counts, sure
            continue
        more = (*counts, *_count(stmt)) if isinstance(stmt, Loop | While) else counts
        ends = isinstance(stmt, Loop) and stmt.trips is not None
        certain = sure and not isinstance(stmt, Branch) and not ends
        for inner in blocks_of(stmt):
            yield from _records(inner, more, certain)


def _count(loop: Loop | While) -> tuple[str, ...]:
    if isinstance(loop, Loop) and loop.bounds[2] == const(1):
        start, stop = map(_operand, loop.bounds[:2])
        if start and stop:
            return (stop if start == "0" else f"({stop} - {start})",)
    where = f" of line {loop.span.line}" if loop.span else ""
    return (f"(iterations{where})",)


def _operand(operand: Operand) -> str:
    """A bound as the user sees it; nothing for one that has no name."""
    if isinstance(operand, Const):
        return str(operand.value)
    length = operand.type.value
    return _length(length) if length is not None else operand.root


def _length(dim: Dim | None) -> str:
    """A length as the user sees it: `u.shape[0] - 2`."""
    if dim is None:
        return "(its length)"
    if not dim.symbol:
        return str(dim.offset)
    text = f"{dim.axis[0]}.shape[{dim.axis[1]}]" if dim.axis is not None else dim.symbol
    sign = "+" if dim.offset > 0 else "-"
    return f"({text} {sign} {abs(dim.offset)})" if dim.offset else text


def _text(type: Type, counts: Sequence[str], sure: bool) -> str:
    if type.kind == "object":
        return "?"
    lengths = [] if type.is_scalar else [_length(dim) for dim in type.shape or (None,)]
    factors = [*lengths, *counts]
    known = prod(int(f) for f in factors if f.lstrip("-").isdigit())
    number = np.dtype(type.dtype).itemsize * known
    text = " * ".join([str(number), *(f for f in factors if not f.lstrip("-").isdigit())])
    return text if sure else f"at most {text}"
