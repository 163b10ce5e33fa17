"""What functions of arrays do with their shapes: views of entries, arrays that are spread."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad
from tests.frontend.agree import agrees

P = np.array([0.4, 0.9, 1.3])
COLUMN = np.array([[2.0], [0.5]])


def cylinder(p: Any) -> Any:
    """An entry read with an ellipsis is a view, of what is overwritten next."""
    q = np.empty_like(p)
    q[..., 0] = p[..., 0] * np.cos(p[..., 1])
    q[..., 1] = p[..., 0] * np.sin(p[..., 1])
    q[..., 2] = p[..., 2]
    return q


def shifted(p: Any) -> Any:
    q = p * p
    first = q[..., 0]
    q[..., 0] = p[..., 1]
    return q * first


def spread(x: Any, y: Any) -> Any:
    u, v = np.broadcast_arrays(x, y)
    return np.sum(u * v**2, axis=-1) + u[..., 0]


def spread_alone(x: Any) -> Any:
    (u,) = np.broadcast_arrays(x)
    return u * u


def spread_three(x: Any, y: Any, z: Any) -> Any:
    u, v, w = np.broadcast_arrays(*np.atleast_1d(x, y, z))
    return np.array([u * v, v * w, w])


def flat(m: Any) -> Any:
    a, b, c = m.flat
    return a * b / c


def unpacked(v: Any) -> Any:
    x, y, z = v
    v = list(v)
    v /= np.linalg.norm(v)
    return x * y * z + v[0]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (cylinder, (P,)),
        (cylinder, (np.array([P, 2.0 * P]),)),
        (shifted, (P,)),
        (spread, (P, COLUMN)),
        (spread, (P, 2.0)),
        (spread, (P, 2.0 * P)),
        (spread_alone, (2.0,)),
        (spread_alone, (P,)),
        (spread_three, (2.0, 3.0, 0.5)),
        (spread_three, (2.0, P, 0.5)),
        (flat, (P[None, :],)),
        (unpacked, (P,)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_shapes(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_unpacking_a_list_of_unknown_length() -> None:
    from adjointgen import grad

    def volume(v: Any) -> Any:
        x, y, z = v
        v /= np.linalg.norm(v)
        return x * y * z * v[0]

    gradient = grad(volume)([1.0, 2.0, 3.0])
    r = np.sqrt(14.0)
    expected = [
        6.0 / r * (2.0 - 1.0 / 14.0),
        6.0 / r * (0.5 - 2.0 / 14.0),
        6.0 / r * (1 / 3 - 3 / 14.0),
    ]
    assert np.allclose(gradient, expected, rtol=1e-12)


def crossed(a: Any, b: Any) -> Any:
    return np.cross(a, b, axis=0) ** 2


def crossed_from_unlike_axes(a: Any, b: Any) -> Any:
    return np.cross(a, b, axisa=0, axisc=0) * a


def grid(x: Any, y: Any) -> Any:
    u, v = np.meshgrid(x, y)
    p, q = np.meshgrid(x, y, indexing="ij", sparse=True)
    u[0, 0] = 3.0 * x[1]
    return np.sum(u * v**2) + np.sum(p * q)


def conjugated(x: Any) -> Any:
    y = np.conj(x) if np.imag(x) > 0 else x
    return y * y * np.conjugate(x)


def length(v: Any) -> Any:
    w = v.conj()
    return np.sqrt(np.dot(v, w))


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (crossed, (P[:, None], COLUMN[0] * P[:, None] ** 2)),
        (crossed, (np.outer(P, [1.0, 2.0, -0.5, 3.0]), P**2)),
        (crossed_from_unlike_axes, (np.outer(P, [1.0, 2.0]), np.array([P**2, P**3]))),
        (grid, (P, np.array([1.5, 0.25]))),
        (conjugated, (2.0,)),
        (length, (P,)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_axes(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def of_numbers(x: Any) -> Any:
    """A function of arrays, as it is called with numbers: arrays without axes are written."""
    local = np.asarray(x, float)
    w = np.full_like(local, np.nan)
    small = local <= 100.0
    w[~small] = np.log(local[~small])
    w[small] = local[small] ** 2
    return w * 1.0


def calling(x: Any, y: Any) -> Any:
    return of_numbers(x * y) * x


def overwritten(x: Any) -> Any:
    held = np.array(x)
    out = np.zeros_like(held)
    out[...] = held * 2.0
    out += held
    held[...] = 3.0
    return out * out * held


def found(x: Any) -> Any:
    large = np.where(x > 1.0)
    squares = x * x
    squares[large] = 2.0 * x[large]
    some = np.where(x > 0.6)[0]
    first = x[some[0]] if len(some) else 0.0
    return np.sum(squares**2) + np.sum(np.sqrt(x[some]) * squares[some]) * first


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (of_numbers, (2.0,)),
        (of_numbers, (200.0,)),
        (of_numbers, (np.array([2.0, 300.0]),)),
        (calling, (2.0, 3.0)),
        (calling, (200.0, 3.0)),
        (calling, (np.array([2.0, 300.0]), 3.0)),
        (overwritten, (2.0,)),
        (overwritten, (P,)),
        (found, (P,)),
        (found, (np.array([0.5]),)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_numbers_as_arrays(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def divided(x: Any, y: Any) -> Any:
    ratio = np.zeros_like(x)
    np.divide(x, y, out=ratio, where=x > 0.6)
    return ratio * ratio


def rooted(x: Any) -> Any:
    return np.sqrt(1.0 - x, out=np.zeros_like(x), where=x < 1.0) * x


def half_by_default(x: Any, y: Any) -> Any:
    return np.divide(x, y, out=x / 2.0, where=np.array([True, False, True]))


def over_rows(x: Any, y: Any) -> Any:
    out = np.ones((2, 3))
    np.multiply(x, y, out=out, where=x > 0.6)
    return out * out * x


def with_axes(x: Any) -> Any:
    y = np.array(x, ndmin=1)
    z = np.array(y, ndmin=2)
    y[0] = 3.0 * y[0]
    return y * z * z.shape[0]


def of_dtypes(x: Any) -> Any:
    out = np.empty_like(x, dtype=np.result_type(x.dtype, np.float32))
    out[:] = 2.0 * x
    if out.dtype == np.float64 and out.dtype == float:
        out *= x
    if x.dtype.kind in "fc" and np.issubdtype(x.dtype, np.floating):
        out *= 3.0
    if np.issubdtype(x.dtype, np.integer) or x.dtype != np.dtype(float):
        out *= 0.0
    return out


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (divided, (P, P**2)),
        (divided, (P, 2.0)),
        (rooted, (0.25,)),
        (rooted, (1.25,)),
        (rooted, (P,)),
        (half_by_default, (P, P**2)),
        (half_by_default, (P, 2.0)),
        (over_rows, (P, COLUMN)),
        (with_axes, (2.0,)),
        (with_axes, (P,)),
        (of_dtypes, (P,)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_masks_and_dtypes(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def partly_rooted(x: Any) -> Any:
    """What a mask leaves out has no part in an infinite slope."""
    root = np.sqrt(np.maximum(1.0 - x, 0.0))
    out = x * x
    inside = x < 1.0
    out[inside] -= root[inside]
    return out * x


def test_what_a_mask_leaves_out() -> None:
    agrees(partly_rooted, np.array([0.5, 2.0, 1.5]))


def crossed_rows(a: Any, b: Any) -> Any:
    return np.sum(np.cross(a, b) ** 2)


def test_vectors_of_a_plane_have_no_cross_product() -> None:
    for shape in ((2,), (3, 2)):
        a = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
        with pytest.raises((NotImplementedError, AdjointgenError), match="AG201"):
            grad(crossed_rows)(a, a[::-1] * 2.0)


def test_more_differences_than_entries() -> None:
    x = np.arange(5.0)
    assert list(grad(lambda x: np.sum(np.diff(x, n=7)) + np.sum(x))(x)) == [1.0] * 5
    matrix = np.diff(np.eye(5), n=2, axis=0)
    by_two = grad(lambda x: np.sum(np.diff(x, n=2) ** 2))(x**3)
    np.testing.assert_allclose(by_two, 2.0 * matrix.T @ matrix @ x**3)
