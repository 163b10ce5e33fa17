"""The kernels have the derivatives that differences and transposition say, unmodified.

Both programs are generated from the kernel as it stands. The tangent is held against central
differences along one direction, the adjoint against the tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, tangent
from tests.benchmarks.kernels.all import FAMILIES, KERNELS
from tests.benchmarks.kernels.kernel import Arguments, Kernel, is_float
from tests.builds import counted

STEP = 1e-6
EACH = pytest.mark.parametrize("kernel", KERNELS.values(), ids=lambda k: k.name)


def directions(arguments: Arguments) -> list[Any]:
    """A direction for every float argument, of its kind."""
    rng = np.random.default_rng(5)
    found = []
    for a in filter(is_float, arguments):
        d = rng.standard_normal(np.shape(a))
        if np.iscomplexobj(a):
            d = d + 1.0j * rng.standard_normal(np.shape(a))
        found.append(d if np.ndim(a) else float(d))
    return found


def moved(arguments: Arguments, dots: Sequence[Any], by: float) -> Arguments:
    rest = iter(dots)
    return tuple(a + by * next(rest) if is_float(a) else a for a in arguments)


def names(kernel: Kernel, arguments: Arguments) -> tuple[str, ...]:
    code = kernel.primal.__code__
    parameters = code.co_varnames[: code.co_argcount]
    return tuple(p for p, a in zip(parameters, arguments, strict=True) if is_float(a))


@pytest.mark.sampled(4)
@EACH
def test_kernel(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = counted(monkeypatch)
    arguments = kernel.inputs("tiny")
    dots, wrt = directions(arguments), names(kernel, arguments)
    expected = kernel.primal(*arguments)
    ahead, behind = (kernel.primal(*moved(arguments, dots, s)) for s in (STEP, -STEP))
    value, slope = tangent(kernel.primal, wrt)(*arguments, *dots)
    again, *bars = adjoint(kernel.primal, wrt)(*arguments, 1.0)
    # Each of the two is made once, and knows what it needs of the lengths.
    assert [*builds.values()] == [2]
    assert value == expected
    # Products of lines that are made ahead, at once, may be added up in another order.
    assert again == pytest.approx(expected, rel=1e-13)
    assert slope == pytest.approx((ahead - behind) / (2.0 * STEP), rel=1e-5, abs=1e-7)
    product = sum(np.sum(b * d).real for b, d in zip(bars, dots, strict=True))
    assert product == pytest.approx(slope, rel=1e-10)
    untouched = zip(arguments, kernel.inputs("tiny"), strict=True)
    assert all(np.array_equal(a, b) for a, b in untouched)


def test_there_are_enough_kernels() -> None:
    assert len(KERNELS) == sum(len(family.KERNELS) for family in FAMILIES) >= 40


@EACH
def test_inputs_differ_in_size(kernel: Kernel) -> None:
    sizes = "tiny", "medium", "large"
    tiny, medium, large = (sum(map(extent, kernel.inputs(size))) for size in sizes)
    assert 10 * tiny < medium and 3 * medium < 2 * large


def extent(argument: Any) -> int:
    """Elements of an array, or the number that an integer is."""
    return argument if isinstance(argument, int) else np.size(argument)
