"""A function with a rule of its own is differentiated by it, also where it is the target itself."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, custom, generate, grad, hessian, jacobian, jvp, rules, vjp


def careful_log(x: float) -> float:
    return math.log(x)


def two(a: Any, b: Any = 2.0) -> Any:
    return a * b


def by_name(x: Any) -> Any:
    return x * x


@pytest.fixture(autouse=True)
def _declared() -> None:
    custom(adjoint=lambda y, x, y_bar: y_bar * min(1.0 / x, 10.0))(careful_log)
    custom(tangent=lambda y, a, b, a_dot, b_dot: 7.0 * a_dot * b + y * b_dot)(two)
    rules.elementwise(f"{__name__}.by_name", lambda y, x: 5.0 * x)


def test_gradients() -> None:
    assert grad(careful_log)(0.001) == grad(lambda x: careful_log(x) * 1.0)(0.001) == 10.0
    assert jvp(careful_log, (0.001,), (1.0,)) == (math.log(0.001), 10.0)
    assert vjp(careful_log, 0.001)[1](1.0) == (10.0,)
    assert grad(two, wrt=("a", "b"))(3.0) == (14.0, 6.0)
    assert grad(two, wrt="b")(3.0, b=4.0) == 12.0


def test_arrays_and_second_order() -> None:
    x = np.array([1.0, 3.0])
    np.testing.assert_array_equal(jacobian(by_name)(x), np.diag(5.0 * x))
    np.testing.assert_array_equal(vjp(by_name, x)[1](np.ones(2))[0], 5.0 * x)
    assert hessian(by_name)(3.0) == 5.0


def test_a_rule_is_not_read_from_text(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "from adjointgen import custom\n\n"
        "@custom(tangent=lambda y, x, x_dot: 7.0 * x_dot)\n"
        "def f(x: float) -> float:\n    return x * x\n\n"
        "def g(x: float) -> float:\n    return f(x) * x\n"
    )
    with pytest.raises(AdjointgenError, match="AG009"):
        generate(f"{path}::f", wrt="x")
    with pytest.raises(AdjointgenError):
        generate(f"{path}::g", wrt="x")
