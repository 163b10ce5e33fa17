"""Whose variable a name is: of this function, or of one around it (`nonlocal`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol


class Scope(Protocol):
    """A function that is being lowered, among the functions that it stands in."""

    @property
    def number(self) -> int:
        """The number of the function."""

    @property
    def outer(self) -> int:
        """The number of the function around it."""

    @property
    def lent(self) -> frozenset[str]:
        """The names that belong to a function around it."""

    @property
    def locals(self) -> frozenset[str]:
        """The names of its own."""


Refuse = Callable[..., NoReturn]


def owner_of_name(frame: Scope, frames: Mapping[int, Scope], name: str, refuse: Refuse) -> Scope:
    """The function that has a name. Raises Unsupported (AG105) where it has returned."""
    while name in frame.lent:
        frame = _around(frame, frames, name, refuse)
        while name not in frame.locals and name not in frame.lent:
            frame = _around(frame, frames, name, refuse)
    return frame


def _around(frame: Scope, frames: Mapping[int, Scope], name: str, refuse: Refuse) -> Scope:
    if frame.outer not in frames:
        refuse(
            "AG105",
            f"{name} belongs to a function that has returned, and is assigned",
            f"pass {name} as an argument, and return its new value",
        )
    return frames[frame.outer]
