"""Derivatives that are known from elsewhere: by hand, or from mpmath with 40 digits.

Each is asked of both modes: forward along every unit vector, and in reverse.
"""

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

from adjointgen import adjoint, grad, hessian, hvp, jvp, stop_gradient, tangent, value_and_grad
from adjointgen.opt.program import flatten, refill


def gradients(f: Callable[..., Any], *args: Any, wrt: str = "x") -> tuple[Any, Any]:
    """The gradient of a scalar function, forward and in reverse."""
    x = args[list(inspect.signature(f).parameters).index(wrt)]
    program = tangent(f, wrt)
    units = [refill(x, unit) for unit in np.eye(flatten(x).size)]
    forward = refill(x, flatten([program(*args, unit)[1] for unit in units]))
    return forward, grad(f, wrt)(*args)


def agree(found: Sequence[Any], wanted: Any, rtol: float = 1e-14) -> None:
    """Both modes give what is wanted, up to rounding."""
    for each in found:
        np.testing.assert_allclose(each, wanted, rtol=rtol, atol=1e-300)


def exact(f: Callable[[Any], Any], x: float) -> float:
    """The derivative by mpmath, which runs the function on numbers with 40 digits."""
    with mpmath.workdps(40):
        return float(mpmath.diff(f, mpmath.mpf(x)))


def product_and_sine(x: float, y: float) -> float:
    return x * y + math.sin(x)


def test_product_and_sine() -> None:
    value, (x_bar, y_bar) = value_and_grad(product_and_sine, wrt=...)(0.5, 4.2)
    assert value == pytest.approx(2.579425538604203, rel=1e-15)
    assert (x_bar, y_bar) == pytest.approx((5.077582561890373, 0.5), rel=1e-15)
    agree(gradients(product_and_sine, 0.5, 4.2), 5.077582561890373)
    agree(gradients(product_and_sine, 0.5, 4.2, wrt="y"), 0.5)


def two_results(x: float) -> tuple[float, float]:
    z = 2 * x + math.sin(x)
    v = 4 * x + math.cos(x)
    return z, v


def test_two_reverse_runs_or_one_forward_run() -> None:
    x = 0.5
    program = adjoint(two_results)
    value, z_x = program(x, 1.0, 0.0)
    _, v_x = program(x, 0.0, 1.0)
    assert value == two_results(x)
    assert (z_x, v_x) == pytest.approx((2 + math.cos(x), 4 - math.sin(x)), rel=1e-15)
    assert jvp(two_results, (x,), (1.0,)) == (value, pytest.approx((z_x, v_x), rel=1e-15))


def quadratic(x: float) -> float:
    return x * x + 3 * x + 2


def test_a_quadratic() -> None:
    assert value_and_grad(quadratic)(5.0) == (42.0, 13.0)
    assert tangent(quadratic)(5.0, 1.0) == (42.0, 13.0)
    assert grad(grad(quadratic))(5.0) == 2.0
    assert grad(grad(grad(quadratic)))(5.0) == 0.0


def held(x: float) -> float:
    return stop_gradient(x) * x


def test_stop_gradient() -> None:
    assert held(1.5) == 2.25
    agree(gradients(held, 1.5), 1.5)


def old_value(x: Any) -> Any:
    y = x * x
    x += 1
    return y.sum()


def test_a_later_write_does_not_change_what_was_read() -> None:
    agree(gradients(old_value, np.array([0.5, -1.5])), [1.0, -3.0])


def quotient(x: float, y: float) -> float:
    return x / y


def power(x: float, y: float) -> float:
    return x**y


def tangent_of_angle(x: float) -> float:
    return math.tan(x)


@pytest.mark.parametrize(("x", "y"), [(0.3, 2.7), (4.0, -1.5), (1e-5, 3.0), (7.0, 0.5)])
@pytest.mark.parametrize("f", [quotient, power])
def test_two_arguments_against_mpmath(f: Callable[..., Any], x: float, y: float) -> None:
    agree(gradients(f, x, y), exact(lambda t: f(t, mpmath.mpf(y)), x))
    agree(gradients(f, x, y, wrt="y"), exact(lambda t: f(mpmath.mpf(x), t), y))


@pytest.mark.parametrize("x", [-1.5, -0.1, 0.0, 1e-8, 0.7, 1.5])
def test_the_tangent_of_an_angle_against_mpmath(x: float) -> None:
    agree(gradients(tangent_of_angle, x), exact(mpmath.tan, x))


def two_sides(x: float) -> float:
    return x * x if x > 0 else -x


@pytest.mark.parametrize(("x", "slope"), [(1.5, 3.0), (1e-9, 2e-9), (-1e-9, -1.0), (-2.0, -1.0)])
def test_both_sides_of_a_branch(x: float, slope: float) -> None:
    agree(gradients(two_sides, x), slope)


def up_and_down(x: Any, n: int) -> Any:
    y = x
    for _ in range(n):
        y = y / 2 if y > 1 else y * y + 1
    return y


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 13, 40])
@pytest.mark.parametrize("x", [-0.7, 0.3, 1.7])
def test_a_loop_with_a_branch_against_mpmath(x: float, n: int) -> None:
    agree(gradients(up_and_down, x, n), exact(lambda t: up_and_down(t, n), x), 1e-12)


def with_bias(x: Any, b: Any) -> Any:
    return np.sum((x + b) ** 2)


def test_a_bias_is_summed_over_the_batch() -> None:
    x, b = np.arange(6.0).reshape(3, 2), np.array([0.5, -1.0])
    agree(gradients(with_bias, x, b, wrt="b"), np.sum(2 * (x + b), axis=0))
    agree(gradients(with_bias, x, b), 2 * (x + b))


def relu_maximum(x: Any) -> Any:
    return np.sum(np.maximum(x, 0.0) * np.arange(1.0, 5.0))


def relu_where(x: Any) -> Any:
    return np.sum(np.where(x > 0, x, 0.0) * np.arange(1.0, 5.0))


@pytest.mark.parametrize("f", [relu_maximum, relu_where])
def test_relu(f: Callable[..., Any]) -> None:
    agree(gradients(f, np.array([0.5, -1.5, 2.0, -0.1])), [1.0, 0.0, 3.0, 0.0])


def largest_sorted(x: Any) -> Any:
    return np.sum(np.sort(x)[-2:] * np.array([1.0, 10.0]))


def largest_chosen(x: Any) -> Any:
    return np.sum(x[np.argsort(x)[-2:]] * np.array([1.0, 10.0]))


@pytest.mark.parametrize("f", [largest_sorted, largest_chosen])
def test_the_two_largest(f: Callable[..., Any]) -> None:
    agree(gradients(f, np.array([0.5, 3.0, -1.5, 2.0])), [0.0, 10.0, 0.0, 1.0])


def cubes(x: Any, a: float) -> Any:
    return a * np.sum(x**3)


def test_second_derivatives() -> None:
    x, a, v = np.array([0.5, -1.5]), 2.0, np.array([1.0, 0.25])
    agree([hessian(cubes)(x, a)], np.diag(6 * a * x))
    agree([hvp(cubes, (x, a), (v, None))], 6 * a * x * v)
    (value, x_bar), (value_dot, x_bar_dot) = tangent(adjoint(cubes, "x"), "x")(x, a, 1.0, v)
    assert value == pytest.approx(cubes(x, a), rel=1e-14)
    assert value_dot == pytest.approx(x_bar @ v, rel=1e-14)
    agree([x_bar_dot], 6 * a * x * v)


def test_the_adjoint_of_an_adjoint() -> None:
    """z = <v, f'(x)> has the gradient f''(x) v, and the seed of the value adds f'(x)."""
    x, a, v = np.array([0.5, -1.5]), 2.0, np.array([1.0, 0.25])
    made = adjoint(adjoint(cubes, "x"), "x")
    agree([made(x, a, 1.0, 0.0, v)[-1]], 6 * a * x * v)
    agree([made(x, a, 1.0, 1.0, v)[-1]], 6 * a * x * v + 3 * a * x**2)


def quintic(x: float) -> float:
    return x**5 - 2 * x**3


@pytest.mark.parametrize(("order", "wanted"), [(1, 56.0), (2, 136.0), (3, 228.0), (4, 240.0)])
def test_gradients_of_gradients(order: int, wanted: float) -> None:
    f: Any = quintic
    for _ in range(order):
        f = grad(f)
    assert f(2.0) == pytest.approx(wanted, rel=1e-14)


def named_like_a_seed(x: float, result_bar: float, x_dot: float, x_bar: float) -> float:
    return x * result_bar * x_dot**2 * x_bar**3


def test_arguments_that_are_named_like_seeds() -> None:
    """x r d² b³ at (2, 3, 5, 7), for every argument alone and for all together."""
    args = (2.0, 3.0, 5.0, 7.0)
    value = named_like_a_seed(*args)
    wanted = {
        "x": value / 2,
        "result_bar": value / 3,
        "x_dot": 2 * value / 5,
        "x_bar": 3 * value / 7,
    }
    for name, slope in wanted.items():
        agree(gradients(named_like_a_seed, *args, wrt=name), slope)
    agree([grad(named_like_a_seed, wrt=...)(*args)], [*wanted.values()])


def keyword_only(x: float, *, scale: float = 2.0, square: bool = False) -> float:
    return scale * x * x if square else scale * x


def test_keyword_only_arguments() -> None:
    assert grad(keyword_only)(3.0) == 2.0
    assert grad(keyword_only)(3.0, scale=5.0) == 5.0
    assert grad(keyword_only)(3.0, square=True) == 12.0
    assert grad(keyword_only, wrt="scale")(3.0, scale=5.0, square=True) == 9.0


def growth(x: float) -> float:
    return float(np.exp(x)) + x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numpy_overflows_to_infinity_where_math_raises() -> None:
    assert growth(1000.0) == tangent(growth)(1000.0, 1.0)[0] == math.inf


def test_an_infinite_slope_of_a_number() -> None:
    """Division by Python's zero raises; a slope of a number is infinite there all the same."""
    for root in (lambda x: x**0.5, lambda x: math.sqrt(x), lambda x: np.sqrt(x)):
        assert grad(root)(0.0) == math.inf
    assert type(grad(lambda x: math.sqrt(x))(2.0)) is float


def one_entry(x: Any) -> Any:
    return float(x) ** 2


def test_the_number_in_an_array_of_one_entry() -> None:
    """Recent versions of NumPy take no array with axes for a number."""
    agree([grad(one_entry)(np.array(3.0))], [6.0])
    try:
        one_entry(np.array([3.0]))
    except TypeError:
        with pytest.raises(TypeError):
            grad(one_entry)(np.array([3.0]))
    else:
        agree([grad(one_entry)(np.array([3.0]))], [6.0])
