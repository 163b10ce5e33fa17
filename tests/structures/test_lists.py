"""Lists: methods, slices, sorting, lists of arrays, nested lists as matrices, dict operations."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import check, grad
from tests.structures.oracle import derivatives_agree

X = np.array([0.3, -0.7, 1.1, 0.25])
M = [[1.5, 0.2, -0.4], [0.3, 2.0, 0.1], [-0.2, 0.4, 1.75]]


def methods(x: Any) -> Any:
    out = [x[0] * x[1]]
    out.append(x[2] ** 2)
    out.insert(1, math.sin(x[3]))
    out.insert(0, 2.0 * x[0])
    out.extend([x[1], x[2] * x[3]])
    last = out.pop()
    first = out.pop(0)
    out.reverse()
    out[0] *= 3.0
    out += [last]
    del out[1]
    return sum(v * (k + 1) for k, v in enumerate(out)) * first + out[-1] + len(out)


def slices(x: Any) -> Any:
    values = [x[k] * (k + 1) for k in range(4)]
    tail, every = values[1:], values[::2]
    values[1:3] = [x[0] * x[1], 1.0, x[2]]
    return sum(tail) * sum(every) + sum(v**2 for v in values) + len(values)


def ordered(x: Any) -> Any:
    pairs = [(x[0] * 2, 3.0), (x[1] ** 2, 1.0), (x[2], 2.0)]
    ranked = sorted(pairs, key=lambda p: p[1])
    best = max(pairs, key=lambda p: p[1])
    least = min([3, 1, 2], key=lambda k: -k)
    a, b = sorted([2, 1])
    return ranked[0][0] * ranked[2][0] + best[0] ** 2 + least + a / b


def by_value(x: Any) -> Any:
    """Chosen by what varies: the choice is a branch."""
    pairs = [(x[0], x[3]), (x[1], x[2]), (x[2], x[0])]
    best = max(pairs, key=lambda p: p[0])
    closest = min([x[0], x[1], x[2]], key=lambda v: (v - 1.0) ** 2)
    return best[0] * best[1] + closest**3


def inserted(x: Any) -> Any:
    """Ordered by what varies: whatever the order is, what belongs together stays together."""
    total = 0.0
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        rows = [(x[j], k + 1.0) for k, j in enumerate(order)]
        for place, row in enumerate(sorted(rows, key=lambda r: r[0], reverse=order[0] == 1)):
            total += (place + 1.0) ** 2 * row[1] * row[0]
    ties = sorted([(x[1], x[0]), (x[0], x[2]), (x[1], x[3]), (x[0], x[1])], key=lambda r: r[0])
    return total + sum(k * v[1] ** 2 for k, v in enumerate(ties))


def arrays_in_a_list(x: Any) -> Any:
    layers = [np.outer(x, x), np.outer(x[:2], x), np.ones((1, 2))]
    h = x
    for w in layers:
        h = np.tanh(w @ h)
    history = []
    for k in range(3):
        history.append(x * k)
    total = np.zeros(4)
    for entry in history:
        total = total + entry**2
    return np.sum(h) + np.sum(total) + np.sum(history[-1] * history[1])


def by_index(x: Any) -> Any:
    weights = [np.outer(x, x), np.outer(x[:2], x), np.ones((1, 2))]
    shifts = [x, x[:2] * 2, np.zeros(1)]
    h = x
    for i in range(len(weights)):
        h = np.tanh(weights[i] @ h + shifts[i])
    return np.sum(h)


def power_by_lists(m: Any, x: Any) -> Any:
    """A matrix as nested lists, indexed at run time."""
    n = len(m)
    result = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                result[i][j] += m[i][k] * m[k][j]
    v = [x[0], x[1], x[2]]
    w = [sum(result[i][j] * v[j] for j in range(n)) for i in range(n)]
    return sum(a * b for a, b in zip(w, v, strict=True))


def elimination(m: Any, x: Any) -> Any:
    a = [row[:] for row in m]
    n = len(a)
    b = [x[k] for k in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= factor * a[k][j]
            b[i] -= factor * b[k]
    y = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i][j] * y[j]
        y[i] = s / a[i][i]
    return sum(v * v for v in y)


def dicts(x: Any) -> Any:
    d = {"a": x[0], ("b", 1): x[1] ** 2}
    d["c"] = d["a"] * x[2]
    d.update({"a": x[3]}, e=2.0 * x[0])
    d["a"] += d.get("missing", x[1])
    d |= {"f": x[2]}
    other = {**d, "c": 1.0}
    kept = {k: v * 2 for k, v in other.items() if k != "e"}
    e = d.pop("e")
    first = d.setdefault("g", x[0])
    del d["f"]
    total = sum(kept.values()) + first
    for key in d:
        if key in ("a", "c"):
            total *= d[key]
    copied = dict(d)
    copied["a"] = 0.0
    found = dict(zip(["p", "q"], (x[0], x[1]), strict=True))
    keys, values = list(d.keys()), list(d.values())
    one = dict.fromkeys(["p", "q", "p"], x[1:3].copy())
    one["p"][0] *= x[3]
    empty = dict.fromkeys(range(2))
    total += one["q"].sum() * len(one) + (empty[1] is None)
    return total + e * d["a"] + len(keys) + values[0] * found["q"] + ("z" in d)


def swapped(x: Any) -> Any:
    a = [x[0], x[1]]
    b = a
    b[0], b[1] = b[1], b[0] * x[2]
    c = a.copy()
    c[0] = 0.0
    u, (v, *w) = x[0], [x[1], x[2], x[3]]
    return a[0] ** 2 * a[1] + sum(c) + u * v * w[0] * w[-1]


CASES: list[Callable[..., Any]] = [
    methods, slices, ordered, by_value, inserted, arrays_in_a_list, by_index, dicts, swapped,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_operations_of_lists_and_dicts(f: Callable[..., Any]) -> None:
    derivatives_agree(f, X)
    assert check(f, (X,)).ok


@pytest.mark.parametrize("f", [power_by_lists, elimination])
def test_nested_lists_are_matrices(f: Callable[..., Any]) -> None:
    derivatives_agree(f, M, X)
    derivatives_agree(f, M, X, wrt=1)


def test_a_list_that_other_code_may_change_is_read_after_it() -> None:
    from random import Random

    def f(x: float) -> float:
        values = [3.0, 1.0, 2.0]
        Random(0).shuffle(values)
        return x * float(values[0] + 10 * values[1] + 100 * values[2])

    assert grad(f)(1.0) == f(1.0) != 213.0


def products(x: Any) -> Any:
    """A matrix whose size is the length of the list."""
    n = len(x)
    m = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = x[i] * x[j] + i
    return sum(m[i][i] * m[0][i] for i in range(n))


def outer(x: Any) -> Any:
    rows = [[a * b for b in x] for a in x]
    return sum(sum(row) for row in rows)


@pytest.mark.parametrize("f", [products, outer])
def test_the_length_of_a_list_is_known_where_it_has_to_be(f: Callable[..., Any]) -> None:
    gradient = grad(f)
    for x in ([0.5, 1.5], [0.5, 1.5, -0.7], [2.0], [0.5, 1.5]):
        expected = [
            (f([*x[:k], x[k] + 1e-6, *x[k + 1 :]]) - f([*x[:k], x[k] - 1e-6, *x[k + 1 :]])) / 2e-6
            for k in range(len(x))
        ]
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)
    np.testing.assert_allclose(gradient([1, 1.5]), gradient([1.0, 1.5]))
    assert len(gradient.specialisations) == 4
