"""Who runs a generated program."""

from __future__ import annotations

from typing import Final, Literal, get_args

Target = Literal["python", "numba"]
TARGETS: Final[tuple[Target, ...]] = get_args(Target)
PYTHON: Final = TARGETS[0]


def known_target(word: str) -> Target:
    """The target that a word names. Raises ValueError where it names none."""
    for target in TARGETS:
        if target == word:
            return target
    raise ValueError(f"unknown target {word!r}; choose from {', '.join(TARGETS)}")
