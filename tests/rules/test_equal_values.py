"""Decompositions of matrices whose values coincide: exact where a function is smooth, else NaN."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, jvp
from tests.hessians import slope

W = np.array([[1.0, 0.5, -0.3], [0.2, -1.0, 0.7], [0.4, 0.1, 2.0]])
TURN = np.linalg.qr(np.array([[0.5, 1.0, 0.2], [0.3, -1.0, 0.8], [1.0, 0.2, 0.4]]))[0]
MATRICES = {
    "identity": np.eye(3),
    "two equal": np.diag([2.0, 2.0, 1.0]),
    "two others": np.diag([1.0, 2.0, 2.0]),
    "equal up to rounding": np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.5]]),
    "turned": TURN @ np.diag([2.0, 2.0, 1.0]) @ TURN.T,
    "nearly equal": np.diag([2.0, 2.0 + 1e-11, 1.0]),
    "different": np.diag([3.0, 2.0, 1.0]) + 0.1 * (W + W.T),
}


def polar(a):
    u, _, vt = np.linalg.svd(a)
    return np.sum((u @ vt) * W)


def polar_turned(a):
    u, _, vt = np.linalg.svd(a)
    return np.sum(np.dot(vt.T, u.T) * W)


def nuclear(a):
    return np.sum(np.linalg.svd(a)[1])


def all_values(a):
    return np.sum(np.linalg.eigh(a + a.T)[0]) + np.sum(np.linalg.eigvalsh(a + a.T) ** 2)


def root(a):
    w, v = np.linalg.eigh(a + a.T)
    return np.sum((v * np.sqrt(w)) @ v.T * W)


def exponential(a):
    w, v = np.linalg.eigh(a + a.T)
    return np.sum(v @ np.diag(np.exp(0.5 * w)) @ v.T * W)


def logarithm(a):
    w, v = np.linalg.eigh(a + a.T)
    return ((v * np.log(0.5 * w)[None, :]) @ v.T)[0, 1]


def lower_triangle(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * w**3) @ v.T * W)


def rotation(a):
    u, _, vt = np.linalg.svd(a)
    d = np.sign(np.linalg.det(u @ vt))
    return np.sum((u @ np.diag(np.array([1.0, 1.0, d])) @ vt) * W)


SMOOTH = [polar, polar_turned, nuclear, all_values, root, exponential, logarithm, lower_triangle]


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("f", SMOOTH)
def test_smooth_functions(f: Callable[[Any], Any], name: str) -> None:
    a = MATRICES[name]
    expected = gradient(f, a)
    np.testing.assert_allclose(grad(f)(a.copy()), expected, 1e-6, 1e-6)
    found = jvp(f, [a.copy()], [W])[1]
    np.testing.assert_allclose(found, np.sum(expected * W), 1e-6, 1e-6)


def gradient(f: Callable[[Any], Any], a: Any) -> Any:
    units = np.eye(a.size).reshape(a.size, *a.shape)
    return np.reshape([float(slope(f, a, unit)) for unit in units], a.shape)


@pytest.mark.parametrize("name", MATRICES)
def test_rotations_are_exact_in_reverse_mode(name: str) -> None:
    """Of a tangent it is not known what becomes of the vectors."""
    a = MATRICES[name]
    np.testing.assert_allclose(grad(rotation)(a.copy()), gradient(rotation, a), 1e-6, 1e-6)
    found, expected = jvp(rotation, [a.copy()], [W])[1], np.sum(gradient(rotation, a) * W)
    assert np.isnan(found) or abs(found - expected) < 1e-3


def first_vector(a):
    return np.linalg.eigh(a + a.T)[1][0, -1] ** 2


def first_pair(a):
    u, s, vt = np.linalg.svd(a)
    return np.sum((u[:, :1] * s[:1]) @ vt[:1] * W)


def projector(a):
    v = np.linalg.eigh(a + a.T)[1][:, :2]
    return np.sum(v @ v.T * W)


@pytest.mark.parametrize("name", ["identity", "equal up to rounding", "turned"])
@pytest.mark.parametrize("f", [first_vector, first_pair, projector])
def test_other_functions_of_vectors_have_none(f: Callable[[Any], Any], name: str) -> None:
    a = MATRICES[name]
    if f is projector and name == "turned":
        a = TURN @ np.diag([1.0, 2.0, 2.0]) @ TURN.T
    assert not np.all(np.isfinite(grad(f)(a.copy())))
    assert not np.isfinite(jvp(f, [a.copy()], [W])[1])


def test_vectors_that_are_not_read_may_have_equal_values() -> None:
    a = TURN @ np.diag([1.0, 1.0, 3.0]) @ TURN.T
    for f in (first_vector, first_pair):
        np.testing.assert_allclose(grad(f)(a.copy()), gradient(f, a), 1e-6, 1e-6)
