"""Directives for a stretch of the source: what the adjoint of the statements in it keeps.

store(x)        what x is there is recorded
recompute(x)    what x is there is computed again
joint           functions that are called there run again in the reverse sweep
split           functions that are called there leave a tape
"""

from __future__ import annotations

from adjointgen.errors import Span
from adjointgen.records import dataclass

KINDS = ("store", "recompute", "joint", "split")
OF_CALLS = ("joint", "split")


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
