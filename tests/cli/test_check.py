"""`adjointgen check` and `diff`: each cause by itself, several at once, and every way to ask."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adjointgen.api.modules import drift as drift_module
from tests.cli.conftest import Run

Edit = Callable[[Path], None]


def replacing(name: str, old: str, new: str) -> Edit:
    """Replaces a text that must be there."""

    def edit(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return edit


@pytest.fixture
def generated(run: Run, project: Path) -> Path:
    """The project, with `energy_ad.py` and `decay_ad.py` generated."""
    assert run("generate heat.py::energy --wrt u -o energy_ad.py").exit_code == 0
    assert run("generate heat.py::decay -o decay_ad.py").exit_code == 0
    return project


NO_DRIFT: dict[str, Edit] = {
    "nothing": lambda folder: None,
    "a comment above": replacing("heat.py", "import math\n", "import math\n\n# A remark.\n\n"),
    "a comment inside": replacing("heat.py", "# Half of the work done.", "# Half the work."),
    "layout": replacing("heat.py", "0.5 * k * np.sum(u * u)", "(0.5 * k  *  np.sum( u*u ))"),
    "another function": replacing("heat.py", "return np.sum(u)\n", "return np.sum(u) + 1.0\n"),
    "a constant that it does not name": replacing("heat.py", "RATE = 0.5", "RATE = 0.25"),
    "line ends": lambda folder: (folder / "energy_ad.py").write_bytes(
        (folder / "energy_ad.py").read_bytes().replace(b"\n", b"\r\n")
    ),
}


@pytest.mark.parametrize("edit", NO_DRIFT.values(), ids=NO_DRIFT.keys())
def test_no_drift(run: Run, generated: Path, edit: Edit) -> None:
    edit(generated)
    found = run("check energy_ad.py")
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "1 file up to date\n")
    assert run("diff energy_ad.py").stdout == ""


def no_hash(folder: Path) -> None:
    text = (folder / "energy_ad.py").read_text()
    lines = [line for line in text.split("\n") if not line.startswith("# hashes")]
    (folder / "energy_ad.py").write_text("\n".join(lines))


DRIFT: dict[str, tuple[Edit, str]] = {
    "a decorator": (
        replacing("heat.py", "def energy", "@some.decorator\ndef energy"),
        "source missing (AG009: ",
    ),
    "source": (replacing("heat.py", "0.5 * k", "0.25 * k"), "source changed"),
    "body": (
        replacing("energy_ad.py", "return result", "return 0.0 * result"),
        "edited by hand",
    ),
    "a line added at the end": (
        lambda folder: (folder / "energy_ad.py").open("a").write("x = 1\n") and None,
        "edited by hand",
    ),
    "options in the header": (
        replacing("energy_ad.py", "--wrt u", "--wrt u,k"),
        "options changed (the header asks for --wrt u,k)",
    ),
    "no such file": (lambda folder: (folder / "heat.py").unlink(), "source missing (AG003: "),
    "no such function": (replacing("heat.py", "def energy", "def work"), "source missing (AG002: "),
    "syntax": (replacing("heat.py", "def energy(", "def energy(("), "source missing (AG001: "),
    "no longer possible": (
        replacing("heat.py", "k * np.sum(u * u)", "k * float(str(np.sum(u * u)))"),
        "source changed, refused (AG",
    ),
    "version": (
        replacing("energy_ad.py", "# adjointgen: ", "# adjointgen: 0.0.0."),
        "tool changed (0.0.0.",
    ),
    "header": (
        replacing("energy_ad.py", "adjointgen generate", "make"),
        "edited by hand (header: ",
    ),
    "target in the header": (
        replacing("energy_ad.py", "generate heat.py::energy", "generate heat"),
        "edited by hand (header: ",
    ),
    "no hashes": (no_hash, "edited by hand"),
}


@pytest.mark.parametrize(("edit", "cause"), DRIFT.values(), ids=DRIFT.keys())
def test_drift(run: Run, generated: Path, edit: Edit, cause: str) -> None:
    edit(generated)
    found = run("check energy_ad.py")
    assert found.exit_code == 1
    assert found.stdout.startswith(f"energy_ad.py: {cause}"), found.stdout
    assert "1 of 1 file drifted" in found.stderr
    assert run("diff energy_ad.py").exit_code == 1


def test_several_causes_are_all_named(run: Run, generated: Path) -> None:
    for name in ("source", "body", "version", "options in the header"):
        DRIFT[name][0](generated)
    text = run("check energy_ad.py").stdout
    assert text.startswith("energy_ad.py: edited by hand, tool changed (0.0.0.")
    assert "options changed (the header asks for --wrt u,k), source changed\n" in text


def test_a_constant_that_is_folded_in_counts(run: Run, generated: Path) -> None:
    replacing("heat.py", "RATE = 0.5", "RATE = 0.25")(generated)
    assert run("check decay_ad.py").stdout == "decay_ad.py: source changed\n"


def test_a_callee_counts(run: Run, generated: Path) -> None:
    helper = (
        "\n\ndef scale(x):\n    return 2.0 * x\n\n\ndef outer(x: float):\n    return scale(x)\n"
    )
    with (generated / "heat.py").open("a") as file:
        file.write(helper)
    assert run("generate heat.py::outer -o outer_ad.py").exit_code == 0
    assert run("check outer_ad.py").exit_code == 0
    replacing("heat.py", "return 2.0 * x", "return 3.0 * x")(generated)
    assert run("check outer_ad.py").stdout == "outer_ad.py: source changed\n"


def test_a_new_version_of_the_tool(
    run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift_module, "__version__", "9.9")
    found = run("check energy_ad.py")
    assert found.stdout.startswith("energy_ad.py: tool changed (") and "9.9 now)" in found.stdout


def test_the_same_version_that_generates_other_text(
    run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = drift_module.generate_targets

    def other(*args: object) -> object:
        module = plain(*args)  # type: ignore[arg-type]
        return type(module)(
            *[
                module.body.replace("return", "return 1.0 *") if name == "body" else value
                for name, value in ((f, getattr(module, f)) for f in module.__slots__)
            ]
        )

    monkeypatch.setattr(drift_module, "generate_targets", other)
    found = run("check energy_ad.py")
    assert found.stdout == "energy_ad.py: tool changed (it generates other text now)\n"


def test_diff_leads_to_what_would_be_generated(run: Run, generated: Path) -> None:
    DRIFT["source"][0](generated)
    shown = run("diff energy_ad.py").stdout.splitlines()
    assert shown[:2] == ["--- energy_ad.py", "+++ energy_ad.py (generated)"]
    old = (generated / "energy_ad.py").read_text().splitlines()
    new = (
        run("generate heat.py::energy --wrt u -o energy_ad.py")
        and (generated / "energy_ad.py").read_text().splitlines()
    )
    removed = [line[1:] for line in shown[2:] if line.startswith("-")]
    added = [line[1:] for line in shown[2:] if line.startswith("+")]
    assert [x for x in old if x not in new] == [x for x in removed if x not in added]
    assert any("0.25" in line for line in added)


def test_diff_is_coloured_on_a_terminal(run: Run, generated: Path) -> None:
    DRIFT["source"][0](generated)
    assert "\x1b[32m+" in run("diff energy_ad.py", color=True).stdout
    assert "\x1b" not in run("diff energy_ad.py").stdout


def test_a_refusal_is_shown_in_full(run: Run, generated: Path) -> None:
    DRIFT["no longer possible"][0](generated)
    for command in ("check", "diff"):
        assert "error[AG" in run(f"{command} energy_ad.py").stderr


def test_formats(run: Run, generated: Path) -> None:
    DRIFT["source"][0](generated)
    lines = run("check energy_ad.py decay_ad.py --format json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "file": "energy_ad.py",
            "ok": False,
            "causes": [{"kind": "source changed", "detail": ""}],
        },
        {"file": "decay_ad.py", "ok": True, "causes": []},
    ]
    found = run("check energy_ad.py decay_ad.py --format github").stdout
    assert found == "::error file=energy_ad.py,title=adjointgen::source changed\n"


def test_standard_input(run: Run, generated: Path) -> None:
    text = (generated / "energy_ad.py").read_text()
    assert run("check -", stdin=text).exit_code == 0
    found = run("check -", stdin=text.replace("return result", "return 0.0 * result"))
    assert found.exit_code == 1 and found.stdout == "-: edited by hand\n"
    assert run("diff -", stdin=text.replace("return result", "return 0")).stdout.startswith("--- -")


def test_from_standard_input_there_is_no_source_to_compare(run: Run, generated: Path) -> None:
    source = (generated / "heat.py").read_text()
    assert run("generate -::decay -o std_ad.py", stdin=source).exit_code == 0
    found = run("check std_ad.py")
    assert found.stdout == "std_ad.py: source missing (it was read from standard input)\n"


def test_a_folder_stands_for_the_generated_files_in_it(run: Run, generated: Path) -> None:
    (generated / ".venv").mkdir()
    (generated / ".venv" / "x_ad.py").write_text("# Code generated by adjointgen. DO NOT EDIT.\n")
    assert run("check .").stderr == "2 files up to date\n"


def test_a_file_that_is_not_there(run: Run, generated: Path) -> None:
    found = run("check nosuch.py")
    assert found.exit_code == 2 and "there is no file nosuch.py" in found.stderr


def test_wherever_the_command_is_run(
    run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = generated / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert run("check ../energy_ad.py").exit_code == 0
    assert run("generate ../heat.py::energy -o energy_ad.py").exit_code == 0
    monkeypatch.chdir(generated)
    assert run("check inner/energy_ad.py").exit_code == 0


PROJECT = """
[[tool.adjointgen.targets]]
source = "heat.py::energy"
wrt = "{wrt}"
output = "energy_ad.py"
"""


def test_the_project_says_what_is_wanted(run: Run, generated: Path) -> None:
    (generated / "pyproject.toml").write_text(PROJECT.format(wrt="u"))
    assert run("check").stderr == "1 file up to date\n"
    (generated / "pyproject.toml").write_text(PROJECT.format(wrt="k"))
    for words in ("check", "check energy_ad.py"):
        found = run(words)
        assert found.exit_code == 1
        assert found.stdout == ("energy_ad.py: options changed (--wrt u then, --wrt k now)\n")
    assert "k_bar" in run("diff").stdout
    assert run("generate").exit_code == 0 and run("check").exit_code == 0


def test_a_target_that_was_never_generated(run: Run, generated: Path) -> None:
    (generated / "pyproject.toml").write_text(PROJECT.format(wrt="u"))
    (generated / "energy_ad.py").unlink()
    assert run("check").stdout == "energy_ad.py: missing\n"
    assert run("check energy_ad.py").stdout == "energy_ad.py: missing\n"
    assert "+def energy_adjoint(" in run("diff").stdout


def test_another_function_in_the_project(run: Run, generated: Path) -> None:
    text = PROJECT.format(wrt="u").replace("::energy", "::shape")
    (generated / "pyproject.toml").write_text(text)
    found = run("check").stdout
    assert "options changed (the targets are heat.py::shape), source changed" in found


def test_check_runs_no_module(run: Run, generated: Path) -> None:
    (generated / "energy_ad.py").write_text(
        (generated / "energy_ad.py").read_text() + "\nraise RuntimeError('run')\n"
    )
    assert run("check energy_ad.py").exit_code == 1


def reformatted(*words: str) -> Edit:
    """What a formatter of the user's makes of the generated file."""

    def edit(folder: Path) -> None:
        file = folder / "energy_ad.py"
        before = file.read_text()
        subprocess.run([sys.executable, "-m", *words, str(file)], check=True, cwd=folder)
        assert ("-l" not in words and "--line-length" not in words) or file.read_text() != before

    return edit


FORMATTERS = {
    "black": reformatted("black", "-q", "-t", "py311"),
    "later": reformatted("black", "-q", "-t", "py311", "-t", "py313"),
    "narrow": reformatted("black", "-q", "-l", "50"),
    "no commas": reformatted("black", "-q", "-l", "60", "-C"),
    "ruff": reformatted("ruff", "format", "-q", "--isolated", "--no-cache"),
    "narrow ruff": reformatted(
        *("ruff", "format", "-q", "--isolated", "--no-cache", "--line-length", "50")
    ),
}


@pytest.mark.parametrize("edit", FORMATTERS.values(), ids=FORMATTERS.keys())
def test_a_formatter_is_no_drift(run: Run, generated: Path, edit: Edit) -> None:
    edit(generated)
    text = (generated / "energy_ad.py").read_text()
    found = run("check energy_ad.py")
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "1 file up to date\n")
    # It would only be reformatted once more.
    written = run("generate heat.py::energy --wrt u -o energy_ad.py")
    assert written.stderr == "unchanged energy_ad.py\n"
    assert (generated / "energy_ad.py").read_text() == text


def test_a_formatted_file_still_drifts(run: Run, generated: Path) -> None:
    FORMATTERS["narrow"](generated)
    DRIFT["source"][0](generated)
    assert run("check energy_ad.py").stdout == "energy_ad.py: source changed\n"
    DRIFT["body"][0](generated)
    found = run("check energy_ad.py").stdout
    assert found == "energy_ad.py: edited by hand, source changed\n"
    assert run("generate heat.py::energy --wrt u -o energy_ad.py").stderr == "wrote energy_ad.py\n"


def test_a_file_that_cannot_be_parsed(run: Run, generated: Path) -> None:
    replacing("energy_ad.py", "return result", "return (result")(generated)
    assert run("check energy_ad.py").stdout == "energy_ad.py: edited by hand\n"


def test_a_file_of_the_users_is_no_drift(run: Run, generated: Path) -> None:
    found = run("check heat.py energy_ad.py")
    assert found.exit_code == 0 and found.stdout == ""
    assert found.stderr == "1 file up to date; heat.py is not generated by adjointgen\n"
    assert "2 other files are not generated" in run("check heat.py heat.py").stderr
    assert run("diff heat.py").exit_code == 0


def test_what_a_target_should_be_has_to_be_generated(run: Run, generated: Path) -> None:
    (generated / "pyproject.toml").write_text(PROJECT.format(wrt="u"))
    replacing("energy_ad.py", "# Code generated by", "# Code by")(generated)
    assert run("check energy_ad.py").stdout == "energy_ad.py: not generated\n"


def test_sarif(run: Run, generated: Path) -> None:
    DRIFT["no longer possible"][0](generated)
    found = run("check energy_ad.py decay_ad.py --format sarif")
    (part,) = json.loads(found.stdout)["runs"]
    rules = [result["ruleId"] for result in part["results"]]
    assert found.exit_code == 1 and found.stderr == ""
    assert rules[0] == "source changed" and rules[1].startswith("AG") and len(rules) == 2
    place = part["results"][1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "heat.py" and place["region"]["startLine"] == 19


def test_quiet(run: Run, generated: Path) -> None:
    assert run("check energy_ad.py -q").output == ""
    DRIFT["source"][0](generated)
    assert run("check energy_ad.py -q").output == "energy_ad.py: source changed\n"
