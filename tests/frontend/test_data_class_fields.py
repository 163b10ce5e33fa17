"""What a program asks of the fields of a data class, and of the classes above one."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pytest
import scipy.integrate

from adjointgen import AdjointgenError, grad, jvp, value_and_grad


@dataclass
class Model:
    sigma: float
    rate: float = 0.5
    steps: int = field(default=3, metadata={"kind": "numerical"})
    total: float = field(init=False, repr=False, default=0.0)

    def __post_init__(self) -> None:
        above = getattr(super(), "__post_init__", None)
        if above is not None:
            above()
        self.total = self.sigma * self.rate

    def parameters(self) -> dict[str, Any]:
        asked = [f for f in fields(self) if f.init and f.metadata.get("kind") != "numerical"]
        return {f.name: getattr(self, f.name) for f in asked if f.repr and not f.kw_only}


@dataclass
class Shifted(Model):
    shift: float = field(default=0.1, kw_only=True)

    def __post_init__(self) -> None:
        above = getattr(super(), "__post_init__", None)
        if above is not None:
            above()
        self.total += self.shift if hasattr(super(), "parameters") else 0.0

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"shift": self.shift}


def of_parameters(x: Any) -> Any:
    return sum(k * v for k, v in enumerate(Model(x, x * x).parameters().values(), 1))


def of_a_class_below(x: Any) -> Any:
    made = Shifted(x, shift=x * x)
    return made.total * 2.0 + made.parameters()["shift"] * replace(made, rate=x).total


@pytest.mark.parametrize("f", [of_parameters, of_a_class_below])
def test_fields_and_the_class_above(f: Callable[[Any], Any]) -> None:
    value, slope = value_and_grad(f)(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + 1e-5) - f(0.7 - 1e-5)) / 2e-5, rel=1e-8)


@dataclass
class Part:
    weight: float = 2.0


def no_wind() -> Any:
    return np.full(3, 0.25)


@dataclass(frozen=True, slots=True)
class Air:
    density: float = 1.2
    wind: Any = field(default_factory=no_wind)
    still: Any = field(default_factory=lambda: np.zeros(2))
    part: Part = field(default_factory=Part)
    kept: list[float] = field(default_factory=list)

    @classmethod
    def above(cls, height: Any) -> "Air":
        return cls(density=height * height)


def of_what_factories_make(x: Any) -> Any:
    air = Air(x)
    air.kept.append(x)
    of_part = air.part.weight * x + len(Air(x).kept)
    return np.sum(air.wind * x) + np.sum(air.still + x) + of_part * air.kept[0]


def of_a_class_that_is_given(x: Any, made: Any) -> Any:
    return made(x).density * made.above(x).density


@pytest.mark.parametrize("given", [(), (Air,)])
def test_factories_of_fields_and_classes_that_are_given(given: tuple[Any, ...]) -> None:
    f: Any = of_a_class_that_is_given if given else of_what_factories_make
    value, slope = value_and_grad(f)(0.7, *given)
    assert value == pytest.approx(f(0.7, *given), rel=1e-14)
    wanted = (f(0.7 + 1e-5, *given) - f(0.7 - 1e-5, *given)) / 2e-5
    assert slope == pytest.approx(wanted, rel=1e-8)


def test_a_method_of_a_class() -> None:
    air, air_dot = jvp(Air.above, (3.0,), (1.0,))
    assert (air.density, air_dot.density, air_dot.part.weight) == (9.0, 6.0, 0.0)
    assert air.wind == pytest.approx(no_wind()) and not air_dot.wind.any()


class Asking(Model):
    def __init__(self, x: Any) -> None:
        self.sigma = x

    def name(self, of: Any) -> Any:
        return vars(super())[of]


def test_super_is_not_copied() -> None:
    with pytest.raises(AdjointgenError):
        grad(lambda x: Asking(x).name("a"))(1.0)


def test_the_first_argument_of_a_definition_by_its_name() -> None:
    x = np.linspace(0.0, 1.0, 6) ** 1.3

    def f(y: Any) -> Any:
        return scipy.integrate.simpson(y=y * y, x=x)

    steps = 1e-6 * np.eye(6)
    slope = [(f(x + s) - f(x - s)) / 2e-6 for s in steps]
    assert grad(f)(x) == pytest.approx(slope, rel=1e-7)
