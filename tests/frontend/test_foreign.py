"""What calls write into: an argument by position, by name, or because they are made for that."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent
from adjointgen.errors import NoRule
from adjointgen.frontend.calls.opaque_calls import place_of_out, positions

X = np.array([0.5, 2.0, -1.25])
W = np.array([1.0, -3.0, 0.5])


def over_a_view(x: Any) -> Any:
    q = x.copy()
    np.negative(q[1:], q[1:])
    return np.sum(q**3 * W)


def over_itself(x: Any) -> Any:
    q = 1.0 * x
    np.multiply(q, x, q)
    return np.sum(q * q * W)


def behind_other_positions(x: Any) -> Any:
    r = np.zeros(3)
    np.cumsum(x * x, 0, None, r)
    return np.sum(r * x)


def of_a_method(x: Any) -> Any:
    q = x * x
    q.clip(0.0, 3.0, q)
    return np.sum(q * x)


def of_products(x: Any) -> Any:
    q = np.zeros((3, 3))
    np.outer(x, x, q)
    np.dot(q, q, q)
    return np.sum(q * q)


def options_by_position(x: Any) -> Any:
    q = x * x
    return np.sum(q, 0, np.float64) + np.mean(q, 0, None, None, True)[0] * np.var(
        q, 0, None, None, 1
    )


def cleaned_in_place(x: Any) -> Any:
    with np.errstate(invalid="ignore"):
        q = np.log(x)
    np.nan_to_num(q, False, -4.0)
    return np.sum(q * x)


WRITTEN = (
    cleaned_in_place,
    over_a_view,
    over_itself,
    behind_other_positions,
    of_a_method,
    of_products,
)


@pytest.mark.parametrize("f", [*WRITTEN, options_by_position], ids=lambda f: f.__name__)
def test_positions_mean_what_they_mean_to_numpy(f: Callable[[Any], Any]) -> None:
    h = 1e-5
    slopes = np.array([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)])
    value, gradient = adjoint(f)(X, 1.0)
    assert np.isclose(value, f(X), rtol=1e-14)
    assert np.allclose(gradient, slopes, rtol=1e-7, atol=1e-7)
    found = [tangent(f)(X, e)[1] for e in np.eye(3)]
    assert np.allclose(found, slopes, rtol=1e-7, atol=1e-7)


def sorted_by_the_class(x: Any) -> Any:
    q = x * x
    np.ndarray.sort(q)
    return q[0]


def partitioned_by_the_class(x: Any) -> Any:
    q = x * x
    np.ndarray.partition(q, 1)
    return q[0]


@pytest.mark.parametrize("f", [sorted_by_the_class, partitioned_by_the_class])
def test_what_a_copied_call_writes_to_is_no_longer_what_it_was(f: Callable[[Any], Any]) -> None:
    with pytest.raises(NoRule):
        tangent(f)(X, W)


def test_where_the_result_goes() -> None:
    assert place_of_out("numpy.negative") == 1
    assert place_of_out("numpy.dot") == 2
    assert positions(".cumsum")[1:4] == ("axis", "dtype", "out")
    assert positions("numpy.no_such_function") == ()


def below_one(x: Any) -> Any:
    return np.sum(np.nextafter(1, -1) * np.clip(x, -1, 1))


def spaced(x: Any) -> Any:
    return np.sum(np.spacing(W) * 1e16 * x)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (below_one, 0.3, np.nextafter(1, -1)),
        (spaced, X, np.spacing(W) * 1e16),
        (spaced, X[:1], np.sum(np.spacing(W), keepdims=True) * 1e16),
    ],
)
def test_numpy_knows_what_its_ufuncs_give(f: Any, x: Any, expected: Any) -> None:
    np.testing.assert_allclose(grad(f)(x), expected)
