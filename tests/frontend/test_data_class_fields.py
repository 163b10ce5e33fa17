"""What a program asks of the fields of a data class, and of the classes above one."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pytest
import scipy.integrate

from adjointgen import AdjointgenError, grad, value_and_grad


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
