"""`hasattr` of what a class computes: properties are called, and may raise AttributeError."""

import math
from functools import cached_property
from typing import Any

import pytest

from adjointgen import AdjointgenError, value_and_grad


class Thing:
    __slots__ = ("__dict__", "empty", "full")

    def __init__(self, x: Any) -> None:
        self.x, self.full, self.count = x, 1.0, 0

    @property
    def double(self) -> Any:
        return self.x * 2.0

    @property
    def root(self) -> Any:
        return math.sqrt(self.x)

    @property
    def never(self) -> Any:
        raise AttributeError("never")

    @property
    def through(self) -> Any:
        return self.missing  # type: ignore[attr-defined]

    @property
    def sometimes(self) -> Any:
        if self.x > 1.0:
            raise AttributeError("sometimes")
        return self.x

    @property
    def counted(self) -> Any:
        self.count += 1
        return self.x

    @cached_property
    def kept(self) -> Any:
        self.count += 10
        return self.x**2

    @classmethod
    def made(cls) -> Any:
        return cls(1.0)

    def method(self) -> Any:
        return self.x


def asked(name: str) -> Any:
    def f(x: Any) -> Any:
        thing = Thing(x)
        if hasattr(thing, name):
            return x * x + thing.count
        return x * 3.0 + thing.count

    return f


def or_else(name: str) -> Any:
    def f(x: Any) -> Any:
        thing = Thing(x)
        return getattr(thing, name, 7.0) * x + thing.count

    return f


def twice(name: str) -> Any:
    def f(x: Any) -> Any:
        thing = Thing(x)
        if hasattr(thing, name) and hasattr(thing, name):
            return x * thing.count
        return x

    return f


NAMES = (
    *("double", "root", "never", "through", "sometimes", "counted", "kept", "made", "method"),
    *("x", "full", "empty", "other", "__class__"),
)


@pytest.mark.parametrize("x", [0.5, 2.0])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", [asked, or_else, twice])
def test_it_is_what_python_says_or_refused(how: Any, name: str, x: float) -> None:
    f = how(name)
    try:
        found = value_and_grad(f)(x)
    except AdjointgenError:
        return
    wanted = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert found == pytest.approx((f(x), wanted), rel=1e-6)


@pytest.mark.parametrize("name", ["double", "counted", "kept", "method", "x", "full", "other"])
def test_what_is_known_is_not_refused(name: str) -> None:
    assert value_and_grad(asked(name))(0.5)


def of_function(call: Any, name: str) -> Any:
    def f(x: Any) -> Any:
        return call(x) if hasattr(call, name) else x[0]

    return f


def test_attributes_that_all_functions_have() -> None:
    def f(c: Any) -> Any:
        return of_function(lambda x: c * x, "__call__")(c)

    value, slope = value_and_grad(f)(0.5)
    assert (value, slope) == pytest.approx((f(0.5), (f(0.5 + 1e-6) - f(0.5 - 1e-6)) / 2e-6))
    with pytest.raises(AdjointgenError):
        value_and_grad(lambda c: of_function(lambda x: c * x, "limit")(c))(0.5)
