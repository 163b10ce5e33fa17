"""Wrappers that pass on are seen through; all others are functions of their own."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

from adjointgen import adjoint, check, grad, tangent
from adjointgen.wrapping import plain

F = Callable[..., Any]


def square(x: float, k: float = 1.0) -> float:
    return k * x * x


def returned(f: F) -> F:
    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        """Calls it."""
        return f(*args, **kwargs)

    return wrapper


def timed(f: F) -> F:
    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        result = f(*args, **kwargs)
        print(f.__name__, time.perf_counter() - start)
        return result

    return wrapper


def named(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, /, *, k: float = 1.0) -> Any:
        return f(x, k=k)

    return wrapper


PASSES_ON = [returned(square), timed(square), timed(returned(square)), named(square)]
PASSES_ON += [functools.lru_cache(square), functools.cache(timed(square))]


@pytest.mark.parametrize("f", PASSES_ON)
def test_what_passes_on_is_seen_through(f: F, capsys: pytest.CaptureFixture[str]) -> None:
    assert plain(f) is square
    assert grad(f)(3.0) == 6.0
    assert grad(lambda x: f(x) + x)(3.0) == 7.0


def doubled(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, k: float = 1.0) -> Any:
        return 2.0 * f(x, k)

    return wrapper


def shifted(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, k: float = 1.0) -> Any:
        x = x + 1.0
        return f(x, k)

    return wrapper


def swapped(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, k: float = 1.0) -> Any:
        return f(k, x)

    return wrapper


def chosen(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, k: float = 1.0) -> Any:
        if x > 2.0:
            return x
        return f(x, k)

    return wrapper


def scaled(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, k: float = 1.0) -> Any:
        result = f(x, k)
        result *= 3.0
        return result

    return wrapper


def twice(f: F) -> F:
    @functools.wraps(f)
    def wrapper(x: float, k: float = 1.0) -> Any:
        result = f(x, k)
        result = f(x, result)
        return result

    return wrapper


@pytest.mark.parametrize("decorator", [doubled, shifted, swapped, chosen, scaled, twice])
def test_what_changes_a_number_is_a_function_of_its_own(decorator: Callable[[F], F]) -> None:
    f = decorator(square)
    assert plain(f) is f
    step = 1e-6
    slope = (f(3.0 + step) - f(3.0 - step)) / (2.0 * step)
    assert grad(f)(3.0) == pytest.approx(slope, rel=1e-8)
    assert tangent(f, "x")(3.0, 1.0, 1.0) == (f(3.0), pytest.approx(slope, rel=1e-8))
    assert grad(lambda x: f(x) + x)(3.0) == pytest.approx(slope + 1.0, rel=1e-8)


def test_another_signature() -> None:
    @functools.wraps(square)
    def wrapper(y: float) -> float:
        return square(3.0, y)

    assert grad(wrapper)(5.0) == grad(wrapper, "y")(y=5.0) == 9.0


def logged(f: F) -> F:
    @functools.wraps(f)
    def wrapper(*args: Any) -> Any:
        print(args)
        return f(*args)

    return wrapper


class Scaled:
    """A wrapper that is an object."""

    def __init__(self, f: F) -> None:
        functools.update_wrapper(self, f)
        self.f = f

    def __call__(self, x: float) -> Any:
        return 2.0 * self.f(x)


@pytest.mark.parametrize(("f", "slope"), [(logged(square), 6.0), (Scaled(square), 12.0)])
def test_what_does_more_than_pass_on_is_part_of_the_function(f: F, slope: float) -> None:
    assert plain(f) is f
    assert grad(f)(3.0) == slope


class Scale:
    """A method as benchmark suites have them."""

    factor = 2.0

    def fun(self, x: Any, *args: float) -> Any:
        total = self.factor * sum(x * x)
        for a in args:
            total = total * a
        return total


def test_seeds_of_a_function_of_any_number_of_arguments() -> None:
    f, x, one = Scale().fun, np.array([1.0, 2.0]), np.ones(2)
    assert tangent(f, wrt="x")(x, one)[1] == tangent(f, wrt="x")(x, x_dot=one)[1] == 12.0
    assert tangent(f, wrt="x")(x, 3.0, one)[1] == 36.0
    assert np.array_equal(adjoint(f, wrt="x")(x, 1.0)[1], 4.0 * x)
    assert np.array_equal(adjoint(f, wrt="x")(x, 3.0, 2.0)[1], 24.0 * x)
    assert np.array_equal(adjoint(f, wrt="x")(x, 3.0, total_bar=2.0)[1], 24.0 * x)
    assert check(f, (x,), wrt="x").ok and check(f, (x, 3.0), wrt="x").ok


def renaming(f: F) -> F:
    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if "old" in kwargs:
            kwargs["new"] = kwargs.pop("old")
        return f(*args, **kwargs)

    return wrapper


@renaming
def powered(a: float, new: float, c: float = 2.0) -> float:
    return a * new**c


def test_the_names_of_what_is_wrapped_are_places_of_the_wrapper() -> None:
    assert grad(powered, wrt="new")(2.0, 3.0) == 12.0
    assert grad(powered, wrt="a,new")(2.0, 3.0, 2.0) == (9.0, 12.0)
    assert tangent(powered, wrt=("a", "new"))(2.0, 3.0, 1.0, 0.0) == (18.0, 9.0)


def doubled(f: F) -> F:
    @functools.wraps(f)
    def wrapper(*args: float) -> Any:
        return 2.0 * f(*args)

    return wrapper


def test_a_program_has_the_name_of_the_function_that_is_wrapped() -> None:
    derivative = grad(doubled(square))
    assert derivative(3.0) == 12.0
    assert "def square_grad(*args: float)" in derivative.source


def test_arguments_of_several_types_have_no_common_annotation() -> None:
    derivative = grad(doubled(square), wrt="args")
    assert derivative(3.0, 2) == (24.0, None)
    assert "def square_grad(*args: Any)" in derivative.source


def stating(f: F) -> F:
    """A decorator that takes the arguments apart, and says which ones there are."""

    @functools.wraps(f)
    def wrapper(*args: Any, _raw: bool = False, **kwargs: Any) -> Any:
        kwargs.update(zip(["x", "k"], args, strict=False))
        return f(**kwargs) if _raw else 2.0 * f(kwargs.pop("x"), **kwargs)

    wrapper.__signature__ = inspect.signature(f)  # type: ignore[attr-defined]
    return wrapper


def test_a_wrapper_has_the_parameters_that_it_states() -> None:
    derivative = grad(stating(square))
    assert derivative(3.0) == 12.0
    assert derivative(3.0, 2.0) == derivative(k=2.0, x=3.0) == 24.0
    assert grad(stating(square), wrt=("x", "k"))(3.0, 2.0) == (24.0, 18.0)
    assert grad(scipy.stats.gmean)(np.array([4.0, 1.0])) == pytest.approx([0.25, 1.0])
