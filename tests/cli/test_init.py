"""`adjointgen init`: the target is there, and everything else in the file is as it was."""

import tomllib
from pathlib import Path

import pytest

from adjointgen.cli import init as init_module
from adjointgen.config.new_target import with_target
from tests.cli.conftest import Run

FILE = """# The project.
[project]
name = "x"  # kept

[[tool.adjointgen.targets]]
source = "heat.py::energy"   # first
output = "energy_ad.py"

[tool.other]
a = [1,
     2]
"""


def test_a_new_file(run: Run, project: Path) -> None:
    found = run("init heat.py::decay --wrt x --mode adjoint --at x=1.5 -o made_ad.py")
    assert found.exit_code == 0 and "wrote heat.py::decay into pyproject.toml" in found.stderr
    assert (project / "pyproject.toml").read_text() == (
        '[[tool.adjointgen.targets]]\nsource = "heat.py::decay"\nwrt = ["x"]\n'
        'mode = ["adjoint"]\nat = { x = 1.5 }\noutput = "made_ad.py"\n'
    )
    assert run("generate").exit_code == 0 and run("check").exit_code == 0


def test_an_example(run: Run, project: Path) -> None:
    (project / "data.py").write_text("args = (1.5, 0.5)\n")
    (project / "open.py").write_text("def f(a, b):\n    return a * b\n")
    found = run("init open.py::f --example data.py::args")
    assert found.exit_code == 0, found.stderr
    text = (project / "pyproject.toml").read_text()
    assert text == (
        '[[tool.adjointgen.targets]]\nsource = "open.py::f"\n'
        'example = "data.py::args"\noutput = "f_ad.py"\n'
    )
    assert run("generate").exit_code == 0 and run("verify").exit_code == 0
    wrong = run("init open.py::f --example data.py -o g_ad.py")
    assert wrong.exit_code == 2 and (project / "pyproject.toml").read_text() == text


def test_what_stands_there_is_kept(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text(FILE)
    assert run("init", "heat.py::shape", "--type", "u=float64[:, :]", "--const", "how=a b", "-q")
    text = (project / "pyproject.toml").read_text()
    added = (
        '\n[[tool.adjointgen.targets]]\nsource = "heat.py::shape"\n'
        'types = { u = "float64[:, :]" }\nconstants = { how = "a b" }\noutput = "shape_ad.py"\n'
    )
    assert text == FILE.replace('"energy_ad.py"\n', f'"energy_ad.py"\n{added}')


def test_a_target_below_the_folder_of_the_project(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pyproject.toml").write_text(FILE)
    (project / "inner").mkdir()
    monkeypatch.chdir(project / "inner")
    assert run("init ../heat.py::decay -o decay_ad.py").exit_code == 0
    tool = tomllib.loads((project / "pyproject.toml").read_text())["tool"]["adjointgen"]
    assert tool["targets"][1] == {"source": "heat.py::decay", "output": "inner/decay_ad.py"}


def test_questions(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(question: str, default: str) -> str:
        asked.append(question)
        return {"The generated file": "here_ad.py"}.get(question, "a")

    monkeypatch.setattr(init_module, "_asked", answer)
    assert run("init heat.py::decay").exit_code == 0
    assert 'wrt = ["a"]\noutput = "here_ad.py"' in (project / "pyproject.toml").read_text()
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tool.adjointgen]\ntargets = [{ source = "a.py::f", output = "b.py" }]\n', "by hand"),
        ('[[tool.adjointgen.targets]]\nsource = "a.py::f"\noutput = "decay_ad.py"\n', "the output"),
        ("[tool.adjointgen\n", "pyproject.toml: "),
        ("[tool]\nadjointgen = 3\n", "no table"),
    ],
)
def test_what_cannot_be_written(run: Run, project: Path, text: str, said: str) -> None:
    (project / "pyproject.toml").write_text(text)
    found = run("init heat.py::decay")
    assert found.exit_code == 2 and said in found.stderr, found.stderr
    assert (project / "pyproject.toml").read_text() == text


def test_a_table_says_what_it_is_given() -> None:
    target = {
        "source": 'a"b',
        "at": {"x y": 1e300, "b": True, "u": [[1, 2.5], []]},
        "output": "ü\n",
    }
    made = tomllib.loads(with_target("", target))
    assert made["tool"]["adjointgen"]["targets"] == [target]
