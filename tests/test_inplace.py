"""Programs that write in place: right against differences, in both modes, or refused by name.

Each one is a trap for tools that copy references: views, aliases, `out=`, overwritten operands.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent
from adjointgen.errors import Unsupported

X = np.array([0.7, -1.2, 0.4, 1.9, -0.3, 0.8])


def view_scaled(x):
    y = x.copy()
    v = y[0:2]
    v *= 3
    return np.sum(y * y)


def view_assigned(x):
    y = x * 1.0
    v = y[0:2]
    v[:] = v * 3
    return np.sum(y * y)


def alias_written(x):
    a = x.copy()
    b = a
    b[0] = 10 * x[1]
    return np.sum(a * a)


def reshaped_written(x):
    y = np.zeros(3)
    m = y.reshape(3, 1)
    m[0, 0] = x[1] ** 2
    return np.sum(y * y) + y[0]


def double(a, i):
    a[i] = a[i] * 2


def helper_writes(x):
    a = x * x
    for i in range(len(a)):
        double(a, i)
    return np.sum(a * a)


def diagonal_updated(x):
    y = np.eye(6) * x[0]
    y @= np.diag(x)
    return np.sum(y)


def put_at_places(x):
    y = x * x
    np.put(y, 1, x[0] * 3.0)
    np.put(y, [[2, 3], [4, 2]], x[:3] ** 3)
    return np.sum(y * y)


def out_argument(x):
    out = np.empty(6)
    np.multiply(x, 2, out=out)
    return np.sum(out**3)


def under_errstate(x):
    y = np.ones(6)
    with np.errstate(divide="ignore"):
        y[1:] = y[1:] / x[1:]
    return np.sum(y)


def cubic_steps(x):
    u = x.copy()
    for _ in range(300):
        u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return np.sum(u * u)


def cubed_in_loop(x):
    u = 0.9 * np.sin(x)
    for _ in range(3):
        u[0:2] = u[0:2] ** 3
    return np.sum(u)


def fancy_added(x):
    a = np.zeros((4, 2))
    i = np.array([0, 2, 0, 3, 2, 2])
    a[i] += x[:, np.newaxis] * np.array([1.0, 2.0])
    return np.sum(a**2 + a)


def transposed_view(x):
    m = np.outer(x[:3], x[3:])
    t = m.T
    t[0] = x[0] * x[:3]
    t[1, 2] *= x[5]
    return np.sum(m * m)


def strided_view(x):
    y = x * x
    v = y[::2]
    v[1:] += x[:2] * v[0]
    y[::-1][0] = 2 * y[0]
    return np.sum(y * x)


def gauss_seidel(x):
    u = np.zeros(8)
    u[0], u[-1] = x[0], x[1]
    for _ in range(12):
        for i in range(1, 7):
            u[i] = 0.5 * (u[i - 1] + u[i + 1]) - 0.05 * np.sin(u[i]) * x[2]
    return np.sum(u * u)


def matrix_of(x):
    return np.outer(x[:3], x[3:]) + 5.0 * np.eye(3)


def lu(x):
    a = matrix_of(x)
    for k in range(3):
        for i in range(k + 1, 3):
            a[i, k] /= a[k, k]
            for j in range(k + 1, 3):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(np.diag(a) ** 2) + a[2, 0] * a[0, 2]


def cholesky(x):
    a = matrix_of(x) @ matrix_of(x).T
    for j in range(3):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, 3):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    return a[0, 0] + a[1, 1] * a[2, 2] + a[2, 0] * a[2, 1]


def forward_substitution(x):
    a = matrix_of(x)
    b = x[:3].copy()
    for i in range(3):
        for j in range(i):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return np.sum(b * b)


def argument_written(x):
    x[0] = x[0] * x[1]
    return np.sum(x * x)


def argument_overwritten(x):
    y = x * x
    x += 1
    return y.sum()


def swapped_buffers(x):
    u, v = x.copy(), np.zeros(6)
    for _ in range(5):
        v[1:-1] = u[1:-1] + 0.1 * u[2:] * u[:-2]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def masked(x):
    y = x * 2
    y[x > 0.5] = x[x > 0.5] ** 2
    y[x < 0] *= x[0]
    return np.sum(y * y)


def last_write_stands(x):
    a = np.zeros(3)
    a[np.array([0, 1, 0, 2, 1, 0])] = x * x
    return np.sum(a * np.array([1.0, 2.0, 3.0]))


def view_of_a_view_written(x):
    u = x * 2.0
    t = u[1:-1]
    v = t.reshape(2, 2)
    u[0] = u[1] * x[0]
    u[1] = 3.0 * x[1]
    v[0, 0] = v[1, 1] * x[2]
    return np.sum(t * t) + np.sum(u * x) + np.sum(v * v)


def columns_of_parts(x):
    parts = np.concatenate((np.ones((6, 1)), x[:, None] + x.reshape(6, 1)), axis=-1)
    return np.sum(parts * parts * np.mean(x))


def complex_entries_written(x):
    y = x + 0.0j
    y[0] = y[1] * (1.0 + 2.0j) * y[0]
    return np.sum((y * y * y).real)


def places_from_numpy(x):
    a = np.zeros((2, 3))
    _, columns = np.tril_indices(2)
    a[:, columns] = x.reshape(2, 3)
    b = np.zeros(3)
    b[columns] = x[:3]
    for place in np.ndindex(2, 3):
        a[place] += a[place] * x[place[1]]
    return np.sum(a * a * np.array([1.0, 2.0, 3.0])) + np.sum(b * b * b)


PROGRAMS = [
    view_scaled, view_assigned, alias_written, reshaped_written, helper_writes, out_argument,
    diagonal_updated, put_at_places,
    under_errstate, cubic_steps, cubed_in_loop, fancy_added, transposed_view, strided_view,
    gauss_seidel, lu, cholesky, forward_substitution, argument_written, argument_overwritten,
    swapped_buffers, masked, last_write_stands, view_of_a_view_written, columns_of_parts,
    complex_entries_written, places_from_numpy,
]  # fmt: skip


def slope(f: Callable[..., Any], x: Any, d: Any) -> float:
    """The derivative along `d` by differences of fourth order."""
    h = 1e-3
    values = [f(x + k * h * d) for k in (-2, -1, 1, 2)]
    return float((values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_agree_with_differences(f: Callable[..., Any]) -> None:
    d = np.random.default_rng(1).standard_normal(6)
    x = X.copy()
    value = f(X.copy())
    wanted = slope(f, X, d)
    y, x_bar = adjoint(f)(x, 1.0)
    assert np.array_equal(x, X), "the caller's array was written"
    t, y_dot = tangent(f)(x, d)
    assert np.array_equal(x, X), "the caller's array was written"
    assert y == value and t == value
    assert y_dot == pytest.approx(wanted, rel=1e-7, abs=1e-8)
    assert np.sum(x_bar * d) == pytest.approx(y_dot, rel=1e-12, abs=1e-13)
    assert np.array_equal(grad(f)(x), x_bar) or np.allclose(grad(f)(x), x_bar, rtol=1e-14)


def which(x, c):
    a = x.copy()
    b = x * 2
    if c > 0:
        b = a
    b[0] = x[1] ** 2
    return np.sum(a * a)


def test_a_write_to_what_may_be_two_arrays_is_refused() -> None:
    with pytest.raises(Unsupported) as refusal:
        grad(which)(X.copy(), 1.0)
    assert refusal.value.code == "AG110"


def test_a_number_of_unknown_rank_is_added_to_apart_from_its_seed() -> None:
    def f(x: float) -> float:
        a = np.fromiter((v for v in [0.5, 1.0, 2.0]), float)
        t = math.hypot(a[1], 1.0)
        return x + (t * x + 0.5 * t) + x

    seed = np.array(2.0)
    value, x_bar = adjoint(f, "x")(1.5, seed)
    assert value == f(1.5)
    assert x_bar == pytest.approx(2.0 * (2.0 + math.sqrt(2.0)))
    assert seed == 2.0
