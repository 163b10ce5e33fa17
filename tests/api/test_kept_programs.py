"""Programs are kept with the function that they were made from, for derivatives made anew."""

import functools
import gc
import pickle
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hvp, jacobian, jvp, value_and_grad
from adjointgen.api.calls.generated import Generated
from adjointgen.api.calls.kept_programs import MOST, NAME

SCALE = 2.0


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the functions for which a program was generated or recalled."""
    found: list[str] = []
    make = Generated.make

    def noted(self: Generated, *args: Any) -> Any:
        found.append(self.function.__name__)
        return make(self, *args)

    monkeypatch.setattr(Generated, "make", noted)
    yield found


def square() -> Callable[..., Any]:
    def f(x: Any, power: Any = 2.0) -> Any:
        return SCALE * np.sum(x**power)

    return f


X = np.array([1.0, 2.0])


def test_a_derivative_made_anew_finds_the_programs(generated: list[str]) -> None:
    f = square()
    for _ in range(3):
        np.testing.assert_allclose(grad(f)(X), 4.0 * X)
        _, slope = jvp(f, (X,), (X,))
        assert slope == pytest.approx(20.0)
        np.testing.assert_allclose(hvp(f, (X,), (X,)), 4.0 * X)
        np.testing.assert_allclose(jacobian(f)(X), 4.0 * X)
    assert len(generated) <= 4


def test_derivatives_of_other_kinds_are_others() -> None:
    f = square()
    assert grad(f)(X).shape == (2,)
    assert isinstance(grad(f, wrt=(0,))(X), tuple)
    assert grad(f, wrt="power")(X, 2.0) == pytest.approx(2.0 * np.sum(X**2 * np.log(X)))
    assert value_and_grad(f)(X)[0] == 10.0


def test_a_derivative_made_anew_tells_its_own_text() -> None:
    f = square()
    first, second = grad(f), grad(f)
    first(X)
    second(1.0)
    assert "float64 array" in first.source and "float64 array" not in second.source


def test_what_has_changed_is_seen_by_derivatives_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    f: Any = square()
    assert grad(f)(1.0) == 4.0
    f.__defaults__ = (3.0,)
    assert grad(f)(1.0) == 6.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert grad(f)(1.0) == 15.0
    other = square()
    f.__code__ = (lambda x, power=2.0: 7.0 * x).__code__
    assert grad(f)(1.0) == 7.0
    assert grad(other)(1.0) == 10.0


def test_a_cell_that_changed_is_seen() -> None:
    scale = 2.0

    def f(x: Any) -> Any:
        return scale * x * x

    assert grad(f)(1.0) == 4.0
    scale = 3.0
    assert grad(f)(1.0) == 6.0


def test_wrappers_that_copy_attributes_have_programs_of_their_own() -> None:
    f = square()
    assert grad(f)(1.0) == 4.0

    @functools.wraps(f)
    def tripled(*args: Any) -> Any:
        return 3.0 * f(*args)

    assert NAME in vars(tripled)
    assert grad(tripled)(1.0) == 12.0
    assert grad(f)(1.0) == 4.0


def test_what_is_kept_does_not_keep_a_function_alive() -> None:
    f = square()
    grad(f)(X)
    hvp(f, (X,), (X,))
    seen = weakref.ref(f)
    gc.collect()
    gc.disable()
    try:
        del f
        assert seen() is None
    finally:
        gc.enable()


def test_what_is_kept_is_not_pickled() -> None:
    f = square()
    grad(f)(X)
    table = vars(f)[NAME]
    assert table.kept and not pickle.loads(pickle.dumps(table)).kept


def test_few_derivatives_of_a_function_are_kept() -> None:
    f = square()
    for k in range(MOST + 5):
        grad(f, disable=["cse"] * k)
    assert len(vars(f)[NAME].kept) == MOST


def test_threads_that_make_derivatives_anew_agree(generated: list[str]) -> None:
    f = square()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: grad(f)(k * X), np.arange(1.0, 33.0)))
    for k, one in enumerate(found, 1):
        np.testing.assert_allclose(one, 4.0 * k * X)
    assert len(generated) <= 8
