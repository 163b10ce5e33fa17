"""Recursive functions that do more than compute: each call runs once."""

from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, hessian

SEEN: list[int] = []


def seen_in_each_call(x: float, n: int) -> float:
    SEEN.append(n)
    return x if n == 0 else seen_in_each_call(x * x, n - 1)


def grows_its_argument(x: float, seen: set[int]) -> float:
    if len(seen) > 1:
        return x
    seen.add(7 * len(seen))
    return grows_its_argument(x * x, seen)


def squared(x: float, n: int = 1) -> float:
    return grows_its_argument(x, {n})


def test_a_recursion_with_effects_runs_once() -> None:
    SEEN.clear()
    assert np.isclose(grad(seen_in_each_call)(1.1, 2), 4.0 * 1.1**3)
    assert SEEN == [2, 1, 0]
    assert grad(squared)(1.3) == 2.6


@pytest.mark.parametrize(("f", "given"), [(seen_in_each_call, (1.1, 2)), (squared, (1.3,))])
def test_a_recursion_with_effects_has_no_second_derivative(f: Any, given: Any) -> None:
    """Its adjoint would run it a second time."""
    with pytest.raises(AdjointgenError) as caught:
        hessian(f)(*given)
    assert caught.value.code == "AG122"
