"""Every row: importing this module fills `TABLE`."""

from __future__ import annotations

from adjointgen.rules import (
    arithmetic,
    complexes,
    constants,
    contractions,
    conversions,
    decompositions,
    distributions,
    elementwise,
    factors,
    fourier,
    grids,
    indexing,
    interpolation,
    joins,
    linear_algebra,
    products,
    reductions,
    refused,
    scans,
    selection,
    shapes,
    solvers,
    sorting,
    special,
    statistics,
    structural,
)
from adjointgen.rules.table import TABLE

MODULES = (
    structural,
    indexing,
    arithmetic,
    elementwise,
    complexes,
    special,
    constants,
    reductions,
    scans,
    sorting,
    selection,
    interpolation,
    joins,
    conversions,
    grids,
    shapes,
    products,
    contractions,
    linear_algebra,
    decompositions,
    factors,
    solvers,
    statistics,
    fourier,
    distributions,
    refused,
)
TABLE.complete = True

__all__ = ["MODULES", "TABLE"]
