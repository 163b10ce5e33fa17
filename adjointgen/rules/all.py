"""Every row: importing this module fills `TABLE`."""

from __future__ import annotations

from adjointgen.rules import (
    arithmetic,
    constants,
    contractions,
    conversions,
    elementwise,
    indexing,
    joins,
    linear_algebra,
    products,
    reductions,
    scans,
    shapes,
    structural,
)
from adjointgen.rules.table import TABLE

MODULES = (
    structural,
    indexing,
    arithmetic,
    elementwise,
    constants,
    reductions,
    scans,
    joins,
    conversions,
    shapes,
    products,
    contractions,
    linear_algebra,
)

__all__ = ["MODULES", "TABLE"]
