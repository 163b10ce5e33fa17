"""Array programs that find what the programs of tests/lowering do not: casts, and loops that must
not become one."""

from typing import Any

import numpy as np

X = np.array([0.5, -1.25, 2.0, 0.75, -0.3, 1.1])
A = np.linspace(-1.0, 1.3, 20).reshape(4, 5)


def rounded(x: Any, n: Any) -> Any:
    b = np.full(6, n[1] / 2, dtype=int)
    return np.sum(b * x) + np.sum(x[:3] * np.full_like(n, n[0] / 4))


def whole_numbers(x: Any) -> Any:
    n = np.zeros(6, dtype=int)
    n[1:4] = np.arange(3.0) * 1.75
    return np.sum(n * x)


def next_row(x: Any) -> Any:
    y = np.ones(7)
    y[:-1] = x * x
    z = y[1:] * x
    return np.sum(z * y[1:])


def kept(a: Any) -> Any:
    m = np.max(a, axis=1, keepdims=True)
    n = np.mean(a, axis=0, keepdims=True)
    p = np.prod(a[:, 1:], axis=1)
    return np.sum((a - m) * n) + np.sum(p * np.min(a, axis=1))


def masked_square(x: Any) -> Any:
    y = np.zeros(6)
    y[x > 0.0] = x[x > 0.0] ** 2
    y[x > 0.6] += 2.0 * x[x > 0.6]
    return np.sum(y * y) + np.mean(x[x > 0.0])


def downhill(x: Any) -> Any:
    y = x * 1.0
    for i in range(4, -1, -1):
        y[i] = y[i + 1] * x[i] + i
    for i in range(5, 0, -2):
        y[i] += y[i - 1] * i
    return np.sum(y * y)


def stepped(x: Any) -> Any:
    y = np.ones(6)
    for i in range(1, 6, 2):
        y[i] = np.sin(y[i - 1] * x[i]) * i
        y[i - 1] += x[i]
    return np.sum(y * x)


def remembered(x: Any) -> Any:
    y, s = np.zeros(6), 1.0
    for i in range(6):
        s = s * x[i] + 0.5
        y[i] = s
    return np.sum(y * y) * s


def gathered(x: Any) -> Any:
    y = np.zeros(3)
    for i in range(3):
        for j in range(6):
            y[i] += x[j] * x[(i * j) % 6]
        y[i] = y[i] * y[0]
    return np.sum(y * y)


def sliding(x: Any) -> Any:
    y = x * 1.0
    for i in range(1, 5):
        for j in range(2):
            y[i] += 0.5 * y[i - j] * x[j]
            y[i + 1] -= 0.1 * y[i]
    return np.sum(y * y)


def grid(a: Any) -> Any:
    b = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            b[i, j] = a[i, j] * a[3 - i, 4 - j]
            if i > 0:
                b[i, j] += b[i - 1, j]
    return np.sum(b * b)


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    *((f, (X,)) for f in (whole_numbers, next_row, masked_square, downhill, stepped)),
    *((f, (X,)) for f in (remembered, gathered, sliding)),
    *((f, (A,)) for f in (kept, grid)),
    (rounded, (X, np.array([3, 5, 7]))),
]
