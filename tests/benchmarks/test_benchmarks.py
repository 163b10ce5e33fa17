"""The benchmarks measure what they say: equal gradients, honest statistics, a page without secrets.

How fast anything is is no matter of a test; the scripts run with tiny sizes.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.benchmarks import cost
from tests.benchmarks.model import glide, point
from tests.benchmarks.page import page, shortcomings
from tests.benchmarks.programs import PROGRAMS, Program
from tests.benchmarks.stages import STAGES
from tests.benchmarks.straight import load_straight
from tests.benchmarks.tables import duration, table
from tests.benchmarks.timing import Times, fitted, interleave
from tests.benchmarks.worker import ROOT, SIZES

TINY = SIZES["tiny"].programs
STEP = 1e-6


def moved(arguments: tuple[Any, ...], directions: list[Any], by: float) -> tuple[Any, ...]:
    first = [a + by * d for a, d in zip(arguments, directions, strict=False)]
    return (*first, *arguments[len(first) :])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradients_by_hand_are_slopes(program: Program) -> None:
    arguments = program.arguments(TINY)
    draw = np.random.default_rng(7)
    directions = [draw.normal(size=np.shape(a)) for a in arguments[: len(program.wrt)]]
    value, *gradients = program.by_hand(*arguments)
    ahead, behind = (program.primal(*moved(arguments, directions, s)) for s in (STEP, -STEP))
    slope = sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True))
    assert value == pytest.approx(program.primal(*arguments), rel=1e-12)
    assert slope == pytest.approx((ahead - behind) / (2.0 * STEP), rel=1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_candidates_agree(program: Program) -> None:
    runs = cost.candidates(program, program.arguments(TINY))
    assert {"primal", "tangent", "adjoint", "adjoint by hand", "autograd"} <= {*runs}
    assert not list(cost.disagreements(program, runs))


@pytest.mark.parametrize("wrong", ["primal", "tangent", "adjoint", "autograd"])
def test_a_candidate_that_disagrees_is_found(wrong: str) -> None:
    program = PROGRAMS[1]
    runs = cost.candidates(program, program.arguments(TINY))
    right = runs[wrong]

    def off() -> Any:
        found: Any = right()
        return found * 1.01 if wrong == "primal" else (found[0], found[1] * 1.01)

    (fault,) = cost.disagreements(program, {**runs, wrong: off})
    assert fault.startswith(f"heat: {wrong} gives")


def test_the_model_has_its_slope() -> None:
    arguments = point()
    ahead, behind = (glide(0.1 + s, *arguments[1:]) for s in (STEP, -STEP))
    assert grad(glide)(*arguments) == pytest.approx((ahead - behind) / (2.0 * STEP), rel=1e-6)


def test_straight_lines_have_their_slope(tmp_path: Path) -> None:
    function = load_straight(40, tmp_path)
    assert len(function.__code__.co_varnames) == 42
    ahead, behind = function(0.4 + STEP, 0.3), function(0.4 - STEP, 0.3)
    slope = (ahead - behind) / (2.0 * STEP)
    assert grad(function)(0.4, 0.3) == pytest.approx(slope, rel=1e-5)


def test_rounds_alternate_and_start_with_another() -> None:
    calls: list[str] = []
    runs = {name: (lambda name=name: calls.append(name)) for name in "abc"}
    times = interleave(runs, 3, 0.0)
    assert "".join(calls[-18:]) == "aabbccbbccaaccaabb"  # Once before the clock, once with it.
    assert {name: len(found.seconds) for name, found in times.items()} == dict.fromkeys("abc", 3)


def test_short_calls_are_repeated() -> None:
    calls: list[int] = []
    interleave({"a": lambda: calls.append(1)}, 1, 1e-3)
    assert len(calls) > 10


def test_a_ratio_is_of_the_same_round() -> None:
    # The machine becomes ten times slower; each round says twice.
    base, found = Times((1.0, 10.0, 1.0)), Times((2.0, 20.0, 90.0))
    assert found.ratio(base) == 2.0


def test_the_exponent_is_found() -> None:
    law = fitted([100, 200, 1000], [3.0 * n**1.5 for n in (100, 200, 1000)])
    assert (law.factor, law.exponent) == (pytest.approx(3.0), pytest.approx(1.5))


def test_numbers_have_three_digits() -> None:
    shown = [duration(s) for s in (2.0, 0.0123, 0.000456, 7e-9)]
    assert shown == ["2.00 s", "12.3 ms", "456 µs", "7.00 ns"]
    assert table(["", "n"], [["a", "1"], ["bc", "10"]]) == (
        "|    |  n |\n| -- | -: |\n| a  |  1 |\n| bc | 10 |"
    )


def results(ratio: float, rival: float, seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    rows = {"adjoint": {"ratio": ratio}, "autograd": {"ratio": rival}}
    program = {"name": "p", "rows": rows, "limits": {"adjoint": 3.5}}
    generation = {
        "imports": {"from adjointgen import grad": seconds},
        "limits": {"import": 0.06, "first": 0.05},
        "stages": {"imports": 9.0, "lower": 0.01},
        "exponent": 1.0,
    }
    return {"programs": [program]}, generation


def test_the_page_says_what_falls_short() -> None:
    assert shortcomings(*results(3.0, 9.0, 0.05)).startswith("All requirements hold")
    assert shortcomings(*results(4.0, 2.0, 0.07)).splitlines() == [
        "* p: the adjoint costs 4.00, required is 3.5.",
        "* The import takes 70.0 ms, required is 60.0 ms.",
        "* p: autograd is 2.00 times as fast as our adjoint.",
    ]


def test_the_committed_page_is_that_of_the_committed_numbers() -> None:
    found = json.loads((ROOT / "tests/benchmarks/results.json").read_text("utf-8"))
    assert (ROOT / "docs/performance.md").read_text("utf-8") == page(found)


@pytest.mark.slow
def test_the_scripts_run(tmp_path: Path) -> None:
    start = time.monotonic()
    command = [sys.executable, "-m", "tests.benchmarks", "tiny", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    shown = (tmp_path / "performance.md").read_text("utf-8")
    kept = (tmp_path / "results.json").read_text("utf-8")
    found = json.loads(kept)
    for program in PROGRAMS:
        assert f"### {program.name}\n" in shown and f"### {program.name}\n" in done.stdout
    assert {*found["generation"]["stages"]} == {"imports", *STAGES, "other"}
    seconds = [row["seconds"] for row in found["generation"]["straight"]]
    assert 0.0 < sum(seconds) < time.monotonic() - start
    for secret in (platform.node(), str(ROOT), str(tmp_path), sys.executable):
        assert secret not in shown + kept
