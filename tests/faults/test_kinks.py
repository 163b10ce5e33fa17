"""`verify --kinks`: how far each line can be followed before it decides something else."""

import json
import math
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import check, generate
from adjointgen.verify.verify import drawn
from tests.cli.conftest import Run, project, run
from tests.faults.planted import module_at

__all__ = ["project", "run"]


def branch(x, y):
    if x * y > 1.1:
        return x * y
    return x + y


def loop(x, y):
    total = 0.0
    while total < x:
        total += 0.4 * y
    return total * x


def picked(x, y):
    return max(x, 1.72 * y) * x


def absolute(x, y):
    return abs(x - 1.7 * y) * x


def whole(x, y):
    return int(4.0 * x) * y + x


def rounded(x, y):
    return np.floor(5.0 * y) * x


def remainder(x, y):
    return x % 0.4 + y


def looped(x, y):
    total = y
    for k in range(3):
        total = total + np.minimum(x * k, 1.41)
    return total * x


def sorted_(x, y):
    u = np.sort(np.array([x, y, 1.7 * y]))
    return u[0] * 3.0 + u[1]


def helper(v):
    return v if v > 0.59 else v * v


def called(x, y):
    return helper(x - y) + y


KINKS: Sequence[tuple[Callable[..., Any], Callable[[float, float], Any]]] = (
    (branch, lambda x, y: x * y > 1.1),
    (loop, lambda x, y: math.ceil(x / (0.4 * y))),
    (picked, lambda x, y: x > 1.72 * y),
    (absolute, lambda x, y: x > 1.7 * y),
    (whole, lambda x, y: int(4.0 * x)),
    (rounded, lambda x, y: math.floor(5.0 * y)),
    (remainder, lambda x, y: math.floor(x / 0.4)),
    (looped, lambda x, y: (x < 1.41, 2.0 * x < 1.41)),
    (sorted_, lambda x, y: (x < y, x < 1.7 * y)),
    (called, lambda x, y: x - y > 0.59),
)
"""Functions of one kink each, and which piece they are on, in other words."""


def expected(piece: Callable[[float, float], Any], x: float, y: float, size: int) -> float:
    """The shortest step to another piece along the directions of a check, by many small steps."""
    draws = islice(drawn((x, y), size, np.random.default_rng(0)), 3)
    here, found = piece(x, y), 2.0
    for ahead, _ in draws:
        for t in np.linspace(0.0, 0.0625, 8001):
            for s in (t, -t):
                if piece(x + s * ahead[0], y + s * ahead[1]) != here:
                    found = min(found, t)
    return found


@pytest.mark.parametrize("f, piece", KINKS, ids=[f.__name__ for f, _ in KINKS])
def test_the_step_is_that_of_the_piece(f: Callable[..., Any], piece: Any) -> None:
    report = check(f, (1.4, 0.8), kinks=True)
    step = expected(piece, 1.4, 0.8, 1)
    assert report.flips is not None
    if step > 0.0625:
        assert not report.flips
    else:
        assert report.flips[0].step == pytest.approx(step, rel=2e-3, abs=1e-5)


def test_lines_are_in_the_order_of_their_distance() -> None:
    def both(x, y):
        z = x if x > 1.3 else y
        return abs(z - y) + np.floor(100.0 * y)

    report = check(both, (1.4, 0.8034), kinks=True)
    assert report.flips is not None
    steps = [flip.step for flip in report.flips]
    assert steps == sorted(steps) and len({flip.line for flip in report.flips}) == len(steps)
    assert "np.floor" in report.flips[0].text
    assert "and go over a kink" in str(report)


def test_ties_at_the_point_have_no_distance() -> None:
    def tie(u):
        return np.max(u) * u[0]

    report = check(tie, (np.array([1.0, 3.0, 3.0]),), kinks=True)
    assert report.flips is not None and [flip.step for flip in report.flips] == [0.0]
    assert "kink at the point" in str(report)


def test_smooth_functions_have_none() -> None:
    from adjointgen import stop_gradient

    def smooth(u, k):
        total = 0.0
        for i in range(len(u)):
            total += np.sin(u[i]) * k
        return total * stop_gradient(2.0)

    report = check(smooth, (np.array([1.0, 3.0]), 0.7), kinks=True)
    assert report.ok and report.flips == ()
    assert "go over none" in str(report)
    assert check(smooth, (np.array([1.0, 3.0]), 0.7)).flips is None


def test_structures_and_written_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def within(p):
        return p["w"][0] * (1.0 if p["b"] > 0.99 else 2.0)

    report = check(within, ({"w": [0.3, 0.4], "b": 1.0},), kinks=True)
    assert report.flips is not None and 0.0 < report.flips[0].step < 0.05
    monkeypatch.chdir(tmp_path)
    source = module_at(tmp_path / "kinked.py", TEXT)
    module = module_at(tmp_path / "kinked_ad.py", generate("kinked.py::hinge").text_for(""))
    report = check(source.hinge, (0.51, 2.0), module=module, kinks=True)
    assert report.flips is not None and report.flips[0].line == 2


TEXT = """def hinge(x: float, k: float) -> float:
    return k * max(0.0, x - 0.5)
"""


def test_the_command_tells_distances(project: Path, run: Run) -> None:
    (project / "kinked.py").write_text(TEXT, "utf-8")
    made = run("verify", "kinked.py::hinge", "--at", "x=0.51", "--at", "k=2", "--kinks")
    assert "differences begin with 0.016 and go over" in made.stdout
    assert "kinked.py:2: return k * max(0.0, x - 0.5)" in made.stdout
    made = run("verify", "kinked.py::hinge", "--at", "x=0.51", "--kinks", "--format", "json")
    (flip,) = json.loads(made.stdout)["flips"]
    assert flip["line"] == 2 and flip["step"] == pytest.approx(0.0167, rel=0.9)
