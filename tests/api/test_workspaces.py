"""Workspaces: what compiled derivatives give, without an array that is made in a call."""

import linecache
import types
from functools import cache
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, value_and_grad, workspace
from adjointgen.api.backends.numba_target import compiled_in_buffers
from adjointgen.api.calls.workspaces import Roomy

pytest.importorskip("numba")

X = np.linspace(0.2, 0.9, 12)


def damped(x: Any, k: Any, steps: int) -> Any:
    for _ in range(steps):
        x = x - k * np.sin(x)
    return x @ x


def waves(x: Any) -> Any:
    return np.sum(np.sin(x))


def until(x: Any, k: Any) -> Any:
    y = x.copy()
    while np.sum(y * y) > 1.0:
        y = np.sin(y) * k
    return np.sum(y)


@cache
def made() -> Any:
    """The compiled value and gradient."""
    return value_and_grad(damped, wrt=("x", "k"), compile="numba")


@cache
def space() -> Any:
    """Its workspace."""
    return workspace(made(), X, 0.1, 7)


def leaves(value: Any) -> list[Any]:
    return [a for v in value for a in leaves(v)] if isinstance(value, tuple) else [value]


def test_a_steady_step_makes_no_array() -> None:
    plain, compiled, w = value_and_grad(damped, wrt=("x", "k")), made(), space()
    args = X, 0.1, 7
    assert w.arrays_made(*args) == 0
    for scale in (1.0, 0.5, 1.0):
        other = (args[0] * scale, *args[1:])
        for found, expected in zip(leaves(w(*other)), leaves(plain(*other)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)
    first, second = leaves(w(*args))[1], leaves(w(*args))[1]
    assert np.shares_memory(first, second)
    # The derivative itself gives arrays of their own as before.
    one, two = leaves(compiled(*args))[1], leaves(compiled(*args))[1]
    assert not np.shares_memory(one, two) and not np.shares_memory(one, first)


def test_lengths_may_change() -> None:
    gradient, w = made(), space()
    for u, steps in ((np.tile(X, 5), 7), (X, 40), (X[:5].copy(), 2), (np.tile(X, 5), 40)):
        for _ in range(3):
            for one, other in zip(
                leaves(w(u, 0.1, steps)), leaves(gradient(u, 0.1, steps)), strict=True
            ):
                np.testing.assert_array_equal(one, other)
        assert w.arrays_made(u, 0.1, steps) == 0


def test_a_result_may_be_an_argument() -> None:
    gradient, w = made(), space()
    mine, others = X, X
    for _ in range(3):
        mine, others = w(mine, 0.1, 7)[1][0], gradient(others, 0.1, 7)[1][0]
        np.testing.assert_array_equal(mine, others)
    # The other way round each entry is written before one that it stands on is read.
    gradient = grad(waves, compile="numba")
    w = workspace(gradient, X)
    np.testing.assert_array_equal(w(w(X)[::-1]), gradient(gradient(X)[::-1]))


def test_results_in_arrays_of_the_callers() -> None:
    gradient, w = made(), space()
    u_bar = np.empty(12)
    value, (found, k_bar) = w(X, 0.1, 7, out=(None, (u_bar, None)))
    assert found is u_bar
    w(2.0 * X, 0.1, 7)
    expected, (wanted, other) = gradient(X, 0.1, 7)
    np.testing.assert_array_equal(u_bar, wanted)
    assert (value, k_bar) == (expected, other)
    for out in (u_bar, (None, u_bar), (None, (np.empty(11), None)), (u_bar, (u_bar, None))):
        with pytest.raises(AdjointgenError) as caught:
            w(X, 0.1, 7, out=out)
        assert caught.value.code == "AG407"


def test_what_is_refused() -> None:
    for f in (grad(damped), damped, grad(damped, compile="numba-parallel")):
        with pytest.raises(AdjointgenError) as caught:
            workspace(f, X, 0.1, 3)
        assert caught.value.code == "AG415"
    with pytest.raises(AdjointgenError) as caught:
        workspace(grad(until, compile="numba"), 2.0 * X, 0.9)
    assert caught.value.code == "AG142" and "in each call" in caught.value.message


KEPT = """
import numpy as np


def kept(n):
    last = np.zeros(3)
    total = 0.0
    for i in range(n):
        t = np.empty(3)
        t[0] = i
        t[1] = 2.0 * i
        t[2] = 1.0
        total += t[0] - last[1]
        last = t
    return total


def parted(n):
    last = np.zeros(2)
    total = 0.0
    for i in range(n):
        t = np.empty((2, 2))
        for j in range(2):
            t[0, j] = i + j
            t[1, j] = i * j
        total += last[0]
        last = t[1]
    return total


def single(n):
    total = 0.0
    for i in range(n):
        t = np.zeros((2, 2))
        t[0, 0] += i
        total += t[0, 0] + t[1, 1]
    return total


def several(n):
    a = np.empty((n, 2))
    mask = np.empty((n, 2), dtype=np.bool_)
    for i in range(n):
        for j in range(2):
            a[i, j] = i + 2.0 * j
            mask[i, j] = i > j
    product = a.T @ a
    other = product.copy()
    other[0, 0] = 0.0
    zeros = np.zeros_like(other)
    return product[0, 0] + other[1, 0] + zeros[1, 1] + mask[3, 1]
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name, dtypes",
    [
        ("kept", ("float64",)),
        ("parted", ("float64",)),
        ("single", ("float64",)),
        ("several", ("float64", "bool", "float64", "float64", "float64")),
    ],
)
def test_an_array_that_outlives_its_iteration_is_made_anew(
    name: str, dtypes: tuple[str, ...]
) -> None:
    names: dict[str, Any] = {}
    linecache.cache["<kept>"] = (len(KEPT), None, KEPT.splitlines(keepends=True), "<kept>")
    exec(compile(KEPT, "<kept>", "exec"), names)
    run = names[name]
    assert isinstance(run, types.FunctionType)
    expected = run(5)
    fast, found = compiled_in_buffers(run, {"n": 5})
    assert found == dtypes
    room = Roomy(fast, found)
    for n in (5, 5, 7, 5):
        assert room(n) == expected or n != 5
