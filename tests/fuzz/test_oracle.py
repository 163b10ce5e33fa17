"""The oracle: right where it speaks, and silent where a derivative does not exist."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from adjointgen.opt.program import Program, Vector
from tests.fuzz.fakes import PROGRAM
from tests.fuzz.oracle import Primal, Rejected, derivative, ridders, slope


def test_ridders_finds_a_derivative_to_ten_digits() -> None:
    found = ridders(lambda t: np.array([np.sin(3.0 * t + 1.0), t * t]), 0.02)
    assert found.value == pytest.approx([3.0 * np.cos(1.0), 0.0], rel=1e-10, abs=1e-12)
    assert np.all(found.error < 1e-9)


@pytest.mark.parametrize(
    "phi",
    [
        pytest.param(lambda t: np.array([abs(t)]), id="kink"),
        pytest.param(lambda t: np.array([max(t, 3.0 * t) + t * t]), id="two slopes"),
        pytest.param(lambda t: np.array([0.0 if t < 0 else 1.0]), id="jump"),
        pytest.param(lambda t: np.array([t * np.sin(1.0 / t) if t else 0.0]), id="no limit"),
    ],
)
def test_points_without_a_derivative_are_rejected(phi: Callable[[float], Vector]) -> None:
    with pytest.raises(Rejected):
        slope(phi)


def test_a_kink_beside_the_point_does_not_matter() -> None:
    found = slope(lambda t: np.array([abs(t + 0.003) + t]))
    assert found.value == pytest.approx([2.0], abs=1e-9)


def _program(body: str, *args: float) -> Program:
    source = "import math\nfrom adjointgen import stop_gradient\n\n\n" + body
    names = tuple("xa"[: len(args)])
    return replace(PROGRAM, source=source, parameters=names, args=args, wrt=names)


def test_stop_gradient_is_constant_to_the_oracle() -> None:
    program = _program("def f(x):\n    return x * stop_gradient(math.sin(x)) + x\n", 0.7)
    found = derivative(Primal(program), [1.0])
    assert found.value == pytest.approx([np.sin(0.7) + 1.0], rel=1e-10)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("def f(x):\n    while True:\n        x = x * 0.5\n    return x\n", "does not terminate"),
        ("def f(x):\n    return math.exp(2000.0 * x)\n", "not finite"),
        ("def f(x):\n    return y\n", "raises NameError"),
    ],
)
def test_programs_without_a_value_are_rejected(body: str, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        Primal(_program(body, 0.7))
