"""Loops that multiply lines of arrays: those whose products can be made before, and others."""

from typing import Any

import numpy as np

RNG = np.random.default_rng(7)
A = RNG.uniform(-1.0, 1.0, (5, 4, 11))
X = RNG.uniform(-1.0, 1.0, (12, 11))
C = RNG.uniform(-0.5, 0.5, (11, 11))
W = RNG.uniform(-0.5, 0.5, (11, 13))
U = RNG.uniform(-0.5, 0.5, (13, 13))
V = RNG.uniform(-1.0, 1.0, 11)


def rows(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] @ w
        total += np.sum(np.sin(y))
    return total


def on_the_right(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.sin(w.T @ x[i, :]))
    return total


def columns(x: Any, w: Any) -> Any:
    z = x.T
    total = 0.0
    for j in range(z.shape[1]):
        total += np.sum(np.sin(z[:, j] @ w))
    return total


def numbers(x: Any, v: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i] @ v) + np.cos(np.dot(v, x[i]))
    return total


def some(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(2, x.shape[0] - 1):
        total += np.sum(np.sin(x[i - 1] @ w)) * np.sum(np.cos(x[i + 1] @ w)) * i
    return total


def downwards(x: Any, w: Any) -> Any:
    y = np.ones(w.shape[1])
    for i in range(x.shape[0] - 2, 0, -1):
        y = np.sin(y + x[i] @ w)
    return np.sum(y)


def given(x: Any, w: Any, n: int) -> Any:
    y = np.ones(w.shape[1])
    for i in range(n):
        y = np.sin(y + x[i] @ w)
    return np.sum(y)


def in_place(a: Any, c: Any) -> Any:
    a = a.copy()
    r, q, _ = a.shape
    for i in range(r):
        for j in range(q):
            a[i, j, :] = a[i, j, :] @ c
    return np.sum(a * a)


def in_place_and_more(a: Any, c: Any) -> Any:
    """What has been written is read at other places, after the product."""
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = np.sin(a[i, j] @ c) + a[i, j - 1]
    return np.sum(a * a)


def several_times(a: Any, c: Any, n: int) -> Any:
    """The loop outside repeats the ones inside."""
    a = a.copy()
    for _ in range(n):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = a[i, j] @ c
        a = np.sin(a)
    return np.sum(a * a)


def stacks(a: Any, w: Any) -> Any:
    h = np.zeros((a.shape[1], w.shape[1]))
    for t in range(a.shape[0]):
        h = np.tanh(0.5 * h + a[t] @ w)
    return np.sum(h * h)


def in_the_middle(a: Any, w: Any) -> Any:
    h = np.zeros((a.shape[0], w.shape[1]))
    for t in range(a.shape[1]):
        h = np.tanh(0.5 * h + a[:, t, 1:] @ w[1:])
    return np.sum(h * h)


def recurrent(x: Any, w: Any, u: Any) -> Any:
    h = np.zeros(u.shape[0])
    total = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + u @ h)
        total += h @ h
    return total


def handed_out(x: Any, c: Any, w: Any) -> Any:
    """What the reverse sweep multiplies is there when it begins."""
    out = np.zeros((x.shape[0], w.shape[1]))
    h = x[0]
    for t in range(x.shape[0]):
        h = np.sin(c @ h)
        out[t] = h @ w
    return np.sum((out - 1.0) ** 2)


def added(x: Any, w: Any) -> Any:
    out = np.ones((x.shape[0] + 2, w.shape[1]))
    for i in range(x.shape[0]):
        out[i + 1] += x[i] @ w
    return np.sum(np.sin(out))


def spread(x: Any, v: Any) -> Any:
    """A number for each row of another array."""
    out = np.ones((x.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        out[i] = x[i] @ v
    return np.sum(np.sin(out) * np.arange(x.shape[0]))


def written_into(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] @ w
        y[0] = 2.0 * y[1]
        total += np.sum(np.sin(y))
    return total


def kept_ones(x: Any, w: Any) -> Any:
    """All rows, and some that were changed before they are read."""
    out = []
    for i in range(x.shape[0]):
        y = x[i] @ w
        out.append(np.sum(y * y))
        x[i] = np.cos(x[i])
    return out[2] + np.sum(x) + sum(out)


AHEAD = [
    (rows, (X, W)),
    (on_the_right, (X, W)),
    (columns, (X, W)),
    (some, (X, W)),
    (downwards, (X, W)),
    (given, (X, W, 9)),
    (in_place, (A, C)),
    (in_place_and_more, (A, C)),
    (several_times, (A, C, 3)),
    (stacks, (A, W)),
    (in_the_middle, (A, W)),
    (recurrent, (X, W, U)),
    (handed_out, (X, C, W)),
    (added, (X, W)),
    (written_into, (X, W)),
    (kept_ones, (X, W)),
]


def from_before(x: Any, c: Any) -> Any:
    for i in range(1, x.shape[0]):
        x[i] = np.sin(x[i - 1] @ c)
    return np.sum(x)


def into_the_next(x: Any, c: Any) -> Any:
    for i in range(x.shape[0] - 1):
        x[i] = np.sin(x[i] @ c)
        x[i + 1] += 0.1 * x[i]
    return np.sum(x)


def from_behind(x: Any, c: Any) -> Any:
    """Downwards, each row is read where the iteration before has written."""
    for i in range(x.shape[0] - 2, -1, -1):
        x[i] = np.sin(x[i + 1] @ c)
    return np.sum(x)


def through_a_view(x: Any, c: Any) -> Any:
    seen = x[1:]
    for i in range(x.shape[0] - 1):
        seen[i] = np.sin(x[i] @ c)
    return np.sum(x)


def twice_each(x: Any, c: Any) -> Any:
    """The loop outside comes by each row again."""
    for _ in range(2):
        for i in range(x.shape[0]):
            x[i] = np.sin(x[i] @ c)
    return np.sum(x)


def permuted(x: Any, c: Any, order: Any) -> Any:
    for i in range(x.shape[0]):
        x[i] = np.sin(x[order[i]] @ c)
    return np.sum(x)


def around_the_end(x: Any, w: Any) -> Any:
    """The first row is the last one."""
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.sin(x[i - 1] @ w)) * (i + 1)
    return total


def every_second(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(0, x.shape[0], 2):
        total += np.sum(np.sin(x[i] @ w))
    return total


def changed(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] @ c
        c = c * (1.0 + 0.01 * y[0])
        total += np.sum(np.sin(y))
    return total


def triangle(a: Any, c: Any) -> Any:
    total = 0.0
    for i in range(a.shape[1]):
        for j in range(i):
            total += np.sum(np.sin(a[i, j] @ c))
    return total


def left(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.sin(x[i] @ w))
        if i > 4:
            break
    return total


def diagonal(a: Any, c: Any) -> Any:
    total = 0.0
    for i in range(a.shape[1]):
        total += np.sum(np.sin(a[i, i] @ c))
    return total


def growing(a: Any, x: Any) -> Any:
    """What is multiplied is more than what is overwritten, and would have to be recorded."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] += a[i + 1 :, i] @ x[i + 1 :, j]
    return np.sum(x * x)


def in_one_arm(x: Any, c: Any) -> Any:
    """What is not used need not be computed, and may be no number."""
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] @ c
        if x[i, 0] > 0.0:
            total += np.sum(np.sin(y))
    return total


STAY = [
    (from_before, (X, C)),
    (into_the_next, (X, C)),
    (from_behind, (X, C)),
    (through_a_view, (X, C)),
    (permuted, (X, C, RNG.permutation(12))),
    (around_the_end, (X, W)),
    (every_second, (X, W)),
    (changed, (X, C)),
    (left, (X, W)),
    (in_one_arm, (X, C)),
    (growing, (C, C)),
    (diagonal, (A[:4], C)),
]
