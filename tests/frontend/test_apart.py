"""Paths whose names have no common kind: what follows is there for each of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint
from tests.frontend.agree import agrees


def none_or_number(x: float, c: float) -> Any:
    s = None if c > 0.0 else 2.0 * x
    return x if s is None else s * x


def lengths(x: float, c: float) -> Any:
    if c > 0.0:
        p = [x]
        c = 2.0 * c
    else:
        p = [x, x * x]
    return sum(p) * c


def number_or_array(x: float, c: float) -> Any:
    f = 0.0
    if c > 0.0:
        f = np.array([x, x * c])
    return np.sum(f) * x + c


def in_a_loop(x: float, c: float) -> Any:
    t = 0.0
    for i in range(3):
        q = (x, c) if c > i else (x, c, x * i)
        for v in q:
            t = t + v * v
    return t


def inside_of_each_other(x: float, c: float) -> Any:
    if c > 0.0:
        r = None if x > 1.0 else c * x
        t = x
    else:
        r = x * x
        t = 3.0 + c
    t = t * x
    if r is not None:
        return r * t
    return x * t


def with_breaks(x: float, c: float) -> Any:
    while x < 10.0:
        s = None if c > 0.0 else c * x
        x = x * x + c + 1.0 if s is None else x + s * s + 0.5
        if x > 5.0 and s is None:
            break
    return x


FUNCTIONS = (
    none_or_number,
    lengths,
    number_or_array,
    in_a_loop,
    inside_of_each_other,
    with_breaks,
)


@pytest.mark.parametrize("at", [(2.0, 1.25), (2.0, -1.5), (0.5, 0.75)], ids=str)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_path_has_its_own(f: Callable[..., Any], at: tuple[float, float]) -> None:
    agrees(f, *at)


def results(x: float, c: float) -> Any:
    if c > 0.0:
        return None
    return x


def test_nothing_is_returned_on_a_path() -> None:
    program = adjoint(results)
    assert program(2.0, -1.0, 3.0) == (2.0, 3.0, 0.0)
    with pytest.raises(TypeError, match="None"):
        program(2.0, 1.0, 3.0)


def many(x: float, c: float) -> Any:
    """More branches than are kept apart."""
    t = x
    for k in range(9):
        s = None if c > k else x
        t = t * x if s is None else t + s
        u = None if c > k + 0.5 else x
        t = t if u is None else t * u
    return t


def test_it_ends() -> None:
    agrees(many, 1.125, 4.25)


def number_or_vector(x: float, c: float) -> Any:
    """What is returned may be of unlike shape."""
    if c > 0.0:
        return np.zeros(3) + x * c
    return x * c * c


def matrix_or_vector(x: Any) -> Any:
    n = np.sum(x * x)
    if n > 1.0:
        return np.outer(x, x)
    return x * n


def one_of_two(x: float, c: float) -> Any:
    r = x * c if c > 0.0 else np.array([x, c])
    for _ in range(2):
        r = r * c
    return r, x * c


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (number_or_vector, (2.0, 3.0)),
        (number_or_vector, (2.0, -3.0)),
        (matrix_or_vector, (np.array([1.0, 2.0]),)),
        (matrix_or_vector, (np.array([0.125, 0.25]),)),
        (one_of_two, (2.0, 3.0)),
        (one_of_two, (2.0, -3.0)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_results_of_unlike_shapes(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)
