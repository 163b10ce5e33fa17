"""How often the loops of a function run for one call, counted line by line while it runs.

    while abs(x - y) > 1e-9:       the line after it, over how often the loop was come to

Only loops that values of arrays may end are asked for; a call is not run if there are none.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from math import ceil
from types import FrameType
from typing import Any

from adjointgen.api.programs.warnings_told import text_of
from adjointgen.ir.nodes import Function, Loop, While, walk
from adjointgen.records import dataclass

Counts = dict[tuple[str, int], int]
"""Iterations by the file and the line of the loop."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop in the text: its lines, and the first of its body."""

    file: str
    first: int
    body: int
    last: int


def loop_counts(function: Function, run: Callable[[], object]) -> Counts:
    """The iterations of loops that may end early, of a call that `run` makes.

    Those of a loop that is come to several times are the mean, rounded up.
    """
    loops = list(_loops(function))
    if not loops:
        return {}
    counter = _Counter(loops)
    before = sys.gettrace()
    sys.settrace(counter.enter)
    try:
        run()
    finally:
        sys.settrace(before)
    found = {}
    for loop in loops:
        entered = counter.entered[loop.file, loop.first]
        if entered:
            turns = counter.turns[loop.file, loop.first]
            found[loop.file, loop.first] = ceil(turns / entered)
    return found


def _loops(function: Function) -> Iterable[_Loop]:
    """The loops of a program that do not say how often they run, as far as they are in a text."""
    spans = {
        stmt.span
        for f in (function, *function.callees)
        for stmt in walk(f.body)
        if isinstance(stmt, While) or (isinstance(stmt, Loop) and stmt.trips is not None)
    }
    for file in sorted({span.file for span in spans if span is not None}):
        lines = {span.line for span in spans if span is not None and span.file == file}
        for node in _parsed(file):
            if isinstance(node, ast.For | ast.While) and node.lineno in lines:
                last = node.end_lineno or node.lineno
                yield _Loop(file, node.lineno, node.body[0].lineno, last)


def _parsed(file: str) -> Iterable[ast.AST]:
    try:
        return ast.walk(ast.parse(text_of(file)))
    except (ValueError, SyntaxError):
        return ()


class _Counter:
    """Counts turns and entries of loops; what a trace function is called with is Python's."""

    def __init__(self, loops: Iterable[_Loop]) -> None:
        self.turns: Counter[tuple[str, int]] = Counter()
        self.entered: Counter[tuple[str, int]] = Counter()
        self._by_file: dict[str, list[_Loop]] = {}
        for loop in loops:
            self._by_file.setdefault(os.path.realpath(loop.file), []).append(loop)

    def enter(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        loops = self._by_file.get(os.path.realpath(frame.f_code.co_filename))
        return None if loops is None else _Lines(self, loops).line


class _Lines:
    """The lines of one call, in the order in which they run."""

    def __init__(self, counter: _Counter, loops: list[_Loop]) -> None:
        self._counter, self._loops, self._before = counter, loops, 0

    def line(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event == "line":
            at = frame.f_lineno
            for loop in self._loops:
                key = loop.file, loop.first
                self._counter.turns[key] += at == loop.body
                outside = not loop.first <= self._before <= loop.last
                self._counter.entered[key] += at == loop.first and outside
            self._before = at
        return self.line
