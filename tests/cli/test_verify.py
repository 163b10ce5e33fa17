"""`adjointgen verify`: the point, the numbers, and the module that is run."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjointgen.api.calls import checking
from adjointgen.cli.point import parsed, point
from adjointgen.config.types import argument_type
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.source.source import source_from_file
from tests.cli.conftest import Run

MODEL = """
import math
from dataclasses import dataclass

import numpy as np

from helper import SCALE


@dataclass
class Kept:
    x: float


def decay(x: float, a: float = 2.0) -> float:
    return SCALE * a * math.exp(-x)


def norm(u, n=2):
    return np.sum(u**n)


def picky(x: float) -> float:
    if x < 1.0:
        raise ValueError("x must be at least 1")
    return x * x


value = 3
"""


@pytest.fixture
def model(project: Path) -> Path:
    (project / "model.py").write_text(MODEL)
    (project / "helper.py").write_text("SCALE = 0.5\n")
    return project


def test_a_right_derivative(run: Run, model: Path) -> None:
    found = run("verify model.py::decay --at x=1 --wrt x")
    assert found.exit_code == 0, found.stdout
    assert "passed (seed 0)" in found.stdout and "dot product 1" in found.stdout
    assert found.stderr == ""


def test_json(run: Run, model: Path) -> None:
    found = run("verify", "model.py::norm", "--at", "u=[1, 2, 3]", "--json", "--seed", "7")
    report = json.loads(found.stdout)
    assert report["ok"] and report["seed"] == 7 and report["function"] == "norm"
    values = [row for row in report["rows"] if row["test"] == "value, adjoint"]
    assert values[0]["expected"] == 14.0


def test_a_wrong_derivative(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = checking.tangent

    def wrong(*args: object, **options: object) -> object:
        program = right(*args, **options)  # type: ignore[arg-type]
        good = program.apply

        def apply(*given: object) -> tuple[object, object]:
            y, y_dot = good(*given)
            return y, 1.01 * y_dot

        program.apply = apply  # type: ignore[method-assign]
        return program

    monkeypatch.setattr(checking, "tangent", wrong)
    found = run("verify model.py::decay --at x=1 --wrt x")
    assert found.exit_code == 1 and "fail" in found.stdout


def test_a_module_by_name(run: Run, model: Path) -> None:
    (model / "package").mkdir()
    (model / "package" / "__init__.py").write_text("")
    (model / "package" / "inner.py").write_text("from .other import f\n")
    (model / "package" / "other.py").write_text("def f(x: float):\n    return x * x\n")
    assert run("verify package.other:f").exit_code == 0
    assert run("verify package/other.py::f").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "verify heat.py::decay",
            "cannot import heat.py::decay: RuntimeError: this module was run",
        ),
        ("verify model.py::picky", "picky fails at this point: ValueError: x must be at least 1"),
        ("verify model.py::decay --at q=1", "decay has no parameter q"),
        ("verify model.py::decay --at x", "not of the form name=value"),
        ("verify model.py::norm --at u=[[1],[2,3]]", "u=[[1], [2, 3]] is no array of float64: "),
        ("verify model.py::norm --type u=object", "an example call, --example"),
        ("verify", "nothing to do: name a function or file"),
    ],
)
def test_usage(run: Run, model: Path, words: str, said: str) -> None:
    found = run(words)
    assert found.exit_code == 2 and said in " ".join(found.stderr.split()), found.stderr


def test_what_is_on_standard_input_is_not_run(run: Run, model: Path) -> None:
    found = run("verify -::decay", stdin=MODEL)
    assert found.exit_code == 2 and "needs a file" in found.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("verify model.py::nosuch", "AG002"),
        ("verify model.py::value", "AG002"),
        ("verify model.py::norm --wrt n", "AG403"),
    ],
)
def test_refusals(run: Run, model: Path, words: str, code: str) -> None:
    found = run(words)
    assert found.exit_code == 3 and f"error[{code}]" in found.stderr, found.stderr


def points(project: Path, text: str, types: dict[str, str], **given: str) -> dict[str, object]:
    (project / "p.py").write_text(f"def f({text}):\n    return 0.0\n")
    source = source_from_file(str(project / "p.py"), "f")
    named = {n: argument_type(n, t) for n, t in types.items()}
    return point(source, named, parsed(given.items()), 0)


def test_made_up_arguments(project: Path) -> None:
    types = {"x": "float", "n": "int", "u": "float64[:, :]", "m": "bool", "v": "list[float]"}
    types |= {"k": "int64[2]", "w": "float64[...]", "s": "float32", "c": "complex128[1, :]"}
    found = points(project, ", ".join(types), types)
    assert isinstance(found["x"], float) and 0.1 <= found["x"] <= 0.4
    assert found["n"] == 3 and found["m"] is True
    assert np.shape(found["u"]) == (5, 5) and np.shape(found["w"]) == (5,)
    assert isinstance(found["v"], list) and len(found["v"]) == 5
    assert np.array_equal(found["k"], [3, 3]) and isinstance(found["s"], np.float32)
    assert np.shape(found["c"]) == (1, 5)
    again = points(project, ", ".join(types), types)
    assert all(np.array_equal(found[name], again[name]) for name in types)


def test_given_arguments(project: Path) -> None:
    types = {"x": "float", "n": "int", "u": "float64[:]", "v": "list[float]", "k": "int64[:]"}
    given = {"x": "2", "n": "4", "u": "[1, 2]", "v": "[1, 2]", "k": "[1, 2]"}
    found = points(project, "x, n, u, v, k, d=5.0", {**types, "d": "float"}, **given)
    assert [*found] == ["x", "n", "u", "v", "k"]
    assert type(found["x"]) is float and type(found["n"]) is int
    assert found["v"] == [1.0, 2.0] and isinstance(found["v"], list)
    assert found["u"].dtype == np.float64 and found["k"].dtype == np.int64  # type: ignore[attr-defined]


def test_fixed_arguments_are_what_they_are(project: Path) -> None:
    (project / "p.py").write_text("def f(how):\n    return 0.0\n")
    source = source_from_file(str(project / "p.py"), "f")
    assert point(source, {"how": Fixed("cubic")}, {}, 0) == {"how": "cubic"}
    assert point(source, {"how": Fixed("cubic")}, {"how": "linear"}, 0) == {"how": "linear"}
