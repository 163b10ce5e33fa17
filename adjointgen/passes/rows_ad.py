"""Preparation, differentiation, and closing the adjoint."""

from __future__ import annotations

from typing import Final

from adjointgen.passes.row import Pass

ROWS: Final = (
    Pass(
        "matrix-functions",
        "ad.prepare.recognize_matrix_functions:smooth",
        "differentiates functions of a matrix that are written by a decomposition as one operation",
        source="Higham 2008, chapter 3",
    ),
    Pass(
        "implicit-equations",
        "ad.calls.implicit_equations:expanded",
        "writes out the equations that solvers, minima and integrals satisfy",
        takes=("function", "more"),
        source="Griewank and Walther 2008, chapter 15",
    ),
    Pass(
        "explicit-promotions",
        "ad.prepare.explicit_promotions:explicit",
        "writes out the conversions of arrays to the precision of what is computed of them",
        source="NEP 50",
    ),
    Pass(
        "check-differentiable",
        "ad.modes.check_differentiable:refuse",
        "refuses active operations that have no derivative",
        takes=("function", "facts"),
    ),
    Pass(
        "complex-powers",
        "ad.prepare.complex_powers:checked",
        "checks powers that Python makes complex, where only a part of the number is used",
        takes=("function", "facts", "compiled", "fractional"),
    ),
    Pass(
        "tangent",
        "ad.modes.tangent:tangent",
        "forward mode: puts the tangent of each statement before it",
        takes=("function", "groups", "facts", "derived", "idle"),
        ensures=("derivative",),
        source="Griewank and Walther 2008, section 3.1",
    ),
    Pass(
        "taylor",
        "jets.taylor:taylor",
        "Taylor mode: puts the Taylor coefficients of each result after its statement",
        takes=("function", "groups", "facts"),
        ensures=("derivative",),
        source="Griewank and Walther 2008, chapter 13",
    ),
    Pass(
        "first-writes",
        "ad.taping.reuse_elements:overwriting_nothing",
        "finds the stores that overwrite nothing active: their adjoint is not set to zero",
        takes=("original", "facts"),
        optional=True,
        source="Hascoët and Pascual 2013",
    ),
    Pass(
        "adjoint",
        "ad.modes.adjoint:adjoint",
        "reverse mode: the forward sweep, then its statements transposed in reverse order",
        takes=("function", "groups", "facts", "derived", "outputs", "idle", "fresh", "called"),
        ensures=("open", "derivative"),
        removes=("closed",),
        source="Griewank and Walther 2008, section 3.2",
    ),
    Pass(
        "surviving-elements",
        "ad.taping.reuse_elements:reused",
        "finds forward values that still stand in an array when the reverse sweep reads them",
        takes=("opened", "original"),
        optional=True,
        requires=("open",),
        source="to-be-recorded analysis: Hascoët and Pascual 2013",
    ),
    Pass(
        "restore-arrays",
        "ad.taping.restore_arrays:worth_restoring",
        "prevalues: gives an array its overwritten elements back; one record serves all readers",
        optional=True,
        within="close-adjoint",
        source="Griewank and Walther 2008, section 4.2",
    ),
    Pass(
        "recompute-or-record",
        "ad.taping.recompute_or_record:plan",
        "recomputation: computes again what costs less than a record",
        optional=True,
        within="close-adjoint",
        source="Griewank and Walther 2008, section 12.1",
    ),
    Pass(
        "close-adjoint",
        "ad.taping.close_adjoint:record",
        "brings what the reverse sweep reads into scope: restored, computed again, or recorded",
        takes=("opened", "recomputes", "restores", "hoists", "apart"),
        requires=("open",),
        ensures=("closed",),
        removes=("open",),
        source="to-be-recorded analysis: Hascoët, Naumann and Pascual 2005",
    ),
)
