"""Array statements as loops give the numbers of the arrays."""

import copy
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent, value_and_grad
from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.kernels.kernel import Kernel, is_float
from tests.fuzz import kernels
from tests.fuzz.examine import Plan, examine
from tests.fuzz.generator import generate
from tests.lowering.loops import Loops, agree, uncompiled
from tests.lowering.programs import CASES

UNEQUAL = "arrays of equal lengths only"


@pytest.fixture(autouse=True)
def _uncompiled() -> Iterator[None]:
    with uncompiled():
        yield


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_are_those_of_the_arrays_and_differences(f: Any, args: tuple[Any, ...]) -> None:
    which = [k for k, a in enumerate(args) if is_float(a)]
    programs = [value_and_grad(f, wrt=tuple(which), compile=c) for c in ("python", "numba")]
    given = copy.deepcopy(args)
    value, bars = programs[1](*given)
    agree([g for g in given if is_float(g)], [a for a in args if is_float(a)])
    agree((value, bars), programs[0](*copy.deepcopy(args)))
    dots = [np.cos(np.arange(args[k].size)).reshape(args[k].shape) for k in which]
    slope, values = sum(np.sum(b * d) for b, d in zip(bars, dots, strict=True)), []
    for step in (1e-5, -1e-5):
        moved = list(copy.deepcopy(args))
        for k, dot in zip(which, dots, strict=True):
            moved[k] = moved[k] + step * dot
        values.append(f(*moved))
    assert slope == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-6, abs=1e-7)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_tangents_and_seconds_are_the_same_too(f: Any, args: tuple[Any, ...]) -> None:
    which = tuple(k for k, a in enumerate(args) if is_float(a))
    dots = tuple(np.cos(np.arange(args[k].size)).reshape(args[k].shape) for k in which)
    for program in (f, grad(f, wrt=which)):
        plain, loops = (tangent(program, wrt=which, compile=c) for c in ("python", "numba"))
        agree(
            loops(*copy.deepcopy(args), *copy.deepcopy(dots)),
            plain(*copy.deepcopy(args), *copy.deepcopy(dots)),
        )


@pytest.mark.slow
@pytest.mark.sampled(15)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=lambda k: k.name)
def test_kernels(kernel: Kernel) -> None:
    names = inspect.signature(kernel.primal).parameters
    args = kernel.inputs("tiny")
    wrt = tuple(n for n, a in zip(names, args, strict=True) if is_float(a))
    plain, loops = (value_and_grad(kernel.primal, wrt=wrt, compile=c) for c in ("python", "numba"))
    agree(loops(*copy.deepcopy(args)), plain(*copy.deepcopy(args)))


@pytest.mark.fuzz
@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(830_000, 830_030))
def test_random_programs(seed: int) -> None:
    found = examine(generate(seed), Loops(), Plan(stages=("tangent", "adjoint")))  # type: ignore[arg-type]
    if UNEQUAL not in found.detail:
        assert found.sort in ("right", "refused", "skipped"), found.detail


@pytest.mark.fuzz
@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(30))
def test_random_kernels(seed: int) -> None:
    found = examine(kernels.generate(seed), Loops(), Plan(stages=("tangent", "adjoint")))  # type: ignore[arg-type]
    if UNEQUAL not in found.detail:
        assert found.sort in ("right", "refused", "skipped"), found.detail
