"""The sessions in docs/cli.md are what a terminal shows.

Every `console` block is run, in order and in one folder that has a copy of examples/. A line that
begins with `$ ` is a command, what follows is everything that it prints, and `…` stands for any
text. A `toml` block is the project's pyproject.toml from there on.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjointgen.cli import main

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    _, *parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


def fits(expected: str, actual: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None


def faults(page: str, folder: Path) -> list[str]:
    """The commands that do not print what the page says."""
    found, code = [], 0
    for kind, block in BLOCK.findall(page):
        if kind == "toml":
            (folder / "pyproject.toml").write_text(block)
            continue
        for command, expected in steps(block):
            if command == "echo $?":
                actual = f"{code}\n"
            else:
                name, *words = shlex.split(command)
                assert name == "adjointgen"
                done = CliRunner().invoke(main, words, prog_name=name)
                actual, code = done.output, done.exit_code
            # The ellipsis on a line of its own stands for any number of lines.
            if not fits(expected.replace("…\n", "…"), actual):
                found.append(f"$ {command}\n{actual}\nis not\n{expected}")
    return found


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert not (wrong := faults(page, tmp_path)), "\n\n".join(wrong)
    assert len(BLOCK.findall(page)) == page.count("```console") + page.count("```toml") > 8


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
