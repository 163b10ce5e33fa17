"""Edges and layouts at which derivatives are easily wrong, each with the value that is right.

The values are those of closed forms and of the conventions that docs/rules.md argues for. Both
modes must give them: the gradient by the adjoint program, and the tangent along every entry.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.special

from adjointgen import AdjointgenError, grad, jvp

INF, NAN = math.inf, math.nan
Case = tuple[Callable[[Any], Any], Any, Any]

AT_ZERO: dict[str, Case] = {
    "root": (lambda x: np.sqrt(x), 0.0, INF),
    "root times nothing": (lambda x: np.sqrt(x) * 0.0, 0.0, NAN),
    "root of nothing": (lambda x: np.sqrt(x * 0.0), 0.0, NAN),
    "root of a square": (lambda x: np.sqrt(x**2), 0.0, NAN),
    "absolute value": (lambda x: np.sum(np.abs(x)), [-1.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
    "distance": (lambda x: np.hypot(x, 0.0), 0.0, 0.0),
    "norm": (lambda x: np.linalg.norm(x), [0.0, 0.0], [0.0, 0.0]),
    "norm of a row": (
        lambda x: np.sum(np.linalg.norm(x, axis=1)),
        [[3.0, 4.0], [0.0, 0.0]],
        [[0.6, 0.8], [0.0, 0.0]],
    ),
    "deviation": (lambda x: np.std(x), [2.0, 2.0], [0.0, 0.0]),
    "angle": (lambda x: np.arctan2(x, 0.0), 0.0, 0.0),
    "cardinal sine": (lambda x: np.sinc(x), 0.0, 0.0),
    "exponent nought": (lambda x: x**0, 0.0, 0.0),
    "exponent one": (lambda x: x**1, 0.0, 1.0),
    "exponent one half": (lambda x: x**0.5, 0.0, INF),
    "base nought": (lambda x: 0.0**x, 2.0, 0.0),
    "negative base": (lambda x: np.power(x, 3.0), -2.0, 12.0),
    "logarithm": (lambda x: np.log(x), 0.0, INF),
    "product with a logarithm": (lambda x: scipy.special.xlogy(0.0, x), 0.0, 0.0),
    "Bessel function": (lambda x: scipy.special.j1(x), 0.0, 0.5),
    "modified Bessel function": (lambda x: scipy.special.i1(x), 0.0, 0.5),
    "entropy": (lambda x: scipy.special.entr(x), 0.0, INF),
}
LIMITS: dict[str, Case] = {
    "flat tangent": (lambda x: np.tanh(x), 800.0, 0.0),
    "sum of exponentials": (lambda x: np.logaddexp(x, 1000.0), 1000.0, 0.5),
    "nothing to add": (lambda x: np.logaddexp(x, -np.inf), -INF, 0.5),
    "logarithm of nothing": (lambda x: scipy.special.logsumexp(x), [-INF, -INF], [0.0, 0.0]),
    "logarithm of something": (lambda x: scipy.special.logsumexp(x), [0.0, -INF], [1.0, 0.0]),
    "soft maximum": (
        lambda x: np.sum(scipy.special.softmax(x) * np.array([1.0, 2.0])),
        [1000.0, 1000.0],
        [-0.25, 0.25],
    ),
    "root times a choice": (
        lambda x: np.sum(np.sqrt(x) * np.where(x > 0.0, 1.0, 0.0)),
        [4.0, 0.0],
        [0.25, 0.0],
    ),
    "root that is not chosen": (
        lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)),
        [4.0, 0.0],
        [0.25, 0.0],
    ),
    "logarithm that is not chosen": (
        lambda x: np.sum(np.where(x > 0, np.log(x) * 2.0, 0.0)),
        [2.0, 0.0],
        [1.0, 0.0],
    ),
    "replaced numbers": (lambda x: np.sum(np.nan_to_num(x)), [1.0, NAN, INF], [1.0, 0.0, 0.0]),
}
TIES: dict[str, Case] = {
    "larger of two": (lambda x: np.maximum(x, 0.0), 0.0, 0.5),
    "larger of two by Python": (lambda x: max(x, 1.0), 1.0, 0.5),
    "largest entries": (lambda x: np.max(x), [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    "least entries": (lambda x: np.min(x), [2.0, 2.0], [0.5, 0.5]),
    "clipped": (
        lambda x: np.sum(np.clip(x, 0.0, 1.0)),
        [-1.0, 0.0, 0.5, 1.0, 2.0],
        [0.0, 1.0, 1.0, 1.0, 0.0],
    ),
    "sorted": (
        lambda x: np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0])),
        [2.0, 1.0, 2.0],
        [2.0, 1.0, 3.0],
    ),
    "partitioned": (lambda x: np.partition(x, 1)[0], [3.0, 1.0, 2.0], [0.0, 1.0, 0.0]),
    "percentile": (
        lambda x: np.percentile(x, 40.0),
        [1.0, 2.0, 4.0, 8.0],
        [0.0, 0.8, 0.2, 0.0],
    ),
    "unique entries": (
        lambda x: np.sum(np.unique(x) * np.array([1.0, 2.0])),
        [2.0, 1.0, 2.0],
        [2.0, 1.0, 0.0],
    ),
    "product with a zero": (lambda x: np.prod(x), [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
    "running product": (lambda x: np.sum(np.cumprod(x)), [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
}
SHAPES: dict[str, Case] = {
    "reshaped by columns": (
        lambda x: np.sum(np.reshape(x, (4,), order="F") * np.arange(4.0)),
        [[1.0, 2.0], [3.0, 4.0]],
        [[0.0, 2.0], [1.0, 3.0]],
    ),
    "raveled by columns": (
        lambda x: np.sum(np.ravel(x, order="F") * np.arange(4.0)),
        [[1.0, 2.0], [3.0, 4.0]],
        [[0.0, 2.0], [1.0, 3.0]],
    ),
    "masked sum": (
        lambda x: np.sum(x, where=np.array([True, False])),
        [1.0, 2.0],
        [1.0, 0.0],
    ),
    "masked mean": (
        lambda x: np.mean(x, where=np.array([True, False, True])),
        [1.0, 2.0, 3.0],
        [0.5, 0.0, 0.5],
    ),
    "initial value": (lambda x: np.sum(x, initial=5.0), [1.0, 2.0], [1.0, 1.0]),
    "the same operand twice": (
        lambda x: np.sum(np.kron(x, x)),
        [1.0, 2.0],
        [6.0, 6.0],
    ),
    "one array joined": (
        lambda x: np.sum(np.hstack(x) * np.arange(4.0)),
        [[1.0, 2.0], [3.0, 4.0]],
        [[0.0, 1.0], [2.0, 3.0]],
    ),
    "reflected": (
        lambda x: np.sum(np.pad(x, 1, mode="reflect")),
        [1.0, 2.0, 3.0],
        [1.0, 3.0, 1.0],
    ),
    "put before": (lambda x: np.sum(np.diff(x, prepend=0.0)), [1.0, 2.0], [0.0, 1.0]),
    "selected": (
        lambda x: np.sum(np.select([x > 0, x > -1], [x * 2, x * 3], 0.0)),
        [1.0, -0.5, -2.0],
        [2.0, 3.0, 0.0],
    ),
    "wrapped places": (
        lambda x: np.sum(np.take(x, [3], mode="wrap")),
        [1.0, 2.0, 3.0],
        [1.0, 0.0, 0.0],
    ),
    "repeated places": (lambda x: np.sum(x[[0, 0, 2]]), [1.0, 2.0, 3.0], [2.0, 0.0, 1.0]),
}
MATRICES: dict[str, Case] = {
    "singular determinant": (
        lambda x: np.linalg.det(x),
        [[1.0, 2.0], [2.0, 4.0]],
        [[4.0, -2.0], [-2.0, 1.0]],
    ),
    "lower triangle": (
        lambda x: np.linalg.cholesky(x)[1, 0],
        [[4.0, 1.0], [1.0, 3.0]],
        [[-0.0625, 0.0], [0.5, 0.0]],
    ),
    "equal eigenvalues": (
        lambda x: np.sum(np.linalg.eigh(x)[0]),
        [[1.0, 0.0], [0.0, 1.0]],
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    "equal singular values": (
        lambda x: np.sum(np.linalg.svd(x, full_matrices=False)[1]),
        [[1.0, 0.0], [0.0, 1.0]],
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    "power nought": (
        lambda x: np.sum(np.linalg.matrix_power(x, 0)),
        [[2.0, 1.0], [0.5, 3.0]],
        [[0.0, 0.0], [0.0, 0.0]],
    ),
    "the triangle above": (
        lambda x: np.sum(scipy.linalg.solve_triangular(x, np.array([2.0, 3.0]), lower=True)),
        [[2.0, 1.0], [0.0, 3.0]],
        [[-0.5, 0.0], [-1.0 / 3.0, -1.0 / 3.0]],
    ),
    "spectral norm": (
        lambda x: np.linalg.norm(x, 2),
        [[3.0, 0.0], [0.0, 1.0]],
        [[1.0, 0.0], [0.0, 0.0]],
    ),
    "half of a spectrum": (
        lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2),
        [1.0, 2.0, 3.0],
        [9.0, 12.0, 15.0],
    ),
}
COMPLEX: dict[str, Case] = {
    "square of the modulus": (lambda z: np.real(z * np.conj(z)), 1.0 + 2.0j, 2.0 - 4.0j),
    "modulus": (lambda z: np.abs(z), 3.0 + 4.0j, 0.6 - 0.8j),
    "modulus of nought": (lambda z: np.abs(z), 0.0 + 0.0j, 0.0 + 0.0j),
    "imaginary part": (lambda z: np.imag(z), 1.0 + 2.0j, -1.0j),
    "angle": (lambda z: np.angle(z), 1.0 + 1.0j, -0.5 - 0.5j),
    "product of parts": (lambda z: z.real * z.imag, 1.0 + 2.0j, 2.0 - 1.0j),
    "conjugated product": (
        lambda z: np.real(np.vdot(z, np.array([1.0j, 2.0]))),
        [1.0 + 1.0j, 2.0 + 0.0j],
        [-1.0j, 2.0],
    ),
    "a real argument": (lambda x: np.real(np.exp(1.0j * x)), 1.0, -math.sin(1.0)),
}
TABLES = (AT_ZERO, LIMITS, TIES, SHAPES, MATRICES, COMPLEX)
CASES = [pytest.param(*case, id=name) for table in TABLES for name, case in table.items()]


def point(x: Any) -> Any:
    return np.array(x) if isinstance(x, list) else x


def along(f: Callable[[Any], Any], x: Any) -> Iterator[Any]:
    """The derivative along each entry."""
    if not isinstance(x, np.ndarray):
        yield jvp(f, (x,), (1.0,))[1]
        return
    for k in range(x.size):
        direction = np.zeros_like(x)
        direction.flat[k] = 1.0
        yield jvp(f, (x.copy(),), (direction,))[1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("f", "x", "expected"), CASES)
def test_edge(f: Callable[[Any], Any], x: Any, expected: Any) -> None:
    found = grad(f)(point(x))
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    if not np.iscomplexobj(np.asarray(x)):
        slopes = list(along(f, point(x)))
        np.testing.assert_allclose(slopes, np.ravel(expected), rtol=1e-12, atol=1e-12)


def test_integers_are_refused() -> None:
    """A gradient in the dtype of its argument would be cut off to integers."""
    with pytest.raises(AdjointgenError, match="int64"):
        grad(lambda x: np.sum(x * x))(np.array([1, 2]))


def test_vectors_of_equal_eigenvalues_have_no_derivative() -> None:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = grad(lambda x: np.linalg.eigh(x)[1][0, 0])(np.eye(2))
    assert np.isnan(found).any()
