"""What derivatives cost, relative to the program that they are taken of.

    python -m tests.benchmarks.cost [tiny]

All programs and all candidates are timed in one process and one interleaved run, after their
gradients were found equal. The adjoint's time includes the value.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np

from adjointgen import adjoint, tangent
from tests.benchmarks.programs import PROGRAMS, Arguments, Program
from tests.benchmarks.tables import cost_tables
from tests.benchmarks.timing import Run, Times, interleave, peak_memory
from tests.benchmarks.worker import Sizes, run_worker

OTHERS = {"autograd": "tests.benchmarks.with_autograd", "PyTorch": "tests.benchmarks.with_torch"}
PRIMAL, TANGENT, ADJOINT, HAND = "primal", "tangent", "adjoint", "adjoint by hand"
UNTRACED = {"PyTorch"}
"""Libraries whose memory the tracer of Python does not see."""


def candidates(program: Program, arguments: Arguments) -> dict[str, Run]:
    """Calls of the program and of its derivatives, by name. Libraries that are missing are not."""
    seeds = [np.ones_like(a) if np.ndim(a) else 1.0 for a in arguments[: len(program.wrt)]]
    forward, reverse = tangent(program.primal, program.wrt), adjoint(program.primal, program.wrt)
    runs: dict[str, Run] = {
        PRIMAL: lambda: program.primal(*arguments),
        TANGENT: lambda: forward(*arguments, *seeds),
        ADJOINT: lambda: reverse(*arguments, 1.0),
        HAND: lambda: program.by_hand(*arguments),
    }
    for name, module in others().items():
        runs[name] = module.prepare(program, arguments)
    return runs


def others() -> dict[str, ModuleType]:
    """The libraries to compare with that are installed."""
    found = {}
    for name, module in OTHERS.items():
        try:
            found[name] = import_module(module)
        except ModuleNotFoundError as error:
            if error.name not in ("autograd", "torch"):
                raise
    return found


def disagreements(program: Program, runs: dict[str, Run]) -> Iterator[str]:
    """The candidates whose value or gradients are not those by hand."""
    expected: Any = runs[HAND]()
    for name, run in runs.items():
        found: Any = run()
        match name:
            case "primal":
                pairs = [(found, expected[0])]
            case "tangent":
                slopes = sum(np.sum(g) for g in expected[1:])
                pairs = [(found[0], expected[0]), (found[1], slopes)]
            case _:
                pairs = list(zip(found, expected, strict=True))
        if not all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs):
            yield f"{program.name}: {name} gives {found}, not {expected}"


def measure(sizes: Sizes) -> Any:
    """Times, ratios and memory of every candidate of every program.

    Raises AssertionError where two candidates disagree.
    """
    runs = {p.name: candidates(p, p.arguments(sizes.programs)) for p in PROGRAMS}
    wrong = [fault for p in PROGRAMS for fault in disagreements(p, runs[p.name])]
    assert not wrong, "\n".join(wrong)
    together = {(p, c): run for p, mine in runs.items() for c, run in mine.items()}
    times = _interleaved(together, sizes)
    return {
        "rounds": sizes.rounds,
        "pinned": hasattr(os, "sched_setaffinity"),
        "libraries": {name: _version(name) for name in others()},
        "programs": [_program(p, runs[p.name], times) for p in PROGRAMS],
    }


def _interleaved(runs: dict[tuple[str, str], Run], sizes: Sizes) -> Callable[[str, str], Times]:
    flat = {f"{p}/{c}": run for (p, c), run in runs.items()}
    times = interleave(flat, sizes.rounds, sizes.least)
    return lambda program, candidate: times[f"{program}/{candidate}"]


def _program(
    program: Program, runs: dict[str, Run], times: Callable[[str, str], Times]
) -> dict[str, Any]:
    base = times(program.name, PRIMAL)
    rows = {}
    for name, run in runs.items():
        found = times(program.name, name)
        memory = None if name in UNTRACED else peak_memory(run)
        rows[name] = {"seconds": found.median, "ratio": found.ratio(base), "bytes": memory}
    limits = {ADJOINT: program.adjoint_limit, TANGENT: program.tangent_limit}
    return {
        "name": program.name,
        "title": (program.primal.__doc__ or "").strip(),
        "wrt": ", ".join(program.wrt),
        "rows": rows,
        "limits": {name: limit for name, limit in limits.items() if limit is not None},
    }


def _version(library: str) -> str:
    """The release, without the build."""
    return version({"PyTorch": "torch"}.get(library, library)).partition("+")[0]


def main(size: str = "full") -> Any:
    """Measures in a process of its own, prints the tables, and returns the numbers."""
    found = run_worker("tests.benchmarks.cost", size)
    print(cost_tables(found))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
