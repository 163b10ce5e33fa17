"""Which edits of a written module make its derivative wrong.

    the text that is generated now      passes, or has the faults that `bisect.py` finds
    the same with one edit              passes, or the edit is a fault

An edit is a stretch of lines that differ; edits that share a name which the generated text does not
have, as one that is renamed, are one. Edits are tried in order on top of those that pass, so each
is judged beside right ones alone, and one that needs another is tried with it in the end. The line
of the source is the one that the edited statement was generated from.

(Delta debugging: Zeller and Hildebrandt 2002.)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np

from adjointgen.api.cache.atomic_write import read_text
from adjointgen.api.faults.first_difference import first_turns
from adjointgen.api.modules.drift import drift
from adjointgen.emit.write.line_marks import Origins, marking, unmarked
from adjointgen.records import dataclass, replace
from adjointgen.verify.report import Fault, Report, Row
from adjointgen.verify.structures import Vector

Check = Callable[[ModuleType], Report]
Call = Callable[[ModuleType], Vector]
CLOSE: Final = 1e-10
"""How far the numbers of two texts may be apart, relative to themselves, for the order of sums."""
MOST: Final = 3
"""How many edits are tried together."""
MANY: Final = 12
"""Of more edits than this only single ones are tried."""
_NAME: Final = re.compile(r"[^\W\d]\w*")


Part = tuple[int, int, tuple[str, ...], int]
"""From one line of the generated text to another; the lines in their place, and where these are."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Stretches of lines of the generated text, and what stands in their place."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "\n".join(line for part in self.parts for line in part[2])


Found = list[tuple[Edit, tuple[Edit, ...]]]
"""Edits that are faults, each with right ones beside which it is one."""


def edited(file: Path, check: Check, call: Call, nudge: bool) -> tuple[Fault, ...]:
    """The edits of a module that make its derivative wrong; only the first without `nudge`.

    `check` verifies a module, `call` gives the numbers of its programs. Nothing is found where the
    text cannot be generated any more.
    """
    with marking():
        expected = drift(file).expected
    if expected is None:
        return ()
    old, origins = unmarked(expected.splitlines())
    rows = [(n, t) for n, t in enumerate(file.read_text("utf-8").splitlines(), 1) if t.strip()]
    edits = _joined(list(_edits(old, rows)), old)
    if not edits:
        return ()
    work = _Edits(file, old, origins, check, call)
    found = None
    if not work.passes(()):
        found = work.reverted(edits)
        work = replace(work, like=work.numbers(()))
    found = work.wrong(edits) if found is None else found
    found = found if nudge else found[:1]
    return tuple(work.fault(edit, right) for edit, right in found)


def _edits(old: list[str], rows: Sequence[tuple[int, str]]) -> Iterator[Edit]:
    """The stretches that differ, below the header."""
    new = [text for _, text in rows]
    match = SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in match.get_opcodes():
        if tag == "equal" or all(line.startswith("#") for line in (*old[a:b], *new[c:d])):
            continue
        at = rows[min(c, len(rows) - 1)][0]
        yield Edit(((a, b, tuple(new[c:d]), at),))


def _joined(edits: list[Edit], old: Sequence[str]) -> list[Edit]:
    """The edits, those as one that share a name which is new."""
    known = set(_NAME.findall("\n".join(old)))
    done: list[tuple[Edit, set[str]]] = []
    for edit in edits:
        names = set(_NAME.findall(edit.text)) - known
        for other in [row for row in done if row[1] & names]:
            done.remove(other)
            edit, names = Edit((*other[0].parts, *edit.parts)), names | other[1]
        done.append((edit, names))
    return [edit for edit, _ in done]


@dataclass(frozen=True, slots=True)
class _Edits:
    file: Path
    old: list[str]
    origins: Origins
    check: Check
    call: Call
    like: Vector | None = None
    """The numbers of the text without edits, where these are wrong: others are as wrong alike."""

    def text(self, edits: Collection[Edit]) -> str:
        """The generated text with some edits."""
        lines = list(self.old)
        parts = sorted((part for edit in edits for part in edit.parts), reverse=True)
        for first, last, new, _ in parts:
            lines[first:last] = new
        return "\n".join(lines) + "\n"

    def report(self, edits: Collection[Edit]) -> Report:
        with module_of(self.text(edits), self.file) as module:
            return self.check(module)

    def passes(self, edits: Collection[Edit]) -> bool:
        """Whether the text with some edits is a module whose derivatives are right."""
        try:
            if self.report(edits).ok:
                return True
            same = self.like is not None and np.allclose(
                self.numbers(edits), self.like, rtol=CLOSE, atol=0.0, equal_nan=True
            )
        except Exception:  # a part of an edit may be no program
            return False
        return same

    def numbers(self, edits: Collection[Edit]) -> Vector:
        with module_of(self.text(edits), self.file) as module:
            return self.call(module)

    def reverted(self, edits: Sequence[Edit]) -> Found | None:
        """The fewest edits without which the text passes, though that without any does not: the
        others put right by hand what is generated."""
        for size in range(1, MOST + 1):
            for some in combinations(edits, size if len(edits) <= MANY else 1):
                rest = tuple(edit for edit in edits if edit not in some)
                if self.passes(rest):
                    return [(edit, rest) for edit in some]
        return None

    def wrong(self, edits: Sequence[Edit]) -> Found:
        """The edits that are faults, in order, each with the right ones beside it."""
        kept: list[Edit] = []
        left: list[Edit] = []
        for edit in edits:
            (kept if self.passes((*kept, edit)) else left).append(edit)
        for size in range(2, min(len(left), MOST) + 1):
            for some in combinations(left, size):
                if {*some} <= {*left} and self.passes((*kept, *some)):
                    kept += some
                    left = [edit for edit in left if edit not in some]
        return [(edit, tuple(kept)) for edit in left]

    def fault(self, edit: Edit, kept: tuple[Edit, ...]) -> Fault:
        """A fault as it is told: the line of the source, and that of the module."""
        (first, last, new, at), kept = self.culprit(edit, kept)
        edit = Edit(((first, last, new, at),))
        source = self.origin(first, last)
        try:
            found = self.report((*kept, edit))
            rows = [row for row in found.rows if row.verdict == "fail"]
        except Exception as error:
            rows = [_raised(error)]
        row = rows[0] if rows else _raised(None)
        texts = self.text(kept), self.text((*kept, edit))
        before = [p for one in kept for p in one.parts if p[0] < first]
        shift = sum(len(p[2]) - (p[1] - p[0]) for p in before)
        turns = first_turns(*texts, first + shift, len(new), str(self.file), self.run)
        what = f"edited by hand: {new[0].strip()}" if new else "lines were removed by hand"
        when = "".join(f", {turn}" for turn in turns)
        said = f"{self.file.name}:{at}{when}, {what}"
        file, line = source or (str(self.file), at)
        place = file if Path(file).is_file() else str(self.file.parent / file)
        return Fault(file, line, line, self.quoted(place, line), (), row, said)

    def quoted(self, file: str, line: int) -> str:
        """A line of a file."""
        lines = (read_text(Path(file)) or "").splitlines()
        return lines[line - 1].strip() if line <= len(lines) else ""

    def culprit(self, edit: Edit, kept: tuple[Edit, ...]) -> tuple[Part, tuple[Edit, ...]]:
        """The part of an edit that is wrong, and what is right beside it: the others, if so."""
        for part in edit.parts if len(edit.parts) > 1 else ():
            rest = Edit(tuple(p for p in edit.parts if p != part))
            if self.passes((*kept, rest)):
                return part, (*kept, rest)
        return min(edit.parts), kept

    def origin(self, first: int, last: int) -> tuple[str, int] | None:
        """The line of the source that some lines come from, or those next to them."""
        around = [*range(first, max(last, first + 1)), *range(last, last + 3), first - 1]
        found = (self.origins[k] for k in around if 0 <= k < len(self.origins))
        return next((place for place in found if place is not None), None)

    def run(self, text: str) -> None:
        """Run the programs of a text once."""
        with module_of(text, self.file) as module:
            self.call(module)


def _raised(error: Exception | None) -> Row:
    said = "no program" if error is None else f"{type(error).__name__}: {error}"
    return Row("program", "a derivative", said, float("nan"), float("nan"), "fail")


@contextmanager
def module_of(text: str, file: Path) -> Iterator[ModuleType]:
    """A module of a text, which stands where the file does.

    What is compiled is not kept on disk: there it would be taken for that of the file.
    """
    text = text.replace("cache=True", "cache=False")
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    before = sys.modules.get(file.stem)
    sys.modules[file.stem] = module
    try:
        exec(compile(text, str(file), "exec"), module.__dict__)
        yield module
    finally:
        if before is None:
            sys.modules.pop(file.stem, None)
        else:
            sys.modules[file.stem] = before
