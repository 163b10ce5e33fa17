"""Objectives and functions of a few numbers have the derivatives that differences say.

Both writings of an objective agree, and each has its tangent and adjoint.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent
from tests.benchmarks.objectives.all import OBJECTIVES
from tests.benchmarks.objectives.objective import Objective
from tests.benchmarks.scalars.programs import SCALARS, Scalar

STEP = 1e-6


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda o: o.name)
def test_writings_agree(objective: Objective) -> None:
    arguments = objective.inputs("tiny")
    found, other = objective.arrays(*arguments), objective.loops(*arguments)
    assert other == pytest.approx(found, rel=1e-12, abs=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("writing", ["arrays", "loops"])
@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda o: o.name)
def test_objective(objective: Objective, writing: str) -> None:
    function: Callable[..., Any] = getattr(objective, writing)
    arguments = objective.inputs("tiny")
    inputs, rest = arguments[: objective.count], arguments[objective.count :]
    rng = np.random.default_rng(6)
    dots = [rng.standard_normal(np.shape(a)) for a in inputs]
    ahead, behind = (
        function(*(a + s * d for a, d in zip(inputs, dots, strict=True)), *rest)
        for s in (STEP, -STEP)
    )
    value, slope = tangent(function, objective.wrt)(*arguments, *dots)
    assert slope == pytest.approx((ahead - behind) / (2.0 * STEP), rel=1e-5, abs=1e-7)
    seed = rng.standard_normal(np.shape(value)) if np.ndim(value) else 1.0
    again, *bars = adjoint(function, objective.wrt)(*arguments, seed)
    assert np.array_equal(value, again)
    product = sum(np.sum(b * d) for b, d in zip(bars, dots, strict=True))
    assert product == pytest.approx(np.sum(seed * slope), rel=1e-9)


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: s.name)
def test_scalar(scalar: Scalar) -> None:
    arguments = scalar.inputs("tiny")
    inputs = [a for a in arguments if isinstance(a, float)]
    gradient = grad(scalar.primal, wrt=...)(*arguments)
    for k, slope in enumerate(gradient):
        ahead, behind = (
            scalar.primal(*inputs[:k], inputs[k] + s, *arguments[k + 1 :]) for s in (STEP, -STEP)
        )
        assert slope == pytest.approx((ahead - behind) / (2.0 * STEP), rel=1e-5, abs=1e-8)


def test_blocks_of_casadi() -> None:
    pytest.importorskip("casadi", reason="an extra of the benchmarks")
    (bundle,) = (o for o in OBJECTIVES if o.jacobian == "rows")
    arguments = bundle.inputs("tiny")
    found = import_module("tests.benchmarks.objectives.in_casadi").prepared(bundle)(arguments)()
    for k in range(2):
        seed = np.zeros((5, 2))
        seed[:, k] = 1.0
        bars = adjoint(bundle.arrays, bundle.wrt)(*arguments, seed)[1:]
        for block, bar in zip(found, bars, strict=True):
            assert block[:, k] == pytest.approx(bar, rel=1e-9, abs=1e-12)
