"""`adjointgen verify` of written modules: the programs that are in the file, whatever they are."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from adjointgen.api.modules.header import body_hash, split
from tests.cli.conftest import Run

MODEL = """
import math
import numpy as np


def decay(x: float, a: float = 2.0) -> float:
    if x > 1.0:
        return a * math.exp(-x)
    return a * (1.0 - x) * math.exp(-x) * x


def scan(u: "float64[:]", k: float) -> None:
    for i in range(1, len(u)):
        u[i] = u[i] * k + u[i - 1]


def pair(x: float, y: float):
    return {"s": x * y, "t": (math.sin(x), y)}


def picked(x: float, how: str) -> float:
    return x * x if how == "square" else x


def keyed(x: float, /, a: float, *, b: float = 2.0) -> float:
    return x * a * a * b
"""

PROJECT = """
[[tool.adjointgen.targets]]
source = "model.py::decay"
at = {at}
output = "decay_ad.py"

[[tool.adjointgen.targets]]
source = ["model.py::pair", "model.py::keyed"]
mode = "adjoint"
output = "inner/pair_ad.py"
"""


@pytest.fixture
def model(project: Path) -> Path:
    (project / "model.py").write_text(MODEL)
    return project


def edit(file: Path, old: str, new: str) -> None:
    """Change a program without a trace in its header."""
    text = file.read_text()
    assert old in text
    text = text.replace(old, new)
    parts = split(text)
    assert parts is not None
    file.write_text(text.replace(parts[0].body_hash, body_hash(parts[1])))


@pytest.mark.parametrize("mode", ["tangent", "adjoint", "tangent,adjoint", "primal,adjoint"])
@pytest.mark.parametrize(
    "words",
    [
        "model.py::decay",
        "model.py::decay --wrt a",
        "model.py::scan",
        "model.py::pair",
        "model.py::picked --const how=square",
        "model.py::keyed --wrt b,x",
    ],
)
def test_right_programs(run: Run, model: Path, words: str, mode: str) -> None:
    assert run(f"generate {words} --mode {mode} -o made_ad.py").exit_code == 0
    found = run("verify made_ad.py")
    assert (found.exit_code, found.stderr) == (0, ""), found.output
    assert " passed (seed 0)" in found.stdout and "fail" not in found.stdout


FAULTS = {
    "tangent": ("_dot = ", "_dot = 1.0001 * "),
    "adjoint": ("x_bar = ", "x_bar = 1.0001 * "),
    "value": ("    return result, ", "    return result + 1e-9, "),
}


@pytest.mark.parametrize("mode", ["tangent", "adjoint", "tangent,adjoint"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_in_the_file_is_found(
    run: Run, model: Path, mode: str, fault: tuple[str, str]
) -> None:
    assert run(f"generate model.py::decay --mode {mode} -o made_ad.py").exit_code == 0
    if fault[0] not in (model / "made_ad.py").read_text():
        pytest.skip("this mode has no such line")
    edit(model / "made_ad.py", *fault)
    found = run("verify made_ad.py --at x=0.3")
    assert found.exit_code == 1 and "  fail" in found.stdout, found.stdout
    # The function itself is right.
    assert run("verify model.py::decay").exit_code == 0


def test_compiled_programs_run_compiled(run: Run, model: Path) -> None:
    pytest.importorskip("numba")
    assert run("generate model.py::decay --compile numba -o made_ad.py").exit_code == 0
    found = run("verify made_ad.py")
    assert found.exit_code == 0 and "13 passed" in found.stdout
    edit(model / "made_ad.py", "    return result, ", "    result.hex(); return result, ")
    refused = run("verify made_ad.py")
    assert refused.exit_code == 1 and "TypingError" in refused.stdout


def test_all_targets_at_their_points(run: Run, model: Path) -> None:
    (model / "inner").mkdir()
    (model / "pyproject.toml").write_text(PROJECT.format(at="[{ x = 0.5 }, { x = 1.5, a = 3 }]"))
    assert run("generate -q").output == ""
    found = run("verify")
    assert found.exit_code == 0, found.output
    assert found.stdout.splitlines() == [
        "decay_ad.py::decay: 13 passed (seed 0)",
        "branch model.py:7 if x > 1.0: true and false",
        "inner/pair_ad.py::pair: 6 passed (seed 0)",
        "inner/pair_ad.py::keyed: 6 passed (seed 0)",
    ]
    (model / "pyproject.toml").write_text(PROJECT.format(at="{ x = 0.5 }"))
    assert "if x > 1.0: false, never true" in run("verify").stdout
    assert "if x > 1.0: true, never false" in run("verify decay_ad.py --at x=1.5").stdout


def test_every_failure_is_told(run: Run, model: Path) -> None:
    (model / "inner").mkdir()
    (model / "pyproject.toml").write_text(PROJECT.format(at="{ x = 0.5 }"))
    run("generate")
    edit(model / "decay_ad.py", *FAULTS["adjoint"])
    edit(model / "inner" / "pair_ad.py", "x_bar = ", "x_bar = 2.0 + ")
    edit(model / "inner" / "pair_ad.py", "def keyed_adjoint", "def other_adjoint")
    found = run("verify")
    assert found.exit_code == 1
    assert "decay: 3 failed" in found.stdout and "pair: 3 failed" in found.stdout
    assert "error[AG503]: there is no keyed_adjoint in pair_ad.py" in found.stderr


def test_junit(run: Run, model: Path) -> None:
    run("generate model.py::decay -o decay_ad.py")
    run("generate model.py::pair -o pair_ad.py")
    edit(model / "decay_ad.py", *FAULTS["adjoint"])
    edit(model / "pair_ad.py", "def pair_tangent", "def other_tangent")
    found = run("verify decay_ad.py pair_ad.py --format junit")
    root = ElementTree.fromstring(found.stdout)
    counts = [(s.get("name"), s.get("failures"), s.get("errors")) for s in root]
    assert counts == [("decay_ad.py::decay", "3", "0"), ("pair_ad.py::pair", "0", "1")]
    assert found.exit_code == 1 and root[0].find("testcase/failure") is not None
    assert "AG503" in str(root[1].find("testcase/error").text)  # type: ignore[union-attr]


def test_other_formats(run: Run, model: Path) -> None:
    run("generate model.py::decay -o decay_ad.py")
    (line,) = run("verify decay_ad.py --format json").stdout.splitlines()
    report = json.loads(line)
    assert report["ok"] and report["name"] == "decay_ad.py::decay"
    assert report["branches"] == [
        {
            "file": str(model / "model.py"),
            "line": 7,
            "text": "if x > 1.0",
            "taken": ["false"],
            "missing": ["true"],
        }
    ]
    edit(model / "decay_ad.py", *FAULTS["adjoint"])
    github = run("verify decay_ad.py --format github").stdout.splitlines()
    assert len(github) == 3 and all(x.startswith("::error file=decay_ad.py,") for x in github)
    (part,) = json.loads(run("verify decay_ad.py --format sarif").stdout)["runs"]
    assert [r["ruleId"] for r in part["results"]] == ["AG501"] * 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("verify nosuch_ad.py", "there is no file nosuch_ad.py"),
        ("verify model.py", "model.py was not generated by adjointgen; name a function in it"),
        ("verify .", ". is a folder"),
        ("verify made_ad.py --wrt x", "--wrt, --type, --const and --disable are for a function"),
        ("verify made_ad.py --at q=1", "decay has no parameter q"),
        ("verify broken_ad.py", "cannot import broken_ad.py: SyntaxError"),
        ("verify headless_ad.py", "its header is not as it was written"),
        ("verify stdin_ad.py", "of a function on standard input"),
    ],
)
def test_usage(run: Run, model: Path, words: str, said: str) -> None:
    run("generate model.py::decay -o made_ad.py")
    text = (model / "made_ad.py").read_text()
    (model / "broken_ad.py").write_text(text + "\n(")
    (model / "headless_ad.py").write_text(text.replace("adjointgen generate", "make"))
    run("generate -::decay -o stdin_ad.py", stdin=MODEL)
    found = run(words)
    assert found.exit_code == 2 and said in " ".join(found.stderr.split()), found.output


DECORATED = """
import numpy as np

def switched(f, on=[True]):
    return f if on[0] else None

@switched
def energy(x, a):
    return a * np.sum(x * x)

def tridiagonal(a, b, c):
    return np.sum(c / (b - a * c / b))
"""


def test_the_function_itself_where_the_text_does_not_say_which_it_is(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(project))
    (project / "wrapped.py").write_text(DECORATED, "utf-8")
    assert run("generate wrapped.py::energy --wrt x").exit_code == 3
    made = run(
        "generate",
        "wrapped.py::energy",
        "--wrt",
        "x",
        "--at",
        "x=[1.0,2.0]",
        "--at",
        "a=2.0",
        "-o",
        "w_ad.py",
    )
    assert made.exit_code == 0, made.output
    assert run("verify w_ad.py").exit_code == 0
    assert run("check w_ad.py").exit_code == 0


def test_arrays_of_which_only_the_length_is_known_differ(run: Run, project: Path) -> None:
    (project / "solver.py").write_text(DECORATED, "utf-8")
    words = [f"--at={name}=float64[4]" for name in "abc"]
    made = run("generate", "solver.py::tridiagonal", "--wrt", "a,b,c", *words, "-o", "s_ad.py")
    assert made.exit_code == 0, made.output
    found = run("verify s_ad.py")
    assert found.exit_code == 0, found.output
