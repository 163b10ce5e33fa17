"""Whether candidates found the same numbers, and if not, where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.benchmarks.versus.cases import Gives

TOLERANCE = 1e-6


def flat(found: Any, gives: Gives) -> list[Any]:
    """The value, and the gradients one after the other, as NumPy arrays."""
    match gives:
        case Gives.SLOPE | Gives.BLOCKS:
            return [np.asarray(part) for part in found]
        case Gives.GRADIENTS:
            value, gradients = found
            several = gradients if isinstance(gradients, tuple | list) else (gradients,)
            return [np.asarray(value), *(np.asarray(g) for g in several)]
        case Gives.ROWS:
            return [np.stack(rows, axis=1) for rows in zip(*found, strict=True)]
        case _:
            return [np.asarray(found)]


def disagreement(parts: list[Any], gives: Gives, expected: list[Any]) -> str | None:
    """What differs from the expected value and gradients by more than rounding may."""
    match gives:
        case Gives.VALUE:
            wanted, scales = expected[:1], None
        case Gives.SLOPE:
            sums = [np.sum(g).real for g in expected[1:]]
            wanted = [expected[0], np.sum(sums)]
            scales = [np.abs(expected[0]), sum(np.sum(np.abs(g)) for g in expected[1:])]
        case Gives.OTHER:
            return None
        case _:
            wanted, scales = expected, None
    if len(parts) != len(wanted):
        return f"{len(parts)} numbers or arrays instead of {len(wanted)}"
    for k, (a, b) in enumerate(zip(parts, wanted, strict=True)):
        if np.shape(a) != np.shape(b):
            return f"part {k} has the shape {np.shape(a)}, not {np.shape(b)}"
        scale = np.max(np.abs(b), initial=0.0) if scales is None else scales[k]
        off = np.max(np.abs(a - b), initial=0.0)
        if not off <= TOLERANCE * scale:
            return f"part {k} is off by {off:.1e}, of {scale:.1e}"
    return None


def wrong(found: Mapping[str, tuple[list[Any], Gives]], reference: str) -> dict[str, str]:
    """The candidates whose numbers, from `flat`, differ from the reference's, and how."""
    expected, _ = found[reference]
    faults = {
        name: disagreement(other, kind, expected)
        for name, (other, kind) in found.items()
        if name != reference
    }
    return {name: fault for name, fault in faults.items() if fault is not None}
