"""The sessions in docs/ are what a terminal shows.

Every `console` block is run, in order and in one folder that has a copy of examples/. A line that
begins with `$ ` is a command, what follows is everything that it prints, and `…` stands for any
text. A `toml` block is the project's pyproject.toml from there on, and a `py` block whose first
line is `# name.py` the file of that name.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjointgen.cli import main

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(console|toml|py(?=\n# \w+\.py\n))\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    _, *parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


def fits(expected: str, actual: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None


def printed(name: str, *words: str) -> tuple[str, int]:
    """What a command prints, and its exit code."""
    if name == "python":
        ran = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60)
        return ran.stdout + ran.stderr, ran.returncode
    assert name == "adjointgen"
    done = CliRunner().invoke(main, list(words), prog_name=name)
    return done.output, done.exit_code


def faults(page: str, folder: Path) -> list[str]:
    """The commands that do not print what the page says."""
    found, code = [], 0
    for kind, block in BLOCK.findall(page):
        if kind == "toml":
            (folder / "pyproject.toml").write_text(block)
        elif kind == "py":
            (folder / block[2 : block.index("\n")]).write_text(block)
        if kind != "console":
            continue
        for command, expected in steps(block):
            if command == "echo $?":
                actual = f"{code}\n"
            else:
                actual, code = printed(*shlex.split(command))
            # The ellipsis on a line of its own stands for any number of lines.
            if not fits(expected.replace("…\n", "…"), actual):
                found.append(f"$ {command}\n{actual}\nis not\n{expected}")
    return found


@pytest.mark.parametrize("name", ["cli", "quickstart"])
def test_the_pages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    assert not (wrong := faults(page, tmp_path)), "\n\n".join(wrong)
    sessions = [kind for kind, _ in BLOCK.findall(page) if kind != "py"]
    assert len(sessions) == page.count("```console") + page.count("```toml") > 2


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("$ adjointgen --version\nadjointgen, version …\n$ echo $?\n0\n", 0),
        ("$ adjointgen --version\n…\n", 0),
        ("$ adjointgen --version\nadjointgen\n", 1),
        ("$ adjointgen nosuch\n…\n$ echo $?\n0\n", 1),
    ],
)
def test_a_false_page_is_found(tmp_path: Path, said: str, count: int) -> None:
    assert len(faults(f"```console\n{said}```\n", tmp_path)) == count
