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
    refused,
    scans,
    shapes,
    sorting,
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
    sorting,
    joins,
    conversions,
    shapes,
    products,
    contractions,
    linear_algebra,
    refused,
)
TABLE.complete = True

__all__ = ["MODULES", "TABLE"]
