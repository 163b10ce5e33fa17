"""How often a program is made until it knows enough of the lengths of its arguments."""

from collections import Counter
from inspect import signature
from typing import Any

import numpy as np
import pytest

from adjointgen.api.programs.recipes import Step
from adjointgen.api.specialize.specialize import make, source_from_function
from adjointgen.config.compilers import Target
from tests.benchmarks.kernels.all import KERNELS
from tests.builds import counted


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The programs that are made, by the name of the function."""
    return counted(monkeypatch)


def made(function: Any, values: tuple[Any, ...], target: Target = "python") -> None:
    arguments = dict(zip(signature(function).parameters, values, strict=True))
    make(source_from_function(function), (Step("grad"),), (), arguments, (), target)


@pytest.mark.slow
def test_kernels_are_made_once_for_a_compiler(builds: Counter[str]) -> None:
    """One that compares more than could be foreseen is made again."""
    for kernel in [*KERNELS.values()][1::3]:
        made(kernel.primal, kernel.inputs("tiny"), "numba")
    assert len([name for name in builds if builds[name] > 1]) <= 2
    assert max(builds.values()) <= 2


@pytest.mark.parametrize("target", ["python", "numba"])
def test_lengths_that_are_compared_are_known_before_a_program_is_made(
    builds: Counter[str], target: Target
) -> None:
    def f(a: Any, b: Any) -> Any:
        c = a.copy()
        c[1:-1] = a[1:-1] * b[1:-1]
        return np.sum(c * c)

    made(f, (np.ones(40), np.ones(40)), target)
    assert builds == {"f": 1}
