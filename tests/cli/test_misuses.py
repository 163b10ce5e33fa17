"""A hundred ways to hold the command line wrong: each has a message and an exit code of its own.

    1    drift, or a derivative that failed        3    refused, with a code
    2    usage, with a line that says what

None is a fault of adjointgen's (123), and none shows a traceback.
"""

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run

MODEL = """
import math
import numpy as np


def ok(x: float, a: float = 2.0) -> float:
    return a * math.exp(-x)


def fails(x: float) -> float:
    raise ValueError("always")


def text(x: float) -> float:
    return float(str(x))


def no_floats(n: int) -> int:
    return n * 2


def star(*rest: float) -> float:
    return sum(rest)


def strange(x: float) -> float:
    # adjointgen: chekpoint(log)
    return x * x


async def later(x: float) -> float:
    return x


def many(x: float):
    yield x


def recursive(x: float) -> float:
    return recursive(x - 1.0) * x


def nothing(x: float) -> None:
    pass


class Box:
    def method(self, x: float) -> float:
        return x * x


value = 3
"""

USAGE = """
nosuch
--nosuch
--format xml check
generate
generate --wrt x
generate -o out.py
generate model.py
generate ok
generate model.py::
generate ::ok
generate model.py::1ok
generate model.py:ok
generate model.py::ok --mode forwards
generate model.py::ok --mode ,
generate model.py::ok --type x
generate model.py::ok --type x=
generate model.py::ok --type x=floaty
generate model.py::ok --type x=float64[
generate model.py::ok --type =float
generate model.py::ok --const a
generate model.py::ok --const 1=2
generate model.py::ok --disable everything
generate model.py::ok --compile c
generate model.py::ok --nosuch
generate model.py::ok -o
generate model.py::ok --format html
check nosuch.py
check --nosuch
diff nosuch.py
verify
verify nosuch.py
verify nosuch_ad.py
verify model.py
verify .
verify model.py::ok --at x
verify model.py::ok --at q=1
verify model.py::ok --at x=[[1],[2,3]]
verify model.py::ok --seed one
verify model.py::ok --rtol much
verify model.py::ok --rtol -1
verify model.py::fails
verify -::ok
verify broken.py::ok --wrt
verify raising.py::ok
verify ok_ad.py --wrt x
verify ok_ad.py --at q=1
show
show model.py::ok
show model.py::ok --stage nosuch
show model.py --stage ssa
show model.py::ok --stage ssa --as svg
show model.py::ok --stage graph --as png
rules nosuch.function
opt
opt model.py::ok --passes nosuch
opt model.py::ok --print-after nosuch
opt model.py::ok --mode nosuch
opt nosuch.txt
opt model.py
opt binary.py
opt model.py::ok --bisect --at x=[1]
explain
explain AG999
explain nonsense
init
init model.py
init -::ok
init model.py::ok --at x
init model.py::ok --at x=None
init model.py::ok extra
"""

REFUSED = """
generate model.py::nosuch
generate model.py::value
generate nosuch.py::ok
generate broken.py::ok
generate binary.py::ok
generate folder::ok
generate nosuch.module:ok
generate math:sin
generate model.py::ok --wrt q
generate model.py::ok --wrt x,q
generate model.py::ok --type q=float
generate model.py::ok --const q=1
generate model.py::no_floats --wrt n
generate model.py::text
generate model.py::star
generate model.py::strange
generate model.py::later
generate model.py::many
generate model.py::recursive
generate model.py::Box
generate model.py::Box.nosuch
generate model.py::Box.method
generate model.py::ok model.py::ok
generate model.py::ok -o model.py
generate model.py::ok -o nosuch/out_ad.py
generate model.py::ok -o folder
generate -::nosuch
show model.py::nosuch --stage ssa
show model.py::text --stage adjoint
show model.py::ok --stage adjoint --wrt q
verify model.py::nosuch
verify model.py::value
verify model.py::text
verify model.py::no_floats
verify emptied_ad.py
opt model.py::nosuch --stats
init model.py::nosuch
init nosuch.py::ok
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.fixture
def folder(run: Run, project: Path) -> Path:
    """A folder with what is needed to go wrong."""
    (project / "model.py").write_text(MODEL)
    (project / "broken.py").write_text("def ok(x:\n")
    (project / "raising.py").write_text("1 / 0\n\n\ndef ok(x: float):\n    return x\n")
    (project / "binary.py").write_bytes(b"\xff\xfe\x00\x01")
    (project / "folder").mkdir()
    assert run("generate model.py::ok -o ok_ad.py").exit_code == 0
    text = (project / "ok_ad.py").read_text().replace("def ok_", "def other_")
    (project / "emptied_ad.py").write_text(text)
    return project


def test_there_are_a_hundred() -> None:
    assert len({*lines(USAGE), *lines(REFUSED)}) >= 100


@pytest.mark.parametrize("words", lines(USAGE))
def test_usage(run: Run, folder: Path, words: str) -> None:
    found = run(*shlex.split(words), stdin=MODEL)
    assert found.exit_code == 2, found.output
    assert "rror: " in found.stderr and "Traceback" not in found.output


@pytest.mark.parametrize("words", lines(REFUSED))
def test_refused(run: Run, folder: Path, words: str) -> None:
    found = run(*shlex.split(words), stdin=MODEL)
    assert found.exit_code == 3, found.output
    assert found.stderr.startswith("error[AG") and "Traceback" not in found.output
    head = found.stderr.split("\n")[0]
    assert "__self__" not in head and "... * ..." not in head


def test_a_point_for_bisection_is_a_number(run: Run, folder: Path) -> None:
    found = run("opt model.py::ok --bisect --at x=1.5 --at a=2.5")
    assert found.exit_code == 0 and found.stdout.startswith("right after each of"), found.output
