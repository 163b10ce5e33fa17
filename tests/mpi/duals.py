"""Numbers with a derivative, `a + b e` with `e * e = 0`, as entries of arrays of objects."""

import cmath
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Dual:
    a: complex
    b: complex = 0.0

    def __add__(self, other: Any) -> "Dual":
        return Dual(self.a + _of(other).a, self.b + _of(other).b)

    def __mul__(self, other: Any) -> "Dual":
        return Dual(self.a * _of(other).a, self.a * _of(other).b + self.b * _of(other).a)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Dual":
        return Dual(-self.a, -self.b)

    def __sub__(self, other: Any) -> "Dual":
        return self + -_of(other)

    def __rsub__(self, other: Any) -> "Dual":
        return -self + other

    def __pow__(self, n: int) -> "Dual":
        return Dual(self.a**n, n * self.a ** (n - 1) * self.b)

    def sin(self) -> "Dual":
        return Dual(cmath.sin(self.a), cmath.cos(self.a) * self.b)

    def cos(self) -> "Dual":
        return Dual(cmath.cos(self.a), -cmath.sin(self.a) * self.b)

    def exp(self) -> "Dual":
        return Dual(cmath.exp(self.a), cmath.exp(self.a) * self.b)


def _of(number: Any) -> Dual:
    return number if isinstance(number, Dual) else Dual(number)


def duals(values: Any, slopes: Any) -> Any:
    """An array of such numbers."""
    made = np.empty(np.shape(values), dtype=object)
    for place, value in np.ndenumerate(values):
        made[place] = Dual(complex(value), complex(slopes[place]))
    return made
