"""What reading an annotation can end with where it states no type."""

from __future__ import annotations


class Left(Exception):
    """An annotation that is understood, and leaves the type open."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(text, why)
        self.text, self.why = text, why


class Unreadable(Exception):
    """A text that states no type that is known."""

    def __init__(self, text: str, why: str = "") -> None:
        super().__init__(text, why)
        self.text, self.why = text, why
