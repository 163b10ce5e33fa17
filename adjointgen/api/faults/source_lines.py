"""The lines of a function and of what it calls, as they stood when they were read."""

from __future__ import annotations

from linecache import getlines

from adjointgen.frontend.source.source import Source
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """The text of a function's own file is at hand; others are read."""

    source: Source

    def line_of(self, file: str, line: int) -> str:
        """A line of a file."""
        own = file == self.source.file
        lines = self.source.text.splitlines() if own else getlines(file)
        return lines[line - 1].strip() if line <= len(lines) else ""
