"""In which iteration two texts of a program first compute something else.

Both run once under a tracer, which looks at the variables each time the loops around an edit come
to their head. What the edited text alone has is left out.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

Look = tuple[tuple[tuple[str, int, Any], ...], dict[str, Any]]


def first_turns(
    right: str, wrong: str, first: int, count: int, file: str, run: Callable[[str], object]
) -> tuple[str, ...]:
    """The iterations, in words, of the loops around `count` lines of `wrong`, from `first` (0 ...).

    `run` runs a text as if it stood in `file`.
    """
    lines = range(first + 1, first + max(count, 1) + 1)
    loops = _around(wrong, lines)
    if not loops:
        return ()
    # What stands before the edit is the same, and so are the heads of the loops around it.
    heads = [node.lineno for node in loops]
    seen = [_looked(text, heads, loops, file, run) for text in (right, wrong)]
    for here, there in zip(*seen, strict=False):
        if _differ(here[1], there[1]):
            return tuple(_said(*turn) for turn in there[0])
    return ()


def _said(name: str, number: int, value: Any) -> str:
    what = f" ({name} = {value})" if name.strip("_") and isinstance(value, int) else ""
    return f"iteration {number}{what}"


def _around(text: str, lines: Sequence[int]) -> list[ast.For | ast.While]:
    """The loops around some lines, outer first."""
    found = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.For | ast.While)
        and node.lineno < lines[0]
        and lines[-1] <= (node.end_lineno or 0)
    ]
    return sorted(found, key=lambda node: node.lineno)


def _looked(
    text: str,
    heads: Sequence[int],
    loops: Sequence[ast.For | ast.While],
    file: str,
    run: Callable[[str], object],
) -> list[Look]:
    """What the variables are each time the innermost loop is at its head."""
    names = [n.target.id if _is_named(n) else "" for n in loops]  # type: ignore[union-attr]
    looking = _Looking(heads, names, file)
    before = sys.gettrace()
    sys.settrace(looking.enter)
    try:
        run(text)
    except Exception:  # what a text raises is told elsewhere
        pass
    finally:
        sys.settrace(before)
    return looking.looks


class _Looking:
    """The tracer: it counts the iterations of the loops, and looks after each of the innermost."""

    def __init__(self, heads: Sequence[int], names: Sequence[str], file: str) -> None:
        self.heads = heads
        self.names = names
        self.file = file
        self.counts = [-1] * len(heads)
        self.looks: list[Look] = []

    def enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        inside = code.co_firstlineno <= self.heads[0] and code.co_name != "<module>"
        return self.local if inside and code.co_filename == self.file else None

    def local(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event != "line" or frame.f_lineno not in self.heads:
            return self.local
        depth = self.heads.index(frame.f_lineno)
        held = frame.f_locals
        if depth == len(self.heads) - 1 and self.counts[depth] >= 0:
            pairs = zip(self.names, self.counts, strict=True)
            turns = tuple((name, count, held.get(name)) for name, count in pairs)
            self.looks.append((turns, _numbers(held)))
        self.counts[depth] += 1
        self.counts[depth + 1 :] = [-1] * (len(self.heads) - depth - 1)
        return self.local


def _is_named(node: ast.For | ast.While) -> bool:
    return isinstance(node, ast.For) and isinstance(node.target, ast.Name)


def _numbers(held: dict[str, Any]) -> dict[str, Any]:
    """The variables that hold numbers or arrays, as they are now."""
    kinds = (float, complex, np.ndarray, np.generic)
    return {name: np.array(v) for name, v in held.items() if isinstance(v, kinds)}


def _differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a variable of both has another value."""
    return any(not np.array_equal(one[name], other[name]) for name in one.keys() & other.keys())
