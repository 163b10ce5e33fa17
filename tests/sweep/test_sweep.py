"""The sweep tells right from refused, wrong and undecided, and finds calls in docstrings.

A function that stops its gradient stands for a wrong program: differences do not stop.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.sweep import judge as judging
from tests.sweep.case import Case, from_dict, heard, resolve, spoken
from tests.sweep.discover import cases
from tests.sweep.judge import judge
from tests.sweep.numbers import TRUSTED, slope
from tests.sweep.report import causes, table

TEXT = '''
import math
import numpy as np
from adjointgen import stop_gradient

def documented(a, b, n=2, kind="plain"):
    """A power.

    >>> start = 0.5
    >>> documented(start, 3.0)
    0.75
    >>> documented(2, b=3, n=3)
    24.0
    """
    return 1.0 * b * a**n

def plain(a, b=0.25):
    return a * math.exp(b)

def stopped(a):
    return a * stop_gradient(a)

def refused(a):
    return math.sin(eval("a"))

def steps(a):
    return math.floor(a) * 1.0

def alone(c, n=0.0):
    if n == 0.0:
        c = 0.0
    return c + n

def several(x, k=2):
    return x[0] * x[1], [float(k), x[1] ** 2], x

def rounded(a):
    return round(a, 7) + 0.0 * a

def noisy(a):
    return (a + 1e9) - 1e9 + 1e-3 * a

def coarse(a):
    return (1e-7 * a + 6.4e6) - 6.4e6

def flattened(a):
    return np.array([[a, a]])

def crashes(a):
    return {1.0: a, 2.0: a * a}[a]
'''


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder: Path = tmp_path_factory.mktemp("swept")
    (folder / "swept.py").write_text(TEXT)
    sys.path.insert(0, str(folder))
    yield __import__("swept")
    sys.path.remove(str(folder))
    del sys.modules["swept"]


def status(name: str, **args: object) -> str:
    wrt = tuple(n for n, v in args.items() if not isinstance(v, int | str))
    spelled = {n: spoken(v) for n, v in args.items()}
    return judge(Case(f"swept:{name}", spelled, wrt)).status


def test_calls_in_a_docstring_are_cases(module: ModuleType) -> None:
    found = [c.as_dict() for c in cases("swept:documented", module.documented)]
    assert [(c["args"], c["wrt"]) for c in found] == [
        ({"a": 0.5, "b": 3.0, "n": 2, "kind": "plain"}, ["a", "b"]),
        ({"a": 2.0, "b": 3.0, "n": 3.0, "kind": "plain"}, ["a", "b", "n"]),
    ]
    assert all(judge(from_dict(c)).status == "right" for c in found)


def test_without_a_docstring_defaults_are_kept(module: ModuleType) -> None:
    (found,) = cases("swept:plain", module.plain)
    assert found.args == {"a": 0.6, "b": 0.25} and found.wrt == ("a", "b")


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("plain", {"a": 0.5, "b": 0.25}, "right"),
        ("several", {"x": np.array([0.5, 2.0]), "k": 3}, "right"),
        ("stopped", {"a": 0.5}, "wrong"),
        ("refused", {"a": 0.5}, "refused"),
        ("steps", {"a": 0.5}, "undecided"),
        ("alone", {"c": 1.5, "n": 0.0}, "undecided"),
        ("rounded", {"a": 0.5}, "undecided"),
        ("noisy", {"a": 0.6}, "undecided"),
        ("coarse", {"a": 0.6}, "undecided"),
    ],
)
def test_an_outcome(module: ModuleType, name: str, args: dict[str, object], expected: str) -> None:
    assert status(name, **args) == expected


@pytest.mark.parametrize(
    "value", [0.5, 3, None, "text", [1.0, 2.0], (1, [2.5]), {"a": 1.5}, np.array([[1.0], [2.0]])]
)
def test_data_is_heard_as_it_was_spoken(value: object) -> None:
    again = heard(spoken(value))
    assert type(again) is type(value) and np.all(np.asarray(again == value))


def test_a_leap_of_one_entry_leaves_the_others_open() -> None:
    def leaping(t: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        sign = 1.0 if t == 0.0 else -1.0
        return np.array([sign, sign * t])

    assert not np.any(np.isfinite(slope(leaping, 1.0).error))


def test_a_shape_is_part_of_the_result(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert status("flattened", a=0.5) == "right"
    made = judging.tangent

    def flat_tangent(function: Any, names: Any) -> Any:
        program = made(function, names)
        return lambda *args: tuple(np.ravel(part) for part in program(*args))

    monkeypatch.setattr(judging, "tangent", flat_tangent)
    assert status("flattened", a=0.5) == "wrong"


@pytest.mark.parametrize(("x", "known"), [(0.7, True), (0.0, False)])
def test_differences_know_what_they_know(x: float, known: bool) -> None:
    found = slope(lambda t: np.array([math.sqrt(abs(x + t))]), 1.0)
    assert (found.error[0] < TRUSTED) == known
    if known:
        assert abs(found.value[0] - 0.5 / math.sqrt(x)) <= 10.0 * found.error[0] + 1e-12


def test_a_method_of_an_instance_is_named() -> None:
    assert resolve("datetime:date.min.isoformat")() == "0001-01-01"
    assert resolve("collections:Counter().total")() == 0


def test_the_report_counts_and_groups(module: ModuleType) -> None:
    chosen = [Case(f"swept:{n}", {"a": 0.5}, ("a",)) for n in ("stopped", "refused", "steps")]
    found = [(case, judge(case)) for case in chosen]
    assert "| swept | 2 | 0 | 1 | 1 | 0 | 1 | 0.0 % |" in table({"swept": found})
    assert "wrong" in causes(found) and "AG101" in causes(found)
