"""Attributes that some paths set and others do not: in branches, in `try`, in any order."""

import math
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, value_and_grad
from tests.structures.oracle import derivatives_agree


class Model:
    shift = 2.0

    def __init__(self, x: Any) -> None:
        if x > 0.0:
            self.root = math.sqrt(x)
            self.scale = x
        else:
            self.scale = -x
            self.square = x * x
        self.x = x

    def value(self) -> Any:
        if self.x > 0.0:
            return self.root * self.scale
        return self.square + self.scale


def read_where_it_is_set(x: Any) -> Any:
    return Model(x).value()


class Other:
    def __init__(self, x: Any) -> None:
        if x > 1.0:
            self.a = x
            self.b = np.array([x, 1.0])
        else:
            self.b = np.array([x * x, 2.0])
            self.a = 3.0 * x


def set_in_another_order(x: Any) -> Any:
    other = Other(x)
    return other.a * other.b[0] + other.b[1]


class Tried:
    def __init__(self, x: Any, text: str) -> None:
        try:
            self.factor = float(text)
        except ValueError:
            self.factor = 7.0
        try:
            self.root = math.sqrt(x)
        except ValueError:
            self.root = x * x
        try:
            self.level = np.interp(x, [0.0, 1.0], [0.0, 2.0])
        except ValueError:
            self.level = x


def set_in_try(x: Any) -> Any:
    tried = Tried(x, "3.5")
    return tried.factor * tried.root + tried.level


def set_in_its_handler(x: Any) -> Any:
    return Tried(x - 2.0, "none").factor * x + Tried(x - 2.0, "1").root


def set_afterwards(x: Any) -> Any:
    model = Model(x)
    model.root = x**3
    return model.root * model.scale


def of_two_objects(x: Any) -> Any:
    one = Model(x) if x > 0.1 else Model(-x)
    return one.scale * one.x


CASES = (
    *(read_where_it_is_set, set_in_another_order, set_in_try, set_in_its_handler),
    *(set_afterwards, of_two_objects),
)


@pytest.mark.parametrize("x", [0.4, -0.7, 1.6])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_attribute_is_that_of_the_path(f: Any, x: float) -> None:
    if f is set_in_try and x < 0.0:
        pytest.skip("the interpolation is constant there")
    derivatives_agree(f, x)


def read_on_every_path(x: Any) -> Any:
    model = Model(x)
    return model.root + model.square * 0.0


def read_it(x: Any) -> Any:
    return Model(x).root * 2.0


def test_reading_what_is_not_set_fails_as_in_python() -> None:
    value, slope = value_and_grad(read_it)(0.25)
    assert (value, slope) == (1.0, 2.0)
    with pytest.raises(AttributeError, match="root"):
        grad(read_it)(-0.25)
    for x in (0.25, -0.25):
        with pytest.raises(AttributeError):
            read_on_every_path(x)
        with pytest.raises((AttributeError, AdjointgenError)):
            grad(read_on_every_path)(x)


class Shadowing:
    level = 5.0

    def __init__(self, x: Any) -> None:
        if x > 0.0:
            self.level = x


def of_the_class_or_the_object(x: Any) -> Any:
    return Shadowing(x).level * x


def asked_for(x: Any) -> Any:
    model = Model(x)
    return model.root * x if hasattr(model, "root") else model.square


def as_a_dict(x: Any) -> Any:
    return sum(vars(Model(x)).values())


def caught(x: Any) -> Any:
    try:
        return Model(x).root
    except AttributeError:
        return x * x


@pytest.mark.parametrize("x", [0.4, -0.7])
@pytest.mark.parametrize("f", [of_the_class_or_the_object, asked_for, as_a_dict, caught])
def test_what_depends_on_whether_it_is_set_is_refused_or_right(f: Any, x: float) -> None:
    try:
        found = value_and_grad(f)(x)
    except AdjointgenError:
        return
    step = 1e-6
    wanted = (f(x + step) - f(x - step)) / (2.0 * step)
    assert found == pytest.approx((f(x), wanted), rel=1e-6)


def returned(x: Any) -> Any:
    return Model(x)


def test_an_object_that_lacks_attributes_is_not_returned() -> None:
    with pytest.raises(AdjointgenError):
        value_and_grad(returned)(0.5)


def in_a_loop(x: Any) -> Any:
    model = Model(x)
    for k in range(3):
        if k == 1:
            model.extra = x * k
        if k > 1:
            model.extra = model.extra * x
    return model.extra


def test_an_attribute_that_a_loop_sets() -> None:
    try:
        found = value_and_grad(in_a_loop)(0.6)
    except AdjointgenError:
        return
    assert found == pytest.approx((0.36, 1.2))
