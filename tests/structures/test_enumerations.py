"""Entries of enumerations: called, computed with, held by classes and objects, and exchanged."""

import dataclasses
import enum
import math
from typing import Any

import pytest

from adjointgen import grad, value_and_grad
from tests.structures.oracle import derivatives_agree


class Unit(enum.IntEnum):
    METRE = 0
    YARD = 1
    FOOT = 2

    def __call__(self, value: Any) -> "Length":
        return Length(value * FACTORS[self], self)

    @property
    def size(self) -> float:
        return {0: 1.0, 1: 0.9144, 2: 0.3048}[int(self)]


FACTORS = {Unit.METRE: 1.0, Unit.YARD: 0.9144, Unit.FOOT: 0.3048}


class Length:
    Foot = Unit.FOOT

    def __init__(self, raw: Any, unit: Unit) -> None:
        self.raw, self.unit = raw, unit

    def __rshift__(self, unit: Unit) -> Any:
        return self.raw / unit.size


class Preferred:
    distance = Unit.YARD


class Shape(enum.Enum):
    LINE = "line"
    CURVE = "curve"

    def __call__(self, x: Any) -> Any:
        return x if self is Shape.LINE else x**3

    def __add__(self, other: Any) -> Any:
        return other * (2.0 if self is Shape.LINE else 5.0)


class Mode(str, enum.Enum):  # noqa: UP042
    FAST = "fast"
    EXACT = "exact"


class Model:
    sine = math.sin  # of the module `math`: an object is not its first argument

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def value(self, x: Any) -> Any:
        return self.shape(x) if self.shape is Shape.CURVE else 2.0 * self.shape(x)


MODEL = Model(Shape.CURVE)


@dataclasses.dataclass
class Quantity:
    value: Any
    unit: Unit = Unit.YARD

    def metres(self) -> Any:
        return self.value * self.unit.size if self.unit is not Unit.METRE else self.value


def by_default(x: Any) -> Any:
    return Quantity(x).metres() * Quantity(x, Unit.METRE).metres()


def called(x: Any) -> Any:
    return (Unit.YARD(x) >> Unit.FOOT) * Length.Foot(x).raw


def held_by_a_class(x: Any) -> Any:
    return Preferred.distance(x or 0) >> Unit.METRE


def compared(x: Any) -> Any:
    unit = Unit.FOOT
    if 0 <= unit < 2:
        return x
    return x**unit * (unit + 1) - unit / 4


def compared_as_text(x: Any) -> Any:
    mode = Mode.EXACT
    return x**3 if mode == "exact" and mode != Mode.FAST else x


def called_and_added(x: Any) -> Any:
    return Shape.CURVE(x) + (Shape.CURVE + x)


def held_by_an_object(x: Any) -> Any:
    return MODEL.value(x) * Model(Shape.LINE).value(x)


def function_of_a_library(x: Any) -> Any:
    return Model(Shape.LINE).sine(x) * x


CASES = (
    *(by_default, called, held_by_a_class, compared, compared_as_text),
    *(called_and_added, held_by_an_object, function_of_a_library),
)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_entries_are_what_python_takes_them_for(f: Any) -> None:
    derivatives_agree(f, 1.3)


def test_a_class_may_hold_another_entry_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = grad(held_by_a_class)
    assert slope(2.0) == pytest.approx(0.9144)
    monkeypatch.setattr(Preferred, "distance", Unit.FOOT)
    assert slope(2.0) == pytest.approx(0.3048)


def test_an_object_may_hold_another_entry_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    both = value_and_grad(held_by_an_object)
    assert both(2.0) == pytest.approx((32.0, 64.0))
    monkeypatch.setattr(MODEL, "shape", Shape.LINE)
    assert both(2.0) == pytest.approx((16.0, 16.0))


def switching(x: Any) -> Any:
    first = MODEL.value(x)
    MODEL.shape = Shape.LINE
    return first + MODEL.value(x)


def test_the_function_itself_may_exchange_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODEL, "shape", Shape.CURVE)
    try:
        value, slope = value_and_grad(switching)(2.0)
    except Exception as error:
        assert "AG" in str(error)
    else:
        assert (value, slope) == pytest.approx((12.0, 14.0))


def chosen(x: Any) -> Any:
    unit = Unit.YARD if x > 1.0 else Unit.FOOT
    return x * unit if unit is Unit.YARD else 3.0 * x * unit


@pytest.mark.parametrize("x", [0.5, 1.5])
def test_one_of_two_entries_by_the_path(x: float) -> None:
    wanted = 1.0 if x > 1.0 else 6.0
    try:
        value, slope = value_and_grad(chosen)(x)
    except Exception as error:
        assert "AG" in str(error)
    else:
        assert (value, slope) == pytest.approx((wanted * x, wanted))
