"""How many states a schedule keeps at most, of so many steps (`runtime/schedules.py`)."""

from __future__ import annotations

from math import ceil


def most_snapshots(rule: object, steps: int, limit: int) -> int:
    """The snapshots in memory in the first step of the reverse sweep, or in a later one.

    A state that a step of the reverse sweep begins with is kept if the forward sweep kept it.
    """
    match rule:
        case "log":
            return max((steps - 1).bit_count() + 1, (steps - 1).bit_length() - 1)
        case "periodic":
            return ceil(steps / limit) + max(0, min(limit, steps) - 2)
        case "binomial":
            return min(steps, limit + 1)
    return min(steps, limit)
