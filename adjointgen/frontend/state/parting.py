"""Paths that cannot meet, or of which nothing comes back yet."""

from __future__ import annotations

from adjointgen.errors import AdjointgenError
from adjointgen.records import dataclass


class NoReturnYet(Exception):
    """A recursive call of which nothing is known yet: this path does not return."""


@dataclass(slots=True)
class Parting:
    """The last error of two paths that cannot meet, and how often that was mended."""

    error: AdjointgenError | None = None
    count: int = 0
