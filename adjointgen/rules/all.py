"""Every row: importing this module fills `TABLE`."""

from __future__ import annotations

from adjointgen.rules import (
    arithmetic,
    constants,
    elementwise,
    indexing,
    linear_algebra,
    reductions,
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
    shapes,
    linear_algebra,
)

__all__ = ["MODULES", "TABLE"]
