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


def only_by_name(x: Any, *, k: Any = 2.0, n: int = 1) -> Any:
    return k * math.sin(x) * n


def any_number(x: Any, *others: Any) -> Any:
    return math.sin(x) * len(others)


def with_keywords(x: Any, **others: Any) -> Any:
    return x * len(others)


def forgotten(x: Any, k: Any = 1.0) -> Any:
    return x * k


@pytest.fixture(autouse=True)
def _declared() -> None:
    custom(
        adjoint=lambda y, x, k, n, y_bar: (
            5.0 * n * k * y_bar * np.cos(x),
            n * np.sin(x) * y_bar,
            None,
        )
    )(only_by_name)
    custom(adjoint=lambda y, x, *rest: (3.0 * rest[-1] * x, *(None for _ in rest[:-1])))(any_number)
    custom(adjoint=lambda y, x, y_bar: y_bar * np.minimum(1.0 / x, 10.0))(careful_log)
    custom(tangent=lambda y, a, b, a_dot, b_dot: 7.0 * a_dot * b + y * b_dot)(two)
    rules.elementwise(f"{__name__}.by_name", lambda y, x: 5.0 * x)


def test_gradients() -> None:
    assert grad(careful_log)(0.001) == grad(lambda x: careful_log(x) * 1.0)(0.001) == 10.0
    assert jvp(careful_log, (0.001,), (1.0,)) == (math.log(0.001), 10.0)
    assert vjp(careful_log, 0.001)[1](1.0) == (10.0,)
    assert grad(two, wrt=("a", "b"))(3.0) == (14.0, 6.0)
    assert grad(two, wrt="b")(3.0, b=4.0) == 12.0


def test_arguments_that_are_passed_by_name() -> None:
    def around(x: float) -> Any:
        return only_by_name(x, k=3.0) * x + only_by_name(x) + only_by_name(x, n=2)

    def both(x: float, k: float) -> Any:
        return only_by_name(x, n=2, k=k)

    sine, cosine = math.sin(0.7), math.cos(0.7)
    slope = 3.0 * sine + 15.0 * cosine * 0.7 + 10.0 * cosine + 20.0 * cosine
    assert grad(around)(0.7) == pytest.approx(slope)
    assert jvp(around, (0.7,), (1.0,)) == pytest.approx((around(0.7), slope))
    assert grad(both, wrt=("x", "k"))(0.7, 3.0) == pytest.approx((30.0 * cosine, 2.0 * sine))
    assert grad(only_by_name)(0.7) == pytest.approx(10.0 * cosine)
    assert grad(only_by_name, wrt=("x", "k"))(0.7, k=3.0) == pytest.approx((15.0 * cosine, sine))


def test_a_default_that_is_left_out_is_that_of_the_function() -> None:
    gradient = grad(lambda a: two(a) * 1.0)
    assert gradient(3.0) == 14.0
    two.__defaults__ = (5.0,)
    try:
        assert gradient(3.0) == 35.0
    finally:
        two.__defaults__ = (2.0,)


def test_any_number_of_arguments() -> None:
    assert grad(lambda x: any_number(x, 1.0, 2.0) * 1.0)(0.7) == pytest.approx(2.1)
    assert jvp(lambda x: any_number(x, 1.0) * 1.0, (0.7,), (1.0,))[1] == pytest.approx(2.1)
    assert grad(any_number)(0.7, 1.0, 2.0) == pytest.approx(2.1)
    with pytest.raises(TypeError, match="a name for each argument"):
        custom(adjoint=lambda y, x, others, y_bar: y_bar)(with_keywords)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda y, x, k, y_bar: None, "NoneType"),
        (lambda y, x, k, y_bar: (np.ones(3), None), "ndarray"),
        (lambda y, x, k, y_bar: "slope", "gave str"),
        (lambda y, x, k, y_bar: 2.0 * y_bar, "1 contributions for 2 arguments"),
    ],
)
def test_what_is_no_derivative_is_refused(rule: Any, said: str) -> None:
    custom(adjoint=rule)(forgotten)
    for run in (
        lambda: grad(lambda x: forgotten(x, 2.0) * x)(0.5),
        lambda: jvp(lambda x: forgotten(x, 2.0) * x, (0.5,), (1.0,)),
    ):
        with pytest.raises(AdjointgenError, match=said) as caught:
            run()
        assert caught.value.code == "AG201"


def test_a_tangent_that_is_none_is_refused() -> None:
    custom(tangent=lambda y, x, k, x_dot, k_dot: None)(forgotten)
    for run in (lambda: grad(forgotten)(0.5), lambda: jvp(forgotten, (0.5,), (1.0,))):
        with pytest.raises(AdjointgenError, match="the tangent of forgotten gave NoneType"):
            run()


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
