"""Calls of NumPy whose arguments it takes otherwise than they look, in programs and derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, value_and_grad
from tests.frontend.agree import agrees

X = np.array([1.0, 2.0, 3.5])


def placed(x: Any) -> Any:
    y = x * x
    np.place(y, [0, 1, 0], 9.0)
    return np.sum(y)


def put_under_a_mask(x: Any) -> Any:
    y = x * x
    np.putmask(y, [1, 0, 2], x[::-1])
    return np.sum(y * x)


def pieces(x: Any) -> Any:
    return np.sum(np.piecewise(x, [[1, 0, 0], [0, 0, 1]], [lambda v: v * v, lambda v: 3.0 * v]))


def pieces_of_one_condition(x: Any) -> Any:
    return np.sum(np.piecewise(x, x > 1.5, [lambda v: v * v, lambda v: 3.0 * v]))


def spread_lists(x: Any) -> Any:
    a, b = np.broadcast_arrays([1.0, 2.0, 3.0], x)
    return np.sum(a * b)


def one_axis(x: Any) -> Any:
    return np.sum(np.meshgrid([1.0, 2.0])[0]) * x[0]


def one_operand(x: Any) -> Any:
    return np.einsum("i->", [1.0, 2.0]) * x[0]


def slopes_between(x: Any) -> Any:
    return np.sum(np.gradient(x * x, [0.0, 1.0, 3.0]))


def rotated(x: Any, k: int) -> Any:
    shape = np.outer(x, x[:2]).shape
    return np.sum(x) * float((shape[k:] + shape[:k])[0])


def slices_of_a_list(x: Any, k: int) -> Any:
    weights = [1.0, 2.0, 3.0]
    return np.sum(np.array(weights[k:] + weights[:k]) * x)


def of_integers(x: Any) -> Any:
    whole = np.vectorize(lambda n: n * 2)(np.array([1, 2, 3]))
    return np.sum(x * (whole // 4))


def of_floats(x: Any) -> Any:
    return np.sum(np.vectorize(lambda v: v * v, otypes=[float])(x))


@np.vectorize
def secant(f: Any, y: float, v: float) -> Any:
    old, w = v, 1.1 * v
    while abs(w - old) > 1e-13:
        slope = (f(w) - f(old)) / (w - old)
        old, w = w, w + (y - f(w)) / slope
    return w


def of_functions(x: Any) -> Any:
    def area(v: Any) -> Any:
        return v * v * x[0]

    return secant(area, x[1], 1.0) + np.sum(secant(np.exp, x, 1.0))


def the_greatest_pair(x: Any) -> Any:
    return max((1.0, x[0]), (1.0, x[1]), (0.0, x[2]))[1]


def the_same_list(x: Any) -> Any:
    a = [x[0], x[1]]
    b = a
    return x[0] * x[0] if a is b else x[1]


@pytest.mark.parametrize(
    "f",
    [
        *(placed, put_under_a_mask, pieces, pieces_of_one_condition, spread_lists, one_axis),
        *(
            one_operand,
            slopes_between,
            rotated,
            slices_of_a_list,
            of_integers,
            of_floats,
            of_functions,
        ),
        *(the_greatest_pair, the_same_list),
    ],
)
def test_it_is_as_numpy_has_it(f: Callable[..., Any]) -> None:
    agrees(f, X, *(1 for _ in range(f.__code__.co_argcount - 1)))


TRUNCATED = np.vectorize(lambda v: 1.5 * v, otypes=[int])
BY_VECTORS = np.vectorize(lambda v: v.sum(), signature="(n)->()")
FIRST_AN_INTEGER = np.vectorize(lambda v: 0 if v < 1.5 else v)


@pytest.mark.parametrize("function", [TRUNCATED, BY_VECTORS, FIRST_AN_INTEGER])
def test_other_vectorized_functions_are_refused(function: Any) -> None:
    with pytest.raises(AdjointgenError):
        grad(lambda x: np.sum(function(x)))(X)


def test_types_of_vectorized_functions_are_refused() -> None:
    with pytest.raises(AdjointgenError):
        grad(lambda x: np.sum(np.vectorize(lambda v: 1.5 * v, otypes=[int])(x)))(X)


def test_the_value_is_that_of_the_function() -> None:
    found, _ = value_and_grad(of_integers)(X)
    assert found == of_integers(X)
