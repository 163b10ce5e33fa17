"""Arrays and numbers of unlike precision: derivatives have the precision that the function has."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, jvp, value_and_grad

W = np.array([1e-30], dtype=np.float32)
X = np.array([1e60])


def products(w: Any, x: Any) -> Any:
    return np.sum(w * (w * x))


def named(w: Any, x: Any) -> Any:
    z = w * x
    return np.sum(z * w)


def contracted(w: Any, x: Any) -> Any:
    return (w * x) @ w


def grown(w: Any, x: Any) -> Any:
    z = w * x
    z *= w
    return z.sum()


@pytest.mark.parametrize("compiled", ["python", "numba"])
@pytest.mark.parametrize("f", [products, named, contracted, grown])
def test_products_neither_overflow_nor_vanish(f: Any, compiled: Any) -> None:
    w_bar, x_bar = grad(f, wrt=("w", "x"), compile=compiled)(W, X)
    assert w_bar.dtype == np.float32
    assert x_bar.dtype == np.float64
    np.testing.assert_allclose(x_bar, np.float64(W) ** 2, rtol=1e-12)
    np.testing.assert_allclose(w_bar, (2 * np.float64(W) * X).astype(np.float32))


@pytest.mark.parametrize("f", [products, named, contracted, grown])
def test_tangents(f: Any) -> None:
    value, tangent = jvp(f, (W, X), (np.zeros_like(W), np.ones(1)))
    np.testing.assert_allclose(value, f(W, X), rtol=1e-15)
    np.testing.assert_allclose(tangent, (np.float64(W) ** 2)[0], rtol=1e-12)


def test_a_gradient_has_the_dtype_of_its_argument() -> None:
    w, x = np.ones(3, np.float32), np.arange(3.0)
    assert [g.dtype for g in grad(lambda w, x: w @ x, wrt=(0, 1))(w, x)] == [w.dtype, x.dtype]


def own(x: Any) -> Any:
    return x[0].item() ** 2 * 1e60


def only(x: Any) -> Any:
    return x.item() ** 2 * 1e60


def real_part(x: Any) -> Any:
    a = complex(x[0])
    return (a * a).real * 1e60


def floated(x: Any) -> Any:
    a = float(x[0])
    return a * a * 1e60


@pytest.mark.parametrize("compiled", ["python", "numba"])
@pytest.mark.parametrize("f", [own, only, real_part, floated])
def test_numbers_of_python_have_64_bits(f: Any, compiled: Any) -> None:
    value, x_bar = value_and_grad(f, compile=compiled)(W)
    np.testing.assert_allclose(value, f(W), rtol=1e-12)
    np.testing.assert_allclose(x_bar, (2e60 * np.float64(W)).astype(np.float32))


@pytest.mark.parametrize("f", [lambda x: x[0].item() / 0.0, lambda x: x[:1].item() / 0.0])
def test_a_number_of_python_is_not_divided_by_zero(f: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        value_and_grad(f)(np.ones(2))


MASK = np.array([True, False, True])
THREE = np.array([0.3, 0.6, 0.9], np.float32)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x, y: np.sum(x * y), (THREE, MASK)),
        (lambda x, y: np.sum(x * y), (THREE, np.arange(3, dtype=np.uint8))),
        (lambda x, y: np.einsum("i,i", x, y), (THREE, THREE)),
        (lambda x, y: np.tensordot(x, y, 1), (THREE, THREE)),
        (lambda x, y: np.sum(np.outer(x, x) @ y), (THREE, THREE)),
        (lambda x, y: np.sum(np.outer(x, y)), (THREE, THREE)),
        (lambda x, y: np.sum(np.where(x > y, x, 3 * x)), (THREE, np.float32(0.5))),
        (lambda x, y: np.sum(np.clip(x, 0.2, 0.8)), (THREE, None)),
    ],
)
def test_constants_have_the_precision_of_the_argument(f: Any, args: Any) -> None:
    assert grad(f)(*args).dtype == np.float32


def listed(x: Any) -> Any:
    return np.array([v * v for v in x], dtype=float) * 1e60


def filled(x: Any) -> Any:
    values = [0.0] * len(x)
    for k in range(len(x)):
        values[k] = x[k] * x[k]
    return np.asarray(values, float) * 1e60


def counted(x: Any) -> Any:
    return np.fromiter((v * v for v in x), float) * 1e60


@pytest.mark.parametrize("f", [listed, filled, counted])
def test_an_array_of_the_dtype_that_is_asked_for_is_made_of_a_list(f: Any) -> None:
    x = np.array([1.25, 2.5], np.float32)
    value, tangent = jvp(f, (x,), (np.ones_like(x),))
    assert value.dtype == tangent.dtype == np.float64
    np.testing.assert_array_equal(value, f(x))
    np.testing.assert_allclose(tangent, 2e60 * np.float64(x))
