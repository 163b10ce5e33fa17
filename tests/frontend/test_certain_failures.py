"""What fails for certain fails in a gradient program too, which drops what only the value needs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hvp
from adjointgen.frontend.domain.trial_calls import always_fails
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import Dim, Type

X = np.array([1.0, 2.0, 3.0])
W = np.ones(4)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(x, axis=5),
        lambda x: np.sum(x) + np.dot(x, np.ones(4)),
        lambda x: 1 / 0,
        lambda x: x[0] + 7 // 0,
        lambda x: np.sum(np.transpose(x, (1, 0))),
        lambda x: np.sum(np.stack([x, np.ones(2)])),
        lambda x: np.sum(np.squeeze(x, axis=0)),
        lambda x: np.max(np.zeros(0)) + x[0],
        # What is known of the lengths of `W` is known when the program runs.
        lambda x: np.dot(x, W),
        lambda x: np.sum(x * W),
    ],
)
def test_gradients_of_what_fails(f: Callable[..., Any]) -> None:
    with pytest.raises(Exception) as raised:
        f(X)
    for derivative in (grad(f), lambda x: hvp(f, (x,), (np.ones(3),))):
        with pytest.raises(ValueError if raised.type is not ZeroDivisionError else raised.type):
            derivative(X)


def test_lengths_of_arguments_are_compared() -> None:
    def product(x: Any, w: Any) -> Any:
        return np.sum(x * w)

    np.testing.assert_array_equal(grad(product)(X, 2.0 * X), 2.0 * X)
    with pytest.raises(ValueError, match=r"len\(x\) and len\(w\) are not equal"):
        grad(product)(X, W)
    with pytest.raises(ValueError, match=r"len\(x\) and len\(w\) are not equal"):
        grad(product, "w")(X, W)


def matrix(*shape: int) -> Value:
    return Value("a", Type("float64", tuple(Dim("", n) for n in shape), "array"))


@pytest.mark.parametrize("op", ["inv", "cholesky", "det"])
def test_a_matrix_of_equal_numbers_says_nothing_of_others(op: str) -> None:
    """`inv` fails for a matrix of ones, as no other need, and for all that are not square."""
    assert not always_fails(op, [matrix(2, 2)], ())
    assert always_fails(op, [matrix(2, 3)], ())
