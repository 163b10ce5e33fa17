"""Written modules refuse arguments of another rank where their derivatives would be other ones.

The oracle is the function itself: differences of what it computes for those arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from adjointgen import generate


def mean(x):
    return np.mean(x * x)


def product(x, A):
    return np.sum(np.tanh(A @ x))


def spread(x, a):
    return np.sum(np.exp(a * x))


def spread_by_steps(x, a):
    b = a * a
    y = x.copy()
    for _ in range(3):
        b = 0.5 * b
        y += b
    return np.sum(y * y)


def gathered(x, a):
    return np.sum(np.array([a, 2.0 * a, 1.0]) ** 2) + np.sum(x)


def last(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i]
    return y.sum()


def residuals(x, labels):
    return np.sum((np.tanh(x) - labels) ** 2)


VECTOR, MATRIX = np.array([0.3, 0.5, -0.7]), np.array([[0.1, 0.4, 0.3], [0.2, -0.5, 0.6]])


def program(function: Callable[..., Any], example: tuple[Any, ...], wrt: str = "") -> Any:
    module = generate(function, example=example, modes=("adjoint",), wrt=wrt)
    namespace: dict[str, Any] = {}
    exec(module.source, namespace)
    return namespace[f"{function.__name__}_adjoint"]


@pytest.mark.parametrize(
    "function, example, other, what",
    [
        (mean, (VECTOR,), (MATRIX,), "a vector x"),
        (last, (VECTOR,), (MATRIX,), "a vector x"),
        (product, (VECTOR, MATRIX), (MATRIX.T, MATRIX), "a vector x and a matrix A"),
        (spread, (VECTOR, 0.5), (VECTOR, VECTOR), "a vector x and a number a"),
        (spread_by_steps, (VECTOR, 0.5), (VECTOR, VECTOR), "a number a"),
        (gathered, (VECTOR, 0.5), (VECTOR, VECTOR), "a vector x and a number a"),
        (residuals, (VECTOR, VECTOR), (VECTOR, VECTOR[:, None]), "x and labels of one shape"),
    ],
)
def test_another_rank_is_refused(
    function: Any, example: tuple[Any, ...], other: tuple[Any, ...], what: str
) -> None:
    adjoint = program(function, example)
    assert adjoint(*example)[0] == pytest.approx(function(*example))
    with pytest.raises((TypeError, ValueError), match=f"differentiated for {what}$"):
        adjoint(*other)


def plain(x, y):
    return np.sum(np.exp(x) * y) + np.sum(x)


def of_numbers(x, y):
    return np.sin(x) * y / (1.0 + x * x)


def ramp(n: int, x: float):
    total = 0.0
    for k in range(n):
        total += np.sin(k * x)
    return total


@pytest.mark.parametrize(
    "function, example, other",
    [
        (plain, (VECTOR, VECTOR), (MATRIX, MATRIX)),
        (of_numbers, (0.5, 2.0), (VECTOR, 2.0 * VECTOR)),
        (ramp, (5, 0.5), (5, VECTOR)),
    ],
)
def test_what_acts_entry_by_entry_takes_any_rank(
    function: Any, example: tuple[Any, ...], other: tuple[Any, ...]
) -> None:
    """One adjoint per entry: of the sum over entries, by the complex step."""
    value, *bars = program(function, example)(*other)
    np.testing.assert_allclose(value, function(*other))
    floats = [k for k, given in enumerate(other) if not isinstance(given, int)]
    for k, bar in zip(floats, bars, strict=True):
        moved = (*other[:k], other[k] + 1e-200j * np.ones_like(other[k]), *other[k + 1 :])
        whole = np.sum(np.imag(function(*moved))) / 1e-200
        assert np.shape(bar) == np.shape(other[k])
        assert np.sum(bar) == pytest.approx(whole)


def test_structures_and_many_arguments() -> None:
    def network(params: Mapping[str, Any], x, y):
        h = np.tanh(params["W"] @ x + params["b"])
        return np.mean((params["v"] @ h + params["c"] - y) ** 2)

    params = {"W": MATRIX, "b": np.ones(2), "v": np.ones(2), "c": 0.5}
    adjoint = program(network, (params, VECTOR, 1.5))
    adjoint(params, VECTOR, 1.5)
    with pytest.raises(TypeError, match=r"vectors .* and x$"):
        adjoint(params | {"b": np.ones((2, 1))}, VECTOR, 1.5)


def test_an_array_of_integers_does_not_take_what_is_spread_over_it() -> None:
    """`np.full_like` of integers would round."""

    def chosen(x, i):
        return x[i] * np.sum(x)

    adjoint = program(chosen, (VECTOR, 1), wrt="x")
    with pytest.raises(TypeError, match="a float array x"):
        adjoint(np.array([1, 2, 3]), 1, 0.25)


def test_compiled_programs_refuse_another_rank() -> None:
    made = generate(spread, example=(VECTOR, 0.5), modes=("adjoint",), compile="numba")
    namespace: dict[str, Any] = {}
    exec(made.source.replace("cache=True, ", ""), namespace)
    adjoint = namespace["spread_adjoint"]
    assert adjoint(VECTOR, 0.5)[2] == pytest.approx(np.sum(VECTOR * np.exp(0.5 * VECTOR)))
    with pytest.raises(TypeError, match="a number a"):
        adjoint(VECTOR, VECTOR)


def by_axes(x):
    return np.sum(x * x) if x.ndim == 1 else np.sum(x)


def by_its_shape(x):
    return np.sum(x) if len(x.shape) == 1 else np.sum(x * x)


def turned(x):
    return np.sum(np.sin(x.T) * x)


def transposed(x):
    return np.sum(np.sin(np.transpose(x)) * x)


def of_size(x):
    return np.sum(x) / x.size


def of_called(x):
    def inner(z):
        return np.sum(z * z) if np.ndim(z) == 1 else np.sum(z)

    return inner(x)


def of_kind(x):
    return np.sum(x * x) if np.isrealobj(x) else np.sum(x)


def of_dtype(x):
    return np.sum(x * x) if x.dtype.kind == "f" else np.sum(x)


def conjugated(x):
    return np.sum(x.real * x)


def of_a_number(x, a):
    return a * np.sum(x) if np.isscalar(a) else np.sum(x)


DECIDED = [by_axes, by_its_shape, turned, transposed, of_size, of_called, of_kind, of_dtype]


@pytest.mark.parametrize("mode", ["primal", "tangent", "adjoint"])
@pytest.mark.parametrize("function", [*DECIDED, conjugated])
@pytest.mark.parametrize("other", [MATRIX[:, :2], VECTOR + 1j, np.array([1, 2, 3])])
def test_what_a_type_has_decided_is_not_taken_for_another(
    function: Callable[..., Any], other: Any, mode: str
) -> None:
    module = generate(function, example=(VECTOR,), modes=(mode,))
    namespace: dict[str, Any] = {}
    exec(module.source, namespace)
    args = (other, np.ones_like(other)) if mode == "tangent" else (other,)
    try:
        found = namespace[f"{function.__name__}_{mode}"](*args)
    except TypeError as error:
        assert "was differentiated for" in str(error)
    else:
        value = found if mode == "primal" else found[0]
        np.testing.assert_allclose(value, function(other), rtol=1e-12)


@pytest.mark.parametrize("mode", ["primal", "tangent", "adjoint"])
def test_a_number_that_has_decided_is_no_array(mode: str) -> None:
    module = generate(of_a_number, example=(VECTOR, 2.0), modes=(mode,), wrt="x")
    namespace: dict[str, Any] = {}
    exec(module.source, namespace)
    seeds = (VECTOR,) if mode == "tangent" else ()
    with pytest.raises(TypeError, match="a number a"):
        namespace[f"of_a_number_{mode}"](VECTOR, VECTOR, *seeds)


def updated(x, y):
    x += y
    x *= 2.0
    return x


def test_an_update_in_place_rounds_nothing() -> None:
    module = generate(updated, example=(VECTOR, VECTOR), modes=("primal",))
    namespace: dict[str, Any] = {}
    exec(module.source, namespace)
    x, y = VECTOR.copy(), VECTOR.copy()
    assert namespace["updated_primal"](x, y) is x
    np.testing.assert_array_equal(x, updated(VECTOR.copy(), y))
    whole = np.array([1, 2, 3])
    with pytest.raises(TypeError, match="same_kind"):
        namespace["updated_primal"](whole, y)
    np.testing.assert_array_equal(whole, [1, 2, 3])
