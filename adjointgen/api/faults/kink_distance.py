"""How far a function can be followed along a direction until it comes to a kink.

    step = max{t: x + s v is on the piece of x for all |s| <= t, as far as steps are tried}

Steps are halved until nothing that is decided is another, then the last interval of each line is
halved. A difference quotient with a longer step goes over the kink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.faults.bisect import program_of
from adjointgen.api.faults.discrete_values import Pieces, deciding
from adjointgen.depth import deep
from adjointgen.errors import Span
from adjointgen.records import dataclass
from adjointgen.verify.report import LARGEST_STEP, Flip
from adjointgen.verify.structures import Vector, flatten, unflatten, widen
from adjointgen.verify.twins import twins

SMALLEST: Final = 2.0**-46
FINE: Final = 12
MOST: Final = 8

Along = Callable[[float], Pieces | None]


def flips_of(
    function: Callable[..., Any],
    binder: Binder,
    values: tuple[Any, ...],
    wrt: Sequence[str],
    directions: Sequence[Any],
    disable: tuple[str, ...] = (),
) -> tuple[Flip, ...]:
    """The lines at which something else is decided within a sixteenth of a direction, nearest
    first; a direction has a tree for each argument in `wrt`."""
    with deep():
        root, source, looks = program_of(function, binder, values, wrt, disable)
        program = deciding(root, wrt, looks, disable)
    places = [binder.names.index(name) for name in wrt]
    nearest: dict[Span, float] = {}
    for direction in directions:
        line = _Line(binder, values, places, direction)
        along = line.along(program.pieces, program.seeds)
        for k, step in _steps(along, len(program.places)).items():
            span = program.places[k]
            nearest[span] = min(step, nearest.get(span, LARGEST_STEP))
    rows: dict[tuple[str, int], float] = {}
    for span, step in nearest.items():
        key = span.file, span.line
        rows[key] = min(step, rows.get(key, step))
    ordered = sorted(rows.items(), key=lambda row: (row[1], row[0]))[:MOST]
    return tuple(Flip(*key, source.line_of(*key), step) for key, step in ordered)


@dataclass(frozen=True, slots=True)
class _Line:
    """The line through the arguments of a call."""

    binder: Binder
    values: tuple[Any, ...]
    places: Sequence[int]
    direction: Any

    def along(self, pieces: Callable[..., Pieces], seeds: Sequence[str]) -> Along:
        """The pieces at x + t v; None where the function is not defined."""
        wide = tuple(widen(self.values[k]) for k in self.places)
        origin, ahead = flatten(wide), flatten(self.direction, like=wide)
        own = len(self.binder.owner)

        def at(t: float) -> Pieces | None:
            given = [*self.values[:own], *twins(self.values[own:])]
            moved: Vector = origin + t * ahead
            for k, arg in zip(self.places, unflatten(wide, moved), strict=True):
                given[k] = arg
            named = dict(zip(seeds, unflatten(wide, ahead), strict=True))
            named |= self.binder.by_name(tuple(given))
            try:
                return pieces(lambda run: run(*self.binder.by_position(tuple(given)), **named))
            except (ArithmeticError, ValueError):
                return None

        return at


def _steps(along: Along, count: int) -> dict[int, float]:
    """The step at which each place first gives something else, on either side."""
    here = along(0.0)
    if here is None:
        return {}
    found: dict[int, float] = {}
    for side in (1.0, -1.0):
        far, step = _first(along, here, side, count)
        for k in far:
            low, high = step.get(k, 0.0), far[k]
            for _ in range(FINE if low else 0):
                middle = (low + high) / 2.0
                other = along(side * middle)
                low, high = (low, middle) if _differs(here, other, k) else (middle, high)
            found[k] = min(high if low else 0.0, found.get(k, LARGEST_STEP))
    return found


def _first(
    along: Along, here: Pieces, side: float, count: int
) -> tuple[dict[int, float], dict[int, float]]:
    """For each place that gives something else within the longest step: the shortest of the halved
    steps at which it does, and the longest below that at which it does not."""
    far: dict[int, float] = {}
    near: dict[int, float] = {}
    t = LARGEST_STEP
    while t > SMALLEST:
        other = along(side * t)
        differing = {k for k in range(count) if _differs(here, other, k)}
        for k in differing:
            far[k] = t
            near.pop(k, None)
        near |= {k: t for k in far if k not in differing and k not in near}
        if not differing:
            break
        t /= 2.0
    return far, near


def _differs(here: Pieces, other: Pieces | None, k: int) -> bool:
    return other is None or other[k] != here[k]
