"""Objects of SciPy that are given: what has no derivative is refused, and no type is made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, RegularGridInterpolator, UnivariateSpline, interp1d
from scipy.optimize import curve_fit
from scipy.sparse import csr_array, csr_matrix

from adjointgen import AdjointgenError, generate, grad

T = np.linspace(0.0, 3.0, 7)
V = np.array([0.7, 1.3, 2.1])
PAIRS = CubicSpline(T, np.stack([T, T**2], axis=-1))
HELD = UnivariateSpline(T, np.sin(T), s=0.0, ext=3)
BENT = interp1d(T, np.sin(T), kind="quadratic")
SIDES = interp1d(T, np.sin(T), bounds_error=False, fill_value=(0.0, 1.0))
NEAREST = RegularGridInterpolator((T, T), np.outer(T, T), method="nearest")
GRID = RegularGridInterpolator((T, T), np.outer(T, T), bounds_error=False, fill_value=-1.0)
MATRIX = np.matrix([[1.0, 2.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 1.0]])
MASKED = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
SPARSE = csr_array(np.asarray(MATRIX))
CURVE = CubicSpline(T, np.sin(T))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(PAIRS(x)),
        lambda x: np.sum(HELD(x)),
        lambda x: np.sum(BENT(x)),
        lambda x: np.sum(SIDES(x)),
        lambda x: NEAREST((x[0], x[1])) * 1.0,
        lambda x: np.sum(CURVE(x, extrapolate=False)),
        lambda x: np.sum(MATRIX * x[:, None]),
        lambda x: np.sum(MASKED * x),
        lambda x: np.sum(SPARSE * x),
        lambda x: np.sum(SPARSE.multiply(x).toarray()),
        lambda x: np.sum((SPARSE**2) @ x),
        lambda x: x[0] * SPARSE.sum(),
    ],
    ids=lambda f: str(f.__code__.co_names[-1]) + str(f.__code__.co_firstlineno),
)
def test_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(AdjointgenError) as error:
        grad(f)(V)
    assert error.value.code == "AG201"


def test_the_covariance_of_a_fit_is_refused() -> None:
    def first(y: Any) -> Any:
        return curve_fit(lambda t, a, b: a + b * t, V, y)[0][0]

    def covariance(y: Any) -> Any:
        return curve_fit(lambda t, a, b: a + b * t, V, y)[1][0, 0]

    line = np.linalg.inv([[3.0, V.sum()], [V.sum(), V @ V]]) @ np.stack([V**0, V])
    np.testing.assert_allclose(grad(first)(np.array([1.0, 2.5, 3.0])), line[0], rtol=1e-7)
    with pytest.raises(AdjointgenError, match="covariance") as error:
        grad(covariance)(np.array([1.0, 2.5, 3.0]))
    assert error.value.code == "AG201"


def test_a_sparse_matrix_has_no_gradient() -> None:
    with pytest.raises(AdjointgenError) as error:
        grad(lambda x, a: np.sum(a @ x), wrt=1)(V, SPARSE)
    assert error.value.code == "AG403"


def test_what_a_star_means_is_asked_of_each_matrix() -> None:
    gradient = grad(lambda x, a: np.sum(a * x) * 2.0)
    np.testing.assert_allclose(gradient(V, csr_matrix(MATRIX)), [4.0, 10.0, 4.0])
    with pytest.raises(AdjointgenError):
        gradient(V, SPARSE)


def test_another_spline_under_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = grad(lambda x: CURVE(x) * 2.0)
    assert gradient(1.0) == pytest.approx(2.0 * CURVE(1.0, 1), rel=1e-14)
    other = CubicSpline(T, T**3)
    monkeypatch.setitem(globals(), "CURVE", other)
    assert gradient(1.0) == pytest.approx(6.0, rel=1e-12)


def test_beyond_a_grid_is_what_was_given_for_it() -> None:
    gradient = grad(lambda x: GRID((x[0], x[1])) * x[2])
    np.testing.assert_allclose(gradient(np.array([5.0, 1.0, 2.0])), [0.0, 0.0, -1.0])


TEXT = """
import numpy as np
from scipy.interpolate import CubicSpline

X = np.linspace(0.0, 3.0, 7)
CURVE = CubicSpline(X, np.sin(X))
PAIRS = CubicSpline(X, np.zeros((7, 2)))


def f(x: float) -> float:
    return CURVE(x) ** 2


def g(x: float) -> float:
    return np.sum(PAIRS(x))
"""


def test_in_text_the_expression_says_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "splines_as_text.py"
    path.write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, Any] = {}
    exec(TEXT, names)
    exec(generate(f"{path}::f", wrt="x").source, names)
    assert names["f_adjoint"](1.2)[1] == pytest.approx(2.0 * CURVE(1.2) * CURVE(1.2, 1), rel=1e-13)
    with pytest.raises(AdjointgenError) as error:
        generate(f"{path}::g", wrt="x")
    assert error.value.code == "AG201"
