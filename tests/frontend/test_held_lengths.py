"""Programs are made with what the module holds now, and made again when it holds something else:
lengths of arrays, keys of tables, names that nothing had."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from adjointgen import grad
from tests.effects.logged import load

LENGTHS = """
class Factor:
    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        return Factor(self.value * other.value)


WEIGHTS = np.array([0.5, 2.0, 1.5])


class Chain:
    def __init__(self, weights):
        self.weights = weights

    @property
    def number(self):
        return self.weights.shape[0]

    def factors(self, x):
        found = []
        for k in range(self.number):
            found.append(Factor(self.weights[k] * x))
        return found

    def value(self, x):
        product = Factor(1.0)
        for factor in self.factors(x):
            product = product * factor
        return product.value


CHAIN = Chain(np.array([0.5, 2.0, 1.5]))


def f(x):
    found = []
    for k in range(len(WEIGHTS)):
        found.append(Factor(WEIGHTS[k] * x))
    product = Factor(1.0)
    for factor in found:
        product = product * factor
    return product.value


def g(x):
    return CHAIN.value(x)
"""

TABLES = """
TABLE = {"a": 2.0}
WIDE = {f"k{j}": 0.5 for j in range(30)}


def f(x):
    return TABLE.get("a", 1.0) * TABLE.get("b", 1.0) * x * WIDE.get("k3", 4.0)


def g(x):
    return x * scale if x > 0.0 else x
"""


def slope(module: ModuleType, name: str, x: float = 1.3) -> float:
    f, h = getattr(module, name), 1e-6
    return float((f(x + h) - f(x - h)) / (2.0 * h))


@pytest.mark.parametrize("name", ["f", "g"])
def test_an_array_of_another_length(name: str, tmp_path: Path) -> None:
    module = load("lengths", LENGTHS, tmp_path)
    derivative = grad(getattr(module, name))
    assert derivative(1.3) == pytest.approx(slope(module, name))
    for array in (np.array([0.3, 0.7, 0.2]), np.array([0.3, 0.7]), np.ones(5)):
        module.WEIGHTS = array
        module.CHAIN.weights = array.copy()
        assert derivative(1.3) == pytest.approx(slope(module, name))
    module.WEIGHTS.resize((6,), refcheck=False)
    module.CHAIN.weights.resize((4,), refcheck=False)
    assert derivative(1.3) == pytest.approx(slope(module, name))


def test_keys_that_come_and_go(tmp_path: Path) -> None:
    module = load("tables", TABLES, tmp_path)
    derivative = grad(module.f)
    assert derivative(1.3) == pytest.approx(2.0 * 0.5)
    module.TABLE["b"] = 3.0
    assert derivative(1.3) == pytest.approx(6.0 * 0.5)
    del module.TABLE["a"]
    assert derivative(1.3) == pytest.approx(3.0 * 0.5)
    del module.WIDE["k3"]
    assert derivative(1.3) == pytest.approx(3.0 * 4.0)
    module.WIDE["k3"] = 0.25
    assert derivative(1.3) == pytest.approx(3.0 * 0.25)


def test_a_name_that_is_defined_later(tmp_path: Path) -> None:
    module = load("tables", TABLES, tmp_path)
    derivative = grad(module.g)
    assert derivative(-1.0) == 1.0
    with pytest.raises(NameError, match="name 'scale' is not defined"):
        derivative(1.3)
    module.scale = 2.5
    assert derivative(1.3) == 2.5
    del module.scale
    with pytest.raises(NameError, match="name 'scale' is not defined"):
        derivative(1.3)
