"""The table of passes: what each is called, where it stands, and the order in which they run.

`PASSES` has one row for each pass, `PHASES` the order. The runner (`run.py`), the option
`--disable`, `adjointgen opt`, docs/passes.md, the table in docs/architecture.md and the tests that
switch passes off all read these two. A pass is loaded when it runs for the first time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from adjointgen.passes import rows_ad, rows_optimize, rows_targets
from adjointgen.passes.row import Pass

_ROWS: Final = (*rows_ad.ROWS, *rows_optimize.ROWS, *rows_targets.ROWS)
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
    "equations": ("explicit-promotions", "matrix-functions", "implicit-equations"),
    "compile": ("wider-numbers", "integer-powers", "integer-arithmetic"),
    "before": ("matmul-before-loop",),
    "check": ("check-differentiable", "complex-powers"),
    "tangent": ("tangent",),
    "taylor": ("taylor",),
    "adjoint": ("first-writes", "adjoint"),
    "ask": ("dce", "simplify", "dce"),
    "close": ("simplify", "cse", "surviving-elements", "close-adjoint"),
    "clean tangent": (
        *("dce", "simplify", "cse", "dce", "regroup", "cse", _cleaned("dead-stores")),
        *("accumulation-start", *_LATE),
    ),
    "clean adjoint": (
        *("dce", "regroup", "cse", "simplify", _cleaned("dead-stores"), "accumulation-start"),
        *(_cleaned("matmul-before-loop"), *_LATE),
    ),
    "batch": (
        *(_cleaned("expand-rows"), "vectorize-loops", "dce", "batch", "dce", "simplify", "cse"),
        "dce",
    ),
    "numpy": (
        *(_cleaned("expand-rows"), "vectorize-loops", "dce", "loop-contractions", "blas-forms"),
        *("dce", "use-before-overwrite", "rename-handed-over", "typed-constants"),
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
        *(
            "integer-powers",
            "if-conversion",
            "scalar-replacement",
            "dce",
            _cleaned("dead-initialisation"),
        ),
        *(_cleaned("parallel-loops"), "countdown-loops", "dce", "wider-numbers"),
    ),
    "storage": ("insert-copies",),
}
"""What runs in each phase, in order; `pipeline.py` says which phases a program goes through."""


def _in_order() -> dict[str, None]:
    """The names of the passes, each where it runs first; decisions before who takes them."""
    steps = [step for phase in PHASES.values() for step in phase]
    names = [name for step in steps for name in ((step,) if isinstance(step, str) else step)]
    inner = {host: [row.name for row in _ROWS if row.within == host] for host in names}
    first = [row.name for row in _ROWS if row.within == "pipeline"]
    return dict.fromkeys([*first, *(one for name in names for one in (*inner[name], name))])


IN_ORDER: Final = tuple(PASSES[name] for name in _in_order())
"""The passes in the order in which they run for the first time."""

OPTIONAL: Final = tuple(row.name for row in IN_ORDER if row.optional)
"""The passes that can be switched off without changing a number."""

RENAMED: Final = {
    "ahead": ("matmul-before-loop",),
    "share": ("cse",),
    "standing": ("first-writes", "surviving-elements"),
    "recompute": ("recompute-or-record",),
    "restore": ("restore-arrays",),
    "rebase": ("accumulation-start",),
    "gather": ("matmul-after-loop", "factor-common-matrix"),
    "hoist": ("licm",),
    "sink": ("branch-sinking",),
    "accumulate": ("inplace-accumulation",),
    "slices": ("vectorize-loops",),
    "forms": ("loop-contractions", "blas-forms"),
    "early": ("use-before-overwrite",),
    "inline": ("inline-calls",),
    "nests": ("loop-nests",),
    "turn": ("loop-reversal",),
    "fuse": ("loop-fusion",),
    "narrow": ("direction-sparsity",),
    "choose": ("if-conversion",),
    "registers": ("scalar-replacement",),
    "cover": ("dead-initialisation",),
}
"""What passes were called in the headers of modules that earlier releases wrote."""
