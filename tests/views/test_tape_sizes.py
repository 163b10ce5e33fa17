"""The bytes that a tape holds, as formulas, against those of tapes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import inspect
from adjointgen.api.calls.modes import forward
from tests.checkpoints.programs import programs

U0 = np.array([0.9, 0.3, -0.2, 0.7])


def formulas(f: Any, *args: Any) -> list[str]:
    rows = [re.split(r"\s{2,}", row) for row in inspect(f, *args).tape.splitlines()[1:]]
    return [row[3] for row in rows if row[0] != "held"]


def test_formulas(tmp_path: Path) -> None:
    found = programs(tmp_path)
    assert formulas(found.heat, U0, 0.7, 3) == ["8 * (u0.shape[0] - 2) * steps"]
    assert "at most 800 * u0.shape[0]" in formulas(found.leaving, U0, 0.7, 3)
    assert any(
        f.startswith("8 * u0.shape[0] * (iterations of line ")
        for f in formulas(found.solver, U0, 0.7, 3)
    )


@pytest.mark.parametrize("name", ["heat", "moved"])
@pytest.mark.parametrize("steps", [0, 1, 50])
def test_they_are_what_tapes_hold(name: str, steps: int, tmp_path: Path) -> None:
    f = getattr(programs(tmp_path), name)
    names = {"u0": U0, "x": U0, "steps": steps, "n": steps}
    said = sum(eval(text, names) for text in formulas(f, U0, 0.7, steps))
    _, tape = forward(f)(U0, 0.7, steps)
    # Beside what loops record the tape has arguments, and what the caller may change.
    assert said <= tape.nbytes <= said + 3 * U0.nbytes + 8 * 8
