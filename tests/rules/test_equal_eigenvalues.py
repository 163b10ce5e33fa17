"""Vectors of equal values have no derivative; what is made of them has one, NaN, or is not taken.

Each function is one of the entries of the matrix alone, whatever vectors its values have. Of a
function that reads the values by another call than the vectors, the adjoint by vectors does not
vanish with the gaps, and nothing may say that it does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, vjp

WEIGHTS = np.array([[1.0, 2.0], [3.0, 4.0]])


def vectors_of(a: Any) -> Any:
    return np.linalg.eigh(a)[1]


def by_other_values(a: Any) -> Any:
    w, v = np.linalg.eigvalsh(a), np.linalg.eigh(a)[1]
    return (v @ np.diag(w) @ v.T)[0, 1]


def by_sorted_entries(a: Any) -> Any:
    v = np.linalg.eigh(a)[1]
    return (v @ np.diag(np.sort(np.diag(a))) @ v.T)[0, 0]


def by_a_function(a: Any) -> Any:
    return (vectors_of(a) @ np.diag(np.sort(np.diag(a))) @ vectors_of(a).T)[0, 0]


def in_a_loop(a: Any) -> Any:
    total = 0.0
    for k in range(2):
        v = np.linalg.eigh(a)[1]
        total = total + (v @ np.diag(np.sort(np.diag(a))) @ v.T)[k, k]
    return total - a[1, 1]


def by_other_singular_values(a: Any) -> Any:
    u, _, vt = np.linalg.svd(a)
    return ((u * np.linalg.svd(a, compute_uv=False)) @ vt)[0, 1]


ENTRY = {"by_other_values": (0, 1), "by_other_singular_values": (0, 1)}


@pytest.mark.parametrize(
    "f", [by_other_values, by_sorted_entries, by_a_function, in_a_loop, by_other_singular_values]
)
def test_an_entry_of_the_matrix(f: Callable[[Any], Any]) -> None:
    """At a multiple of the identity: the derivative of the entry, or NaN."""
    found, entry = grad(f)(2.0 * np.eye(2)), ENTRY.get(f.__name__, (0, 0))
    if f is by_other_values:
        entry = (1, 0)  # the triangle that is read
    known = np.isfinite(found)
    expected = np.zeros((2, 2))
    expected[entry] = 1.0
    np.testing.assert_allclose(found[known], expected[known])


def projector(a: Any) -> Any:
    v = np.linalg.eigh(a)[1]
    return np.sum((v @ v.T) * WEIGHTS)


def projector_by_a_function(a: Any, w: Any) -> Any:
    v = vectors_of(a)
    return np.sum((v @ v.T) * w)


def test_what_is_made_of_vectors_alone_is_known() -> None:
    """`V V^T` is the identity for all vectors."""
    a = np.eye(2)
    np.testing.assert_array_equal(grad(projector)(a), 0.0)
    np.testing.assert_array_equal(grad(projector_by_a_function)(a, WEIGHTS), 0.0)
    np.testing.assert_array_equal(vjp(projector, a)[1](3.0), 0.0)


def determinant(x: Any) -> Any:
    return np.prod(np.linalg.eigvalsh(np.array([[1.0, x[0]], [x[0], 1.0]])))


def slope(x: Any) -> Any:
    return grad(determinant)(x)[0]


def test_reverse_over_reverse() -> None:
    """The determinant is `1 - x^2`, with the second derivative -2."""
    found = grad(slope)(np.zeros(1))[0]
    assert np.isnan(found) or found == pytest.approx(-2.0)
    assert grad(slope)(np.array([0.25]))[0] == pytest.approx(-2.0)
