"""Compiled Jacobians follow many directions at once and are those of one run per direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, jacfwd, jacobian, jacrev
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.generated import Generated
from adjointgen.api.calls.vector_sweeps import MOST, Sweeps
from adjointgen.api.programs.recipes import Step
from tests.benchmarks.objectives.all import OBJECTIVES
from tests.lowering.loops import uncompiled

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(12)


def chain(x: Any) -> Any:
    """Numbers that loops carry, and an inner loop of a few iterations."""
    y = np.zeros(len(x))
    level = 1.0
    for i in range(len(x)):
        inner = x[i] * level
        for k in range(3):
            inner = inner * x[i] + 0.1 * k
        level = 0.5 * level + 0.25 * math.sin(inner)
        y[i] = level * inner
    return y


def branched(x: Any) -> Any:
    y = np.zeros(4)
    for i in range(len(x)):
        if x[i] > 0.0:  # noqa: SIM108 (an expression would be evaluated without a branch)
            t = math.exp(x[i])
        else:
            t = 2.0
        y[i % 4] += t * x[0]
    return y


def arrayed(x: Any) -> Any:
    y = x[1:] * x[:-1]
    y[0] = np.sum(x * x)
    return np.sin(y)


def one(x: float) -> Any:
    return np.array([x * x, math.sin(x)])


def scalar(x: Any) -> float:
    total = 1.0
    for i in range(len(x)):
        total = total * x[i] + x[i]
    return total


def writing(x: Any) -> Any:
    x[0] = x[1] * x[2]
    return x[:3] * x[0]


def product(x: Any) -> Any:
    """What stays an operation on arrays, which only one direction at a time goes through."""
    a = np.outer(x, x) + 3.0 * np.eye(len(x))
    return np.linalg.solve(a, x)


def summed(x: Any) -> Any:
    """A product of matrices in loops, whose sums stand in an array."""
    a = np.zeros((2, 3))
    for i in range(2):
        for j in range(3):
            a[i, j] = x[i] * x[i + j]
    out = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            for k in range(3):
                out[i, j] += a[i, k] * a[j, k]
    return out


FUNCTIONS = (chain, branched, arrayed, one, scalar, writing, product, summed)
JACOBIANS = (jacfwd, jacrev, jacobian)


def point(function: Callable[..., Any]) -> Any:
    return 0.7 if function is one else RNG.standard_normal(6)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("maker", JACOBIANS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_jacobian(function: Callable[..., Any], maker: Callable[..., Any]) -> None:
    x = point(function)
    before = np.copy(x)
    # It takes one of the others, which are compiled.
    with uncompiled() if maker is jacobian else nullcontext():
        found = maker(function, compile="numba")(x)
    assert np.array_equal(x, before)
    step = 1e-6
    expected = []
    for e in np.eye(np.size(x)):
        e = e.reshape(np.shape(x))
        ahead, behind = (function(x + s * e if np.ndim(x) else x + s) for s in (step, -step))
        expected.append((np.asarray(ahead) - behind) / (2.0 * step))
    wanted = np.stack(expected, axis=-1)
    assert found == pytest.approx(wanted.reshape(np.shape(found)), rel=1e-6, abs=1e-7)
    assert found == pytest.approx(maker(function)(x), rel=1e-12, abs=1e-13)
    assert np.shape(found) == np.shape(function(np.copy(x) if np.ndim(x) else x)) + np.shape(x)


@pytest.mark.parametrize("function", (chain, branched, arrayed, scalar), ids=lambda f: f.__name__)
def test_directions_are_followed_together(function: Callable[..., Any]) -> None:
    sweeps = Sweeps(function, "tangent", "x", "numba")
    x = point(function)
    sweeps.columns((x,), x)
    assert not sweeps.single and list(sweeps.made) == [6]


def test_what_cannot_be_followed_together_is_followed_one_by_one() -> None:
    sweeps = Sweeps(product, "tangent", "x", "numba")
    x = point(product)
    found = sweeps.columns((x,), x)
    assert sweeps.single
    assert found == pytest.approx(jacfwd(product)(x), rel=1e-10)


def test_many_directions_are_blocks() -> None:
    sweeps = Sweeps(chain, "tangent", "x", "numba")
    x = np.linspace(0.2, 0.9, 2 * MOST + 1)
    found = sweeps.columns((x,), x)
    assert list(sweeps.made) == [22]
    assert found == pytest.approx(jacfwd(chain)(x), rel=1e-12)


def test_rows_of_a_sparse_jacobian() -> None:
    (bundle,) = (o for o in OBJECTIVES if o.jacobian == "rows")
    function = bundle.loops
    arguments = bundle.inputs("tiny")
    seeds = RNG.standard_normal((5, 2, 2))

    def made(directions: int, target: Any) -> Any:
        recipe = (Step("adjoint", bundle.wrt, directions),)
        return Derivative(Generated(function, recipe, (), target))

    value, *blocks = made(2, "numba")(*arguments, seeds)
    for k in range(2):
        again, *bars = made(0, "python")(*arguments, seeds[..., k].copy())
        assert value == pytest.approx(again, rel=1e-12)
        for block, bar in zip(blocks, bars, strict=True):
            assert block[..., k] == pytest.approx(bar, rel=1e-12, abs=1e-13)


def test_what_is_shared_is_computed_once() -> None:
    sweeps = Sweeps(chain, "tangent", "x", "numba")
    x = point(chain)
    sweeps.columns((x,), x)
    text = sweeps.program(6).source
    # The sine of the value stands before the loop over directions that multiplies by its cosine.
    assert text.count("math.sin(") == 1 and text.count("math.cos(") == 1
    assert "for q in range(6):" in text


def test_sums_stand_in_numbers() -> None:
    sweeps = Sweeps(summed, "tangent", "x", "numba")
    x = point(summed)
    sweeps.columns((x,), x)
    text = " ".join(sweeps.program(6).source.split())
    assert "for q in range(6): out_dot_1 = 0.0 for k in range(3): out_dot_1 = _plus(" in text
    # The order of the user's own sum is the user's.
    assert "out_1 += a[i, k] * a[j, k]" in text


def moved(x: Any, weights: Any) -> Any:
    """Many points that two bones move, each of which turns by two of the numbers."""
    places = np.zeros((weights.shape[1], 2))
    for b in range(2):
        bone = np.zeros((2, 2))
        bone[0, 0] = x[2 * b] * x[2 * b + 1]
        bone[1, 1] = np.sqrt(x[2 * b + 1])
        for v in range(len(places)):
            for i in range(2):
                place = bone[i, 0]
                for k in range(2):
                    place += bone[i, k] * weights[k, v]
                places[v, i] += weights[b, v] * place
    return places


NARROW = "for q in range(low, high):"


def columns_of(function: Any, x: Any, *given: Any, without: tuple[str, ...] = ()) -> Any:
    """The Jacobian by the first argument as a compiler gets it, and its text."""
    recipe = (Step("tangent", ("x",), len(x)),)
    run = Derivative(Generated(function, recipe, without, "numba"))
    with uncompiled():
        _, found = run(x, *given, np.eye(len(x)))
    return found, run.source


@pytest.mark.parametrize(
    "x",
    [[0.3, 0.8, 1.2, 0.5, 0.1], [0.0, 4.0, 0.0, 1.0, 0.0], [np.nan, 1.0, 2.0, 3.0, 1.0]],
    ids=str,
)
def test_directions_that_move_nothing_are_left_out(x: Any) -> None:
    x, weights = np.array(x), RNG.standard_normal((2, 90))
    found, text = columns_of(moved, x, weights)
    everywhere, plain = columns_of(moved, x, weights, without=("direction-sparsity",))
    assert NARROW in text and NARROW not in plain
    assert np.array_equal(found, everywhere, equal_nan=True)
    if np.all(np.isfinite(x)):
        assert np.any(found[..., :4]) and not np.any(found[..., 4])
        assert found == pytest.approx(jacfwd(moved)(x, weights), rel=1e-13)


def test_no_direction_moves_anything() -> None:
    x, weights = np.ones(4), RNG.standard_normal((2, 90))
    run = Derivative(Generated(moved, (Step("tangent", ("x",), 4),), (), "numba"))
    with uncompiled():
        _, found = run(x, weights, np.zeros((4, 4)))
    assert found.shape == (90, 2, 4) and not np.any(found)


def infinite(x: Any, weights: Any) -> Any:
    """The factor of what moves is no number of the arguments, and may be infinite."""
    out = np.zeros(weights.shape[1])
    first = x[:2] * x[:2]
    for v in range(len(out)):
        for k in range(2):
            out[v] += np.sqrt(weights[k, v]) * first[k] + weights[k, v] / x[3] * first[k]
    return out


def stored(x: Any, weights: Any) -> Any:
    """Zeros have to be stored."""
    out = np.ones(weights.shape[1])
    first = x[:2] * x[:2]
    for v in range(len(out)):
        for k in range(2):
            out[v] = weights[k, v] * first[k]
    return out


def short(x: Any, weights: Any) -> Any:
    """So few additions are not worth a look."""
    out = np.zeros(3)
    first = x[:2] * x[:2]
    for v in range(3):
        for k in range(2):
            out[v] += weights[k, v] * first[k]
    return out


@pytest.mark.parametrize("function", [infinite, stored, short], ids=lambda f: f.__name__)
def test_directions_are_left_out_of_sums_alone(function: Any) -> None:
    x, weights = np.linspace(0.5, 1.5, 4), np.abs(RNG.standard_normal((2, 90)))
    found, text = columns_of(function, x, weights)
    assert NARROW not in text
    assert found == pytest.approx(jacfwd(function)(x, weights), rel=1e-13)


def reused(x: Any, y: Any) -> Any:
    """The product is read last by its derivative, which has no use for its storage here."""
    a = np.sin(x)
    b = a * y
    return np.sum(a * b)


def remade(x: Any, y: Any) -> Any:
    a, b = x.copy(), 0.5 * y
    for i in range(len(x) - 1):
        a[i] = x[i] / (1.0 + x[i + 1] * x[i + 1])
    for _ in range(-1, 2):
        b = 0.5 * a + x
    return np.sum(a * b) + 0.3


@pytest.mark.parametrize("function", [reused, remade], ids=lambda f: f.__name__)
def test_values_have_no_directions(function: Callable[..., Any]) -> None:
    x, y, seeds = np.linspace(0.2, 1.1, 4), np.linspace(0.9, 0.1, 4), np.array([0.4, -1.0, 0.7])
    with uncompiled():
        together = adjoint(function, wrt=("x", "y"), compile="numba", directions=3)(x, y, seeds)
        apart = [adjoint(function, wrt=("x", "y"))(x, y, seed) for seed in seeds]
    assert np.shape(together[0]) == ()
    assert together[0] == pytest.approx(function(x, y), rel=1e-13)
    for k in (1, 2):
        wanted = np.stack([one[k] for one in apart], axis=-1)
        np.testing.assert_allclose(together[k], wanted, rtol=1e-12, atol=1e-13)
