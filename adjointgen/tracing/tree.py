"""The graph as indented text, from the result down to what it is computed of.

add = 2.579425538604203  adjoint 1.0
  multiply = 2.1  adjoint 1.0
    x = 0.5  adjoint 5.077582561890373
    y = 4.2  adjoint 0.5
  math.sin = 0.479425538604203  adjoint 1.0
    x [seen]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from adjointgen.tracing.tape import Record

DEEPEST: Final = 40
"""Deeper records are not indented any further."""


def tree(records: Sequence[Record], roots: Sequence[int]) -> str:
    """Each record once, below the first that reads it; `[seen]` where it is read again."""
    return "\n".join(_lines(records, roots))


def _lines(records: Sequence[Record], roots: Sequence[int]) -> Iterator[str]:
    seen: set[int] = set()
    stack = [(root, 0) for root in reversed(roots)]
    while stack:
        index, depth = stack.pop()
        record = records[index]
        indent = "  " * min(depth, DEEPEST)
        if index in seen:
            yield f"{indent}{record.operation} [seen]"
            continue
        seen.add(index)
        yield indent + described(record)
        stack += [(parent, depth + 1) for parent in reversed(record.parents)]


def described(record: Record) -> str:
    """Operation, value and adjoint of a record in one line."""
    adjoint = "" if record.adjoint is None else f"  adjoint {short(record.adjoint)}"
    return f"{record.operation} = {shown(record)}{adjoint}"


def shown(record: Record) -> str:
    """The value in one line."""
    return "overwritten" if record.overwritten else short(record.live)


def short(value: Any) -> str:
    """A value in one line; of a large array, its ends."""
    if isinstance(value, tuple | list):
        return f"({', '.join(map(short, value))})"
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return repr(value.item())
        text = np.array2string(value, threshold=8, edgeitems=2, precision=6, separator=", ")
        return " ".join(text.split())
    return repr(value.item() if isinstance(value, np.generic) else value)
