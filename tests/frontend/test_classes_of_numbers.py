"""A number may be Python's or NumPy's, and an array of a class that computes in its own way."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import jvp, value_and_grad, vjp
from adjointgen.errors import TypeMismatch


def by_class(kind: Any) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        return x * 4 if isinstance(x, kind) else x * 7

    return f


def by_attribute(x: Any) -> Any:
    return x * 4 if hasattr(x, "dtype") else x * 7


def by_type(x: Any) -> Any:
    return x * 4 if type(x) is float else x * 7


KINDS = (float, int, np.float32, np.float64, np.floating, np.number, np.generic, np.integer)
NUMBERS = (0.5, np.float64(0.5), np.float32(0.5))


@pytest.mark.parametrize("x", NUMBERS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("f", [*map(by_class, KINDS), by_attribute, by_type])
def test_the_path_is_that_of_the_class(f: Callable[[Any], Any], x: Any) -> None:
    y, pullback = vjp(f, x)
    assert (y, pullback(1.0)[0]) == (f(x), f(x) / x)
    assert jvp(f, (x,), (1.0,)) == (f(x), f(x) / x)


class Twice(np.ndarray):
    def __mul__(self, other: Any) -> Any:
        return 2 * np.asarray(self) * np.asarray(other)


class Named(np.ndarray):
    """An array that computes as NumPy's do."""

    def __repr__(self) -> str:
        return "named"


def squares(x: Any) -> Any:
    return np.sum(np.asarray(x * x))


def test_a_class_that_computes_in_its_own_way_is_refused() -> None:
    with pytest.raises(TypeMismatch) as caught:
        value_and_grad(squares)(np.array([1.0, 2.0]).view(Twice))
    assert caught.value.code == "AG403"
    value, gradient = value_and_grad(squares)(np.array([1.0, 2.0]).view(Named))
    assert (value, gradient.tolist()) == (5.0, [2.0, 4.0])
