"""Rewrites that leave every number as it is."""

from __future__ import annotations

from typing import Final

from adjointgen.passes.row import Pass

ROWS: Final = (
    Pass(
        "inline-calls",
        "optimize.scalar.inline_calls:inlined",
        "procedure inlining: short functions, and those called once, replace their calls",
        optional=True,
        within="pipeline",
        source="Muchnick 1997, section 15.2",
    ),
    Pass(
        "matmul-before-loop",
        "optimize.matmul.matmul_before_loop_entry:ahead",
        "loop distribution: one product of matrices for products with a line per iteration",
        takes=("function", "compiled"),
        optional=True,
        source="Allen and Kennedy 1987",
    ),
    Pass(
        "dce",
        "optimize.scalar.dce:dead",
        "dead-code elimination: removes what no result, effect or reverse statement reads",
        takes=("function", "keep"),
        source="Muchnick 1997, section 18.10",
    ),
    Pass(
        "simplify",
        "optimize.simplify:simplify",
        "algebraic simplification of statements, to a fixpoint; the user's own keep their form",
        takes=("function", "frozen"),
        optional=True,
        source="Muchnick 1997, section 12.3",
    ),
    Pass(
        "regroup",
        "optimize.simplify:regrouped",
        "algebraic simplification, and reassociation of products",
        takes=("function", "frozen"),
        switch="simplify",
        source="Muchnick 1997, section 12.3",
    ),
    Pass(
        "cse",
        "optimize.scalar.cse:share",
        "common-subexpression elimination: computes once what is computed twice, where it pays",
        takes=("function", "frozen", "own"),
        optional=True,
        source="Muchnick 1997, section 13.1",
    ),
    Pass(
        "dead-stores",
        "optimize.scalar.dead_stores:unread",
        "dead-store elimination: removes stores to parts of arrays of which other parts are read",
        takes=("function", "frozen"),
        optional=True,
    ),
    Pass(
        "accumulation-start",
        "optimize.scalar.accumulation_start:rebase",
        "starts a sum from the array that it is added to, not from zeros",
        takes=("function", "frozen"),
        optional=True,
    ),
    Pass(
        "matmul-after-loop",
        "optimize.matmul.matmul_after_loop:gather",
        "loop distribution: one product of matrices for outer products that iterations add",
        takes=("function", "frozen"),
        optional=True,
        source="Appleyard, Kocisky and Blunsom 2016",
    ),
    Pass(
        "licm",
        "optimize.scalar.licm:hoist",
        "loop-invariant code motion: moves what no iteration changes before its loop",
        takes=("function", "frozen", "compiled"),
        optional=True,
        source="Muchnick 1997, section 13.2",
    ),
    Pass(
        "factor-common-matrix",
        "optimize.matmul.factor_common_matrix:factored",
        "common factor: adds up what a loop multiplies by one matrix, and multiplies the sum",
        takes=("function", "frozen", "compiled"),
        optional=True,
    ),
    Pass(
        "branch-sinking",
        "optimize.scalar.branch_sinking:sink",
        "code sinking: moves sums into the one arm of a branch that contributes to them",
        takes=("function", "frozen"),
        optional=True,
        source="Knoop, Rüthing and Steffen 1994",
    ),
    Pass(
        "expand-rows",
        "ad.prepare.expand_rows:written_out",
        "writes operations of derivatives out that stand for several of NumPy's",
    ),
)
