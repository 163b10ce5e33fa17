"""Everyday Python has its derivatives: gradient, tangent and second order, against differences."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, hvp, jvp
from tests.everyday import (
    array_classes,
    arrays,
    attempts,
    built,
    calls,
    choices,
    data_classes,
    declared,
    drawn,
    flows,
    folds,
    found,
    given,
    libraries,
    managers,
    methods,
    namespaces,
    objects,
    packages,
    scientific,
    scopes,
    solved,
)
from tests.everyday.cases import Case

PARTS = (
    array_classes,
    arrays,
    attempts,
    built,
    calls,
    choices,
    data_classes,
    declared,
    drawn,
    flows,
    folds,
    found,
    given,
    libraries,
    managers,
    methods,
    namespaces,
    objects,
    packages,
    scientific,
    scopes,
    solved,
)
CASES = [case for part in PARTS for case in part.CASES]
STEP = 1e-3
# Of central differences, extrapolated to the fourth order: this divides them.
WEIGHTS = ((1.0, 4.0 / 3.0), (2.0, -1.0 / 3.0))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def difference(f: Callable[..., Any], args: tuple[Any, ...], dots: tuple[Any, ...]) -> Any:
    """The derivative in a direction."""
    total: Any = 0.0
    for factor, weight in WEIGHTS:
        h = factor * STEP
        up, down = (
            f(*(a if d is None else a + s * h * d for a, d in zip(args, dots, strict=True)))
            for s in (1, -1)
        )
        total = total + weight * (np.asarray(up) - np.asarray(down)) / (2 * h)
    return total


def directions(case: Case) -> tuple[Any, ...]:
    """A direction in all arguments at once."""
    rng = np.random.default_rng(len(case.name))
    made = [rng.uniform(0.5, 1.5, np.shape(a)) for a in case.args]
    floats = [float(d) if np.ndim(d) == 0 else d for d in made]
    return tuple(d if k in case.active else None for k, d in enumerate(floats))


def inner(bars: Any, dots: tuple[Any, ...]) -> float:
    given = [d for d in dots if d is not None]
    return float(sum(np.sum(b * d) for b, d in zip(bars, given, strict=True)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_derivatives(case: Case) -> None:
    dots = directions(case)
    wanted = difference(case.function, case.args, dots)
    y, y_dot = jvp(case.function, deepcopy(case.args), dots)
    np.testing.assert_allclose(y, case.function(*deepcopy(case.args)), rtol=1e-13)
    np.testing.assert_allclose(y_dot, wanted, rtol=1e-7, atol=1e-8)
    gradient = grad(case.function, wrt=case.active)

    def along(*args: Any) -> float:
        return inner(gradient(*deepcopy(args)), dots)

    np.testing.assert_allclose(along(*case.args), wanted, rtol=1e-7, atol=1e-8)
    wanted = difference(along, case.args, dots)
    made = hvp(case.function, deepcopy(case.args), dots)
    bars = made if len(case.active) > 1 else (made,)
    np.testing.assert_allclose(inner(bars, dots), wanted, rtol=1e-6, atol=1e-7)


def test_an_entry_of_a_table_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = grad(calls.dispatch)
    assert made(1.5, "square") == pytest.approx(3 * 1.5**2)
    monkeypatch.setitem(calls.KINDS, "square", lambda t: t**3)
    assert made(1.5, "square") == pytest.approx(4 * 1.5**3)
    monkeypatch.delitem(calls.KINDS, "square")
    assert made(1.5, "square") == pytest.approx(3 * 1.5**2)


def test_a_method_of_an_array_class_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made, x = grad(array_classes.vector_length), array_classes.X
    wanted = x / np.linalg.norm(x)
    np.testing.assert_allclose(made(x), wanted)
    monkeypatch.setattr(array_classes.Vector, "length", lambda self: 3.0 * self[0])
    np.testing.assert_allclose(made(x), [3.0, 0.0, 0.0])
    monkeypatch.undo()
    np.testing.assert_allclose(made(x), wanted)


def test_an_array_class_that_wraps_results_itself_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG101"):
        grad(array_classes.wrapped)(array_classes.X)
