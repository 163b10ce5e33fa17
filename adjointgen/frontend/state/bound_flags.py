"""The flags of names that a path may read before it has bound them."""

from __future__ import annotations

from typing import Final

BOUND: Final = "%bound "
"""What the name of a flag in its frame begins with; no Python name looks like this."""

BOUND_STEM: Final = "_bound"
"""What the name of a flag in the program ends with."""


def shown_name(name: str) -> str:
    """The name in the program of what a name of the frame stands for."""
    if name.startswith(BOUND):
        return name.removeprefix(BOUND) + BOUND_STEM
    return name if name.isidentifier() else ""
