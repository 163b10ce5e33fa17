"""Windows of arrays: every entry with those around it, by the indices of both.

    reflect   (d c b a | a b c d | d c b a)     mirror    (d c b | a b c d | c b a)
    nearest   (a a a | a b c d | d d d)         wrap      (b c d | a b c d | a b c)
    constant  (k k k | a b c d | k k k)

A window beyond the border is filled by the entries that the mode names, whose indices are made
here. So a filter is a sum, an extremum or a median of entries that were indexed, and its transpose
adds up what is in equal places, with every mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.records import dataclass
from adjointgen.rules.framework.shape_helpers import length, rank_of

GRID = {"grid-mirror": "reflect", "grid-wrap": "wrap", "grid-constant": "constant"}


@dataclass(frozen=True, slots=True)
class Border:
    """How windows go on beyond an array."""

    mode: str
    value: float = 0.0

    @property
    def name(self) -> str:
        return GRID.get(self.mode, self.mode)


def number(like: Any, count: Any) -> Any:
    """A length as a handle."""
    return count if hasattr(count, "apply") else like.builder.handle(like.builder.lower(count))


def counted(like: Any, count: Any) -> Any:
    """`0, 1, ..., count - 1`."""
    made = number(like, count)
    return made.apply("arange", made)


def _within(places: Any, n: Any, mode: str) -> Any:
    """The entries that places beyond the border stand for."""
    if mode == "wrap":
        return places % n
    if mode == "nearest":
        return np.clip(places, 0, n - 1)
    last = 2 * n - 1 if mode == "reflect" else 2 * n - 2
    turn = last + 1 if mode == "reflect" else last
    folded = places % (np.maximum(turn, 1) if hasattr(turn, "apply") else max(turn, 1))
    return np.minimum(folded, last - folded)


def along(a: Any, axis: int, places: Any, border: Border) -> Any:
    """Entries along an axis at `places`, which is put in the place of that axis."""
    n = length(a, axis)
    lead = (slice(None),) * (axis % rank_of(a, "a filter"))
    if border.name != "constant":
        return a[(*lead, _within(places, n, border.name))]
    inside = (places >= 0) & (places < n)
    found = a[(*lead, np.where(inside, places, 0))]
    after = rank_of(a, "a filter") - axis % rank_of(a, "a filter") - 1
    mask = inside[(..., *(None,) * after)] if after else inside
    return np.where(mask, found, border.value)


def windows(a: Any, sizes: Sequence[Any], starts: Sequence[Any], border: Border, axes: Any) -> Any:
    """For each entry those of its window, whose axes come last.

    A window begins `starts` before its entry, and has `sizes` entries along the `axes`.
    """
    rank = rank_of(a, "a filter")
    for k, (size, start, axis) in enumerate(zip(sizes, starts, axes, strict=True)):
        centres = counted(a, length(a, axis))
        places = centres[:, None] + counted(a, size)[None, :] - start
        a = along(a, axis, places, border)
        # The axis of the window goes behind all others.
        a = a.apply("moveaxis", a, source=axis + 1, destination=rank + k)
    return a


def named_border(mode: Any, cval: Any) -> Border:
    """Raises NoRule (AG201) for a mode of each axis."""
    if isinstance(mode, str) and isinstance(cval, int | float):
        border = Border(mode, float(cval))
        if border.name in ("reflect", "mirror", "nearest", "wrap", "constant"):
            return border
    raise NoRule(
        "no derivative rule for a filter with this mode",
        code="AG201",
        help="give one mode for all axes",
    )
