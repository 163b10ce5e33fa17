"""Programs of written modules refuse seeds that have not the shape of what they belong to.

NumPy would broadcast them, and compiled code would read what lies behind a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate

X = np.array([0.5, 1.5, 2.5])
A = np.arange(12.0).reshape(4, 3)


def entries(x, a):
    return np.sin(a * x)


def product(A, x):
    return A @ x


def longer(x, n):
    y = np.zeros(n + 1)
    y[1:] = np.cumsum(x)
    return y


def picked(x):
    return x[x > 1.0] ** 2


def squares(x):
    return np.sum(x * x)


def of_a_dict(p):
    return {"a": p["w"] * 2.0, "b": np.sum(p["w"])}


def layers(W, b, V, c, x):
    return np.sum((V @ np.tanh(W @ x + b) + c) ** 2)


def listed(x):
    return [2.0 * v for v in x]


def numbers(a, b):
    return a * b


Arguments = tuple[Any, ...]
LAYERS = (A, np.ones(4), np.ones((2, 4)), np.ones(2), X)


def program(function: Any, mode: str, arguments: Arguments, **how: Any) -> Callable[..., Any]:
    module = generate(function, example=arguments, modes=(mode,), **how)
    namespace: dict[str, Any] = {}
    exec(module.source.replace("cache=True, ", ""), namespace)
    name = "tangent" if mode == "tangent" else "reverse" if mode == "split" else mode
    made: Callable[..., Any] = namespace[f"{function.__name__}_{name}"]
    if mode != "split":
        return made
    forward = namespace[f"{function.__name__}_forward"]
    return lambda *values: made(forward(*values[: len(arguments)])[1], *values[len(arguments) :])


WRONG: dict[str, tuple[Any, str, Arguments, Arguments, Arguments]] = {
    "a matrix": (entries, "tangent", (X, 2.0), (X, 1.0), (np.ones((2, 3)), 1.0)),
    "one entry": (entries, "tangent", (X, 2.0), (X, 1.0), (np.ones(1), 1.0)),
    "an array for a number": (entries, "tangent", (X, 2.0), (X, 1.0), (X, X)),
    "a column": (entries, "adjoint", (X, 2.0), (X,), (X[:, None],)),
    "too short": (entries, "adjoint", (X, 2.0), (X,), (np.ones(1),)),
    "of rows": (product, "adjoint", (A, X), (np.ones(4),), (np.ones((4, 1)),)),
    "of a matrix": (product, "tangent", (A, X), (A, X), (np.ones((1, 3)), X)),
    "by a number": (longer, "adjoint", (X, 3), (np.ones(4),), (np.ones((2, 4)),)),
    "of a length that the value has": (picked, "adjoint", (X,), (np.ones(2),), (np.ones(1),)),
    "in two sweeps": (entries, "split", (X, 2.0), (X,), (np.ones((2, 3)),)),
    "of a rank alone": (picked, "split", (X,), (np.ones(2),), (np.ones((1, 2)),)),
    "second order": (squares, "hvp", (X,), (X,), (np.ones(1),)),
    "series": (squares, "taylor", (X,), (np.ones((2, 3)),), (np.ones((2, 1)),)),
    "of a dict": (of_a_dict, "tangent", ({"w": X},), ({"w": X},), ({"w": np.ones(1)},)),
    "of results": (of_a_dict, "adjoint", ({"w": X},), (X, 1.0), (X, X)),
    "of many": (layers, "tangent", LAYERS, LAYERS, (*LAYERS[:4], np.ones((3, 1)))),
    "of a list": (listed, "adjoint", (X,), ([1.0] * 3,), ([1.0],)),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_seed_of_another_shape_is_refused(case: str) -> None:
    function, mode, arguments, right, wrong = WRONG[case]
    made = program(function, mode, arguments)
    made(*arguments, *right)
    with pytest.raises(ValueError, match=r"must|a seed of shape"):
        made(*arguments, *wrong)


COMPILED = ("too short", "one entry", "of a matrix", "of a dict")


@pytest.mark.parametrize("case", COMPILED)
def test_a_seed_of_another_shape_is_refused_in_compiled_code(case: str) -> None:
    function, mode, arguments, right, wrong = WRONG[case]
    made = program(function, mode, arguments, compile="numba")
    made(*arguments, *right)
    with pytest.raises(ValueError, match="must have the shape"):
        made(*arguments, *wrong)


def test_seeds_have_as_many_directions() -> None:
    made = program(product, "tangent", (A, X), directions=2)
    made(A, X, np.ones((4, 3, 2)), np.ones((3, 2)))
    for seeds in [(A, np.ones((3, 2))), (np.ones((4, 3, 2)), np.ones((3, 1)))]:
        with pytest.raises(ValueError, match="must have"):
            made(A, X, *seeds)


def test_numbers_alone_and_seeds_with_a_default_have_no_test() -> None:
    made = program(numbers, "tangent", (2.0, 3.0))
    assert [*made(2.0, 3.0, np.array([1.0, 0.0]), np.array([0.0, 1.0]))[1]] == [3.0, 2.0]
    source = generate(squares, example=(X,), modes=("adjoint",)).source
    assert "raise" not in source


def test_what_messages_say() -> None:
    source = generate(product, example=(A, X)).source
    assert "if A_dot.shape != A.shape or x_dot.shape != x.shape:" in source
    assert '"each seed must have the shape of what it belongs to"' in source
    assert "if result_bar.shape != (A.shape[0],):" in source
    assert '"result_bar must have the shape (A.shape[0],)"' in source
    assert (
        "(W_dot, b_dot, V_dot, c_dot, x_dot), (W, b, V, c, x)"
        in generate(layers, example=LAYERS).source
    )


def test_a_shape_that_is_known_is_compared_once() -> None:
    source = generate(product, example=(A, X), compile="numba").source
    assert "if x.shape != (3,):" in source
    assert "x.ndim" not in source
    both = generate(weighted, example=(X, X)).source
    assert "if x.shape != y.shape:" in both


def weighted(x, y):
    return np.sum(x * y)
