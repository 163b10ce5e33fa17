"""Who runs a generated program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Target = Literal["python", "numba", "numba-parallel"]
TARGETS: Final[tuple[Target, ...]] = get_args(Target)
PYTHON: Final = TARGETS[0]
NUMBA: Final = TARGETS[1]
PARALLEL: Final = TARGETS[2]

FREE: Final[Mapping[str, str]] = {
    "_plus": "reassoc",
    "_vector_exp": "contract",
    "_vector_tanh": "contract",
}
"""What a compiler may do in a helper beside what it may do everywhere: add in another order where
NumPy's own sums have no order, and round once where two operations are one instruction."""


def known_target(word: str) -> Target:
    """The target that a word names. Raises ValueError where it names none."""
    for target in TARGETS:
        if target == word:
            return target
    raise ValueError(f"unknown target {word!r}; choose from {', '.join(TARGETS)}")
