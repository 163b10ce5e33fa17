"""Every row: importing this module fills `TABLE`."""

from __future__ import annotations

from adjointgen.rules.arrays import (
    axes,
    concatenation,
    flips,
    indexing,
    padding,
    reductions,
    reshaping,
    scans,
    sorting,
    splitting_and_grids,
    statistics,
    taking,
)
from adjointgen.rules.entrywise import (
    arithmetic,
    constants,
    conversions,
    distributions,
    elementary,
    extrema,
    refused,
    selection,
    special,
    structural,
    user_code,
)
from adjointgen.rules.framework import complex_convention, guarded_rows, list_rows
from adjointgen.rules.framework.table import TABLE
from adjointgen.rules.linalg import (
    convolutions,
    decompositions,
    eigen_gaps,
    eigen_general,
    einsum,
    fourier,
    matrix_functions,
    norms,
    products,
    scipy_linear_solvers,
    solve_and_det,
    sparse_solve,
)
from adjointgen.rules.numerics import implicit_rules, interpolation, splines

MODULES = (
    structural,
    user_code,
    indexing,
    taking,
    list_rows,
    guarded_rows,
    arithmetic,
    elementary,
    extrema,
    implicit_rules,
    complex_convention,
    special,
    splines,
    constants,
    reductions,
    scans,
    sorting,
    selection,
    interpolation,
    concatenation,
    conversions,
    padding,
    splitting_and_grids,
    convolutions,
    reshaping,
    flips,
    axes,
    products,
    einsum,
    solve_and_det,
    norms,
    eigen_gaps,
    decompositions,
    eigen_general,
    matrix_functions,
    scipy_linear_solvers,
    sparse_solve,
    implicit_rules,
    statistics,
    fourier,
    distributions,
    refused,
)
TABLE.complete = True

__all__ = ["MODULES", "TABLE"]
