"""The table of passes: what each is called, where it stands, and the order in which they run.

`PASSES` has one row for each pass, `PHASES` the order. The runner (`run.py`), the option
`--disable`, `adjointgen opt`, docs/passes.md, the table in docs/architecture.md and the tests that
switch passes off all read these two. A pass is loaded when it runs for the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: `at` is its module and function, `takes` the fields of a `Unit` that it is given.

    It runs where the unit has the properties that it `requires`, and changes these by `ensures` and
    `removes` (`properties.py`). An `optional` pass may be left out without changing a number. A
    pass `within` another one is a decision that the other takes.
    """

    name: str
    at: str
    does: str
    takes: tuple[str, ...] = ("function",)
    optional: bool = False
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    within: str = ""
    source: str = ""

    @property
    def file(self) -> str:
        """Where it stands, as a path inside the package."""
        return self.at.partition(":")[0].replace(".", "/") + ".py"

    def function(self) -> Callable[..., Any]:
        """The function that does it; its module is loaded now."""
        module, _, name = self.at.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"adjointgen.{module}"), name)
        return found


_ROWS: Final = (
    Pass(
        "inline-calls",
        "optimize.scalar.inline_calls:inlined",
        "puts short functions, and those called once, in the place of their calls",
        optional=True,
        within="pipeline",
        source="Muchnick 1997, section 15.2",
    ),
    Pass(
        "matrix-functions",
        "ad.prepare.matrix_functions:smooth",
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
        "matmul-before-loop",
        "optimize.matmul.matmul_before_loop_entry:ahead",
        "makes one product of matrices of products with one line of an array per iteration",
        takes=("function", "compiled"),
        optional=True,
        source="Allen and Kennedy 1987",
    ),
    Pass(
        "check-differentiable",
        "ad.modes.check_differentiable:refuse",
        "refuses active operations that have no derivative",
        takes=("function", "facts"),
    ),
    Pass(
        "tangent",
        "ad.modes.tangent:tangent",
        "forward mode: puts the tangent of each statement before it",
        takes=("function", "groups", "facts", "derived", "idle"),
        source="Griewank and Walther 2008, section 3.1",
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
        takes=("function", "groups", "facts", "derived", "outputs", "idle", "fresh"),
        ensures=("open",),
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
        "gives an array its overwritten elements back, so that one record serves all that reads it",
        optional=True,
        within="close-adjoint",
    ),
    Pass(
        "recompute-or-record",
        "ad.taping.recompute_or_record:recompute",
        "computes again what costs less than a record",
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
    ),
    Pass(
        "dce",
        "optimize.scalar.dce:dead",
        "removes statements that no result, effect or reverse statement reads",
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
        "does the same, and regroups products",
        takes=("function", "frozen"),
        optional=True,
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
    Pass(
        "vectorize-loops",
        "targets.numpy.vectorize_loops:slices",
        "writes independent reverse loops over elements as statements on slices",
        takes=("function", "primal"),
        optional=True,
        source="Allen and Kennedy 1987",
    ),
    Pass(
        "loop-contractions",
        "optimize.matmul.loop_contractions:as_matrices",
        "writes contractions of tensors in loops as products of matrices",
        takes=("function", "frozen"),
        optional=True,
    ),
    Pass(
        "blas-forms",
        "optimize.simplify:for_numpy",
        "writes products and sums in the forms that NumPy hands to BLAS",
        takes=("function", "frozen"),
        optional=True,
    ),
    Pass(
        "use-before-overwrite",
        "targets.numpy.use_before_overwrite:early",
        "moves the use of a part of an array before the store that overwrites it",
        takes=("function", "frozen"),
        optional=True,
    ),
    Pass(
        "rename-handed-over",
        "optimize.scalar.rename_handed_over:retitle",
        "gives a derivative that is only handed over its last name from the start",
        takes=("function", "primal"),
    ),
    Pass(
        "loop-nests",
        "targets.loops.lower:lowered",
        "makes fused loop nests over numbers of array statements",
        takes=("function", "kept_apart"),
        optional=True,
        ensures=("loops",),
        source="delayed arrays: Keller and others 2010",
    ),
    Pass(
        "loop-reversal",
        "targets.loops.passes.loop_reversal:turned",
        "runs loops forwards whose iterations may be taken in any order",
        optional=True,
        requires=("loops",),
        source="Hascoët, Fidanova and Held 2001",
    ),
    Pass(
        "loop-fusion",
        "targets.loops.passes.loop_fusion:fused",
        "makes one loop of loops over the same range that follow each other",
        optional=True,
        requires=("loops",),
        source="Kennedy and McKinley 1993",
    ),
    Pass(
        "vector-mode",
        "targets.loops.directions.vector_mode:several",
        "follows several directions at once; what does not depend on them is computed once",
        takes=("function", "seeds", "ends", "directions"),
        ensures=("directions",),
        source="Griewank and Walther 2008, section 3.1",
    ),
    Pass(
        "direction-sparsity",
        "targets.loops.directions.direction_sparsity:narrowed",
        "leaves out of long loops the directions in which nothing moves that they read",
        optional=True,
        requires=("loops", "directions"),
    ),
    Pass(
        "if-conversion",
        "targets.loops.passes.if_conversion:chosen",
        "makes a choice of values of a small branch that writes one entry",
        optional=True,
        requires=("loops",),
        source="Allen and others 1983",
    ),
    Pass(
        "scalar-replacement",
        "targets.loops.passes.scalar_replacement:in_registers",
        "keeps in a number what a loop reads or adds to at one place",
        takes=("function", "primal"),
        optional=True,
        requires=("loops",),
        source="Callahan, Carr and Kennedy 1990",
    ),
    Pass(
        "dead-initialisation",
        "targets.loops.passes.dead_initialisation:covered",
        "does not write zeros that a loop nest overwrites",
        takes=("function", "primal"),
        optional=True,
        requires=("loops",),
    ),
    Pass(
        "parallel-loops",
        "targets.loops.passes.parallel_loops:in_parallel",
        "marks loops of which all iterations may run at once",
        requires=("parallel",),
    ),
    Pass(
        "countdown-loops",
        "targets.loops.passes.countdown_loops:downwards",
        "writes loops that run backwards as loops that count upwards",
    ),
    Pass(
        "inplace-accumulation",
        "storage.inplace_accumulation:accumulating",
        "adds to an adjoint in place where the sum before is not read again",
        optional=True,
        within="insert-copies",
    ),
    Pass(
        "insert-copies",
        "storage.insert_copies:own",
        "goes from values to storage: copies are made where a store would be seen",
        takes=("function", "primal", "results", "accumulates", "lent", "kept"),
        requires=("closed", "values"),
        ensures=("storage",),
        removes=("values",),
    ),
)

PASSES: Final[Mapping[str, Pass]] = {row.name: row for row in _ROWS}

Step = str | tuple[str, ...]
"""A pass; or a pass, and those that run after it where it has changed the program."""


def _cleaned(name: str) -> Step:
    return (name, "dce", "simplify", "cse")


_LATE: Final[tuple[Step, ...]] = (
    *(_cleaned("matmul-after-loop"), "dce", _cleaned("licm"), _cleaned("factor-common-matrix")),
    *("branch-sinking", "dce"),
)

PHASES: Final[Mapping[str, tuple[Step, ...]]] = {
    "equations": ("matrix-functions", "implicit-equations"),
    "before": ("matmul-before-loop",),
    "check": ("check-differentiable",),
    "tangent": ("tangent",),
    "adjoint": ("first-writes", "adjoint"),
    "close": ("simplify", "cse", "surviving-elements", "close-adjoint"),
    "clean tangent": (
        *("dce", "simplify", "cse", "dce", "regroup", "cse", _cleaned("dead-stores")),
        *("accumulation-start", *_LATE),
    ),
    "clean adjoint": (
        *("dce", "regroup", "cse", _cleaned("dead-stores"), "accumulation-start"),
        *(_cleaned("matmul-before-loop"), *_LATE),
    ),
    "numpy": (
        *(_cleaned("expand-rows"), "vectorize-loops", "dce", "loop-contractions", "blas-forms"),
        *("dce", "use-before-overwrite", "rename-handed-over"),
    ),
    "loops": (
        *(_cleaned("expand-rows"), "rename-handed-over", "loop-nests", "dce", "simplify", "cse"),
        *("loop-reversal", "dce", "loop-fusion", "simplify", "cse", "dce"),
    ),
    "directions": (
        *("scalar-replacement", "dce", "vector-mode", "dce", "simplify", "cse", "dce"),
        "direction-sparsity",
    ),
    "settle": (
        *("if-conversion", "scalar-replacement", "dce", _cleaned("dead-initialisation")),
        *(_cleaned("parallel-loops"), "countdown-loops", "dce"),
    ),
    "storage": ("insert-copies",),
}
"""What runs in each phase, in order; `pipeline.py` says which phases a program goes through."""

OPTIONAL: Final = tuple(row.name for row in _ROWS if row.optional)
"""The passes that can be switched off without changing a number."""

RENAMED: Final = {
    "ahead": "matmul-before-loop",
    "share": "cse",
    "standing": "surviving-elements",
    "recompute": "recompute-or-record",
    "restore": "restore-arrays",
    "rebase": "accumulation-start",
    "gather": "matmul-after-loop",
    "hoist": "licm",
    "sink": "branch-sinking",
    "accumulate": "inplace-accumulation",
    "slices": "vectorize-loops",
    "forms": "blas-forms",
    "early": "use-before-overwrite",
    "inline": "inline-calls",
    "nests": "loop-nests",
    "turn": "loop-reversal",
    "fuse": "loop-fusion",
    "narrow": "direction-sparsity",
    "choose": "if-conversion",
    "registers": "scalar-replacement",
    "cover": "dead-initialisation",
}
"""What passes were called in the headers of modules that earlier releases wrote."""
