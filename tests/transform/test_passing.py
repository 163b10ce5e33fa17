"""Elements of arrays that are restored are read from a later version, where that has them."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad

X = np.array([0.7, -1.2, 0.4, 1.9, 0.8])


def sweeps(x: Any, p: Any) -> Any:
    """`p` is written twice, and the second half of a step reads what the first one left."""
    p, x = p.copy(), x.copy()
    for _ in range(3):
        p[0] = x[0] * x[1]
        for j in range(1, 5):
            p[j] = 1.5 / (3.0 - 0.5 * p[j - 1] * x[j])
        for j in range(3, 0, -1):
            x[j] = p[j] * x[j + 1] + 0.1 * x[j]
    return np.sum(x * x)


def wrapped(x: Any, p: Any) -> Any:
    """`p[j - 1]` is the last entry first, which a row of one entry writes at once."""
    p, x = p.copy(), x.copy()
    for _ in range(3):
        for j in range(len(p)):
            p[j] = 1.5 / (3.0 - 0.5 * p[j - 1] * x[j])
        for j in range(len(p)):
            x[j] = p[j] * x[j] + 0.1 * x[j] * x[j]
    return np.sum(x * x)


def overlapping(x: Any, p: Any) -> Any:
    """What is read of `p` is overwritten in part."""
    p, x = p.copy(), x.copy()
    for _ in range(3):
        for j in range(1, 4):
            t = p[j - 1 : j + 1] * x[j]
            p[j : j + 2] = t * t / (1.0 + p[j])
        for j in range(1, 4):
            x[j] = p[j] * x[j + 1] * x[j]
    return np.sum(x * x)


def repeated(x: Any, p: Any) -> Any:
    """An index names a place twice: what was written first is gone."""
    p, x = p.copy(), x.copy()
    places = np.array([0, 2, 0])
    for _ in range(3):
        t = np.exp(0.1 * p[places] * x[:3])
        p[places] = t
        x[:3] = x[:3] * t
        for j in range(4):
            x[j] = p[j] * x[j + 1] * x[j]
    return np.sum(x * x)


def numbered_late(x: Any, p: Any) -> Any:
    """The place at which a value is stored is computed after the value, and from it."""
    p, x = p.copy(), x.copy()
    for _ in range(3):
        for j in range(4):
            t = np.sin(p[j] * x[j])
            k = 1 + j
            p[k] = t * x[j]
            u = t * p[k]
            p[int(u.real > 0.2)] = u
        for j in range(3, 0, -1):
            x[j] = p[j] * x[j + 1] * x[j]
    return np.sum(x * x)


def swapped(x: Any, p: Any) -> Any:
    """Of two arrays that a loop has swapped, one is written and the other read."""
    a, b = x * 1.0, p * 2.0
    for _ in range(3):
        a, b = b, a
    total = 0.0
    for i in range(len(x)):
        b[i] += np.sin(x[i])
        total += a[i] * a[i] * x[i]
    return total + np.sum(b * b)


PROGRAMS = [
    (sweeps, 5),
    (wrapped, 5),
    (wrapped, 1),
    (overlapping, 5),
    (repeated, 5),
    (numbered_late, 5),
    (swapped, 5),
]


@pytest.mark.parametrize("f,n", PROGRAMS)
@pytest.mark.parametrize(
    "disable",
    [
        (),
        (
            "first-writes",
            "surviving-elements",
        ),
    ],
    ids=["on", "off"],
)
def test_the_numbers_are_those_of_the_complex_step(
    f: Any, n: int, disable: tuple[str, ...]
) -> None:
    x, p = X[:n].copy(), 0.5 + 0.1 * X[:n]
    gradients = grad(f, wrt=("x", "p"), disable=disable)(x, p)
    for k, gradient in enumerate(gradients):
        for i in range(n):
            at = [x.astype(complex), p.astype(complex)]
            at[k][i] += 1e-30j
            assert gradient[i] == pytest.approx(f(*at).imag / 1e-30, rel=1e-12)


def test_what_a_restored_array_has_is_not_recorded() -> None:
    both = grad(sweeps, wrt=("x", "p")), grad(
        sweeps, wrt=("x", "p"), disable=["first-writes", "surviving-elements"]
    )
    texts = []
    for made in both:
        made(X, X)
        texts.append(made.source)
    tapes = [text.count(".append(") for text in texts]
    assert tapes[0] < tapes[1], texts[0]
