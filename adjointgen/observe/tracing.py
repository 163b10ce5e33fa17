"""Running a function while noting which of its instructions run, and which follow each other.

The interpreter's own trace function is told of each instruction, so the functions themselves
are neither changed nor intercepted: methods, closures, generators, callbacks from C and `super()`
run as they always do. (Python's `sys.settrace`, with `f_trace_opcodes`.)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Set
from dis import get_instructions
from functools import lru_cache, partial
from types import CodeType, FrameType
from typing import Any, Final

from adjointgen.frontend.domain.untaken import Place
from adjointgen.observe.exchange import is_in
from adjointgen.observe.notes import FileNotes, Notes

_OWN = __name__.partition(".")[0]


class _Trace:
    """The instructions that ran, by code object, with the one before each in its call."""

    def __init__(self, files: Set[str] | None) -> None:
        self.steps: dict[CodeType, set[tuple[int, int]]] = {}
        self._is_noted = lru_cache(maxsize=None)(partial(is_in, files=files))

    def called(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        """What is told of the instructions of a call."""
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] == _OWN:
            return None
        if not self._is_noted(frame.f_code):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        note = self.steps.setdefault(frame.f_code, set()).add
        before = -1

        def stepped(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
            nonlocal before
            if event == "opcode":
                note((before, frame.f_lasti))
                before = frame.f_lasti
            return stepped

        return stepped


def traced(function: Callable[[], object], files: Set[str] | None = None) -> Notes:
    """Run a function, and note what runs in `files`, if these are given; raises what it raises."""
    trace, outer = _Trace(files), sys.gettrace()
    sys.settrace(trace.called)
    try:
        function()
    finally:
        sys.settrace(outer)
    return _notes(trace.steps)


def _notes(steps: dict[CodeType, set[tuple[int, int]]]) -> Notes:
    present: dict[str, set[Place]] = {}
    followed: dict[str, set[tuple[Place, Place]]] = {}
    ran: dict[str, set[Place]] = {}
    for code, pairs in steps.items():
        places = _places(code)
        for inner in _codes(code):
            present.setdefault(code.co_filename, set()).update(filter(None, _places(inner)))
        for first, second in _linked(pairs, places):
            there = places[second // 2]
            here = places[first // 2] if first >= 0 else None
            if there is not None:
                ran.setdefault(code.co_filename, set()).add(there)
            if here is not None and there is not None:
                followed.setdefault(code.co_filename, set()).add((here, there))
    return Notes(
        {
            file: FileNotes(
                tuple(sorted(places)),
                tuple(sorted(ran.get(file, ()))),
                tuple(sorted(followed.get(file, ()))),
            )
            for file, places in present.items()
        }
    )


def _linked(pairs: set[tuple[int, int]], places: list[Place | None]) -> set[tuple[int, int]]:
    """The pairs, and what follows on an instruction without a place: the jump back of a loop."""
    after: dict[int, set[int]] = {}
    for first, second in pairs:
        after.setdefault(first, set()).add(second)
    found = set(pairs)
    for first, second in pairs:
        seen: set[int] = set()
        while (
            places[second // 2] is None and second not in seen and len(after.get(second, ())) == 1
        ):
            seen.add(second)
            (second,) = after[second]
        found.add((first, second))
    return found


def _codes(code: CodeType) -> list[CodeType]:
    """Code, and that of the functions which are defined in it."""
    inner = [c for const in code.co_consts if isinstance(const, CodeType) for c in _codes(const)]
    return [code, *inner]


def _places(code: CodeType) -> list[Place | None]:
    """The place of each instruction.

    A `return` that is not written out stands where a test before it does; here it is at the end.
    """
    places: list[Place | None] = [
        None if None in (line, end, column, last) else (line, column, end, last)  # type: ignore[misc]
        for line, end, column, last in code.co_positions()
    ]
    made = {i.offset // 2: i.opname for i in get_instructions(code)}
    tests = {places[k] for k, name in made.items() if "JUMP" in name} - {None}
    for k, name in made.items():
        if name == "RETURN_VALUE" and places[k] in tests and places[k - 1] == places[k]:
            places[k - 1] = places[k] = END
    return places


END: Final = (1 << 30, 0, 1 << 30, 0)
"""A place behind all of a text."""
