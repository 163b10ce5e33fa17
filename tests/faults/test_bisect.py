"""`verify --bisect` and `--nudge`: planted faults are named by their lines, and nothing else is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjointgen import check, generate
from tests.cli.conftest import Run
from tests.faults import planted
from tests.faults.planted import EDITS, SOURCE, TEXT, module_at, replaced
from tests.kept import own_rules

__all__ = ["project", "run"]
from tests.cli.conftest import project, run


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The module that is written for the program."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch, own_rules():
        patch.chdir(folder)
        Path("channel.py").write_text(TEXT, "utf-8")
        module = generate("channel.py::channel", example="channel.py::example")
        return module.text_for("channel_ad.py")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the program in it, from which modules are imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every third fault, or with more random programs than usual (`make fuzz`) all of them."""
    step = 1 if metafunc.config.getoption("--fuzz-count") > 50 else 3
    for name, faults in (("source", SOURCE), ("edit", EDITS)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, [*faults][::step])


def test_a_fault_of_the_source_is_named(source: str, folder: Path) -> None:
    old, new, line = SOURCE[source]
    module = module_at(folder / "channel_planted.py", replaced(TEXT, old, new))
    report = check(module.channel, module.example(), bisect=True)
    assert not report.ok and report.faults is not None
    assert [fault.text for fault in report.faults] == [line]
    (fault,) = report.faults
    around = enclosing(module.__file__ or "", fault.line)
    assert [at for at, _ in fault.turns][len(fault.turns) - len(around) :] == around
    assert f"channel_planted.py:{fault.line}" in str(report)


def test_a_fault_of_a_module_is_named(edit: str, folder: Path, written: str) -> None:
    old, new, line = EDITS[edit]
    source = module_at(folder / "channel.py", TEXT)
    module = module_at(folder / "channel_ad.py", replaced(written, old, new))
    report = check(source.channel, source.example(), module=module, bisect=True)
    assert not report.ok and report.faults is not None
    assert [fault.text for fault in report.faults] == [line]
    cause = report.faults[0].cause
    assert cause.startswith("channel_ad.py:") and "by hand" in cause
    assert ("iteration 2 (step = 1)" in cause) == ("iteration" in edit)


def test_one_run_names_two_faults(folder: Path) -> None:
    rows = [SOURCE["stop_gradient in one arm of a branch"], next(iter(SOURCE.values()))]
    text = TEXT
    for old, new, _ in rows:
        text = replaced(text, old, new)
    assert len(text.splitlines()) >= 200
    module = module_at(folder / "channel_planted.py", text)
    report = check(module.channel, module.example(), nudge=True)
    assert report.faults is not None
    assert [fault.text for fault in report.faults] == [line for _, _, line in rows]
    first = check(module.channel, module.example(), bisect=True)
    assert first.faults is not None and first.faults == report.faults[:1]


def test_faults_of_source_and_module_are_named_in_one_run(folder: Path, written: str) -> None:
    old, new, line = SOURCE["a contribution that is left out"]
    edited = written
    for row in (EDITS["another function"], EDITS["one iteration of the reverse sweep"]):
        edited = replaced(edited, *row[:2])
    right = replaced(edited, "scale_bar = result_bar * (-result / scale)", RIGHT)
    source = module_at(folder / "channel.py", replaced(TEXT, old, new))
    # What the rule leaves out is written by hand: the rule is wrong, and the edit is not.
    module = module_at(folder / "channel_ad.py", right)
    report = check(source.channel, source.example(), module=module, nudge=True)
    assert report.faults is not None
    found = [fault.text for fault in report.faults]
    assert found == [line, EDITS["another function"][2], EDITS[ONE][2]]


def test_edits_are_told_from_what_is_generated_wrong(folder: Path, written: str) -> None:
    old, new, line = SOURCE["a contribution that is left out"]
    source = module_at(folder / "channel.py", replaced(TEXT, old, new))
    text = generate("channel.py::channel", example="channel.py::example").text_for("channel_ad.py")
    row = EDITS["one iteration of the reverse sweep"]
    module = module_at(folder / "channel_ad.py", replaced(text, *row[:2]))
    report = check(source.channel, source.example(), module=module, nudge=True)
    assert report.faults is not None
    assert [fault.text for fault in report.faults] == [line, row[2]]


RIGHT = "weight = -result / scale\n    scale_bar = weight * result_bar"
ONE = "one iteration of the reverse sweep"


def test_right_edits_are_not_named(folder: Path, written: str) -> None:
    source = module_at(folder / "channel.py", TEXT)
    text = replaced(written, "scale_bar = result_bar * (-result / scale)", RIGHT)
    text = text.replace("product_bar_2", "inner_bar")
    assert text.count("inner_bar") > 2
    module = module_at(folder / "channel_ad.py", text)
    report = check(source.channel, source.example(), module=module, nudge=True)
    assert report.ok and report.faults == ()
    wrong = replaced(text, *EDITS["a factor that is left out"][:2])
    module = module_at(folder / "channel_ad.py", wrong)
    report = check(source.channel, source.example(), module=module, nudge=True)
    assert report.faults is not None
    assert [fault.text for fault in report.faults] == ["drawn = scaled(smooth, speed)"]


MODEL = """
import numpy as np
from adjointgen import stop_gradient

def shut(x: "float64[:]", k: float):
    total = 0.0
    for i in range(len(x)):
        total += stop_gradient(k) * x[i]
    return total

def open_(x: "float64[:]", k: float):
    return k * np.sum(x * x)
"""


def test_the_command_names_lines(project: Path, run: Run) -> None:
    (project / "model.py").write_text(MODEL, "utf-8")
    made = run("verify", "model.py::shut", "--bisect")
    assert made.exit_code == 1
    assert "fault at model.py:8, iteration 0 of the loop in line 7" in made.stdout
    made = run("verify", "model.py::shut", "--nudge", "--format", "json")
    (fault,) = json.loads(made.stdout)["faults"]
    assert fault["line"] == 8 and fault["iterations"] == [{"line": 7, "iteration": 0}]
    made = run("verify", "model.py::open_", "--bisect")
    assert made.exit_code == 0 and "fault" not in made.stdout
    run("generate", "model.py::open_", "-o", "model_ad.py")
    file = project / "model_ad.py"
    file.write_text(file.read_text("utf-8").replace("2.0", "3.0"), "utf-8")
    made = run("verify", "model_ad.py", "--bisect")
    assert made.exit_code == 1
    assert "fault at model.py:12: return k * np.sum(x * x)\n  model_ad.py:" in made.stdout


def enclosing(file: str, line: int) -> list[int]:
    """The lines of the loops around a line, in its own function."""
    lines = Path(file).read_text("utf-8").splitlines()
    here = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    found: list[int] = []
    for number in range(line - 1, 0, -1):
        text = lines[number - 1]
        indent = len(text) - len(text.lstrip())
        if text.strip() and indent < here:
            here = indent
            if text.lstrip().startswith(("for ", "while ")):
                found.insert(0, number)
    return found


def test_there_are_ten_faults_and_more() -> None:
    assert len(planted.SOURCE) + len(planted.EDITS) >= 11
