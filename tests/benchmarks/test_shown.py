"""What was measured is shown: means, what is slower than required, dashes and reasons."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.page import versus
from tests.benchmarks.versus.__main__ import merged
from tests.benchmarks.versus.cases import DIRECT, JAX, NUMBA, NUMPY, PRIMAL, RESTRUCTURED
from tests.benchmarks.versus.reasons import GOALS, REASONS
from tests.benchmarks.versus.registry import TABLES
from tests.benchmarks.versus.tables import losses, shown


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


def by_line(name: str, direct: float | None, jax: float = 4.0) -> dict[str, Any]:
    """A row of a kernel with a line-by-line version that takes so long, or fails."""
    known = row(name, 2.0, jax, (1, 1))
    if direct is None:
        return {**known, "failed": {DIRECT: "not done after 9 s"}}
    speedups = {**known["speedups"], DIRECT: direct / 2.0}
    seconds = {**known["seconds"], DIRECT: direct}
    return {**known, "failed": {}, "seconds": seconds, "speedups": speedups}


def test_line_by_line_versions_are_compared() -> None:
    # gemm is line by line in JAX anyway, and lu failed; a row without either was not measured yet.
    rows = [row("gemm", 2.0, 4.0, (1, 1)), by_line("syrk", 36.0), by_line("lu", None)]
    rows += [row("durbin", 2.0, 100.0, (1, 1))]
    text = shown({"libraries": {}, "rows": rows}, "kernels")
    assert (
        "* Times as fast as JAX line by line: 10.0 on average, geometric mean 6.00, of 2." in text
    )
    assert "* Times as fast as JAX: 14.0 on average, geometric mean 4.47, of 4." in text
    assert "* lu: JAX line by line failed: not done after 9 s" in text
    table = [line.split("|") for line in text.splitlines() if line.startswith("|")]
    column = [cell.strip() for cell in table[0]].index(DIRECT)
    assert [line[column].strip() for line in table[2:6]] == ["", "36.0 s", "—", ""]
    behind = {"libraries": {}, "rows": [by_line("syrk", 1.0)]}
    assert "syrk: JAX line by line is 2.00 times as fast as our gradient." in losses(behind)


def test_the_larger_size_has_a_table_of_its_own() -> None:
    large = {**by_line("syrk", 8.0), "size": "large", "ratios": {NUMPY: 9.0}}
    large["speedups"] = {**large["speedups"], JAX: 0.5, RESTRUCTURED: 0.1}
    section = {"libraries": {"jax": "1"}, "rows": [by_line("syrk", 6.0), large]}
    before, _, after = shown(section, "kernels").partition("### Kernels at the larger size\n\n")
    head, _, only, *rest = after.splitlines()
    assert [cell.strip() for cell in head.split("|")[2:-1]] == [
        *(NUMPY, JAX, DIRECT),
        *(f"faster than {JAX}", f"faster than {DIRECT}"),
    ]
    assert [c.strip() for c in only.split("|")[1:-1]] == [
        "syrk",
        *["2.00 s", "4.00 s", "8.00 s", "0.50", "4.00"],
    ]
    assert rest == [
        "",
        "* Times as fast as JAX: 0.50 on average, geometric mean 0.50, of 1.",
        "* Slower than JAX: syrk (0.50).",
        "* Times as fast as JAX line by line: 4.00 on average, geometric mean 4.00, of 1.",
    ]
    assert "| syrk " in before and "large" not in before and "8.00 s" not in before
    # What is required is required of the usual size, and other tables have all sizes in one.
    assert not any("0.50" in line or "9.00" in line for line in losses(section, "kernels"))
    assert "syrk, large" in shown(section, "objectives")
    assert "at the larger size" in [*versus("kernels", section)][2]
    alone = shown({"libraries": {}, "rows": [large]}, "kernels")
    assert alone.startswith("### Kernels at the larger size")


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
    larger = {"libraries": {}, "rows": [{**row("lu", 9.0, 1.0, (1, 1)), "size": "large"}]}
    names = [(r["name"], r["size"]) for r in merged(old, larger, "kernels")["rows"]]
    assert names == [("gemm", "medium"), ("lu", "medium"), ("lu", "large")]


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


@pytest.mark.parametrize("name", sorted({*GOALS, *REASONS}))
def test_every_goal_is_a_number_per_peer(name: str) -> None:
    assert list(losses({"libraries": {}, "rows": [row(name, 1.0, 999.0, (1, 2))]})) == []
