"""Functions that are arguments: a program is made for each, where it is refused for any."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, value_and_grad
from adjointgen.errors import NoRule

X = np.array([[1.0, 2.0, 3.0], [2.0, 5.0, 4.0]])


def square(x: Any) -> Any:
    return x * x


def newton(f: Any, x: Any, n: int = 4) -> Any:
    for _ in range(n):
        x = x - f(x) / ((f(x + 1e-3) - f(x - 1e-3)) / 2e-3)
    return x


def trapezium(f: Any, a: Any, b: Any, n: int = 8) -> Any:
    y = f(np.linspace(a, b, n + 1))
    return np.sum((y[1:] + y[:-1]) / 2.0) * (b - a) / n


def asked(x: Any, f: Any) -> Any:
    if isinstance(f, str):
        return x
    return f(x) if callable(f) else f[0](x)


def by_columns(x: Any, methods: Any, costs: Any = None) -> Any:
    """Takes one function for all columns, or one for each, as functions of packages do."""
    if callable(methods):
        methods = (methods,) * x.shape[1]
    elif all(isinstance(m, str) for m in methods):
        raise ValueError(methods)
    if len(methods) != x.shape[1]:
        raise ValueError("one method for each column")
    made = x.copy()
    for k, method in enumerate(methods):
        made[:, k] = method(x[:, k]) * (k + 1.0)
    return made


@pytest.mark.parametrize("f", [np.sin, square, lambda x: x**3, functools.partial(np.power, 2.0)])
def test_a_function_of_a_function(f: Callable[[Any], Any]) -> None:
    value, slope = value_and_grad(trapezium, wrt=2)(f, 0.0, 1.0)
    assert value == pytest.approx(trapezium(f, 0.0, 1.0), rel=1e-14)
    ends = trapezium(f, 0.0, 1.0 + 1e-5) - trapezium(f, 0.0, 1.0 - 1e-5)
    assert slope == pytest.approx(ends / 2e-5, rel=1e-8)
    assert grad(asked)(0.7, f) == grad(asked)(0.7, [f])


def test_each_function_has_its_own_program() -> None:
    slope = grad(trapezium, wrt=2)
    for f in (np.sin, np.cos, square, np.sin, np.cos):
        one = slope(f, 0.0, 1.0)
        ends = trapezium(f, 0.0, 1.0 + 1e-5) - trapezium(f, 0.0, 1.0 - 1e-5)
        assert one == pytest.approx(ends / 2e-5, rel=1e-8)


def test_a_closure_is_another_function_for_each_value() -> None:
    def shifted(c: float) -> Callable[[Any], Any]:
        return lambda x: x * x - c

    slope = value_and_grad(newton, wrt=1)
    for c in (2.0, 3.0, 2.0):
        assert slope(shifted(c), 1.5)[0] == newton(shifted(c), 1.5)


def test_one_function_for_all_columns() -> None:
    seed = np.arange(6.0).reshape(2, 3)
    ones = np.ones_like(X)
    for method in (square, [square, square, np.sin]):
        value, x_bar = adjoint(by_columns, wrt=0)(X, method, None, seed)
        assert np.array_equal(value, by_columns(X, method))
        steps = 1e-6 * ones
        slope = (by_columns(X + steps, method) - by_columns(X - steps, method)) / 2e-6
        assert x_bar == pytest.approx(seed * slope, rel=1e-7)


def test_other_arguments_may_stand_where_a_function_was() -> None:
    def scaled(x: Any, f: Any) -> Any:
        return f(x) if callable(f) else x * np.sum(f)

    slope = grad(scaled)
    given = (np.sin, np.ones(3), 3.0, 2, [1.0, 2.0], np.cos)
    assert [slope(2.0, f) for f in given] == [np.cos(2.0), 3.0, 3.0, 2.0, 3.0, -np.sin(2.0)]


def test_what_is_no_function_of_python_is_refused() -> None:
    class Law:
        def __call__(self, x: Any) -> Any:
            return x * x

    with pytest.raises(NoRule):
        grad(trapezium, wrt=2)(np.frompyfunc(square, 1, 1), 0.0, 1.0)
    assert grad(asked)(3.0, Law()) == 6.0
