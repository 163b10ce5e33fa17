"""Forms for NumPy and for compilers, and storage."""

from __future__ import annotations

from typing import Final

from adjointgen.passes.row import Pass

ROWS: Final = (
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
