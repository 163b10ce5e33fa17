"""Every row: importing this module fills `TABLE`."""

from __future__ import annotations

from adjointgen.rules import (
    arithmetic,
    constants,
    contractions,
    conversions,
    distributions,
    elementwise,
    indexing,
    interpolation,
    joins,
    linear_algebra,
    products,
    reductions,
    refused,
    scans,
    shapes,
    sorting,
    special,
    structural,
)
from adjointgen.rules.table import TABLE

MODULES = (
    structural,
    indexing,
    arithmetic,
    elementwise,
    special,
    constants,
    reductions,
    scans,
    sorting,
    interpolation,
    joins,
    conversions,
    shapes,
    products,
    contractions,
    linear_algebra,
    distributions,
    refused,
)
TABLE.complete = True

__all__ = ["MODULES", "TABLE"]
