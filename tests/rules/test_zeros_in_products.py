"""Products and determinants are polynomials: their Hessians are exact at any number of zeros."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.hessians import WAYS, Product, check_gradient, check_hessian

W = np.array([1.0, -2.0, 0.5, 3.0, -1.0])


def running(x):
    return np.sum(np.cumprod(x) * W)


def squares(x):
    return np.sum((np.cumprod(x) - 1.0) ** 2)


def product(x):
    return (np.prod(x) - 1.0) ** 2 + np.prod(x) * np.sum(x)


def accumulated(x):
    return np.sum(np.multiply.accumulate(x) * W) + np.multiply.reduce(x)


def of_python(x):
    return math.prod(x) * x[0]


def along_axes(x):
    x = x[:4].reshape(2, 2)
    return np.sum(np.cumprod(x, axis=-1) ** 2) + np.sum(np.cumprod(x, axis=0)[1] * W[:2])


def determinant(x):
    return (np.linalg.det(x) - 1.0) ** 2 + np.linalg.det(x) * x[0, 0]


POINTS = [
    np.array([1.0, 0.0, 2.0, 0.5, 3.0]),
    np.array([1.0, 0.0, 2.0, 0.0, 3.0]),
    np.array([0.0, 0.0, 0.0, 2.0, 1.0]),
    np.zeros(5),
    np.ones(5),
]
MATRICES = [
    np.diag([1.0, 2.0, 0.0]),
    np.diag([1.0, 0.0, 0.0]),
    np.zeros((3, 3)),
    np.ones((3, 3)),
    np.arange(9.0).reshape(3, 3),
    np.eye(3),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("x", POINTS, ids=str)
@pytest.mark.parametrize("f", [running, squares, product, accumulated, of_python, along_axes])
def test_products(f: Callable[[Any], Any], x: Any, way: Callable[[Any], Product]) -> None:
    check_gradient(f, x)
    check_hessian(f, x, way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("x", MATRICES, ids=lambda x: str(x.ravel()))
def test_determinants(x: Any, way: Callable[[Any], Product]) -> None:
    check_gradient(determinant, x)
    check_hessian(determinant, x, way)
