"""Programs of arrays whose loops are looked at."""

from typing import Any

import numpy as np

RNG = np.random.default_rng(7)
X = RNG.uniform(0.5, 1.5, 7)
A = RNG.uniform(0.5, 1.5, (6, 5))


def chain(x: Any) -> Any:
    return np.sum(np.exp(-(x**2)) * np.sin(x) + 0.5 * x)


def inner(u: Any) -> Any:
    u[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[2:] + u[:-2])
    return np.sum(u * u)


def cube(u: Any, n: int) -> Any:
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return np.sum(u**2)


def five_points(a: Any, n: int) -> Any:
    for _ in range(n):
        a[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        )
    return np.sum(a * a)


def wide(u: Any) -> Any:
    u[2:-3] = u[:-5] * u[5:]
    return np.sum(u * u)


def triangle(a: Any) -> Any:
    for i in range(a.shape[1]):
        a[i, :i] *= 0.5
        a[i, i + 1 :] -= a[i, i] * a[0, i + 1 :]
    return np.sum(a * a)


def negative(x: Any) -> Any:
    part = x[1:]
    return np.sum(part[np.array([0, -2, 1])] * part[-1]) + part[-3] ** 2


def repeated(x: Any) -> Any:
    y = np.zeros(3)
    y[np.array([0, 2, 0, 1, 2, 2, 0])] += x**2
    return np.sum(y[np.array([2, 2, 1, 0])] ** 2) + np.sum(x[np.array([1, 1, 4])])


def from_itself(x: Any) -> Any:
    x[np.array([0, 1, 1])] += x[:1]
    x[np.array([2, 0])] *= x[2]
    return np.sum(x**2)


def counted(x: Any) -> Any:
    places = np.array([[2, 0], [1, 4]])
    last = np.max(places)
    return x[last] * x[np.min(places)] + np.sum(x[: np.max(places, axis=0)[1]])


def axes(a: Any) -> Any:
    m = np.max(a, axis=1, keepdims=True)
    e = np.exp(a - m)
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(np.mean(p, axis=0) ** 2) + np.sum(np.sum(p * a, axis=0)) + np.min(a)


def spread(a: Any) -> Any:
    around = a - np.mean(a, axis=0)
    return np.sum(np.std(a, axis=0)) + np.sum(np.clip(around, -0.2, 0.2)) + np.var(a)


def products(a: Any) -> Any:
    b = np.tensordot(a, a, axes=2) + np.einsum("ij,kj->ik", a, a)[0, 1]
    c = np.stack([a, 2.0 * a]) @ a.T
    return b + np.sum(c * c)


def vectors(a: Any, x: Any) -> Any:
    y = a @ x
    z = 0.5 * a.T @ y + x * np.dot(x, np.tanh(x))
    for i in range(1, len(x)):
        z[i] += a[i, :i] @ x[:i] - np.inner(x[i:], z[i:])
    return np.sum(np.exp(y)[:, None] * a) + z @ z


def far_apart(a: Any, x: Any) -> Any:
    rows = np.sum(a * a, axis=1)
    x = x * x[::-1]
    sines = np.sin(a) * rows[:, None]
    return np.sum(sines) + np.sum(x) + np.sum(a * sines)


def turned(a: Any) -> Any:
    b = a.T * a[:5].T[0][:, None]
    return np.sum(b[::-1] * a.T) + np.sum(np.swapaxes(a, 0, 1)[1])


def rectified(a: Any) -> Any:
    return np.sum(np.where(a > 1.0, a * a, np.sqrt(a))) + np.sum(np.maximum(a, 0.9))


def alternating(a: Any, b: Any, n: int) -> Any:
    for _ in range(n):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * b)


def early(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        x = x * x * 0.9
        if x[0] < 0.1:
            break
        total += np.sum(x) * i
    return total


def narrow(a: Any) -> Any:
    a[0, :] = a[1, :]
    a[:, -1] = 2.0 * a[:, 0]
    a[2] += a[1] * a[2]
    return np.sum(a * a)


def grown(x: Any) -> Any:
    y = x
    for k in range(1, 4):
        y = y * x + k
    return np.sum(y)


def nothing_left(u: Any) -> Any:
    u[2:-2] = 3.0 * u[2:-2]
    return np.sum(u[1:-1] * u[1:-1])


def made_anew(x: Any, k: Any) -> Any:
    """An array is another one in each iteration: what sums its entries sums those of the last."""
    for row in k:
        x[:] = np.sin(row[0] * row[1] - row[2])
    return np.sum(np.cos(x[:, None] * x[None, :] - k) * np.mean(x))


def made_anew_backwards(x: Any, k: Any) -> Any:
    """The same from the last row to the first, which counts."""
    u = x * 1.0
    for i in range(len(x) - 1, -1, -1):
        u = np.exp(k[i] * x[i])
    return np.sum(u * u)


def differences(u: Any) -> Any:
    d = np.diff(u * u)
    return np.sum(d * d) + np.sum(np.sin(np.diff(u, n=2)))


def padded(a: Any) -> Any:
    wide = np.pad(a, ((1, 2), (0, 1)), constant_values=0.5)
    steps = np.diff(wide, axis=0)
    return np.sum(np.cos(wide) * wide) + np.sum(steps * steps)


def picked(x: Any, y: Any) -> Any:
    """Sums and numbers of what masks pick, some of which is no number elsewhere."""
    total = 0.0
    for k in range(4):
        inside = (x >= 0.5 + 0.25 * k) & (x < 0.8 + 0.25 * k)
        if np.sum(inside) > 0:
            total += np.mean(np.sqrt(y)[inside]) * len(y[inside]) + np.sum(y[inside])
    z = np.where(x > 1.0, np.log(y - 0.9), 0.0)
    return total + np.sum(z[x > 1.0])


def put_back(a: Any) -> Any:
    """Numbers for what masks pick, sums, and what the same mask picks of another array."""
    b, high = a * a, a > 1.0
    b[high] = 2.0
    b[~high] += 0.25
    b[a < 0.7] = a[a < 0.7]
    b[high] += a[high]
    b[a > 1.4] = b[a > 1.4] * a[a > 1.4]
    rest = b[high]
    return np.sum(b * b) + np.sum(rest * rest[::-1])


def new_axes(x, a):
    """Writes to parts that have axes more than the array."""
    total = np.zeros(a.shape[0])
    total[:, None] += a[:, :1] * x[0]
    spread = np.zeros_like(a)
    spread[:, None, :] = np.sin(a)[:, None, :]
    spread[None] += a * a
    return np.sum(total**2) + np.sum(spread * a)


def small_factor(x, a):
    """Long matrices by small ones that lie across."""
    small = np.zeros((3, 3))
    small[:] = a[:3, :3]
    total = np.zeros((5, 3))
    for k in range(2):
        total += np.outer(x[:5], x[k : k + 3]) @ small.T
        small[0, k] = x[k] * x[k]
    return np.sum(np.sin(total))


CASES = [
    (chain, (X,)),
    (inner, (X,)),
    (inner, (X[:2],)),
    (cube, (X, 4)),
    (five_points, (A, 3)),
    (five_points, (A[:3, :4], 2)),
    (wide, (X,)),
    (triangle, (A,)),
    (negative, (X,)),
    (repeated, (X,)),
    (from_itself, (X,)),
    (counted, (X,)),
    (axes, (A,)),
    (spread, (A,)),
    (products, (A,)),
    (vectors, (A, X[:5])),
    (far_apart, (A, X)),
    (turned, (A,)),
    (rectified, (A,)),
    (alternating, (X, X + 0.1, 3)),
    (early, (X, 6)),
    (narrow, (A,)),
    (grown, (X,)),
    (nothing_left, (X,)),
    (picked, (X, X + 0.3)),
    (put_back, (A,)),
    (put_back, (A[:1, :1],)),
    (differences, (X,)),
    (padded, (A,)),
    (nothing_left, (X[:3],)),
    (made_anew, (X[:3], A[:3, :3])),
    (made_anew_backwards, (X[:3], A[:3, :3])),
    (new_axes, (X, A)),
    (small_factor, (X, A)),
]
