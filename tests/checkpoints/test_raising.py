"""Steps that may raise stay in checkpointed loops, also where they hand nothing on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, value_and_grad
from adjointgen.errors import Unsupported

SCHEDULES = ("log", "binomial, snapshots=2", "periodic, period=2")


def validated(x: Any, n: int) -> Any:
    s = x * 1.0
    for i in range(n):
        if i == 3:
            raise ValueError("too many")
    return s * s


def bounded(x: Any, n: int) -> Any:
    s = x * 1.0
    for _ in range(n):
        s = s * 1.5
        if s > 4.0:
            raise ValueError("too large")
    return s * s


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("f", [validated, bounded])
def test_the_exception_of_a_step_is_raised(f: Callable[..., Any], schedule: str) -> None:
    derivative = value_and_grad(f, checkpoint=schedule)
    assert derivative(1.0, 2)[0] == f(1.0, 2)
    with pytest.raises(ValueError, match="too"):
        derivative(1.0, 5)


def test_a_written_module_raises(tmp_path: Any) -> None:
    text = generate(validated, 0, "adjoint", example=(1.5, 1), checkpoint="log").source
    made: dict[str, Any] = {}
    exec(text, made)
    assert made["validated_adjoint"](1.5, 2) == (2.25, 3.0)
    with pytest.raises(ValueError, match="too many"):
        made["validated_adjoint"](1.5, 5)


def doubled(x: Any, n: int) -> Any:
    u = x.copy()
    for i in range(n):
        if i % 3 == 0:
            continue
        try:
            u[i] *= 2
        except IndexError:
            u[0] += 0.1 * u[1]
    return u.sum()


def test_a_path_that_was_not_taken_is_not_left_out() -> None:
    x = np.array([0.37, 0.91, 0.62, 0.55])
    derivative = value_and_grad(doubled, checkpoint="log")
    with pytest.raises(Unsupported, match="AG122"):
        assert derivative(x, 1)[0] == doubled(x, 1)
        derivative(x, 7)
