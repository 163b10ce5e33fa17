"""Instances in text that is copied: what is asked of them is lowered, the rest stays."""

from typing import Any

import pytest

from adjointgen import AdjointgenError, grad


class Disc:
    """An object that is made inside of a function."""

    def __init__(self, radius: Any) -> None:
        self.radius = radius
        assert self.radius > 0.0, f"a radius of {self.radius}"
        assert self.area() > 0.0, "no area"

    def area(self) -> Any:
        return 3.0 * self.radius**2


def area(x: Any) -> Any:
    disc = Disc(x)
    if disc.area() > 100.0:
        raise ValueError(f"too large: {disc.radius} has {disc.area()}")
    return disc.area() * disc.radius


def test_assertions_and_messages_about_an_instance() -> None:
    assert grad(area)(2.0) == 36.0
    with pytest.raises(AssertionError, match=r"a radius of -1\.0"):
        grad(area)(-1.0)
    with pytest.raises(ValueError, match=r"too large: 10\.0 has 300\.0"):
        grad(area)(10.0)


class Twice:
    """A descriptor that gives twice what it is set to."""

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return owner.kept * 2.0

    def __set__(self, owner: Any, value: Any) -> None:
        owner.kept = value


class Three:
    """A descriptor that is only read."""

    def __get__(self, owner: Any, cls: Any = None) -> float:
        return 3.0


class Described:
    """Attributes that are not what is in the instance."""

    twice = Twice()
    three = Three()

    def __init__(self, value: Any) -> None:
        self.value = value


class Tripled:
    """Every attribute is read by code of its own."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name) * 3.0


class Slots:
    """Slots are descriptors of the language, and hold what they are set to."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def by_descriptor(x: Any) -> Any:
    made = Described(x)
    made.twice = x * x
    return made.twice


def by_reader(x: Any) -> Any:
    made = Described(x)
    return made.three * made.value


def by_lookup(x: Any) -> Any:
    return Tripled(x).value


def hides_a_reader(x: Any) -> Any:
    made = Described(x)
    made.three = x * x
    return made.three


def by_slot(x: Any) -> Any:
    made = Slots(x)
    made.value = made.value * x
    return made.value


@pytest.mark.parametrize("f", [by_descriptor, by_reader, by_lookup, hides_a_reader, by_slot])
def test_code_that_an_attribute_runs_is_not_passed_over(f: Any) -> None:
    try:
        slope = grad(f)(1.5)
    except AdjointgenError as error:
        assert error.code == "AG101" and error.span is not None
        assert f in (by_descriptor, by_reader, by_lookup)
    else:
        assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)


TABLE = {float: lambda v: v * 2.0, "cube": lambda v: v**3}


def by_table(x: Any) -> Any:
    return TABLE["cube"](x)


def by_type(x: Any) -> Any:
    return TABLE[type(x)](x)


@pytest.mark.parametrize("f", [by_table, by_type])
def test_a_table_with_a_key_that_no_literal_says(f: Any) -> None:
    try:
        slope = grad(f)(1.5)
    except AdjointgenError as error:
        assert error.span is not None
    else:
        assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)


def shown(x: Any) -> Any:
    v = x * 0.0 + 4.0
    text = f"{v} {[v + 1 for v in (1, 2)]}"
    return x * len(text)


def mapped(x: Any) -> Any:
    for v in (10, 200):
        text = str((v, [v + 1 for v in (v, 2)], [(lambda v: v)(7)]))
    return x * len(text)


def caught(x: Any) -> Any:
    total = 0.0
    for v in ("1", "22"):
        try:
            int(v + "?")
        except ValueError as v:
            str(v)
        total += x
    return total


def counted(x: Any) -> Any:
    n = 1
    try:
        n = n + int("1")
        str(n)
    except TypeError:
        str(n)
    return x * x


@pytest.mark.parametrize("f", [shown, mapped, caught, counted])
def test_a_name_that_copied_code_binds_and_reads_from_outside(f: Any) -> None:
    try:
        slope = grad(f)(1.5)
    except AdjointgenError as error:
        assert f is caught and error.span is not None
    else:
        assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)
