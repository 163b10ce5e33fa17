"""Sums of products with vectors in a loop are products of matrices after it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent

RNG = np.random.default_rng(4)
W = RNG.uniform(-0.8, 0.8, (9, 11))
S = RNG.uniform(-0.5, 0.5, (10, 10))
X = RNG.uniform(-1.0, 1.0, (12, 11))
V = RNG.uniform(0.2, 1.0, 10)


def layer(w: Any, x: Any) -> Any:
    out = np.zeros((x.shape[0], w.shape[0]))
    for i in range(x.shape[0]):
        out[i] = np.tanh(w @ x[i])
    return np.sum(out * out)


def some_rows(w: Any, x: Any) -> Any:
    """The other way round, and not all rows."""
    total = 0.0
    for j in range(1, x.shape[0] - 1):
        total += np.sum(np.cos(x[j] @ w.T))
    return total


def recurrent(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.tanh(w @ x + 0.1)
    return np.sum(x * x)


def backwards(w: Any, x: Any) -> Any:
    for k in range(3, -1, -1):
        x = np.sin(w @ x) + x[k]
    return np.sum(x)


def triangle(w: Any) -> Any:
    """Products of parts that grow, a row and a column at a time."""
    m = w.shape[1]
    out = np.zeros((m, m))
    for i in range(m):
        out[i, i:] = w[:, i] @ w[:, i:] / (i + 1.0)
        out[i:, i] = out[i, i:]
    return np.sum(out * out)


def twice(w: Any, x: Any) -> Any:
    """A matrix that is used in two ways, one of which stays in the loop."""
    total = 0.0
    for _ in range(x.shape[0]):
        w[0, 0] = w[0, 0] * 1.1
        total += np.sum(np.exp(0.1 * (w @ x)))
    return total


def overwritten(w: Any, x: Any) -> Any:
    """The adjoint of `w` is read in the loop: what was added before counts."""
    for _ in range(4):
        x = np.tanh(w @ x)
        w = w * (1.0 + 0.1 * x[0])
    return np.sum(x) + np.sum(w)


def never(w: Any, x: Any, n: int) -> Any:
    """The number of steps may be less than zero."""
    for _ in range(n):
        x = np.sin(w @ x)
    return np.sum(x * x)


def left(w: Any, x: Any) -> Any:
    """A loop that is left early."""
    for k in range(20):
        x = np.cos(w @ x)
        if x[0] > 0.97 or k > 6:
            break
    return np.sum(x)


def some_never_read(u: Any, w: Any) -> Any:
    """Of `w` two columns are not read, where there is no number."""
    total = 0.0
    for i in range(w.shape[1] - 2):
        total += np.sum(np.sin(u[:, i] @ w[:, i + 2 :]))
    return total


def read_as_columns(w: Any) -> Any:
    """The first column is read alone, the others in products too."""
    total = 0.0
    for i in range(w.shape[1] - 1):
        total += np.sum(np.sin(w[:, i] @ w[:, i + 1 :]))
    return total


def too_short(w: Any, x: Any) -> Any:
    """A loop that ends before it begins, five rows before the end."""
    total = np.sum(w)
    for i in range(x.shape[0] - 5):
        total += np.sum(np.sin(w @ x[i]))
    return total


def downwards(w: Any, x: Any) -> Any:
    """With one row there is nothing to do."""
    total = 0.0
    for i in range(x.shape[0] - 2, 0, -1):
        total += np.sum(np.sin(w @ x[i] * i))
    return total


GATHERED = [(layer, (W, X)), (some_rows, (W, X)), (triangle, (W,)), (recurrent, (S, V, 5))]
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *GATHERED,
    (backwards, (S, V)),
    (twice, (S, V)),
    (overwritten, (S, V)),
    (never, (S, V, -2)),
    (never, (S, V, 3)),
    (left, (S, V)),
    (triangle, (W[:, :1],)),
    (layer, (W, X[:0])),
    (some_never_read, (np.delete(W, 0, 1), np.delete(W, 0, 1))),
    (read_as_columns, (W,)),
    (too_short, (W, X)),
    (too_short, (W, X[:3])),
    (downwards, (W, X[:1])),
]


def gradients(f: Any, args: tuple[Any, ...], **how: Any) -> Any:
    which = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    made = grad(f, wrt=which, **how)
    found = made(*(a.copy() if isinstance(a, np.ndarray) else a for a in args))
    return made, found if len(which) > 1 else (found,)


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize(
    "disable",
    [
        ("matmul-before-loop",),
        ("matmul-before-loop", "matmul-after-loop", "factor-common-matrix"),
        (),
    ],
    ids=["on", "off", "with ahead"],
)
def test_the_numbers_are_those_of_differences(f: Any, args: Any, disable: tuple[str, ...]) -> None:
    _, found = gradients(f, args, disable=disable)
    for k, bar in enumerate(found):
        dot = np.cos(np.arange(args[k].size)).reshape(args[k].shape)
        values = []
        for step in (1e-6, -1e-6):
            moved = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
            moved[k] = moved[k] + step * dot
            values.append(f(*moved))
        slope = (values[0] - values[1]) / 2e-6
        assert np.sum(bar * dot) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_what_is_not_read_may_be_no_number() -> None:
    w = W.copy()
    w[:, :2] = np.nan
    bars = gradients(some_never_read, (W, w))[1]
    plain = gradients(
        some_never_read, (W, w), disable=["matmul-after-loop", "factor-common-matrix"]
    )[1]
    for bar, other in zip(bars, plain, strict=True):
        assert np.isfinite(bar).all()
        np.testing.assert_allclose(bar, other, rtol=1e-12)


@pytest.mark.parametrize(("f", "args"), GATHERED, ids=lambda v: getattr(v, "__name__", ""))
def test_the_products_are_after_the_loop(f: Any, args: Any) -> None:
    on, off = (
        gradients(f, args, disable=["matmul-before-loop", *d])[0].source
        for d in ([], ["matmul-after-loop", "factor-common-matrix"])
    )
    assert "np.outer" in off
    assert "np.outer" not in on, on
    assert "@" in on.rpartition("for ")[2]


def test_the_sums_of_the_user_stay() -> None:
    def scatter(x: Any) -> Any:
        total = np.zeros((x.shape[1], x.shape[1]))
        for row in x:
            total += np.outer(row, row)
        return np.sum(np.sin(total))

    made, _ = gradients(scatter, (X,))
    assert "np.outer(row, row)" in made.source, made.source


def test_second_derivatives_of_products() -> None:
    first = grad(layer, wrt="w")
    second = tangent(first, wrt="w")
    dot = np.cos(np.arange(W.size)).reshape(W.shape)
    slope = (first(W + 1e-6 * dot, X) - first(W - 1e-6 * dot, X)) / 2e-6
    np.testing.assert_allclose(second(W, X, dot)[1], slope, rtol=1e-5, atol=1e-7)
