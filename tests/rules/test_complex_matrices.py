"""Eigenvalues and singular values of complex matrices against differences, in both modes.

Vectors are defined up to a phase, so that what is computed from them does not depend on it here.
"""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from adjointgen import check, grad, jvp

RNG = np.random.default_rng(4)


def draw(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def lower(a):
    values, vectors = np.linalg.eigh(a)
    return np.sum(values**2) * np.sum(np.abs(vectors) ** 3) + np.sum(values * np.abs(vectors[0]))


def upper(a):
    values, vectors = np.linalg.eigh(a, "U")
    rebuilt = (vectors * values**2) @ np.conj(vectors).T
    return np.real(np.sum(rebuilt * rebuilt))


def values_alone(a):
    return np.sum(np.linalg.eigvalsh(a) ** 3)


def moduli(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(np.abs(u) ** 3) * np.sum(s**2) + np.sum(np.abs(vh) ** 3 * s[:, None])


def pairs(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(np.abs(u @ vh) ** 3) + np.real(np.sum((u * s**2) @ vh))


def all_vectors(a):
    u, s, vh = np.linalg.svd(a)
    return np.real(np.sum((u * s**2) @ vh))


def singular(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 3)


def nuclear(a):
    return np.linalg.norm(a, "nuc")


def spectral(a):
    return np.linalg.norm(a, 2)


def largest(a):
    return np.real(np.max(a) * 2j)


@pytest.mark.parametrize(
    ("f", "shape"),
    [
        *((f, (4, 4)) for f in (lower, upper, values_alone, all_vectors)),
        *((f, s) for f in (moduli, pairs, singular, nuclear) for s in ((3, 3), (4, 3), (3, 4))),
        (spectral, (4, 3)),
        (largest, (5,)),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_both_modes_are_the_difference(f, shape):
    a, a_dot, h = draw(*shape), draw(*shape), 1e-6
    quotient = (f(a + h * a_dot) - f(a - h * a_dot)) / (2.0 * h)
    assert jvp(f, (a,), (a_dot,))[1] == pytest.approx(quotient, rel=1e-6, abs=1e-6)
    assert np.real(np.sum(grad(f)(a) * a_dot)) == pytest.approx(quotient, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("part", [np.real, np.imag, np.abs], ids=lambda part: part.__name__)
@pytest.mark.parametrize("corner", [3.0, -3.0], ids=["real root", "complex root"])
def test_a_root_of_a_real_matrix_may_be_complex(part, corner):
    weights = np.array([[1.0, 2.0], [0.5, 3.0]])

    def f(a):
        return np.sum(part(sqrtm(a)) * weights)

    a, a_dot = np.array([[1.0, 0.6], [0.5, corner]]), np.array([[0.3, -0.2], [0.1, 0.7]])
    quotient = (f(a + 1e-6 * a_dot) - f(a - 1e-6 * a_dot)) / 2e-6
    slope = grad(f)(a)
    assert slope.dtype == float
    assert np.sum(slope * a_dot) == pytest.approx(quotient, abs=1e-6)
    assert jvp(f, (a,), (a_dot,))[1] == pytest.approx(quotient, abs=1e-6)
    if part is not np.abs or corner > 0.0:
        check(f, (a,)).raise_on_failure()
