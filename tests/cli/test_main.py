"""The frame around all commands: help, colour, faults, interruption, what is loaded."""

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import pytest

from adjointgen import cli
from adjointgen._version import __version__
from adjointgen.cli.messages import coloured
from adjointgen.cli.progress import progress
from adjointgen.errors import InternalError
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]


def fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a command in the place of `explain` that raises."""

    @click.command()
    def explain() -> None:
        raise error

    monkeypatch.setattr("adjointgen.cli.explain.explain", explain)


@pytest.mark.parametrize("words", ["--help", "-h"])
def test_help_lists_every_command(run: Run, words: str) -> None:
    found = run(words)
    assert found.exit_code == 0
    for name in cli.COMMANDS:
        assert f"  {name} " in found.stdout


@pytest.mark.parametrize("name", [*cli.COMMANDS])
def test_every_command_has_help_and_a_format(run: Run, name: str) -> None:
    found = run(f"{name} --help")
    assert found.exit_code == 0 and "--format [text|json|github|sarif" in found.stdout
    assert "--quiet" in found.stdout


def test_the_version(run: Run) -> None:
    assert run("--version").stdout == f"adjointgen, version {__version__}\n"


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom adjointgen.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'libcst', 'black', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


ERROR = InternalError("a Replay without a Record", "function f(x) -> (y)\n  return x")


@pytest.mark.parametrize(
    ("error", "said", "kept"),
    [
        (ERROR, "a Replay without a Record", "function f(x) -> (y)\n  return x"),
        (KeyError("y_bar"), "KeyError: 'y_bar'", "raise error"),
        (RecursionError(), "RecursionError", "raise error"),
    ],
)
def test_a_fault_is_reported(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    error: Exception,
    said: str,
    kept: str,
) -> None:
    fail_with(error, monkeypatch)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = run("explain")
    assert found.exit_code == 123 and found.stdout == ""
    first, second, third = found.stderr.splitlines()
    assert first == f"internal error: {said}" and "report" in second
    report = Path(third.removeprefix("What a report needs is in ")).read_text()
    assert kept in report and "Traceback" in report and __version__ in report


def test_a_fault_is_reported_where_nothing_can_be_written(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise OSError("no space left")

    fail_with(ERROR, monkeypatch)
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    found = run("explain")
    assert found.exit_code == 123 and ERROR.listing in found.stderr


def test_an_interrupt_has_a_code_of_its_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(KeyboardInterrupt(), monkeypatch)
    found = run("explain")
    assert found.exit_code == 130 and found.stderr == "interrupted\n"


LOUD = """
import click
from adjointgen.cli import explain, main

@click.command()
def loud():
    for _ in range(100):
        click.echo("x" * 100_000)

explain.explain = loud
main(["explain"])
"""


def test_whoever_reads_the_output_may_leave() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LOUD], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait() == 141 and said == b""


ESCAPE = re.compile(r"\x1b\[")


def test_colour_only_where_it_is_wanted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not ESCAPE.search(run("generate heat.py::nosuch").stderr)
    assert ESCAPE.search(run("generate heat.py::nosuch", color=True).stderr)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not ESCAPE.search(run("generate heat.py::nosuch", color=True).stderr)


def test_no_progress_in_a_pipe(run: Run) -> None:
    assert run("generate heat.py::decay --mode tangent -o d.py").stderr == "wrote d.py\n"


def test_colour_changes_no_text() -> None:
    text = "error[AG201]: no rule\n --> m.py:1:2\n  |\n1 | f\n  | ^ x\nhelp: do"
    shown = coloured(text)
    assert click.unstyle(shown) == text and shown.count("\x1b[0m") == 4
    assert coloured("anything else") == "anything else"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("total", [1, 3])
def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, total: int) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress(total) as begin:
        begin("heat.py::heat")
    shown = terminal.getvalue()
    assert "heat.py::heat" in shown and ("0/3" in shown) == (total == 3)
    # What was drawn is wiped out in the end.
    assert shown.endswith("\x1b[2K") or "\x1b[2K" in shown[-40:]


def test_progress_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(3) as begin:
        begin("heat.py::heat")
    assert stream.getvalue() == ""


def test_the_hooks_are_commands(run: Run, project: Path) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entries = re.findall(r"^  entry: adjointgen (.*)$", text, re.MULTILINE)
    assert sorted(entries) == ["check", "generate"] and text.count("pass_filenames: false") == 2
    (project / "pyproject.toml").write_text(
        '[[tool.adjointgen.targets]]\nsource = "heat.py::decay"\noutput = "decay_ad.py"\n'
    )
    codes = [run(entry).exit_code for entry in ("check", "generate", "check")]
    assert codes == [1, 0, 0]
