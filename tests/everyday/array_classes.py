"""Classes derived from NumPy's array: vectors, signals with a rate, named parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at
X = np.array([0.7, 1.3, 0.4])


class Vector(np.ndarray):  # type: ignore[type-arg]
    def __new__(cls, values: Any) -> Any:
        return np.asarray(values, dtype=float).view(cls)

    @property
    def x(self) -> Any:
        return self[0]

    def length(self) -> Any:
        return np.sqrt(np.sum(self**2))

    def normalize(self) -> Any:
        return self / self.length()


class Scaled(Vector):
    factor = 3.0

    def length(self) -> Any:
        return self.factor * super().length()


class Signal(np.ndarray):  # type: ignore[type-arg]
    rate: Any

    def __new__(cls, data: Any, rate: Any = 1.0) -> Any:
        made = np.asarray(data).view(cls)
        made.rate = rate
        return made

    def __array_finalize__(self, obj: Any) -> None:
        if obj is not None:
            self.rate = getattr(obj, "rate", 1.0)

    def energy(self) -> Any:
        return np.sum(self**2) / self.rate


class Counted(np.ndarray):  # type: ignore[type-arg]
    """How many arrays were made of which this is one."""

    def __array_finalize__(self, obj: Any) -> None:
        self.n = getattr(obj, "n", 0) + 1


class Pair(np.ndarray):  # type: ignore[type-arg]
    def __new__(cls, x: Any, y: Any) -> Any:
        self = super().__new__(cls, (2,), float)
        self[0] = x
        self[1] = y
        return self

    def turned(self, angle: Any) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        return Pair(c * self[0] - s * self[1], s * self[0] + c * self[1])


class Opposite(np.ndarray):  # type: ignore[type-arg]
    """An array that is asked before a plain one that stands left of it."""

    def __new__(cls, data: Any) -> Any:
        return np.array(data, dtype=float).view(cls)

    def __add__(self, other: Any) -> Any:
        return Opposite(np.asarray(self) - np.asarray(other))

    def __radd__(self, other: Any) -> Any:
        return Opposite(np.asarray(other) * 5 + np.asarray(self))

    def __getitem__(self, key: Any) -> Any:
        return 2 * np.asarray(self)[key]


class Named(np.ndarray):  # type: ignore[type-arg]
    def __new__(cls, values: Any, names: Any) -> Any:
        made = np.array(values, dtype=float).view(cls)
        made.names = list(names)
        return made

    def __array_finalize__(self, obj: Any) -> None:
        self.names = getattr(obj, "names", None)

    def get(self, name: str) -> Any:
        assert self.names is not None
        return self[self.names.index(name)]


@at(X)
def vector(x: Array) -> float:
    v, w = Vector([x[0], x[1], x[2]]), Vector([1.0, 2.0, 3.0])
    n = (v + w).normalize()
    return float(n.x * v.length() + Scaled(x).length() + (Scaled(x) * 2).length())


@at(X)
def attributes_go_with_what_is_made_of_an_array(x: Array) -> float:
    s = Signal(x, x[0])
    t = 2 * s[1:]
    s.rate *= x[1]
    u = np.roll(s, 1)[:2] + s.T[::2]
    return float(t.energy() + u.energy() * s.rate + getattr(np.array(s), "rate", 5.0))


@at(X)
def arrays_on_the_way_are_told_as_well(x: Array) -> float:
    c: Any = x.view(Counted)
    d: Any = np.mean(c + 1)
    e: Any = c[1:].sum() * 2
    return float(d * d.n + e * e.n + c.n * x[0])


@at(X)
def made_without_entries(x: Array) -> float:
    return float(Pair(x[0], x[1]).turned(x[2])[0])


@at(X)
def reflected_operators(x: Array) -> float:
    n = Opposite(x)
    return float(float((n + x)[1]) + float(np.sum(n * x)) + 1.5 * float((x + n)[0]))


@at(X)
def named_parameters(x: Array) -> float:
    p = Named(x, ["a", "b", "c"])
    q = p * 2
    return float(p.get("b") * q.get("a") + len(q.names))


@at(X)
def in_place(x: Array) -> float:
    a = x * 1.0
    v = Vector(a)
    w = v
    v *= x[0]
    r: Any = v.reshape(3, 1)
    r += 1.0
    y = x * 1.0
    y += v
    v[:] = v[::-1] * 2
    plain = 1.0 if isinstance(y, Vector) else 2.0
    return float(a[1] + w[2] * v[1] + plain * y[0] * y[2] + v.length())


@at(X)
def shared_storage(x: Array) -> float:
    a = x.copy()
    v: Any = a.view(Vector)
    v[0] = 3.0 * x[1]
    w = np.asarray(Vector(a))
    w[1] = x[1] * x[2]
    return float(a[0] * v.length() + w @ w)


@at(X)
def classes_of_results(x: Array) -> float:
    v = Vector(x)
    factor = 1.0
    for made in (v > 1.0, np.cross(v, x), np.concatenate([v, v]), np.sqrt(v), v @ v, np.dot(v, v)):
        factor = 2 * factor + (1.0 if isinstance(made, Vector) else 0.0)
    return float(factor * v.length() + np.linalg.norm(np.cross(v, [1.0, 2.0, 3.0])))


@at(X)
def entries_and_numbers(x: Array) -> float:
    v = Vector(x)
    p, q, r = v
    total = sum(a * a for a in v)
    s = v.sum()
    if s > 1.0:
        total = total + s * v.x
    return float(total + p * q * r + math.sqrt(v.length()) + max(v) + abs(v).max() + len(v))


@at(X)
def vector_length(x: Array) -> Any:
    return Vector(x).length()


class Rotation(np.ndarray):  # type: ignore[type-arg]
    def __new__(cls, angle: Any, *shape: int) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        turn = np.identity(2) @ np.array([[c, -s], [s, c]])
        made = super().__new__(cls, shape or turn.shape, float, turn)
        made.turn = turn  # type: ignore[attr-defined]
        return made


@at(X)
def in_the_memory_of_another(x: Array) -> float:
    r = Rotation(x[0])
    r[0, 1] = x[1] ** 2
    back = r.turn.T @ x[:2]  # type: ignore[attr-defined]
    return float(r[0, 1] * back[0] + r[1, 1] + back[1])


class Doubling(np.ndarray):  # type: ignore[type-arg]
    def __array_wrap__(self, out: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return np.asarray(out) * 2


def wrapped(x: Array) -> Any:
    made: Any = x.view(Doubling)
    return np.sum(np.sqrt(made))
