"""Instances of classes: methods, properties, inheritance, operators, attributes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adjointgen import check, grad, hvp, value_and_grad
from tests.structures.oracle import derivatives_agree

X = np.array([0.3, -0.7, 1.1])


class Base:
    """A problem as the collections of test functions write it."""

    scale = 2.0
    change_dimensionality = False

    def __init__(self, dimensions: int = 2) -> None:
        self._dimensions = dimensions
        self.nfev = 0
        self.bounds = [(-1.0, 1.0)] * dimensions
        self.custom = {"k": 0.25}
        self.global_optimum = [[0.0] * dimensions]
        self.weights = np.arange(1.0, 1.0 + dimensions)

    @property
    def N(self) -> int:
        return self._dimensions

    def term(self, v: Any) -> Any:
        return v**2 - 0.5 * np.cos(3 * v)


class Derived(Base):
    def __init__(self, dimensions: int = 3) -> None:
        super().__init__(dimensions)
        self.k = 1.5
        self.act = np.tanh
        self.shape = (2, 3)

    def fun(self, x: Any, *args: Any) -> Any:
        self.nfev += 1
        total = 0.0
        for i in range(self.N):
            total += self.term(x[i]) * self.weights[i]
        return total * self.scale + np.sum(self.act(x))

    def term(self, v: Any) -> Any:
        return super().term(v) * self.k + self.custom["k"] * v

    def vectorised(self, x: Any) -> Any:
        i = np.arange(1, self.N + 1)
        return np.sum(i * x**4) + np.prod(np.cos(x / np.sqrt(i)))

    def local(self, x: Any) -> Any:
        def inner(v: Any) -> Any:
            return self.k * v * v

        return sum(inner(v) for v in x)

    def __call__(self, x: Any) -> Any:
        return self.vectorised(x) * self.k


@pytest.mark.parametrize("name", ["fun", "vectorised", "local", "__call__"])
def test_bound_methods(name: str) -> None:
    derivatives_agree(getattr(Derived(), name), X)


def test_an_instance_that_is_called() -> None:
    derived = Derived()
    np.testing.assert_allclose(grad(derived)(X), grad(derived.__call__)(X))


def test_attributes_are_read_at_each_call() -> None:
    derived = Derived()
    made = grad(derived.local)
    np.testing.assert_allclose(made(X), 3.0 * X)
    derived.k = 2.5
    np.testing.assert_allclose(made(X), 5.0 * X)
    derived.k = 2
    np.testing.assert_allclose(made(X), 4.0 * X)
    derived.k = np.float64(0.5)
    np.testing.assert_allclose(made(X), 1.0 * X)


def test_other_attributes_need_another_program() -> None:
    derived = Derived()
    made = grad(derived.fun)
    first = made(X)
    derived.act = np.sin
    second = made(X)
    np.testing.assert_allclose(second - first, np.cos(X) - (1 - np.tanh(X) ** 2))
    derived.act = np.tanh
    np.testing.assert_allclose(made(X), first)
    Derived.scale = 4.0
    try:
        assert not np.allclose(made(X), first)
    finally:
        Derived.scale = 2.0


def test_attributes_that_are_set_are_set() -> None:
    derived = Derived()
    derived.fun(X)
    assert derived.nfev == 1
    value_and_grad(derived.fun)(X)
    assert derived.nfev == 2


def of_attribute(k: Any, x: Any) -> Any:
    derived = Derived()
    derived.k = k
    return derived.fun(x)


def test_the_gradient_of_an_attribute() -> None:
    derived = Derived()
    step = 1e-6
    wanted = (of_attribute(1.5 + step, X) - of_attribute(1.5 - step, X)) / (2 * step)
    assert grad(derived.fun, wrt="self.k")(X) == pytest.approx(wanted, rel=1e-8)
    k_bar, x_bar = grad(derived.fun, wrt=("self.k", 0))(X)
    assert k_bar == pytest.approx(wanted, rel=1e-8)
    np.testing.assert_allclose(x_bar, grad(derived.fun)(X))
    weights_bar = grad(derived.fun, wrt="self.weights")(X)
    np.testing.assert_allclose(weights_bar, [derived.term(v) * 2.0 for v in X])
    assert grad(derived.fun, wrt="self.custom")(X) == {"k": pytest.approx(X @ [2.0, 4.0, 6.0])}


@dataclass
class Vec:
    x: Any
    y: Any

    def __add__(self, other: "Vec") -> "Vec":
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "Vec") -> "Vec":
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, k: Any) -> "Vec":
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __matmul__(self, other: "Vec") -> Any:
        return self.x * other.x + self.y * other.y

    def __getitem__(self, k: int) -> Any:
        return self.x if k == 0 else self.y

    def __len__(self) -> int:
        return 2

    def __abs__(self) -> Any:
        return math.sqrt(self @ self)

    def __iadd__(self, other: "Vec") -> "Vec":
        self.x += other.x
        self.y += other.y
        return self

    def __lt__(self, other: "Vec") -> bool:
        return bool(abs(self) < abs(other))

    @classmethod
    def unit(cls, angle: Any) -> "Vec":
        return cls(math.cos(angle), math.sin(angle))

    @staticmethod
    def square(v: Any) -> Any:
        return v * v


def orbit(p: Vec, v: Vec, dt: float) -> Any:
    total = 0.0
    for _ in range(4):
        r = abs(p)
        a = -(p * (1.0 / r**3))
        v = v + dt * a
        p = p + v * dt
        total += p @ p
    return total + Vec.square(p[1]) + len(p)


def in_place(x: Any) -> Any:
    p = Vec(x[0], x[1])
    q = p
    p += Vec.unit(x[2])
    return q @ q if q < Vec(10.0, 10.0) else 0.0


def stateful(x: Any) -> Any:
    class Counter:
        pass

    v = Vec(x[0], 1.0)
    for k in range(3):
        v.x = v.x * x[k] + v.y
        v.y += v.x**2
    if v.x > 0.0:
        v.y = v.y * 2.0
    return v.x * v.y


class Spring:
    def __init__(self, k: Any, rest: Any = 0.5) -> None:
        self.k, self.rest = k, rest
        self.log: list[Any] = []

    def force(self, x: Any) -> Any:
        self.log.append(x)
        return -self.k * (x - self.rest)

    @property
    def twice(self) -> Any:
        return 2.0 * self.k

    @twice.setter
    def twice(self, value: Any) -> None:
        self.k = value / 2.0


class Damped(Spring):
    def __init__(self, k: Any, c: Any) -> None:
        super().__init__(k)
        self.c = c

    def force(self, x: Any) -> Any:
        return super().force(x) - self.c * x**3


def simulated(x: Any) -> Any:
    spring = Damped(x[0] ** 2 + 1.0, x[1])
    spring.twice = spring.twice + x[2]
    position, speed = 1.0, 0.0
    for _ in range(3):
        speed = speed + 0.1 * spring.force(position)
        position = position + 0.1 * speed
    return position**2 + sum(spring.log)


@pytest.mark.parametrize("f", [in_place, stateful, simulated])
def test_instances_that_the_function_makes(f: Callable[..., Any]) -> None:
    derivatives_agree(f, X)


@pytest.mark.parametrize("wrt", [0, 1, 2])
def test_operators(wrt: int) -> None:
    derivatives_agree(orbit, Vec(1.0, 0.2), Vec(-0.1, 0.9), 0.1, wrt=wrt)


def test_check_and_hessians_of_methods() -> None:
    derived = Derived()
    assert check(derived.vectorised, (X,)).ok
    product = hvp(derived.local, (X,), (np.ones(3),))
    np.testing.assert_allclose(product, 3.0 * np.ones(3))


def test_one_object_in_two_places_is_one() -> None:
    def f(p: Any, q: Any, x: Any) -> Any:
        p["a"] = x * x
        return q["a"] * x

    d, e = {"a": 1.0}, {"a": 1.0}
    made = grad(f, wrt="x")
    assert made(d, d, 2.0) == 12.0
    assert made(d, e, 2.0) == 1.0
    assert made(d, d, 2.0) == 12.0
    assert (d, e) == ({"a": 1.0}, {"a": 1.0})


def test_what_is_looked_up_by_code() -> None:
    """By `__getattr__`: of an object of the module, and of one that is given."""

    class Odd:
        def __getattr__(self, name: str) -> float:
            return 2.0

    odd = Odd()

    def f(x: float) -> float:
        return x * odd.k

    def g(odd: Any, x: float) -> float:
        return x * odd.k

    assert grad(f)(1.0) == 2.0
    assert grad(g, wrt="x")(odd, 1.0) == 2.0
