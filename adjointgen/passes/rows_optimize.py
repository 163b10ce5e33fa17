"""Rewrites that leave every number as it is."""

from __future__ import annotations

from typing import Final

from adjointgen.passes.row import Pass

ROWS: Final = (
    Pass(
        "inline-calls",
        "optimize.scalar.inline_calls:inlined",
        "puts short functions, and those called once, in the place of their calls",
        optional=True,
        within="pipeline",
        source="Muchnick 1997, section 15.2",
    ),
    Pass(
        "matmul-before-loop",
        "optimize.matmul.matmul_before_loop_entry:ahead",
        "makes one product of matrices of products with one line of an array per iteration",
        takes=("function", "compiled"),
        optional=True,
        source="Allen and Kennedy 1987",
    ),
    Pass(
        "dce",
        "optimize.scalar.dce:dead",
        "removes statements that no result, effect or reverse statement reads",
        takes=("function", "keep"),
        source="Muchnick 1997, section 18.10",
    ),
    Pass(
        "simplify",
        "optimize.simplify:simplify",
        "rewrites single statements by algebra, to a fixpoint; the user's own keep their form",
        takes=("function", "frozen"),
        optional=True,
    ),
    Pass(
        "regroup",
        "optimize.simplify:regrouped",
        "rewrites single statements by algebra, and regroups products",
        takes=("function", "frozen"),
        switch="simplify",
    ),
    Pass(
        "cse",
        "optimize.scalar.cse:share",
        "computes once what is computed twice, where a name costs less",
        takes=("function", "frozen"),
        optional=True,
        source="Muchnick 1997, section 13.1",
    ),
    Pass(
        "dead-stores",
        "optimize.scalar.dead_stores:unread",
        "removes writes to parts of arrays of which only other parts are read",
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
        "makes one product of matrices of the outer products that iterations add to a matrix",
        takes=("function", "frozen"),
        optional=True,
        source="Allen and Kennedy 1987",
    ),
    Pass(
        "licm",
        "optimize.scalar.licm:hoist",
        "moves what no iteration changes before its loop",
        takes=("function", "frozen", "compiled"),
        optional=True,
        source="Muchnick 1997, section 13.2",
    ),
    Pass(
        "factor-common-matrix",
        "optimize.matmul.factor_common_matrix:factored",
        "adds up what a loop multiplies by one matrix, and multiplies the sum",
        takes=("function", "frozen", "compiled"),
        optional=True,
    ),
    Pass(
        "branch-sinking",
        "optimize.scalar.branch_sinking:sink",
        "moves sums into the one arm of a branch that contributes to them",
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
