"""What a function with a user's rule gives: its shape and memory; and what the rule reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import custom, value_and_grad
from adjointgen.errors import Unsupported
from tests.kept import own_rules

X = np.array([0.37, 0.91, 0.62, 0.55])
FACTOR = 2.0
CALLS: list[int] = []


def product(x: Any) -> Any:
    return np.outer(x, x) @ x


def differences(x: Any) -> Any:
    return x[:-1] - x[1:]


def total(x: Any) -> Any:
    return np.sum(x * x)


def counted(x: Any) -> Any:
    CALLS.append(1)
    return np.sin(x)


def shortened(x: Any) -> Any:
    CALLS.append(1)
    return np.sin(x)[1:]


def same(x: Any) -> Any:
    return x


def scaled(x: Any) -> Any:
    return x * x * FACTOR / 2


def factor_times(x: Any) -> Any:
    return FACTOR * x


@pytest.fixture(autouse=True)
def _rules() -> Iterator[None]:
    with own_rules():
        custom(adjoint=lambda y, x, y_bar: y_bar)(product)
        custom(adjoint=lambda y, x, y_bar: y_bar)(differences)
        custom(adjoint=lambda y, x, y_bar: 2.0 * y_bar * x)(total)
        custom(adjoint=lambda y, x, y_bar: y_bar * np.cos(x))(counted)
        custom(adjoint=lambda y, x, y_bar: y_bar * np.cos(x))(shortened)
        custom(adjoint=lambda y, x, y_bar: y_bar)(same)
        custom(adjoint=lambda y, x, y_bar: y_bar * factor_times(x))(scaled)
        yield


def of_differences(x: Any) -> Any:
    return differences(x).size * x[0]


def of_total(x: Any) -> Any:
    return np.sum(total(x) * x)


@pytest.mark.parametrize("f", [of_differences, of_total])
def test_another_shape_than_that_of_the_arguments_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported, match="AG104"):
        value_and_grad(f)(X)


def of_counted(x: Any) -> Any:
    return np.sum(counted(x) * x)


def of_shortened(x: Any) -> Any:
    return np.sum(shortened(x) * x[0])


def test_a_function_that_acts_is_asked_for_its_shape_when_it_runs() -> None:
    CALLS.clear()
    value, x_bar = value_and_grad(of_counted)(X)
    assert (value, CALLS) == (np.sum(np.sin(X) * X), [1])
    np.testing.assert_allclose(x_bar, np.cos(X) * X + np.sin(X))
    with pytest.raises(TypeError, match="infer="):
        value_and_grad(of_shortened)(X)


def of_product(x: Any) -> Any:
    return np.sum(product(x) * 2.0)


def test_a_vector_for_a_vector_is_as_it_was() -> None:
    np.testing.assert_array_equal(value_and_grad(of_product)(X)[1], np.full(4, 2.0))


def of_same(x: Any) -> Any:
    return np.sum(same(x) * x)


def written(x: Any) -> Any:
    z = x.copy()
    y = same(z)
    y[0] = 5.0
    return np.sum(y * z)


def test_a_result_that_is_an_argument_is_not_written_to() -> None:
    x = X.copy()
    np.testing.assert_allclose(value_and_grad(of_same)(x)[1], 2.0 * X)
    np.testing.assert_array_equal(x, X)
    with pytest.raises(Unsupported, match="AG111"):
        value_and_grad(written)(x)


def of_scaled(x: Any) -> Any:
    return scaled(x) * x


def test_a_name_that_a_rule_reads_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = value_and_grad(of_scaled)
    for factor in (2.0, 3.0, 2.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        value, slope = derivative(1.3)
        assert value == of_scaled(1.3)
        np.testing.assert_allclose(slope, 1.5 * factor * 1.3**2, rtol=1e-14)
