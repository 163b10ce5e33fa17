"""NumPy's integers wrap, and its truth values are added by `or`: these classes are not Python's.

The oracle is the function itself; each is linear in its first argument.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate, value_and_grad

FLAG, LARGE = np.True_, np.int64(2**62)


def power_that_wraps(x: float) -> float:
    s = np.int64(1)
    for _ in range(25):
        s = s * 10
    return x * s


def converted(x: float, k: Any) -> Any:
    return x * (np.int64(k) * 2**62)


def converted_literal(x: float) -> Any:
    return x * (np.uint8(250) + np.uint8(10))


def of_the_module(x: float) -> Any:
    return x * (FLAG + FLAG) + x * (LARGE * 3)


def sum_of_truth(x: float, b: Any) -> Any:
    return x * (b + b)


def inverse(x: float, b: Any) -> Any:
    return x * ~b


def made_inside(x: float) -> Any:
    b = np.bool_(x > 1.0)
    return x * (b + b)


def branch(x: float, b: Any) -> Any:
    return x if b else x * 2.0


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (power_that_wraps, ()),
    (converted, (7,)),
    (converted_literal, ()),
    (of_the_module, ()),
    (sum_of_truth, (np.True_,)),
    (sum_of_truth, (True,)),
    (inverse, (np.False_,)),
    (made_inside, ()),
    (branch, (np.False_,)),
]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("f, more", CASES)
def test_numbers_of_numpy_stay_what_they_are(f: Callable[..., Any], more: tuple[Any, ...]) -> None:
    value, slope = value_and_grad(f, wrt=0)(1.5, *more)
    assert value == f(1.5, *more)
    assert slope == pytest.approx(f(1.5, *more) / 1.5, rel=1e-14)


def test_truth_values_of_numpy_have_no_difference() -> None:
    with pytest.raises(TypeError, match="boolean subtract"):
        value_and_grad(lambda x, b: x * (b - b), wrt=0)(1.5, np.True_)


def test_a_module_takes_the_truth_value_that_it_was_made_for() -> None:
    module = generate(branch, wrt="x", modes="adjoint", example=(1.5, np.True_))
    space: dict[str, Any] = {}
    exec(str(module), space)
    assert space["branch_adjoint"](1.5, np.True_) == (1.5, 1.0)
    assert space["branch_adjoint"](1.5, np.False_) == (3.0, 2.0)


def test_whose_truth_value_it_is_may_not_be_known() -> None:
    with pytest.raises(AdjointgenError) as refused:
        value_and_grad(lambda x, b: x if b is True else x * x, wrt=0)(1.5, np.True_)
    assert refused.value.code == "AG102"
