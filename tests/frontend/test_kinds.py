"""What is asked of classes, and what cannot be set, is known when the program is made."""

import collections.abc
import contextlib
import enum
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent
from tests.frontend.agree import agrees


class Base:
    def __init__(self, value: Any) -> None:
        self.value = value


class Heir(Base):
    pass


def classes(x: Any) -> Any:
    if isinstance(x, (Base, str | Base)):
        return x.value
    y = x * x if isinstance(x, numbers.Real) else np.sum(x * x)
    held = Heir(y)
    if isinstance(held, Base) and not isinstance(held, numbers.Real):
        y = 2.0 * held.value
    if isinstance({}, dict) and not isinstance((), dict | Base):
        y = 3.0 * y
    return y * 5.0 if isinstance(x, collections.abc.Iterable) else y


def labelled(x: Any) -> Any:
    with contextlib.suppress(AttributeError):
        x.name = "x"
    return x * x * x


def cleared(x: Any) -> Any:
    try:
        x[abs(x) < 1e-3] = 0.0
    except TypeError:
        if abs(x) < 1e-3:
            x = 0.0
    return x * x


@pytest.mark.parametrize("x", [2.0, np.array([0.5, 1.5])], ids=["number", "array"])
@pytest.mark.parametrize("f", [classes, labelled, cleared], ids=lambda f: f.__name__)
def test_kinds(f: Callable[[Any], Any], x: Any) -> None:
    agrees(f, x)


class Formula(enum.Enum):
    square = "square"
    cube = "cube"


def by_formula(x: Any, formula: str = "cube") -> Any:
    if formula == Formula.square.value:
        return x * x
    if formula == Formula.cube.value:
        return x * x * x
    raise ValueError(formula)


def test_a_string_is_compared_with_what_a_name_stands_for() -> None:
    assert grad(by_formula)(2.0) == 12.0
    assert grad(by_formula)(2.0, "square") == 4.0


def settings(x: Any, **kwargs: Any) -> Any:
    try:
        power = kwargs["power"]
    except KeyError:
        power = 3.0
    return x**power


def test_an_entry_that_is_not_there() -> None:
    assert grad(settings)(2.0) == 12.0
    assert grad(settings)(2.0, power=2.0) == 4.0


def test_a_function_of_numpy_is_read_itself() -> None:
    x, h = 0.3, 1e-5
    assert grad(np.sinc)(x) == pytest.approx((np.sinc(x + h) - np.sinc(x - h)) / (2 * h))


def by_type(x: Any) -> Any:
    kind = type(x)
    if kind == Base or kind is Heir:
        return x.value
    return 2.0 * x if kind != Heir else x


def test_types_are_compared_with_classes() -> None:
    assert grad(by_type)(2.0) == 2.0


def checked(x: Any) -> Any:
    if len(x) != 2:
        raise ValueError("two numbers")
    table = np.c_[x, x * x].T
    return table


def test_what_a_checked_path_returns_is_not_lost() -> None:
    _, table_dot = tangent(checked)(np.array([1.0, 3.0]), np.ones(2))
    np.testing.assert_allclose(table_dot, [[1.0, 1.0], [2.0, 6.0]])
