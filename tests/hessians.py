"""Hessians in three ways, and by differences of gradients at other points.

The oracle is a gradient that another test holds to differences of the function. Differences step
off the point, so what holds only at a coincidence (a residual that vanishes, two equal entries) is
not in them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen import grad, hvp, jvp, tangent

Function = Callable[[Any], Any]
Product = Callable[[Any, Any], Any]


def forward_over_reverse(f: Function) -> Product:
    return lambda x, v: hvp(f, [x], [v])


def reverse_over_forward(f: Function) -> Product:
    return grad(lambda x, v: jvp(f, [x], [v])[1])


def reverse_over_reverse(f: Function) -> Product:
    return grad(lambda x, v: np.sum(grad(f)(x) * v))


def compiled(f: Function) -> Product:
    """Forward over reverse, by Numba."""
    run = tangent(grad(f), compile="numba")
    return lambda x, v: run(x, v)[1]


WAYS = (forward_over_reverse, reverse_over_forward, reverse_over_reverse)


def hessian(product: Product, x: Any) -> Any:
    """One column for each entry of `x`."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    columns = [np.array(product(x.copy(), unit), copy=True).ravel() for unit in units]
    return np.array(columns).T


def slope(f: Function, x: Any, v: Any, step: float = 2e-3) -> Any:
    """The derivative along `v` by central differences, extrapolated twice (Richardson 1911)."""
    first, second, third = (
        (np.asarray(f(x + h * v)) - np.asarray(f(x - h * v))) / (2.0 * h)
        for h in (step, step / 2.0, step / 4.0)
    )
    coarse, fine = (4.0 * second - first) / 3.0, (4.0 * third - second) / 3.0
    return (16.0 * fine - coarse) / 15.0


def by_differences(f: Function, x: Any) -> Any:
    """The Hessian by differences of the gradient."""
    gradient = grad(f)
    return hessian(lambda at, v: slope(lambda z: gradient(z), at, v), x)


def check_gradient(f: Function, x: Any) -> None:
    units = np.eye(x.size).reshape(x.size, *x.shape)
    expected = [float(slope(f, x, unit)) for unit in units]
    np.testing.assert_allclose(np.ravel(grad(f)(x.copy())), expected, 1e-6, 1e-6)


def check_hessian(f: Function, x: Any, way: Callable[[Function], Product]) -> None:
    found, expected = hessian(way(f), x), by_differences(f, x)
    np.testing.assert_allclose(found, expected, 1e-6, 1e-6 * (1.0 + np.max(np.abs(expected))))
    np.testing.assert_allclose(found, found.T, 1e-9, 1e-9 * (1.0 + np.max(np.abs(expected))))
