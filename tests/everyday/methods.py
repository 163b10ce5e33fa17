"""Methods inside `try`, and entries of enumerations."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at


class Counted:
    """Methods that may raise, and change their object before and after."""

    def __init__(self, v: Any) -> None:
        self.v, self.n = v, 0

    def root(self) -> Any:
        self.n += 1
        y = math.sqrt(self.v)
        self.n += 10
        return y

    def once(self, x: Any) -> Any:
        try:
            y = self.root() * x
        except ValueError:
            return self.n * x
        return y + self.n * x

    def more(self, x: Any) -> Any:
        try:
            z = x + self.root() / self.root() + Counted(x).v
        except (ValueError, ZeroDivisionError):
            z = x * x * self.n
        else:
            z *= 3.0
        finally:
            self.n += 100
        return z + self.n * x

    def down(self, x: Any) -> Any:
        total = 0.0
        for k in range(4):
            try:
                total += Counted(self.v - k).root() * x
            except ValueError:
                total += 5.0 * x
                break
        return total


@at(1.5)
def methods_that_raise(x: float) -> Any:
    return Counted(2.0).once(x) + Counted(-2.0).once(x * x) + Counted(x).once(x)


@at(1.5)
def methods_that_raise_halfway(x: float) -> Any:
    return Counted(x).more(x) + Counted(x - 5.0).more(x) + Counted(0.0).more(x)


@at(1.5)
def methods_that_raise_in_a_loop(x: float) -> Any:
    return Counted(x).down(x)


class Axes(Enum):
    FIRST = "xyz"
    LAST = "zyx"


def turned(x: Any, axes: Any = Axes.FIRST) -> Any:
    """An entry of an enumeration, or its value."""
    if isinstance(axes, Axes):
        axes = axes.value
    for k, axis in enumerate(axes):
        x = np.sin(x * (k + 1)) if axis == "x" else x + 0.1 * k
    return x


@at(0.7)
def entries_of_an_enumeration(x: float) -> Any:
    return turned(x) * turned(x, Axes.LAST) * turned(x, "yxy")


class Soil:
    """Properties that may raise, and note that they are asked."""

    def __init__(self, grain: Any, water: Any = None) -> None:
        self.grain, self.water, self.asked = grain, water, []

    @property
    def ratio(self) -> Any:
        self.asked.append(1.0)
        if self.water is None:
            raise TypeError("no water")
        return math.sqrt(self.water) * self.grain

    @property
    def weight(self) -> Any:
        try:
            return (self.grain * self.ratio) / (1 + self.water)
        except TypeError:
            return self.grain * len(self.asked)
        except ValueError:
            return None


@at(1.5)
def properties_that_raise(x: float) -> Any:
    wet, dry, odd = Soil(x, x * x), Soil(x), Soil(x, -2.0)
    return wet.weight * len(wet.asked) + dry.weight + (x**3 if odd.weight is None else odd.weight)
