"""`isinstance` of functions, classes, ranges and sets, and of classes that have other names."""

import functools
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, Sequence, Union  # noqa: UP035

import numpy as np
import pytest

from adjointgen import value_and_grad

Real = Union[int, float]  # noqa: UP007
Numbers = Sequence


class Kernel:
    def __init__(self, x: Any) -> None:
        self.x = x

    def value(self) -> Any:
        return self.x**3


def cube(x: Any) -> Any:
    return x**3


def chosen(method: Any, x: Any) -> Any:
    """What a function does that takes a method by name, as a function, or as a list of them."""
    if isinstance(method, str):
        return getattr(np, method)(x)
    if isinstance(method, Iterable) or not callable(method):
        return method[0](x)
    return method(x)


def of_a_function(x: Any) -> Any:
    return chosen(cube, x) + chosen(np.sin, x) + chosen("cos", x) + chosen((np.exp, cube), x)


def of_a_lambda(x: Any) -> Any:
    return chosen(lambda t: t * t, x) + chosen(functools.partial(pow, 2.0), x)


def of_a_class(x: Any) -> Any:
    return chosen(Kernel, x).value() if issubclass(Kernel, object) else x


def of_a_method(x: Any) -> Any:
    method = Kernel(x).value
    return x if isinstance(method, str | list | np.ndarray) else method()


def of_a_range(x: Any) -> Any:
    steps = range(3)
    return x if isinstance(steps, list | tuple) else x * sum(steps)


def of_a_module(x: Any) -> Any:
    return np.sin(x) if isinstance(np, types.ModuleType) else x


def by_typing(x: Any) -> Any:
    one = x * 3.0 if isinstance([x, x], Sequence) else x
    two = x * 5.0 if isinstance(np.ones(2) * x, typing.Iterable) else x
    three = x * 7.0 if isinstance((x, 2), typing.Tuple) else x  # noqa: UP006
    return one + two + three + (x * 11.0 if isinstance(x, typing.Hashable) else 0.0)


def by_a_name(x: Any) -> Any:
    one = x * 3.0 if isinstance(x, Real) else x
    two = x * 5.0 if isinstance(x, np.ScalarType) else x
    return one + two + (x * 7.0 if isinstance([x], Numbers) else x)


def by_a_union(x: Any) -> Any:
    one = x * 3.0 if isinstance(x, int | float | None) else x
    return one + (x * 5.0 if isinstance(cube, None | int | Callable) else x)  # type: ignore[arg-type]


def ranges_as_arrays(x: Any) -> Any:
    n = len(x)
    weights = np.asarray(range(n)) + np.array(range(1, n + 1)) * 2.0
    return np.sum(x * weights) + np.polyfit(range(n), x, 1)[0]


def joined_lists(x: Any) -> Any:
    a, b, c = np.r_[[x[0], x[1] * 2.0, 1.0]]
    return a * b + c * np.sum(np.r_[[1.0, x[2]], x] ** 2)


OF_A_NUMBER = (
    *(of_a_function, of_a_lambda, of_a_class, of_a_method, of_a_range, of_a_module, by_typing),
    *(by_a_name, by_a_union),
)


@pytest.mark.parametrize("f", OF_A_NUMBER, ids=lambda f: f.__name__)
def test_the_path_is_that_of_the_class(f: Callable[[Any], Any]) -> None:
    value, slope = value_and_grad(f)(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + 1e-5) - f(0.7 - 1e-5)) / 2e-5, rel=1e-8)


@pytest.mark.parametrize("f", [ranges_as_arrays, joined_lists], ids=lambda f: f.__name__)
def test_ranges_and_lists_are_arrays_for_numpy(f: Callable[[Any], Any]) -> None:
    x, h = np.array([0.7, -1.3, 2.1, 0.4]), 1e-5
    value, slope = value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-13)
    steps = h * np.eye(4)
    assert slope == pytest.approx([(f(x + s) - f(x - s)) / (2 * h) for s in steps], rel=1e-7)


@pytest.mark.filterwarnings("ignore")
def test_a_warning_says_what_a_number_is() -> None:
    import warnings

    def f(x: Any) -> Any:
        if x > 0.5:
            warnings.warn(f"{x} is large", stacklevel=2)
        return x * x

    assert value_and_grad(f)(0.75) == (0.5625, 1.5)
