"""docs/performance.md, written from the measured numbers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.benchmarks.modes.tables import modes_text
from tests.benchmarks.tables import cost_tables, duration, generated, generation_tables, table
from tests.benchmarks.timing import PATIENCE
from tests.benchmarks.versus.tables import losses, shown

ADJOINT = "adjoint"
RIVALS = ("adjoint by hand", "autograd", "PyTorch")
MARGIN = 1.05
"""Times closer than this are called equal."""

HEAD = """\
# Performance

This page is written by `python -m tests.benchmarks`, from numbers that it also writes to
tests/benchmarks/results.json. Libraries to compare with come with the extra `bench`; those that are
not installed are left out.
"""

COST = """\
## What a derivative costs

The programs stand in tests/benchmarks/programs.py, as a user would write them. `tangent` and
`adjoint` are the programs that adjointgen generates from them; the adjoint's time includes the
value. `adjoint by hand` is what a careful person would write. autograd cannot write to arrays, so
it runs the out-of-place rewrites of with_autograd.py. PyTorch runs those of with_torch.py on the
CPU, in double precision, on tensors made beforehand.

All candidates run in one process, on one CPU{unpinned}, with one thread. They were found
to have the same value and gradients before. {rounds} rounds alternate between the candidates; a
time is the median of the rounds, and a ratio is the median of the quotients within each round.
Memory is the peak of what Python and NumPy allocate during a call; PyTorch's own is not seen.
"""

GENERATION = """\
## What generating costs

Every number is the median of {processes} fresh processes (a third of that for long functions), on
one CPU, without the cache on disk where the row does not say otherwise. The function of the first
gradient is `glide` of tests/benchmarks/model.py: thirty lines with a loop, a branch, arrays and
scalars. Its stages are timed when everything is imported. The longer functions are straight lines
of scalar assignments (tests/benchmarks/straight.py); their memory is what the process holds at most
beyond what it held before.
"""

VERSUS = {
    "kernels": """\
## Kernels

`python -m tests.benchmarks.versus kernels --write`. The programs stand in
tests/benchmarks/kernels/, in NumPy as their field writes it: in place, array statements where these
are usual and loops over elements where those are. They are differentiated unmodified, by all of
their float arguments. Their versions in JAX, in tests/benchmarks/with_jax/, are of three kinds,
all compiled as a whole and in double precision:

* `JAX` is what someone writes who knows it. The loops are those of the NumPy program, but those
  that carry are scans with as little carried as possible, and what is independent inside is done at
  once, with masks, but for azimint and contour_integral, where a loop is faster.
* `JAX line by line` is the translation that keeps every loop and every statement: `for` is
  `lax.fori_loop`, `A[i, j] = v` is `A = A.at[i, j].set(v)`, and whole arrays are carried from step
  to step. Reverse mode requires loops and slices of fixed lengths, so a mask or a branch leaves out
  what a varying bound does; the quicker one was taken. Kernels whose cell is empty there are
  written like this in `JAX` already, and that counts for both in the means.
* `JAX restructured` has another order of the work, where that suits it better, up to a product of
  matrices or a call of LAPACK instead of the loop.

Published figures for such kernels compare with ports that are line by line for the most part, such
as those of NPBench. They are not the same programs as those here, though: where syrk, cholesky, lu,
trisolv, durbin, deriche and floyd_warshall go from element to element here, theirs have operations
on slices, and each kind is translated as it stands. What a line-by-line program of elements costs
JAX is far more, and an average over all kernels is made of these few; the geometric mean is not.

Every candidate gives the value and the gradients, which were found equal to those of JAX before.
One process per kernel, on one CPU and one thread; a time is the median of the rounds, or one call
where that takes longer than {patience:.0f} s. A dash is what failed, with the reason below; of JAX
that includes what needs more memory or time than is allowed. The Numba target is measured against
the primal under Numba. Memory is what one call adds to a process at most, results included, when
everything is compiled. The larger size, which has a table of its own, is several times the work.
""",
    "objectives": """\
## Objectives

`python -m tests.benchmarks.versus objectives --write`: functions of
tests/benchmarks/objectives/, at three sizes each, written once with arrays and once as loops over
numbers. Of the mixture and of the network it is the gradient, of bundle adjustment the sparse
Jacobian by an adjoint of two directions, one per row of the blocks, of hand tracking the dense
Jacobian by `jacfwd`: a tangent of 26 directions, one per number of the pose. In plain NumPy, which
follows one direction at a time, it is one sweep per row or number. autograd and tangent take no
writes to arrays: the mixture and the network are there in autograd, out of place, and none in
tangent, which differentiates results of one number only. CasADi has bundle adjustment, as a
function of one observation that is mapped over all. Peers that take seconds per call for the large
network are left out there.
""",
    "scalars": """\
## Functions of a few numbers

`python -m tests.benchmarks.versus scalars --write`: functions of tests/benchmarks/scalars/, called
with Python's numbers; what a call costs each library is counted. The Python target is plain Python
and needs no compiler. Where a loop of Python takes longer than all of a compiled gradient, the
Numba target is what can be compared. autograd is left out where a call takes seconds.
""",
}
"""What the page says before the tables of a section that may be there."""


def page(results: Mapping[str, Any]) -> str:
    """The page."""
    cost, generation, machine = results["cost"], results["generation"], results["machine"]
    libraries = {**machine, **cost["libraries"]}
    pinned = "" if cost["pinned"] else " where the platform allows to choose one (here it does not)"
    parts = (
        HEAD,
        table(["", ""], [[name, value] for name, value in libraries.items()]),
        "## Where it falls short",
        shortcomings(cost, generation, _sections(results)),
        *(text for name, section in _sections(results) for text in versus(name, section)),
        *(modes_text(results["modes"]) if "modes" in results else ()),
        COST.format(rounds=cost["rounds"], unpinned=pinned),
        cost_tables(cost),
        GENERATION.format(processes=generation["processes"]),
        generation_tables(generation),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _sections(results: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(name, results[name]) for name in VERSUS if name in results]


def versus(name: str, section: Mapping[str, Any]) -> Iterator[str]:
    """The comparison with peers of one table."""
    yield VERSUS[name].format(patience=PATIENCE)
    yield "With " + ", ".join(f"{lib} {v}" for lib, v in section["libraries"].items()) + "."
    yield shown(section, name)


def shortcomings(
    cost: Mapping[str, Any],
    generation: Mapping[str, Any],
    sections: Sequence[tuple[str, Mapping[str, Any]]] = (),
) -> str:
    """What is slower than required, and where something else is faster, as a list."""
    compared = (line for table, section in sections for line in losses(section, table))
    found = [*_missed(cost, generation), *_slower(cost), *compared]
    if not found:
        return "All requirements hold, and nothing that was compared is faster."
    return "\n".join(f"* {line}" for line in found)


def _missed(cost: Mapping[str, Any], generation: Mapping[str, Any]) -> Iterator[str]:
    for program in cost["programs"]:
        for name, limit in program["limits"].items():
            ratio = program["rows"][name]["ratio"]
            if ratio > limit:
                yield f"{program['name']}: the {name} costs {ratio:.2f}, required is {limit}."
    times = {
        "import": generation["imports"]["from adjointgen import grad"],
        "first": generated(generation),
    }
    words = {"import": "The import", "first": "Generating the first gradient"}
    for name, seconds in times.items():
        limit = generation["limits"][name]
        if seconds > limit:
            yield f"{words[name]} takes {duration(seconds)}, required is {duration(limit)}."


def _slower(cost: Mapping[str, Any]) -> Iterator[str]:
    for program in cost["programs"]:
        ours = program["rows"][ADJOINT]["ratio"]
        for name in RIVALS:
            row = program["rows"].get(name)
            if row and ours > MARGIN * row["ratio"]:
                factor = ours / row["ratio"]
                yield f"{program['name']}: {name} is {factor:.2f} times as fast as our adjoint."
