"""`vmap` beside a Python loop over the same function: values, and gradients for each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, vmap
from tests.batching.programs import CASES, Case

NUMBERED = [pytest.param(case, id=f"{case}-{k}") for k, case in enumerate(CASES)]


def sample(value: Any, axes: Any, k: int) -> Any:
    """One sample of an argument."""
    if axes is None:
        return value
    if isinstance(value, dict):
        inner = axes if isinstance(axes, dict) else dict.fromkeys(value, axes)
        return {key: sample(v, inner[key], k) for key, v in value.items()}
    if isinstance(value, np.ndarray):
        return np.take(value, k, axis=axes)
    return type(value)(*(sample(v, axes, k) for v in vars(value).values()))


def looped(f: Any, args: tuple[Any, ...], axes: Any, count: int) -> list[Any]:
    """What a loop over the samples gives."""
    own = axes if isinstance(axes, tuple) else (axes,) * len(args)
    return [f(*(sample(a, one, k) for a, one in zip(args, own, strict=True))) for k in range(count)]


def agree(found: Any, rows: list[Any]) -> None:
    """Compare the results for all samples with those of each."""
    first = rows[0]
    if isinstance(first, tuple | dict):
        assert type(found) is type(first)
        keys = list(first) if isinstance(first, dict) else range(len(first))
        for key in keys:
            agree(found[key], [row[key] for row in rows])
        return
    if hasattr(first, "__dict__"):
        for key in vars(first):
            agree(getattr(found, key), [getattr(row, key) for row in rows])
        return
    wanted = np.stack(rows)
    assert isinstance(found, np.ndarray) and found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", NUMBERED)
@pytest.mark.parametrize("more", [0, 1])
def test_values_are_those_of_a_loop(case: Case, more: int) -> None:
    count = case.count - more
    args = case.make(count)
    f = vmap(case.f, case.axes)
    agree(f(*args), looped(case.f, args, case.axes, count))
    assert not f.looped if case.at_once else f.looped


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", [p for p in NUMBERED if p.values[0].derived])
def test_gradients_are_those_of_a_loop(case: Case) -> None:
    args = case.make(case.count)
    gradient = grad(case.f, ...)
    f = vmap(gradient, case.axes)
    agree(f(*args), looped(gradient, args, case.axes, case.count))
    assert not f.looped if case.at_once else f.looped


@pytest.mark.parametrize("case", [p for p in NUMBERED if p.values[0].derived])
def test_one_sample_is_one_call(case: Case) -> None:
    args = case.make(1)
    f = vmap(case.f, case.axes)
    if all(np.size(a) for a in args):
        agree(f(*args), looped(case.f, args, case.axes, 1))


def test_the_gradient_is_that_of_differences() -> None:
    case = next(c for c in CASES if c.f.__name__ == "recurrence")
    x, a = case.make(4)
    found = vmap(grad(case.f, wrt=(0, 1)))(x, a)
    h = 1e-6
    for k in range(4):
        slope = (case.f(x[k], a[k] + h) - case.f(x[k], a[k] - h)) / (2 * h)
        assert found[1][k] == pytest.approx(slope, rel=1e-6)
