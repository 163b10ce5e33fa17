"""The order of entries in memory that is taken for granted, asked of NumPy."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from adjointgen.frontend.state.made_in_order import is_made_in_order
from adjointgen.ir.nodes import Apply, Value
from adjointgen.ir.types import Type

LAYOUTS: list[Callable[[Any], Any]] = [
    np.ascontiguousarray,
    np.asfortranarray,
    lambda a: a[::-1],
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    lambda a: np.broadcast_to(a[:1], a.shape),
]


@pytest.mark.parametrize(("one", "other"), list(product(LAYOUTS, repeat=2)))
def test_a_product_of_matrices_lies_as_in_c(one: Any, other: Any) -> None:
    draw = np.random.default_rng(0).normal
    for n, m, k in product((1, 2, 5), repeat=3):
        a, b = one(draw(size=(n, m))), other(draw(size=(m, k)))
        assert all(made.flags.c_contiguous for made in (a @ b, np.dot(a, b), np.matmul(a, b)))


def test_a_product_of_stacks_may_lie_otherwise() -> None:
    stack = Value("a", Type("float64", (None,) * 3, "array"))
    matrix = Value("b", Type("float64", (None,) * 2, "array"))
    assert is_made_in_order(Apply((matrix,), "matmul", (matrix, matrix)))
    assert not is_made_in_order(Apply((stack,), "matmul", (stack, matrix)))
