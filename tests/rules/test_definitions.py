"""Definitions of functions by simpler ones: axes, lengths and options are those of SciPy and NumPy.

Values are those of the function itself, slopes its differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si
import scipy.interpolate
import scipy.linalg as sl
import scipy.spatial.distance as sd
import scipy.special as ss

from adjointgen import AdjointgenError, hvp, jvp, vjp

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(2, 3, 5))
ALONG_0, ALONG_1 = np.cumsum(A**2 + 0.1, axis=0), np.cumsum(A**2 + 0.1, axis=1)
MIDDLE = np.cumsum(B**2 + 0.1, axis=1)

Case = tuple[Callable[..., Any], tuple[Any, ...]]
INTEGRALS: dict[str, Case] = {
    "simpson, places of each row": (lambda y, x: si.simpson(y, x=x, axis=1), (A, ALONG_1)),
    "simpson, of each column": (lambda y, x: si.simpson(y, x=x, axis=0), (A, ALONG_0)),
    "simpson, middle axis": (lambda y, x: si.simpson(y, x=x, axis=-2), (B, MIDDLE)),
    "simpson, places of all rows": (lambda y, x: si.simpson(y, x=x, axis=0), (A, ALONG_0[:, 0])),
    "simpson, widths of each row": (lambda y, dx: si.simpson(y, dx=dx), (A, np.array([0.3, 1, 2]))),
    "cumulative, of each column": (
        lambda y, x: si.cumulative_trapezoid(y, x=x, axis=0),
        (A, ALONG_0),
    ),
    "cumulative, middle axis": (
        lambda y, x: si.cumulative_trapezoid(y, x=x, axis=1, initial=0),
        (B, MIDDLE),
    ),
}
U, V, W = np.array([0.4, 1.7, -0.6]), np.array([1.3, 0.3, 0.9]), np.array([0.5, 1.4, 0.8])
ORDERS = [np.inf, 2.5]
DISTANCES: dict[str, Case] = {
    "infinite order": (lambda u, v: sd.minkowski(u, v, np.inf), (U, V)),
    "infinite order, weights": (lambda u, v: sd.minkowski(u, v, np.inf, w=W), (U, V)),
    "infinite order of a list": (lambda u, v: sd.minkowski(u, v, ORDERS[0]), (U, V)),
    "order of a list": (lambda u, v: sd.minkowski(u, v, ORDERS[1]), (U, V)),
}
SQUARED: dict[str, Callable[..., Any]] = {
    "euclidean": lambda u: sd.euclidean(u, V) ** 2,
    "minkowski": lambda u: sd.minkowski(u, V) ** 2,
    "seuclidean": lambda u: sd.seuclidean(u, V, W) ** 2,
    "mahalanobis": lambda u: sd.mahalanobis(u, V, np.diag(W)) ** 2,
    "cdist": lambda u: np.sum(sd.cdist([u], [V, W]) ** 2),
}
TALL, SQUARE = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))
MATRICES: dict[str, Case] = {
    "R of all rows": (lambda a: np.linalg.qr(a, mode="complete")[1] ** 4, (TALL,)),
    "R of SciPy": (lambda a: sl.qr(a)[1] ** 4, (TALL,)),
    "Q and R": (lambda a: sl.qr(a)[0] + sl.qr(a)[1] ** 2, (SQUARE,)),
    "condition, the other way round": (lambda a: np.linalg.cond(a, p=-2), (TALL,)),
}
TWICE: dict[str, tuple[Callable[..., Any], Any]] = {
    "R of all rows": (lambda a: np.sum(np.linalg.qr(a, mode="complete")[1] ** 4), TALL),
    "spherical harmonic of the highest order": (lambda a: ss.sph_harm_y(2, 2, a, 0.3).real, 0.7),
}
KNOTS, HEIGHTS = np.array([0.0, 1.0, 2.5, 3.5, 5.0]), RNG.normal(size=5)
PLACES = np.array([-0.3, 1.7, 7.2])
ARRAYS: dict[str, Case] = {
    "unwrap of rows": (lambda a: np.unwrap(3.0 * a), (A,)),
    "unwrap of columns": (lambda a: np.unwrap(3.0 * a, 2.0, 0, period=4.0), (A,)),
    "polyfit of several": (lambda a: np.polyfit(np.arange(4.0), a.T, 1), (A,)),
    "polyfit of several, weights": (
        lambda a: np.polyfit(np.arange(4.0), a.T, 1, w=[1.0, 2.0, 3.0, 1.0]),
        (A,),
    ),
    "median of all axes": (lambda a: np.median(a, axis=(0, 1), keepdims=True), (A,)),
    "blocks of a matrix and a vector": (lambda a: sl.block_diag(a, a[0], a[0, 1]), (A,)),
    "geomspace of arrays": (lambda a: np.geomspace(a[0] ** 2 + 1, a[1] ** 2 + 3, 3), (A,)),
    "geomspace to a number": (lambda a: np.geomspace(a[0] ** 2 + 1, 5.0, 3), (A,)),
    "spline that repeats": (lambda y: cubic(y, extrapolate="periodic")(PLACES), (HEIGHTS,)),
    "spline called to repeat": (
        lambda y, t: cubic(y)(t, extrapolate="periodic"),
        (HEIGHTS, PLACES),
    ),
    "spline that ends": (
        lambda y: np.nansum(cubic(y, extrapolate=False)(PLACES)),
        (HEIGHTS,),
    ),
    "third derivative of a spline": (lambda y: cubic(y)(PLACES, 3), (HEIGHTS,)),
    "interp1d with an axis": (
        lambda y: scipy.interpolate.interp1d(KNOTS, y, "linear", -1)(PLACES[1]),
        (HEIGHTS,),
    ),
}
REFUSED: dict[str, Case] = {
    "a median of some axes": (lambda a: np.median(a, axis=(0, 2)), (B,)),
    "exponentials of several": (lambda a: sl.expm(a), (B[:, :, :3],)),
    "a spline that closes": (lambda y: cubic(y - y, bc_type="periodic")(PLACES), (HEIGHTS,)),
    "slopes at the ends": (
        lambda y: cubic(y, bc_type=((1, 0.5), (2, 0.3)))(PLACES),
        (HEIGHTS,),
    ),
    "steps": (
        lambda y: scipy.interpolate.interp1d(KNOTS, y, kind="nearest")(PLACES[1]),
        (HEIGHTS,),
    ),
    "two numbers beyond the ends": (
        lambda y: scipy.interpolate.interp1d(KNOTS, y, bounds_error=False, fill_value=(y[0], y[1]))(
            PLACES
        ),
        (HEIGHTS,),
    ),
    "R of SciPy alone": (lambda a: sl.qr(a, mode="r")[0], (TALL,)),
}


def cubic(y: Any, bc_type: Any = "natural", extrapolate: Any = None) -> Any:
    return scipy.interpolate.CubicSpline(KNOTS, y, bc_type=bc_type, extrapolate=extrapolate)


WRONG_LENGTHS: dict[str, Case] = {
    "simpson": (lambda y, x: si.simpson(y, x=x), (A[0], np.arange(5.0))),
    "cumulative": (lambda y, x: si.cumulative_trapezoid(y, x=x), (A[0], np.arange(2.0))),
    "cumulative, initial": (lambda y: si.cumulative_trapezoid(y, initial=1), (A[0],)),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*INTEGRALS, *DISTANCES, *MATRICES, *ARRAYS])
def test_a_definition_is_the_function(name: str) -> None:
    f, point = (INTEGRALS | DISTANCES | MATRICES | ARRAYS)[name]
    agrees_with_differences(f, point)


@pytest.mark.parametrize("name", SQUARED)
def test_the_square_of_a_distance_is_smooth_where_it_is_zero(name: str) -> None:
    f, direction, h = SQUARED[name], np.array([1.0, -0.5, 2.0]), 1e-4
    second = (f(V + h * direction) - 2 * f(V) + f(V - h * direction)) / h**2
    assert hvp(f, (V,), (direction,)) @ direction == pytest.approx(second, rel=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_with_a_code(name: str) -> None:
    f, point = REFUSED[name]
    f(*point)
    with pytest.raises(AdjointgenError) as refused:
        jvp(f, point, point)
    assert refused.value.code == "AG201"


@pytest.mark.parametrize("name", TWICE)
def test_a_second_derivative_is_that_of_differences(name: str) -> None:
    (f, x), h = TWICE[name], 1e-4
    direction = np.cos(np.arange(np.size(x))).reshape(np.shape(x))
    second = (f(x + h * direction) - 2 * f(x) + f(x - h * direction)) / h**2
    found = np.sum(hvp(f, (x,), (direction,)) * direction)
    assert found == pytest.approx(second, rel=1e-5)


@pytest.mark.parametrize("name", WRONG_LENGTHS)
def test_a_definition_raises_where_the_function_does(name: str) -> None:
    f, point = WRONG_LENGTHS[name]
    with pytest.raises(ValueError) as own:
        f(*point)
    with pytest.raises(ValueError) as raised:
        jvp(f, point, point)
    assert str(raised.value) == str(own.value)


def agrees_with_differences(f: Callable[..., Any], point: tuple[Any, ...]) -> None:
    """Both modes, along one direction and for one seed."""
    rng, h = np.random.default_rng(7), 1e-5
    direction = tuple(rng.normal(size=np.shape(x)) for x in point)
    ahead, behind = (
        np.asarray(f(*[x + t * d for x, d in zip(point, direction, strict=True)])) for t in (h, -h)
    )
    slope = (ahead - behind) / (2 * h)
    value, y_dot = jvp(f, point, direction)
    np.testing.assert_allclose(value, f(*point), rtol=1e-12)
    np.testing.assert_allclose(y_dot, slope, rtol=1e-6, atol=1e-8)
    y_bar = rng.normal(size=np.shape(slope))
    adjoints = vjp(f, *point)[1](y_bar)
    along = sum(np.sum(bar * d) for bar, d in zip(adjoints, direction, strict=True))
    assert along == pytest.approx(np.sum(y_bar * slope), rel=1e-6)
