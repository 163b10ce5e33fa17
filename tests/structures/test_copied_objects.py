"""`copy.copy` and `copy.deepcopy` of objects that a function makes."""

import copy
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, value_and_grad
from tests.structures.oracle import derivatives_agree


class Option:
    def __init__(self, spot: Any, strike: Any) -> None:
        self.spot, self.strike = spot, strike
        self.path = np.array([spot, strike])
        self.notes = [spot]

    def value(self) -> Any:
        return self.spot**2 / self.strike + self.path[0] * self.notes[0]

    def moved(self, **changes: Any) -> "Option":
        new = copy.copy(self)
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def apart(self) -> "Option":
        return copy.deepcopy(self)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class Parent:
    def __init__(self, x: Any) -> None:
        self.x = x
        self.child = Child(self)
        self.law = lambda t: t * x


class Child:
    def __init__(self, parent: Parent) -> None:
        self.parent = parent


class Tagged(list[Any]):
    tag = 0.0


class Own:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __copy__(self) -> "Own":
        return Own(self.x * 2.0)

    def __deepcopy__(self, memo: Any) -> "Own":
        return Own(self.x * 3.0)


class Doubling(dict[str, Any]):
    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value * 2.0)


def with_changes(x: Any) -> Any:
    option = Option(x, 2.0)
    return option.moved(spot=3.0 * x).value() * option.value()


def shares_what_it_holds(x: Any) -> Any:
    option = Option(x, 2.0)
    other = copy.copy(option)
    other.path[0] = x**3
    other.notes.append(x)
    other.spot = 5.0
    return option.value() + len(option.notes) * other.value() * x


def shares_nothing(x: Any) -> Any:
    option = Option(x, 2.0)
    other = option.apart()
    other.path[0] = x**3
    other.notes[0] = 4.0
    other.spot = 5.0
    return option.value() * other.value()


def of_slots(x: Any) -> Any:
    one = Slotted(x, [x, 2.0])
    two, three = copy.copy(one), copy.deepcopy(one)
    two.a = x * x
    one.b[0] = 7.0
    return one.a * two.a + two.b[0] * three.b[0] * x


def held_by_what_it_holds(x: Any) -> Any:
    parent = Parent(x)
    other = copy.deepcopy(parent)
    other.x = x * x
    return other.child.parent.x * parent.child.parent.x + other.law(2.0)


def of_a_list_class(x: Any) -> Any:
    one = Tagged([x, 2.0])
    one.tag = x
    two, three = copy.copy(one), copy.deepcopy(one)
    two.append(x * x)
    three[0] = 5.0
    return sum(one) + sum(two) * two.tag + sum(three) * three.tag


CASES = (
    *(with_changes, shares_what_it_holds, shares_nothing, of_slots),
    *(held_by_what_it_holds, of_a_list_class),
)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_a_copy_is_that_of_python(f: Any) -> None:
    derivatives_agree(f, 0.7)


def by_its_own_methods(x: Any) -> Any:
    return copy.copy(Own(x)).x * copy.deepcopy(Own(x)).x


def filled_by_its_own_method(x: Any) -> Any:
    one = Doubling()
    one["a"] = x
    return copy.copy(one)["a"] * copy.deepcopy(one)["a"]


@pytest.mark.parametrize("f", [by_its_own_methods, filled_by_its_own_method])
def test_what_a_class_says_of_copies_is_refused_or_right(f: Any) -> None:
    try:
        found = value_and_grad(f)(0.7)
    except AdjointgenError:
        return
    wanted = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert found == pytest.approx((f(0.7), wanted), rel=1e-6)
