"""The comparison with peers finds what differs, and says what failed and what is slower."""

from __future__ import annotations

import argparse
import ast
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.scalars.peers import in_casadi, in_tangent
from tests.benchmarks.scalars.programs import SCALARS, Scalar
from tests.benchmarks.timing import Times
from tests.benchmarks.versus import __main__ as versus_main
from tests.benchmarks.versus import measuring, probe
from tests.benchmarks.versus.__main__ import parsed, peaks
from tests.benchmarks.versus.agreement import flat, wrong
from tests.benchmarks.versus.cases import (
    DIRECT,
    DIRECT_NAMES,
    JAX,
    NUMBA,
    NUMPY,
    PRIMAL,
    RESTRUCTURED_NAMES,
    TANGENT,
    Candidate,
    Case,
    Gives,
)
from tests.benchmarks.versus.measuring import limited, measure, reason, speedups, timed
from tests.benchmarks.versus.memory import STATUS, once
from tests.benchmarks.versus.probe import tried
from tests.benchmarks.versus.registry import TABLES, case
from tests.benchmarks.versus.starts import slow_starts, starts, starts_table

BENCHMARKS = Path(__file__).parent
GRADIENT = (2.0, (np.array([3.0, -1.0]), 4.0))


def agreed(found: Any, gives: Gives) -> dict[str, str]:
    given = {"a": (GRADIENT, Gives.GRADIENTS), "b": (found, gives)}
    return wrong({name: (flat(*one), one[1]) for name, one in given.items()}, "a")


def test_equal_numbers_agree() -> None:
    assert agreed((2.0, [np.array([3.0, -1.0]), 4.0]), Gives.GRADIENTS) == {}
    assert agreed(2.0, Gives.VALUE) == {}
    assert agreed((2.0, 6.0), Gives.SLOPE) == {}


@pytest.mark.parametrize(
    "found, gives",
    [
        ((2.0, (np.array([3.0, -1.001]), 4.0)), Gives.GRADIENTS),
        ((2.0, (np.array([3.0, np.nan]), 4.0)), Gives.GRADIENTS),
        ((2.0, (np.array([3.0]), 4.0)), Gives.GRADIENTS),
        ((2.0, (np.array([3.0, -1.0]),)), Gives.GRADIENTS),
        (2.1, Gives.VALUE),
        ((2.0, 6.1), Gives.SLOPE),
    ],
    ids=["number", "nan", "shape", "count", "value", "slope"],
)
def test_a_difference_is_found(found: Any, gives: Gives) -> None:
    assert set(agreed(found, gives)) == {"b"}


def test_jacobians_agree_in_every_layout() -> None:
    blocks = [np.arange(12.0).reshape(2, 2, 3), np.arange(4.0).reshape(2, 2)]
    rows = [tuple(part[:, k] for part in blocks) for k in range(2)]
    pairs = zip(flat(rows, Gives.ROWS), flat(blocks, Gives.BLOCKS), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


def test_what_fails_or_lies_is_a_row() -> None:
    def fails() -> Any:
        raise ValueError("no")

    true = case("kernels", "gesummv")
    lying = Candidate(lambda: lambda _: lambda: (0.0, ()))
    few = {n: true.candidates[n] for n in (PRIMAL, NUMPY, TANGENT)}
    found = replace(true, candidates={**few, "lying": lying, "failing": Candidate(fails)})
    row = measure(found, "tiny", 0.0, 60.0)
    assert set(row["seconds"]) == {PRIMAL, NUMPY, TANGENT}
    assert set(row["ratios"]) == {NUMPY, TANGENT}
    assert set(row["wrong"]) == {"lying"} and row["failed"] == {"failing": "ValueError: no"}


def test_the_better_of_ours_is_compared() -> None:
    found = case("kernels", "gemm")
    times = {NUMPY: Times((4.0,)), NUMBA: Times((2.0,)), JAX: Times((6.0,)), PRIMAL: Times((1.0,))}
    assert speedups(found, times) == {"best": NUMBA, JAX: 3.0}


def test_reasons_are_of_the_cause_and_name_no_places() -> None:
    cause = TypeError("Failed in nopython mode\nno <function f at 0x7f00>")
    error = ValueError("short")
    error.__cause__ = cause
    assert reason(error) == "TypeError: no <function f>"


def test_time_is_limited() -> None:
    with pytest.raises(TimeoutError), limited(0.01):
        time.sleep(1.0)


def test_a_long_call_is_timed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {"short": 0, "long": 0}

    def call(name: str, seconds: float) -> None:
        calls[name] += 1
        time.sleep(seconds)

    monkeypatch.setattr(measuring, "PATIENCE", 0.02)
    runs = {"short": lambda: call("short", 0.002), "long": lambda: call("long", 0.05)}
    times = timed(runs, 0.01)
    assert calls["long"] == 1 and calls["short"] > 5
    assert times["long"].median >= 0.05 > times["short"].median
    assert times["long"].ratio(times["short"]) > 1.0
    assert timed({"long": runs["long"]}, 0.01)["long"].median >= 0.05


def test_a_candidate_that_does_not_end_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def fresh(module: str, limit: float, *arguments: str, **more: str) -> Any:
        asked.append((module, *arguments))
        answers = {"probe": f"not done after {limit:.0f} s", "memory": 7}
        return answers.get(module, {"seconds": {NUMPY: 1.0}, "failed": {NUMBA: "no"}})

    monkeypatch.setattr(versus_main, "fresh", fresh)
    options = parsed(["kernels", "--limit", "9", "--skip", "tangent"])
    found = versus_main.row("kernels", case("kernels", "lu"), "medium", options)
    assert found["failed"] == {NUMBA: "no", DIRECT: "not done after 9 s"}
    assert asked[0] == ("probe", "kernels", "lu", "medium", DIRECT)
    assert asked[1][-1] == f"tangent,{DIRECT}" and found["memory"] == {NUMPY: 7}
    # No memory is measured at the size whose table has times only, and nothing is to be probed.
    asked.clear()
    assert versus_main.row("kernels", case("kernels", "gemm"), "large", options)["memory"] == {}
    assert [module for module, *_ in asked] == ["measuring"]


def test_probes_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried("kernels", "gesummv", "tiny", PRIMAL) is None
    failing = Candidate(lambda: lambda _: lambda: [][0])
    lost = replace(case("kernels", "gesummv"), candidates={"lost": failing})
    monkeypatch.setattr(probe, "case", lambda table, name: lost)
    assert tried("kernels", "gesummv", "tiny", "lost") == "IndexError: list index out of range"


def test_sizes_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsed(["kernels", "--sizes", "medium,large", "--write"]).sizes == "medium,large"
    assert parsed(["kernels", "--sizes", "tiny"]).write is False
    with pytest.raises(SystemExit):
        parsed(["kernels", "--sizes", "tiny", "--write"])
    assert "these sizes of the table alone: large, medium" in capsys.readouterr().err


def test_every_kernel_has_a_version_in_jax() -> None:
    # JAX may be missing, so the files are read.
    texts = [p.read_text("utf-8") for p in sorted((BENCHMARKS / "with_jax").glob("*.py"))]
    trees = [ast.parse(text) for text in texts]
    defined = {n.name for tree in trees for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert set(KERNELS) <= defined
    restructured = {key for tree in trees for key in keys(tree, "RESTRUCTURED")}
    assert restructured == set(RESTRUCTURED_NAMES)


def test_line_by_line_versions_have_plain_loops_only() -> None:
    folder = BENCHMARKS / "with_jax" / "direct"
    trees = {p.stem: ast.parse(p.read_text("utf-8")) for p in sorted(folder.glob("*.py"))}
    defined = [
        f.name for tree in trees.values() for f in tree.body if isinstance(f, ast.FunctionDef)
    ]
    assert {name for name in defined if name in KERNELS} == set(DIRECT_NAMES)
    used = {
        node.attr
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id in ("jax", "lax")
    }
    assert used == {"fori_loop", "cond", "dynamic_slice"}


def keys(tree: ast.Module, name: str) -> list[str]:
    """The keys of a dict that is assigned to a name of a module."""
    return [
        key.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
        for key in node.value.keys
        if isinstance(key, ast.Constant)
    ]


@pytest.mark.parametrize("table", sorted(TABLES))
def test_names_are_unique(table: str) -> None:
    cases: list[Case] = TABLES[table]()
    assert len({c.name for c in cases}) == len(cases)


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not say what a process holds")
def test_memory_is_what_a_call_holds_at_most() -> None:
    held = 64 << 20
    found = once(lambda: np.ones(held // 8)[:1].copy())
    assert 0.9 * held <= found <= 1.1 * held


def test_memory_is_measured_of_what_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fresh(module: str, limit: float, *arguments: str, **more: str) -> Any:
        asked.append(arguments[-1])
        return "not done" if arguments[-1] == JAX else 5

    monkeypatch.setattr(versus_main, "fresh", fresh)
    options = argparse.Namespace(limit=1.0, skip=NUMBA)
    found = peaks("kernels", case("kernels", "gemm"), "tiny", [PRIMAL, NUMPY, NUMBA, JAX], options)
    assert found == {NUMPY: 5, JAX: None} and asked == [NUMPY, JAX]


def test_first_gradients_of_processes() -> None:
    asked: list[tuple[str, bool]] = []

    def fresh(module: str, limit: float, target: str, **more: str) -> Any:
        asked.append((target, "ADJOINTGEN_CACHE" in more))
        if target == "numba":
            return "AG140"
        return 0.3 if more else 0.2

    found = starts(fresh, 1.0, 2)
    assert found == {"python": [0.2, 0.3], "numba": [None, None]}
    assert asked[:5] == [("python", False)] * 2 + [("python", True)] * 3
    assert list(slow_starts(found)) == [
        "The first gradient of a process in plain Python, from the cache, takes 300 ms,"
        " required is 200 ms."
    ]
    assert "| plain Python | 200 ms (≤ 350 ms) |" in starts_table(found)
    assert 0.0 < versus_main.fresh("start", 60.0, "python") < 60.0


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: s.name)
def test_casadi_finds_the_same_gradients(scalar: Scalar) -> None:
    pytest.importorskip("casadi", reason="an extra of the benchmarks")
    arguments = scalar.inputs("tiny")
    value, slopes = in_casadi(scalar.name)(arguments)()
    again, expected = value_and_grad(scalar.primal, wrt=...)(*arguments)
    assert value == pytest.approx(again, rel=1e-12)
    assert slopes == pytest.approx(list(expected), rel=1e-10)


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: s.name)
def test_tangent_finds_the_same_gradients(scalar: Scalar) -> None:
    pytest.importorskip("tangent", reason="an extra of the benchmarks")
    arguments = scalar.inputs("tiny")
    value, slopes = in_tangent(scalar.name)(arguments)()
    again, expected = value_and_grad(scalar.primal, wrt=...)(*arguments)
    assert value == pytest.approx(again, rel=1e-12)
    assert slopes == pytest.approx(list(expected), rel=1e-10)
