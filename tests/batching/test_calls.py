"""`vmap` as a call: axes, seeds, effects, exceptions, misuse; Jacobians by one program."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, grad, jacfwd, jacrev, tangent, vmap

X = np.random.default_rng(3).standard_normal((4, 3))


def scaled(x, v):
    return x * np.sum(v * v)


def bent(x):
    y = np.zeros_like(x)
    y[1:] = x[:-1] * np.sin(x[1:])
    y[0] = x[-1] ** 2
    return y


def root(x):
    return math.sqrt(x)


def inverse(x):
    return 1.0 / (x - 1.0)


def test_results_have_their_axis_where_it_is_asked_for() -> None:
    found = vmap(bent, out_axes=1)(X)
    np.testing.assert_allclose(found, vmap(bent)(X).T, rtol=1e-15)


def test_arguments_by_name_and_defaults() -> None:
    def f(x, n=3, *, v=1.0):
        return x * n + v

    np.testing.assert_allclose(vmap(f)(X[0], v=X[1]), X[0] * 3 + X[1])
    np.testing.assert_allclose(vmap(f, in_axes={"x": 0})(X[0], 2, v=0.5), X[0] * 2 + 0.5)


@pytest.mark.parametrize("kind", [tangent, adjoint])
def test_seeds_over_a_batch_are_directions(kind: Any) -> None:
    f = vmap(kind(bent), in_axes=(None, 0))
    y, found = f(X[0], X[1:])
    assert not f.looped
    for k in range(3):
        value, one = kind(bent)(X[0], X[1 + k])
        np.testing.assert_allclose(y[k], value, rtol=1e-14)
        np.testing.assert_allclose(found[k], one, rtol=1e-13)


def test_a_seed_that_does_not_fit_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG407"):
        vmap(tangent(bent), in_axes=(None, 0))(X[0], np.ones((4, 2)))


def test_what_raises_for_one_sample_raises() -> None:
    with pytest.raises(ValueError, match=r"math domain|nonnegative"):
        vmap(root)(np.array([1.0, -1.0]))
    with np.errstate(divide="ignore"):
        found = vmap(inverse)(np.array([1.0, 3.0]))
        assert found.tolist() == [math.inf, 0.5]


def test_effects_are_those_of_a_loop() -> None:
    seen = []

    def told(x):
        seen.append(float(x))
        return x * x

    f = vmap(told)
    assert f(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 4.0, 9.0]
    assert seen == [1.0, 2.0, 3.0] and f.looped


def test_writes_to_arguments_are_those_of_a_loop() -> None:
    def cleared(x):
        x[0] = 0.0
        return np.sum(x)

    given = X.copy()
    found = vmap(cleared)(given)
    np.testing.assert_allclose(found, X[:, 1:].sum(axis=1))
    assert not given[:, 0].any()
    given = X.copy()
    vmap(grad(cleared))(given)
    np.testing.assert_array_equal(given, X)


MISUSES = [
    (0, (X, X[:2])),
    ((0,), (X, X)),
    ((0, 5), (X, X)),
    ((0, 0), (X[0], 1.0)),
    ((None, None), (X, X)),
    (0, (X[:0, 0], X[:0])),
    ((0, {"a": 0}), (X, X)),
    ("x", (X, X)),
    ({"z": 0}, (X, X)),
]


@pytest.mark.parametrize(("axes", "args"), MISUSES)
def test_axes_that_do_not_fit_are_refused(axes: Any, args: Any) -> None:
    with pytest.raises(AdjointgenError, match="AG416"):
        vmap(scaled, in_axes=axes)(*args)


def test_results_that_cannot_be_put_together_are_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG416"):
        vmap(lambda x: x[x > 0.0])(np.array([[1.0, -1.0], [1.0, 1.0]]))
    with pytest.raises(AdjointgenError, match="AG416"):
        vmap(bent, out_axes=3)(X)


def test_a_batch_of_batches() -> None:
    found = vmap(vmap(lambda x: x * x))(X)
    np.testing.assert_allclose(found, X * X)


def test_it_pickles() -> None:
    f = pickle.loads(pickle.dumps(vmap(bent)))
    np.testing.assert_array_equal(f(X), vmap(bent)(X))


@pytest.mark.parametrize("jac", [jacfwd, jacrev])
def test_a_jacobian_is_that_of_one_run_per_entry(jac: Any) -> None:
    columns = [tangent(bent)(X[0], e)[1] for e in np.eye(3)]
    np.testing.assert_allclose(jac(bent)(X[0]), np.stack(columns, axis=-1), rtol=1e-13)
    matrix = jac(lambda x: np.sin(x) @ x.T)(X[:2])
    assert matrix.shape == (2, 2, 2, 3)
    h, e = 1e-6, np.zeros((2, 3))
    e[1, 2] = h
    g = lambda x: np.sin(x) @ x.T  # noqa: E731
    slope = (g(X[:2] + e) - g(X[:2] - e)) / (2 * h)
    np.testing.assert_allclose(matrix[:, :, 1, 2], slope, atol=1e-8)


ROWS = np.arange(9.0).reshape(3, 3)


def first_two(*given: Any) -> Any:
    return given[0] + given[1]


def test_axes_of_what_a_function_takes_by_a_star() -> None:
    expected = np.stack([row + ROWS for row in ROWS])
    np.testing.assert_array_equal(vmap(first_two, (0, None))(ROWS, ROWS), expected)
    gradients = vmap(grad(lambda *a: np.sum(a[0] * a[1])), (0, None))(ROWS, ROWS)
    np.testing.assert_allclose(gradients, np.tile(ROWS.sum(axis=0), (3, 1)))


@pytest.mark.parametrize("axes", [((0, None), (None, 0)), ((None, 0), (0, None))])
def test_all_pairs_by_a_batch_of_batches(axes: Any) -> None:
    inner, outer = axes
    found = vmap(vmap(lambda x, y: x - y, inner), outer)(ROWS, 10.0 * ROWS)
    pairs = ROWS[:, None] - 10.0 * ROWS[None]
    expected = np.swapaxes(pairs, 0, 1) if outer == (None, 0) else pairs
    np.testing.assert_array_equal(found, expected)


def test_axes_are_not_those_of_what_is_given_by_name() -> None:
    def scaled_by(x: Any, *, c: Any) -> Any:
        return x * c

    x, c, seed = ROWS[1], ROWS[0], ROWS[2]
    found = vmap(adjoint(scaled_by), in_axes=(0, 0))(x, seed, c=c)
    np.testing.assert_array_equal(found, [x * c, seed * c, seed * x])


MIXED = [
    (lambda x, y: x + y, (np.ones(2, "f"), np.ones(2) + 1e-9)),
    (lambda x, y: np.sum(x) * np.sum(y), (np.ones((2, 3), "f"), np.ones((2, 3)) / 3)),
    (lambda x: x[np.argmax(x)] * np.argmax(x), (np.arange(6, dtype="f").reshape(2, 3),)),
    (lambda x: np.sum(x) * 0.5, (np.ones((2, 3), "f"),)),
]


@pytest.mark.parametrize(("f", "args"), MIXED)
def test_numbers_of_unlike_precision(f: Any, args: Any) -> None:
    found, expected = vmap(f)(*args), np.stack([f(*one) for one in zip(*args, strict=True)])
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


def test_results_have_memory_of_their_own() -> None:
    rows = np.ones((2, 3))
    for f in (lambda x: x, lambda x: x[1:], lambda x: x.T):
        assert not np.shares_memory(vmap(f)(rows), rows)
    one, other = vmap(lambda x: (y := 2.0 * x, y))(rows)
    assert not np.shares_memory(one, other)
