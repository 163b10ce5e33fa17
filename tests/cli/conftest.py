"""A folder with a small module in it, and a way to run commands there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adjointgen.cli import main

Run = Callable[..., Result]

HEAT = '''"""A module that must not be run: it says so."""

import math

import numpy as np

RATE = 0.5

raise RuntimeError("this module was run")


def decay(x: float, a: float) -> float:
    """How much is left."""
    return RATE * a * math.exp(-x)


def energy(u: "float64[:]", k):
    # Half of the work done.
    return 0.5 * k * np.sum(u * u)


def shape(u: "float64[:]", how="plain"):
    if how == "square":
        return np.sum(u * u)
    return np.sum(u)


def unknown(u: float) -> float:
    return float(str(u))
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a folder with `heat.py`, below one without a pyproject.toml."""
    (tmp_path / "heat.py").write_text(HEAT, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def run(project: Path) -> Run:
    """Runs a command line, given as one string or as words; exceptions come out as exit codes."""

    def invoke(*words: str, stdin: str = "", color: bool = False) -> Result:
        args = words[0].split() if len(words) == 1 else list(words)
        return CliRunner().invoke(main, args, input=stdin, color=color)

    return invoke
