"""The examples are up to date, right, and need nothing but NumPy.

Each module in examples/ whose name ends in `_ad` is a target of pyproject.toml. The programs that
stand in it are verified as they stand, by differences, transposition and Taylor slopes.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest
from click.testing import CliRunner

from adjointgen.cli import main
from adjointgen.config.pyproject import read_project
from adjointgen.verify.verify import verify

ROOT: Final = Path(__file__).parents[1]
EXAMPLES: Final = ROOT / "examples"
GENERATED: Final = sorted(path.name for path in EXAMPLES.glob("*_ad.py"))

LINE: Final = np.linspace(0.0, 1.0, 7) ** 2
SQUARE: Final = np.array([[4.0, 1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, -0.75, 5.0]])
FEATURES: Final = np.array([[0.5, 1.5], [-0.75, 2.0], [1.25, -1.0], [0.25, 0.5]])
OPTION: Final = (100.0, 95.0, 0.03, 0.25, 0.5)


def load(path: Path) -> ModuleType:
    """A module by its file, under the name by which Numba keeps its compiled functions."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES: Final[dict[str, tuple[tuple[Any, ...], int]]] = {
    "heat.heat": ((LINE, 0.2, np.cos(LINE), 5), 2),
    "kepler.true_anomaly": ((1.0, 0.3), 2),
    "logistic.loss": ((np.array([0.3, -0.2]), 0.1, FEATURES, np.array([1.0, 0.0, 1.0, 0.0])), 2),
    "lu.solve": ((SQUARE, np.array([1.0, -2.0, 0.5])), 2),
    "network.loss": (load(EXAMPLES / "network.py").example(), 1),
    "option.binomial": ((*OPTION, 6), 5),
    "option.black_scholes": (OPTION, 5),
    "orbit.distance": ((7000.0, 0.0, 0.5, 7.5, 398600.4418, 10.0, 4), 5),
}
"""Where a function is verified, and how many of its first arguments are differentiated."""


def test_every_generated_module_is_a_target_and_has_a_case() -> None:
    targets = read_project(ROOT / "pyproject.toml")
    assert sorted(target.output for target in targets) == [f"examples/{name}" for name in GENERATED]
    named = {source for target in targets for source in target.targets}
    assert named == {f"examples/{case.replace('.', '.py::')}" for case in CASES}


def test_the_modules_are_what_would_be_generated_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("case", "module"),
    [(c, m) for c in sorted(CASES) for m in GENERATED if m.startswith(f"{c.split('.')[0]}_")],
)
def test_the_committed_programs_are_right(case: str, module: str) -> None:
    stem, name = case.split(".")
    source, made = load(EXAMPLES / f"{stem}.py"), load(EXAMPLES / module)
    forward: Callable[..., Any] = getattr(made, f"{name}_tangent")
    back: Callable[..., Any] = getattr(made, f"{name}_adjoint")
    args, number = CASES[case]
    function = getattr(source, name)
    seeds = function.__code__.co_varnames[:number]

    def tangent(given: Sequence[Any], dots: Sequence[Any]) -> Any:
        return forward(*given, **{f"{x}_dot": dot for x, dot in zip(seeds, dots, strict=True)})

    def adjoint(given: Sequence[Any], y_bar: Any) -> Any:
        y, *bars = back(*given, result_bar=y_bar)
        return y, tuple(bars)

    report = verify(function, tangent, adjoint, args, list(range(number)), 0)
    assert report.ok, report


@pytest.mark.parametrize("name", GENERATED)
def test_a_module_imports_without_adjointgen(name: str) -> None:
    code = f"import sys; sys.modules['adjointgen'] = None; import {name.removesuffix('.py')}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=EXAMPLES, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_fit_converges() -> None:
    done = subprocess.run(
        [sys.executable, "use_heat.py"], cwd=EXAMPLES, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    misfits = [float(line.split()[-1]) for line in done.stdout.splitlines() if "round" in line]
    assert misfits == sorted(misfits, reverse=True) and misfits[-1] < 1e-3 * misfits[0]


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_the_network_learns(target: str) -> None:
    done = subprocess.run(
        [sys.executable, "train_network.py", target], cwd=EXAMPLES, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    losses = [float(line.split()[-1]) for line in done.stdout.splitlines() if "loss" in line]
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.1 * losses[0]
