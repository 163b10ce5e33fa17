"""`functools.cached_property` of an argument: its function at the first read, then a number."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, jvp, value_and_grad
from adjointgen.errors import NoRule


class Spring:
    def __init__(self, k: float) -> None:
        self.k, self.n = k, 4
        self.log: list[str] = []

    @functools.cached_property
    def square(self) -> float:
        self.log.append("square")
        return self.k**2

    @functools.cached_property
    def cube(self) -> float:
        return self.square * self.k

    @functools.cached_property
    def mesh(self) -> Any:
        return np.linspace(0.0, 1.0, self.n)

    @functools.cached_property
    def through(self) -> float:
        return self.twice() * 1.0

    def twice(self) -> float:
        return 2.0 * self.k

    def energy(self, x: float) -> float:
        return self.cube * x + self.square

    def integral(self, x: float) -> Any:
        return np.sum(self.mesh) * x * self.k

    def late(self, x: float) -> float:
        self.k = x
        return self.square * self.k


def of(spring: Spring) -> float:
    return spring.square * spring.k + spring.square


def test_it_is_computed_where_it_is_read_and_kept() -> None:
    spring, same = Spring(0.7), Spring(0.7)
    value, slope = value_and_grad(of, wrt="spring.k")(spring)
    assert value == of(same)
    assert np.isclose(slope, 3 * 0.7**2 + 2 * 0.7)
    assert vars(spring) == vars(same)
    spring.square, same.square = 2.0, 2.0
    assert of(spring) == of(same)


def test_one_property_reads_another() -> None:
    value, slope = value_and_grad(Spring(0.7).energy, wrt="self.k")(2.0)
    assert np.isclose(value, 2.0 * 0.7**3 + 0.7**2)
    assert np.isclose(slope, 6.0 * 0.7**2 + 2.0 * 0.7)


def test_it_is_computed_from_what_was_set_before() -> None:
    value, slope = value_and_grad(Spring(0.7).late)(2.0)
    assert (value, slope) == (8.0, 12.0)


def test_directions_are_not_asked() -> None:
    direction = Spring(1.0)
    assert np.isclose(jvp(of, (Spring(0.7),), (direction,))[1], 3 * 0.7**2 + 2 * 0.7)
    assert direction.log == []


@pytest.mark.parametrize("name", ["square", "cube"])
def test_what_was_computed_before_is_refused_where_it_depends(name: str) -> None:
    spring = Spring(0.7)
    getattr(spring, name)
    with pytest.raises(NoRule, match="no derivative rule for self") as caught:
        value_and_grad(spring.energy, wrt="self.k")(2.0)
    assert caught.value.code == "AG201"
    assert "delete it from the object" in caught.value.help
    with pytest.raises(NoRule):
        value_and_grad(spring.late)(2.0)


def test_the_second_call_finds_what_the_first_has_left() -> None:
    spring = Spring(0.7)
    gradient = value_and_grad(of, wrt="spring.k")
    gradient(spring)
    with pytest.raises(NoRule):
        gradient(spring)
    del spring.square
    assert np.isclose(gradient(spring)[1], 3 * 0.7**2 + 2 * 0.7)


def test_what_was_computed_before_from_other_attributes_is_a_number() -> None:
    spring = Spring(0.7)
    assert np.sum(spring.mesh) == 2.0
    value, slope = value_and_grad(spring.integral, wrt="self.k")(0.5)
    assert (value, slope) == (0.7, 1.0)
    assert value_and_grad(spring.energy)(2.0)[1] == 0.7**3
    assert value_and_grad(spring.energy)(2.0)[1] == 0.7**3


def test_what_a_method_reads_counts() -> None:
    spring = Spring(0.7)
    assert spring.through == 1.4
    with pytest.raises(NoRule):
        value_and_grad(lambda s: s.through * s.k, wrt="s.k")(spring)


def test_written_programs_keep_it_as_well() -> None:
    made = generate(of, wrt="spring.k", modes=("tangent", "adjoint"), example=(Spring(0.7),))
    names: dict[str, Any] = {}
    exec(made.body, names)
    for name in made.functions:
        spring = Spring(0.3)
        assert np.isclose(names[name](spring, 1.0)[1], 3 * 0.3**2 + 2 * 0.3)
        assert spring.square == 0.3**2
