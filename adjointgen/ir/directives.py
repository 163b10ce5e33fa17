"""Directives for a stretch of the source: what the adjoint of the statements in it keeps.

store(x)        what x is there is recorded
recompute(x)    what x is there is computed again
joint           functions that are called there run again in the reverse sweep
split           functions that are called there leave a tape
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from adjointgen.errors import Span
from adjointgen.records import dataclass

KINDS = ("store", "recompute", "joint", "split")
OF_CALLS = ("joint", "split")
OF_NAMES = ("recompute", "store")
CLAIM = "independent"
ASKED: Final = (
    "store(x), recompute(x), joint, joint(g), split, split(g), independent, independent(i)"
)
"""The directives that hold for a function: of what computes x, calls g, counts i, or of all."""
_WORD: Final = re.compile(r"(\w+)\s*(?:\(\s*([\w.]*)\s*\))?")


@dataclass(frozen=True, slots=True)
class Directive:
    """One of `KINDS`, for a variable or for calls, in some lines of a file."""

    kind: str
    name: str
    file: str
    first: int
    last: int

    def covers(self, span: Span | None) -> bool:
        """Whether a statement stands in these lines."""
        return span is not None and span.file == self.file and self.first <= span.line <= self.last


def known_directives(words: str | Iterable[str]) -> tuple[str, ...]:
    """Directives that are asked for by keyword, in one form. Raises ValueError, which says why."""
    texts = re.split(r",\s*(?![^(]*\))", words) if isinstance(words, str) else [*words]
    return tuple(dict.fromkeys(_known(text) for text in texts if text != ""))


def _known(text: object) -> str:
    found = _WORD.fullmatch(text.strip()) if isinstance(text, str) else None
    word, name = (found[1], found[2] or "") if found else ("", "")
    if found is None or word not in (*OF_NAMES, *OF_CALLS, CLAIM):
        raise ValueError(f"{text!r} is no directive of a function; known are {ASKED}")
    if not all(part.isidentifier() for part in name.split(".")) and (name or word in OF_NAMES):
        raise ValueError(f"{text!r} names no variable; write {word}(x)")
    if found[2] == "":
        raise ValueError(f"{text!r} names nothing; write {word}")
    return f"{word}({name})" if name else word
