"""The comparison of modes with peers runs, and sees candidates that give something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.benchmarks.modes.__main__ import main, measured, same
from tests.benchmarks.modes.cases import Case, cases
from tests.benchmarks.modes.tables import modes_text


@pytest.mark.parametrize("case", [*cases(tiny=True)], ids=lambda case: case.name.partition(",")[0])
def test_candidates_give_the_same(case: Case) -> None:
    row = measured(case, 1, 0.0)
    assert not row["failed"]
    assert {*row["seconds"]} == {*case.candidates} == {*row["first"]}


def test_what_is_wrong_is_told() -> None:
    def make(found: Any) -> Any:
        return lambda: lambda: found

    def failing() -> Any:
        raise ImportError("no such library")

    one, other = np.ones(3), np.array([1.0, 1.0, 1.1])
    row = measured(Case("ones", {"a": make(one), "b": make(other), "c": failing}), 1, 0.0)
    assert row["failed"] == {"b": "gives something else", "c": "ImportError: no such library"}
    *_, table, failed = modes_text({"libraries": {"numpy": "2"}, "rounds": 1, "rows": [row]})
    assert "| ones" in table and "1.00 |" in table
    assert failed.splitlines()[0] == "* ones: c: ImportError: no such library"


def test_sparse_matrices_are_compared() -> None:
    from scipy.sparse import csr_array

    first = csr_array(np.diag([1.0, 2.0]))
    assert same(first, csr_array(np.diag([1.0, 2.0 + 1e-12])))
    assert not same(first, csr_array(np.array([[1.0, 1e-3], [0.0, 2.0]])))


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tiny", "--only", "dense"]) == 0
    assert "adjointgen, module" in capsys.readouterr().out
