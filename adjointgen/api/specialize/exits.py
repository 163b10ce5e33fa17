"""What a program ends in where a path begins that it is not made for."""

from __future__ import annotations

from typing import Final

from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Exits:
    """The messages of the exceptions, and whether nothing has been changed when one is raised."""

    messages: frozenset[str] = frozenset()
    harmless: bool = True


NO_EXITS: Final = Exits()
