"""Emission by text: a case in `cases/` is a program in the IR and the Python it is printed as.

The first line says what the case shows, `# args:` what the program is run on. The text is also
executed and must compute what the interpreter computes. `pytest --update-golden` rewrites the text.
"""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen.emit.write.module import emit, format
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import read
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
LINE = "=====\n"


def parts(case: Path) -> tuple[Function, str, tuple[Any, ...]]:
    """The program, the expected text, and arguments."""
    head, _, text = case.read_text("utf-8").partition(LINE)
    (args,) = (line for line in head.splitlines() if line.startswith("# args: "))
    values = eval(f"({args.removeprefix('# args: ')},)", {"np": np})
    return read(head), text, values


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.all(np.asarray(a) == np.asarray(b)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_text(case: Path, update_golden: bool) -> None:
    function, expected, _ = parts(case)
    verify(function)
    text = format(emit([function]))
    if update_golden:
        head = case.read_text("utf-8").partition(LINE)[0]
        case.write_text(head + LINE + text, "utf-8")
    else:
        assert text == expected
    assert emit([function]) == emit([function])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_text_computes_what_the_program_does(case: Path) -> None:
    function, text, args = parts(case)
    environment: dict[str, Any] = {}
    exec(text, environment)
    wanted = run(function, *copy.deepcopy(args))
    assert same(environment[function.name](*copy.deepcopy(args)), wanted)


@pytest.mark.slow
def test_texts_are_clean(tmp_path: Path) -> None:
    """The default lint and a strict type check find nothing in any case."""
    for case in CASES:
        (tmp_path / f"case_{case.stem}.py").write_text(parts(case)[1], "utf-8")
    checks = [["mypy", "--strict", "--cache-dir", str(tmp_path / "cache")], ["ruff", "check"]]
    for tool, *options in checks:
        isolated = ["--isolated", "--no-cache"] if tool == "ruff" else []
        command = [sys.executable, "-m", tool, *options, *isolated, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
