# ruff: noqa: SIM108
"""Functions of one sample, with arguments over a batch, and whether one program does them all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RNG = np.random.default_rng(11)


@dataclass(frozen=True)
class Case:
    """A function, its arguments over a batch of `n` samples, and their axes."""

    f: Callable[..., Any]
    make: Callable[[int], tuple[Any, ...]]
    axes: Any = 0
    at_once: bool = True
    derived: bool = True
    count: int = 4

    def __str__(self) -> str:
        return self.f.__name__


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape)


def positive(*shape: int) -> Any:
    return RNG.uniform(0.5, 2.0, shape)


def square(x):
    return x * x


def math_of_scalars(x, a):
    return math.sin(x) * math.exp(a) + abs(x - a) / (1.0 + a * a) + max(x, a) - min(0.5, x)


def powers(x, n):
    return x**3 + 2.0**x + n * x**0.5


def quadratic(w, x, y):
    return 0.5 * np.sum((np.tanh(w @ x) - y) ** 2)


def of_rows(a, x):
    return np.sum(np.sum(a * x, axis=1) * np.max(a, axis=0)) + np.mean(a)


def of_last(a):
    t = a - np.mean(a, axis=-1, keepdims=True)
    return np.sum(t**2 / np.var(a, axis=0)) + np.std(a) + np.prod(a)


def ranks(x, v, m):
    return np.sum(x * v + m) + np.sum(x * m) - np.sum(v[:, None] * m * x)


def vector(x, v):
    return x * v + np.sum(v)


def matrix(x):
    return np.outer(x, x) + np.eye(len(x)) * x


def parts(x):
    return x[0] * x[-1] + np.sum(x[1:] * x[:-1]) + np.sum(x[::2])


def table(w, k):
    return w[k] * np.sum(w[k + 1 - 1]) if w.ndim == 1 else np.sum(w[k] ** 2)


def class_score(w, x, k):
    t = w @ x
    return np.log(np.sum(np.exp(t))) - t[k]


def written(x, v):
    y = np.zeros_like(v)
    y[0] = x
    y[1:] = v[1:] * x
    y[1] += np.sum(v)
    return np.sum(y**2)


def recurrence(x, a):
    y = np.zeros(len(x))
    y[0] = a * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i] + np.sin(x[i])
    return np.sum(y * y)


def euler(x, rate):
    t = x
    for k in range(5):
        t = t + 0.1 * (rate * t * (1.0 - t) + k)
    return t


def shared_branch(x, v):
    if len(v) > 2:
        y = x * v
    else:
        y = v
    return np.sum(y)


def own_branch(x, v):
    if x > 0.0:
        y = x * v
    else:
        y = v - x
    return np.sum(y**2)


def branch_in_loop(x, v):
    total = 0.0
    for i in range(len(v)):
        if v[i] > x:
            total += v[i] * x
        elif v[i] < -x:
            total -= v[i] ** 2
    return total


def early(x, v):
    if x > 0.5:
        return np.sum(v) * x
    return x * x


def chosen(x):
    return np.sum(np.where(x > 0.0, x**2, np.sin(x)) * np.clip(x, -0.5, 0.5))


def solved(a, b):
    s = a @ a.T + 3.0 * np.eye(len(b))
    return b @ np.linalg.solve(s, b) + np.log(np.linalg.det(s)) + np.sum(np.linalg.inv(s))


def contracted(a, b):
    return np.sum(np.einsum("ij,jk->ik", a, b) ** 2) + np.sum(np.tensordot(a, b, 1))


def shapes(a):
    t = a.reshape(-1)
    u = np.transpose(a) @ a
    return np.sum(t * np.arange(t.size)) + np.trace(u) + np.sum(np.stack((t, t * t)))


def joined(x, y):
    t = np.concatenate((x, y, x[:1]))
    return np.sum(np.cumsum(t) * t) + np.array([x[0], y[0], 1.0]) @ np.array([1.0, 2.0, y[1]])


def of_dict(p, x):
    return np.sum(np.tanh(p["w"] @ x + p["b"]) ** 2)


@dataclass
class Layer:
    w: Any
    b: Any


def of_object(layer, x):
    return np.sum((layer.w @ x + layer.b) ** 2)


def stored_by_some(x, y):
    a = x * 1.0
    b = np.ones(len(x))
    for j in range(len(x)):
        if y[j] > 0.4:
            a[j] = 7.0
            b[0] += x[j]
    return np.sum(a * b)


def several_results(x, v):
    return x * np.sum(v), {"double": 2.0 * v, "pair": (x, v * x)}


def halvings(x):
    count = 0.0
    while x > 1.0:
        x = 0.5 * x
        count = count + x
    return count


def counted(x, n):
    for _ in range(n):
        x = 0.5 * x + 1.0
    return x


def masked(x):
    return np.sum(x[x > 0.0] ** 2)


def mask_written(x):
    y = x * x
    y[x < 0.0] = 0.0
    return np.sum(y * x)


def unit_axes(x, m):
    return np.sum(x * m) + np.sum(m, axis=0) @ np.sum(m, axis=0)


CASES = [
    Case(square, lambda n: (normal(n),)),
    Case(square, lambda n: (normal(n, n),), derived=False),
    Case(math_of_scalars, lambda n: (normal(n), normal(n))),
    Case(powers, lambda n: (positive(n), positive(n))),
    Case(powers, lambda n: (positive(n), 2.0), (0, None)),
    Case(quadratic, lambda n: (normal(3, 5), normal(n, 5), normal(n, 3)), (None, 0, 0)),
    Case(quadratic, lambda n: (normal(n, n), normal(n, n), normal(n, n)), (None, 0, 0)),
    Case(quadratic, lambda n: (normal(n, 3, 5), normal(5), normal(n, 3)), (0, None, 0)),
    Case(quadratic, lambda n: (normal(3, 5), normal(5, n), normal(3)), (None, 1, None)),
    Case(of_rows, lambda n: (normal(n, n, n), normal(n)), (0, None)),
    Case(of_rows, lambda n: (normal(3, 3), normal(n, 3)), (None, 0)),
    Case(of_last, lambda n: (positive(n, 3, 4),)),
    Case(of_last, lambda n: (positive(3, 4, n),), -1),
    Case(ranks, lambda n: (normal(n), normal(3), normal(n, 3, 3)), (0, None, 0)),
    Case(ranks, lambda n: (normal(n), normal(n, 3), normal(3, 3)), (0, 0, None)),
    Case(ranks, lambda n: (normal(n), normal(n, n), normal(n, n, n))),
    Case(vector, lambda n: (normal(n), normal(n, 1)), derived=False),
    Case(vector, lambda n: (normal(n), normal(3)), (0, None), derived=False),
    Case(matrix, lambda n: (normal(n, 3),), derived=False),
    Case(parts, lambda n: (normal(n, 6),)),
    Case(table, lambda n: (normal(7), np.arange(n)), (None, 0), at_once=False),
    Case(class_score, lambda n: (normal(3, 2), normal(n, 2), np.arange(n) % 3), (None, 0, 0)),
    Case(written, lambda n: (normal(n), normal(n, 4))),
    Case(written, lambda n: (normal(n), normal(4)), (0, None)),
    Case(recurrence, lambda n: (normal(n, 5), normal(n))),
    Case(recurrence, lambda n: (normal(5), normal(n)), (None, 0)),
    Case(recurrence, lambda n: (normal(n, 5), 0.7), (0, None)),
    Case(euler, lambda n: (normal(n), normal(n))),
    Case(euler, lambda n: (0.3, normal(n)), (None, 0)),
    Case(shared_branch, lambda n: (normal(n), normal(n, 3))),
    Case(own_branch, lambda n: (normal(n), normal(n, 3))),
    Case(own_branch, lambda n: (normal(n), normal(3)), (0, None)),
    Case(branch_in_loop, lambda n: (normal(n), normal(n, 5))),
    Case(early, lambda n: (normal(n), normal(n, 5))),
    Case(stored_by_some, lambda n: (normal(n, 5), normal(n, 5))),
    Case(stored_by_some, lambda n: (normal(5), normal(n, 5)), (None, 0)),
    Case(chosen, lambda n: (normal(n, 5),)),
    Case(solved, lambda n: (normal(n, 3, 3), normal(n, 3))),
    Case(solved, lambda n: (normal(3, 3), normal(n, 3)), (None, 0)),
    Case(solved, lambda n: (normal(n, 3, 3), normal(3)), (0, None)),
    Case(contracted, lambda n: (normal(n, 2, 3), normal(3, n)), (0, None)),
    Case(contracted, lambda n: (normal(2, 3), normal(n, 3, n)), (None, 0)),
    Case(shapes, lambda n: (normal(n, 2, 3),)),
    Case(joined, lambda n: (normal(n, 3), normal(2)), (0, None)),
    Case(joined, lambda n: (normal(3), normal(n, 2)), (None, 0)),
    Case(of_dict, lambda n: ({"w": normal(3, 2), "b": normal(3)}, normal(n, 2)), (None, 0)),
    Case(
        of_dict,
        lambda n: ({"w": normal(n, 3, 2), "b": normal(3)}, normal(n, 2)),
        ({"w": 0, "b": None}, 0),
    ),
    Case(of_object, lambda n: (Layer(normal(n, 3, 2), normal(n, 3)), normal(2)), (0, None)),
    Case(of_object, lambda n: (Layer(normal(3, 2), normal(3)), normal(n, 2)), (None, 0)),
    Case(several_results, lambda n: (normal(n), normal(n, 3)), derived=False),
    Case(several_results, lambda n: (normal(n), normal(3)), (0, None), derived=False),
    Case(halvings, lambda n: (positive(n) * 20.0,), at_once=False),
    Case(counted, lambda n: (normal(n), np.arange(n)), at_once=False),
    Case(counted, lambda n: (normal(n), 3), (0, None)),
    Case(masked, lambda n: (normal(n, 4),), at_once=False),
    Case(mask_written, lambda n: (normal(n, 4),)),
    Case(unit_axes, lambda n: (normal(n, 1), normal(n, 1, 3)), count=3),
    Case(unit_axes, lambda n: (normal(n), normal(n, 1)), (0, None), count=3),
]
