"""Jacobians nest as results and arguments do; every block is held against differences."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, grad, hessian, jacfwd, jacobian, jacrev

X = np.array([0.7, -1.3, 2.1])
MAKERS = (jacfwd, jacrev, jacobian)


class Pair(NamedTuple):
    u: Any
    v: Any


@dataclass
class Held:
    u: Any
    n: Any = 2


def scaled(x: Any, a: float) -> Any:
    return a * x**2


def parts(p: Any, x: Any) -> Any:
    total = np.sum(p["w"] * x)
    return (
        {"y": p["w"] * x**2, "n": 3},
        Pair(total * p["b"], [x[0], x[1] * p["b"]]),
        Held(x * total),
    )


def energy(p: Any, x: Any) -> Any:
    return np.sum(p["w"] * x**2) * p["b"] + np.sum(x**3)


P = {"w": 2.0 * X, "b": 3.0}


def entries(tree: Any) -> list[Any]:
    """The numbers and arrays of a structure."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    elif isinstance(tree, Held):
        tree = [tree.u, tree.n]
    if isinstance(tree, tuple | list):
        return [leaf for entry in tree for leaf in entries(entry)]
    return [tree]


def moved(tree: Any, leaf: int, entry: int, step: float) -> Any:
    """The structure with one number changed."""
    tree = deepcopy(tree)
    holders: list[tuple[Any, Any]] = []

    def walk(holder: Any, keys: Any) -> None:
        for key in keys:
            inner = holder[key]
            if isinstance(inner, dict):
                walk(inner, list(inner))
            elif isinstance(inner, list):
                walk(inner, range(len(inner)))
            else:
                holders.append((holder, key))

    box = list(tree)
    walk(box, range(len(box)))
    holder, key = holders[leaf]
    if isinstance(holder[key], np.ndarray):
        holder[key].ravel()[entry] += step
    else:
        holder[key] += step
    return tuple(box)


def differences(f: Callable[..., Any], args: tuple[Any, ...], row: int, column: int) -> Any:
    """The block of one leaf of the result by one leaf of the arguments."""
    x = entries(args)[column]
    found = []
    for k in range(np.size(x)):
        high, low = (
            np.asarray(entries(f(*moved(args, column, k, h)))[row], float) for h in (1e-6, -1e-6)
        )
        found.append((high - low) / 2e-6)
    block = np.stack(found, axis=-1)
    return block.reshape(block.shape[:-1] + np.shape(x))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (scaled, (X, 3.0)),
        (parts, (P, X)),
        (lambda q: [q[0] * q[1][0], q[1][1]], ([2.0, [3.0, 4.0]],)),
        (lambda x, y: (np.outer(x, y), np.sum(x)), (X, np.array([1.0, 2.0]))),
        (lambda x: [x[1], x[2] * x[0], x[0] ** 2], (X,)),
        (lambda x: (x[1], x[0] ** 2), (X,)),
        (lambda x: (x[1] * x, x[0] ** 2 * x), (X[:2],)),
    ],
)
def test_blocks(make: Callable[..., Any], f: Callable[..., Any], args: Any) -> None:
    found = make(f, wrt=...)(*deepcopy(args))
    y, inputs = f(*deepcopy(args)), entries(args)
    rows = [found] if isinstance(y, np.ndarray) else None
    assert type(found) is (tuple if rows else type(y))
    flat = entries(found)
    assert len(flat) == len(entries(y)) * len(inputs)
    for k, block in enumerate(flat):
        row, column = divmod(k, len(inputs))
        wanted = differences(f, args, row, column)
        assert np.shape(block) == np.shape(entries(y)[row]) + np.shape(inputs[column])
        np.testing.assert_allclose(block, wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_as_many_results_as_entries(make: Callable[..., Any], kind: Any) -> None:
    """Solvers take the rows of a list or tuple of numbers for the matrix."""

    def f(x: Any) -> Any:
        if kind is list:
            return [x[1], 3.0 * x[0] + x[1] ** 2]
        if kind is tuple:
            return x[1], 3.0 * x[0] + x[1] ** 2
        return np.array([x[1], 3.0 * x[0] + x[1] ** 2])

    for _ in range(2):
        found = np.asarray(make(f)(np.array([2.0, 5.0])))
        assert found.tolist() == [[0.0, 1.0], [3.0, 10.0]]


@pytest.mark.parametrize("make", MAKERS)
def test_nesting(make: Callable[..., Any]) -> None:
    one = make(scaled)(X, 3.0)
    assert one.shape == (3, 3)
    for wrt in ((0,), ["x"], ("x",)):
        (same,) = make(scaled, wrt)(X, 3.0)
        assert np.array_equal(same, one)
    by_x, by_a = make(scaled, "x,a")(X, 3.0)
    assert by_x.shape == (3, 3) and by_a.shape == (3,)
    first, second, third = make(parts, ("p", "x"))(P, X)
    assert list(first) == ["y", "n"] and isinstance(first["y"], tuple)
    assert list(first["y"][0]) == ["w", "b"] and first["y"][0]["w"].shape == (3, 3)
    assert not first["n"][1].any() and first["n"][1].shape == (3,)
    assert isinstance(second, Pair) and isinstance(second.v, list)
    assert second.v[1][0]["b"] == X[1] and second.u[1].shape == (3,)
    assert isinstance(third, Held) and third.u[0]["b"].shape == (3,)
    alone = make(parts, "x")(P, X)
    assert alone[0]["y"].shape == (3, 3) and alone[1].v[0].tolist() == [1.0, 0.0, 0.0]


def test_hessians_nest_twice() -> None:
    found = hessian(energy, ("p", "x"))(P, X)
    assert isinstance(found, tuple) and isinstance(found[0], dict)
    gradient = grad(energy, ("p", "x"))
    for row in range(3):
        for column in range(3):
            block = entries(found)[3 * row + column]
            wanted = differences(gradient, (P, X), row, column)
            np.testing.assert_allclose(block, wanted, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(hessian(energy, ("x",))(P, X)[0][0], hessian(energy, 1)(P, X))
    assert hessian(energy, "p")(P, X)["w"]["b"].tolist() == (X**2).tolist()


@pytest.mark.parametrize("make", MAKERS)
def test_lengths_of_zero_and_numbers(make: Callable[..., Any]) -> None:
    assert make(scaled)(np.zeros(0), 3.0).shape == (0, 0)
    assert [b.shape for b in make(scaled, ...)(np.zeros(0), 3.0)] == [(0, 0), (0,)]
    assert make(scaled)(2.0, 3.0) == 12.0
    assert make(lambda x: x[:, :0])(np.ones((2, 3))).shape == (2, 0, 2, 3)


@pytest.mark.parametrize("make", MAKERS)
def test_compiled(make: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    for one, other in zip(
        make(scaled, ..., compile="numba")(X, 3.0), make(scaled, ...)(X, 3.0), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-14, atol=1e-14)
    found = make(lambda x: (2.0 * x, np.sum(x)), compile="numba")(X)
    assert np.array_equal(found[0], 2.0 * np.eye(3)) and np.array_equal(found[1], np.ones(3))
    assert make(scaled, compile="numba")(np.zeros(0), 3.0).shape == (0, 0)


def test_arguments_are_left_alone() -> None:
    def overwrites(x: Any) -> Any:
        x *= 2.0
        return x * x

    for make in MAKERS:
        x = X.copy()
        np.testing.assert_allclose(make(overwrites)(x), np.diag(8.0 * X), rtol=1e-14)
        assert np.array_equal(x, X)
    assert adjoint(scaled)(X, 3.0, X)[1].shape == (3,)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("result", [None, "a"])
def test_a_result_without_numbers_is_refused(make: Callable[..., Any], result: Any) -> None:
    with pytest.raises(AdjointgenError, match="AG404"):
        make(lambda x: result)(1.5)


def test_a_gradient_by_no_floats_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG402"):
        grad(lambda x, n: x * n, wrt=...)(1, 2)
