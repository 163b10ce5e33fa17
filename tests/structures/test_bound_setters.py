"""Attributes that are set by `object.__setattr__.__get__(self)`, as frozen classes of attrs do."""

import pytest

from adjointgen import grad, tangent

_setter_of = object.__setattr__.__get__


def _square(owner: object, y: float) -> float:
    return y * owner.scale  # type: ignore[attr-defined,no-any-return]


_bound_square = _square.__get__


class Plate:
    """What attrs writes for a frozen class with two fields."""

    __slots__ = ("height", "modulus")

    height: float
    modulus: float

    def __init__(self, height: float, modulus: float = 3.0) -> None:
        _setattr = _setter_of(self)
        _setattr("height", height)
        _setattr("modulus", modulus)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)

    @property
    def stiffness(self) -> float:
        return self.modulus * self.height**3


class Scaled:
    def __init__(self, scale: float) -> None:
        self.scale = scale


def plates(x: float) -> float:
    return Plate(x).stiffness + Plate(2.0, modulus=x).stiffness


def handed_over(x: float) -> float:
    """The object that is bound is the one that is changed afterwards."""
    one = Scaled(x)
    square = _bound_square(one)
    one.scale = x * x
    return square(x)


def set_again(x: float) -> float:
    plate = Plate(x)
    plate.height = x * 2.0  # type: ignore[misc]
    return plate.stiffness


def test_a_frozen_object_is_made() -> None:
    assert grad(plates)(1.5) == 9 * 1.5**2 + 8.0
    assert tangent(plates)(1.5, 1.0) == (plates(1.5), 9 * 1.5**2 + 8.0)


def test_a_function_is_bound_to_an_object() -> None:
    assert grad(handed_over)(1.5) == pytest.approx(3 * 1.5**2)


def test_it_stays_frozen() -> None:
    with pytest.raises(AttributeError, match="height"):
        grad(set_again)(1.5)
