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
from tests.benchmarks.page import versus
from tests.benchmarks.scalars.peers import in_casadi, in_tangent
from tests.benchmarks.scalars.programs import SCALARS, Scalar
from tests.benchmarks.timing import Times
from tests.benchmarks.versus import __main__ as versus_main
from tests.benchmarks.versus.__main__ import merged, peaks
from tests.benchmarks.versus.agreement import flat, wrong
from tests.benchmarks.versus.cases import JAX, NUMBA, NUMPY, PRIMAL, TANGENT, Candidate, Case, Gives
from tests.benchmarks.versus.measuring import limited, measure, reason, speedups
from tests.benchmarks.versus.memory import STATUS, once
from tests.benchmarks.versus.reasons import GOALS, REASONS
from tests.benchmarks.versus.registry import RESTRUCTURED_NAMES, TABLES, case
from tests.benchmarks.versus.starts import slow_starts, starts, starts_table
from tests.benchmarks.versus.tables import losses, shown

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


def row(name: str, seconds: float, jax: float, memory: tuple[int, int]) -> dict[str, Any]:
    return {
        "name": name,
        "title": "",
        "size": "medium",
        "sweeps": True,
        "reference": JAX,
        "wrong": {},
        "failed": {NUMBA: "TypingError: no"},
        "first": {NUMPY: 0.1, JAX: 1.0},
        "seconds": {PRIMAL: 1.0, NUMPY: seconds, JAX: jax},
        "ratios": {NUMPY: seconds},
        "speedups": {"best": NUMPY, JAX: jax / seconds},
        "memory": {NUMPY: memory[0] << 20, JAX: memory[1] << 20},
    }


def test_tables_and_losses() -> None:
    section = {
        "libraries": {"jax": "1"},
        "rows": [row("fast", 2.0, 18.0, (1, 2)), row("slow", 4.0, 2.0, (3, 2))],
    }
    text = shown(section)
    assert "* Times as fast as JAX: 4.75 on average, geometric mean 2.12, of 2." in text
    assert "* Slower than JAX: slow (0.50)." in text
    assert "* NumPy target over its primal: median 3.00; most for slow (4.00), fast (2.00)." in text
    assert "* fast: Numba target failed: TypingError: no" in text
    assert list(losses(section)) == [
        "NumPy target over its primal, at most 3.5 required: slow 4.00.",
        "slow: JAX is 2.00 times as fast as our gradient.",
        "slow: our gradient holds 3.00 MiB, JAX 2.00 MiB.",
    ]
    first, second, *_ = losses(section, "kernels")
    assert first == "kernels: 4.75 times as fast as JAX on average, required is 92.0."
    assert second == "kernels: 2.12 times as fast as JAX as geometric mean, required is 10.0."
    assert [*versus("kernels", section)][1] == "With jax 1."


def test_rows_that_were_not_measured_stay() -> None:
    old = {
        "libraries": {"jax": "1"},
        "rows": [{**row(n, 1.0, 1.0, (1, 1))} for n in ("lu", "gemm")],
    }
    new = {"libraries": {"jax": "2"}, "rows": [row("lu", 5.0, 1.0, (1, 1))]}
    found = merged(old, new, "kernels")
    assert found["libraries"] == {"jax": "2"}
    seconds = [(r["name"], r["seconds"][NUMPY]) for r in found["rows"]]
    assert seconds == [("gemm", 1.0), ("lu", 5.0)]
    assert merged(None, new, "kernels") == new


def test_every_kernel_has_a_version_in_jax() -> None:
    # JAX may be missing, so the files are read.
    texts = [p.read_text("utf-8") for p in sorted((BENCHMARKS / "with_jax").glob("*.py"))]
    trees = [ast.parse(text) for text in texts]
    defined = {n.name for tree in trees for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert set(KERNELS) <= defined
    restructured = {key for tree in trees for key in keys(tree, "RESTRUCTURED")}
    assert restructured == set(RESTRUCTURED_NAMES)


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


def test_losses_say_why() -> None:
    section = {"libraries": {}, "rows": [row("doitgen", 4.0, 2.0, (1, 2))]}
    _, line = losses(section)
    assert line.endswith(f"as fast as our gradient: {REASONS['doitgen']}.")
    assert set(REASONS) <= {c.name for cases in TABLES.values() for c in cases()}


def test_goals_that_are_missed_are_said() -> None:
    section = {"libraries": {}, "rows": [row("LSTM", 1.0, 2.0, (1, 2))]}
    (line,) = losses(section)
    assert line == f"LSTM: 2.00 times as fast as JAX, required is 3.00: {REASONS['LSTM']}."
    section = {"libraries": {}, "rows": [row("LSTM", 1.0, 3.0, (1, 2))]}
    assert list(losses(section)) == []
    assert set(GOALS) <= {c.name for cases in TABLES.values() for c in cases()}


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
