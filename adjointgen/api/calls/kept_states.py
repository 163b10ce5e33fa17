"""What a caller says of the values and states that an adjoint keeps, in one form."""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.errors import Misuse
from adjointgen.ir.directives import known_directives
from adjointgen.ir.schedules import FORMS, schedule

Directives = str | Sequence[str]


def known_schedule(text: str) -> str:
    """The schedule that a caller names. Raises Misuse (AG415) for what is none."""
    try:
        return str(schedule(text)) if text else ""
    except ValueError as error:
        raise Misuse(f"checkpoint: {error}", code="AG415", help=f"it takes {FORMS}") from None


def directives_known(words: Directives) -> tuple[str, ...]:
    """The directives that a caller names. Raises Misuse (AG415) for what is none."""
    try:
        return known_directives(words)
    except (ValueError, TypeError) as error:
        raise Misuse(f"directives: {error}", code="AG415") from None
