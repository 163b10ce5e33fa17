"""Arrays of classes derived from NumPy's: what only the class tells is never guessed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.errors import AdjointgenError


class Vector(np.ndarray):
    """Methods, attributes and nothing that computes in another way."""

    def __new__(cls, entries: Any) -> Vector:
        made = np.array(entries, dtype=float).view(cls)
        made.info = 2.0  # type: ignore[attr-defined]
        return made

    def norm(self) -> Any:
        return np.sqrt(np.sum(self**2))


HELD = Vector([1.0, 2.0, 3.0])


def product(x: Any, v: Any) -> Any:
    return np.sum(v * x)


def product_with_module(x: Any, v: Any) -> Any:
    return np.sum(HELD * x + v)


def is_array(x: Any, v: Any) -> Any:
    return np.sum(x**2) if isinstance(v * x, np.ndarray) else x[0]


def has_shape(x: Any, v: Any) -> Any:
    return np.sum(x**2) if hasattr(v * x, "shape") else x[0]


RIGHT = (product, product_with_module, is_array, has_shape)


def method(x: Any, v: Any) -> Any:
    return (v * x[0]).norm()


def method_of_argument(x: Any, v: Any) -> Any:
    return v.norm() * x[0]


def method_of_module(x: Any, v: Any) -> Any:
    return (HELD * x).norm() + v[0]


def asked_by_class(x: Any, v: Any) -> Any:
    return np.sum(x) if isinstance(v * x, Vector) else np.sum(x**2)


def asked_by_type(x: Any, v: Any) -> Any:
    return np.sum(x) if type(v * x) is Vector else np.sum(x**2)


def asked_by_exact_type(x: Any, v: Any) -> Any:
    return np.sum(x) if type(v * x) is np.ndarray else np.sum(x**2)


def asked_by_subclass(x: Any, v: Any) -> Any:
    return np.sum(x) if issubclass(type(v * x), Vector) else np.sum(x**2)


def asked_by_attribute(x: Any, v: Any) -> Any:
    return np.sum(x) if hasattr(v * x, "norm") else np.sum(x**2)


def attribute_or_default(x: Any, v: Any) -> Any:
    return getattr(v * x, "norm", lambda: 1.0)() * x[0]


def caught(x: Any, v: Any) -> Any:
    y = v * x
    try:
        return y.norm()
    except AttributeError:
        return x[0]


def matched(x: Any, v: Any) -> Any:
    match v * x:
        case Vector():
            return np.sum(x)
        case _:
            return np.sum(x**2)


OPEN = (
    method,
    method_of_argument,
    method_of_module,
    asked_by_class,
    asked_by_type,
    asked_by_exact_type,
    asked_by_subclass,
    asked_by_attribute,
    attribute_or_default,
    caught,
    matched,
)
X = np.array([0.7, 1.3, -0.4])


def differences(f: Callable[..., Any], *args: Any) -> Any:
    steps = 1e-5 * np.eye(3)
    return [float(f(X + h, *args) - f(X - h, *args)) / 2e-5 for h in steps]


@pytest.mark.parametrize("f", RIGHT)
def test_what_computes_as_an_array_does_is_one(f: Callable[..., Any]) -> None:
    value, gradient = value_and_grad(f, wrt=0)(X, HELD)
    assert float(value) == pytest.approx(float(f(X, HELD)))
    np.testing.assert_allclose(np.asarray(gradient), differences(f, HELD), atol=1e-8)


@pytest.mark.parametrize("f", OPEN)
def test_what_only_the_class_tells_is_right_or_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(AdjointgenError) as caught:
        value_and_grad(f, wrt=0)(X, HELD)
    assert caught.value.code


@pytest.mark.parametrize("f", [g for g in OPEN if g is not method_of_module])
def test_another_program_is_made_for_plain_arrays(f: Callable[..., Any]) -> None:
    """What was open for an array of a derived class is known for one of NumPy's own."""
    plain = np.asarray(HELD)
    try:
        expected = float(f(X, plain))
    except AttributeError:
        with pytest.raises(AttributeError):
            value_and_grad(f, wrt=0)(X, plain)
        return
    value, gradient = value_and_grad(f, wrt=0)(X, plain)
    assert float(value) == pytest.approx(expected)
    np.testing.assert_allclose(gradient, differences(f, plain), atol=1e-8)
