"""Functions with an equation: what their derivative is, in text too, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, custom, generate, grad, jvp, rules

TEXT = """
import numpy as np

from adjointgen import custom, rules


def cubic(z: float, a: float, b: float) -> float:
    return z**3 + b * z - a


@custom(residual=cubic)
def solve(a: float, b: float, start: float = 1.0) -> float:
    z = start
    while abs(cubic(z, a, b)) > 1e-13:
        z = z - cubic(z, a, b) / (3.0 * z * z + b)
    return z


def smooth(z, a):
    return 0.5 * np.cos(z) + a


@rules.custom(step=smooth)
def settle(a):
    z = np.zeros(len(a))
    for _ in range(80):
        z = smooth(z, a)
    return z


def model(a: float, b: float) -> float:
    return solve(a * b, b) * a


def vector(a):
    return np.sum(settle(a) ** 2)


@custom(residual=cubic)
def other(a: float) -> float:
    return a


def lacking(a: float) -> float:
    return other(a)


@custom(step=np.cos)
def without(a: float) -> float:
    return a
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "text.py"
    path.write_text(TEXT)
    return path


def written(path: Path, name: str, **options: Any) -> dict[str, Any]:
    """What a module that was generated from text defines; it needs nothing of the text's own."""
    made = generate(f"{path}::{name}", **options)
    assert "adjointgen import" not in made.source and "import text" not in made.source
    names: dict[str, Any] = {}
    exec(made.source, names)
    return names


def root(a: float, b: float) -> float:
    """The real root, by its formula."""
    d = np.sqrt(a * a / 4.0 + b**3 / 27.0)
    return float(np.cbrt(a / 2.0 + d) + np.cbrt(a / 2.0 - d))


def test_text_has_the_derivative_of_the_equation(path: Path) -> None:
    names = written(path, "model", wrt="a,b")
    z, h = root(0.91, 0.7), 1e-6

    def value(a: float, b: float) -> float:
        return root(a * b, b) * a

    by_a = (value(1.3 + h, 0.7) - value(1.3 - h, 0.7)) / (2 * h)
    by_b = (value(1.3, 0.7 + h) - value(1.3, 0.7 - h)) / (2 * h)
    y, y_dot = names["model_tangent"](1.3, 0.7, 2.0, -0.5)
    assert y == pytest.approx(z * 1.3, rel=1e-12)
    assert y_dot == pytest.approx(2.0 * by_a - 0.5 * by_b, rel=1e-8)
    assert names["model_adjoint"](1.3, 0.7)[1:] == pytest.approx((by_a, by_b), rel=1e-8)


def test_text_of_a_decorated_function_itself(path: Path) -> None:
    names = written(path, "solve", wrt="a,start")
    slope = 1.0 / (3.0 * root(2.0, 0.7) ** 2 + 0.7)
    _, a_bar, start_bar = names["solve_adjoint"](2.0, 0.7)
    assert a_bar == pytest.approx(slope, rel=1e-12)
    assert start_bar == 0.0
    assert names["solve_tangent"](2.0, 0.7, a_dot=3.0, start_dot=5.0)[1] == pytest.approx(3 * slope)


def test_text_of_a_step_of_vectors(path: Path) -> None:
    names = written(path, "vector", wrt="a", types={"a": "float64[:]"})
    a = np.array([0.1, 0.4, -0.3])
    z = a.copy()
    for _ in range(200):
        z = 0.5 * np.cos(z) + a
    wanted = 2.0 * z / (1.0 + 0.5 * np.sin(z))
    np.testing.assert_allclose(names["vector_adjoint"](a)[1], wanted, rtol=1e-12)
    a_dot = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(names["vector_tangent"](a, a_dot)[1], wanted @ a_dot, rtol=1e-12)


def test_the_loop_is_not_differentiated() -> None:
    """Not even where it has not converged: the equation is taken where the loop ended."""

    @custom(residual=lambda z, a: z * z - a)
    def once(a: float) -> float:
        z = 1.0
        for _ in range(2):
            z = 0.5 * (z + a / z)
        return z

    z = once(3.0)
    assert grad(once)(3.0) == pytest.approx(0.5 / z, rel=1e-14)
    assert jvp(once, (3.0,), (2.0,)) == pytest.approx((z, 1.0 / z), rel=1e-14)
    assert abs(z - np.sqrt(3.0)) > 1e-3


def test_a_function_that_was_declared_later_is_seen() -> None:
    def half(a: float) -> float:
        return 0.5 * a

    gradient = grad(half)
    assert gradient(1.0) == 0.5
    rules.implicit(half, lambda z, a: 4.0 * z - a)
    assert gradient(1.0) == 0.25


def plain(a: float) -> float:
    z = 1.0
    for _ in range(90):
        z = np.cos(a * z)
    return z


def test_by_a_name() -> None:
    rules.fixed_point(f"{__name__}.plain", lambda z, a: np.cos(a * z))
    z = plain(0.7)
    slope = -np.sin(0.7 * z)
    gradient = grad(plain)
    assert gradient(0.7) == pytest.approx(slope * z / (1.0 - 0.7 * slope), rel=1e-12)
    assert gradient.source.count("for _ in") == 1


def test_arguments_that_are_written_later_are_what_they_were() -> None:
    @custom(residual=lambda z, a: z * z - a)
    def solve(a: Any) -> Any:
        return np.sqrt(a)

    def f(x: Any) -> Any:
        a = x * 2.0
        z = solve(a)
        a[0] = 100.0
        return np.sum(z) + a[0]

    x = np.array([2.0, 8.0])
    np.testing.assert_allclose(grad(f)(x), 1.0 / np.sqrt(2.0 * x), rtol=1e-13)


def test_values_of_one_argument_that_are_made_in_the_call() -> None:
    @custom(residual=lambda z, pair: z * z - pair[0] * pair[1])
    def solve(pair: Any) -> Any:
        first, second = pair
        return (first * second) ** 0.5

    value = grad(lambda x: solve((x * 2.0, x + 1.0)))(1.5)
    assert value == pytest.approx((4.0 * 1.5 + 2.0) / (2.0 * np.sqrt(7.5)), rel=1e-13)


def writes(a: Any) -> Any:
    a[0] = 3.0
    return a * 1.0


def same(a: Any) -> Any:
    return a


def several(a: Any) -> Any:
    return a[0], a[1]


def whole(a: Any) -> Any:
    return 3


def waves(a: Any) -> Any:
    return a * 1j


def many(*a: Any) -> Any:
    return a[0] * 1.0


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (writes, "AG113"),
        (same, "AG113"),
        (several, "AG102"),
        (whole, "AG102"),
        (waves, "AG102"),
        (many, "AG103"),
    ],
    ids=lambda p: getattr(p, "__name__", p),
)
def test_refused(function: Callable[..., Any], code: str) -> None:
    decorated = custom(residual=lambda z, a: z - a)(function)
    with pytest.raises(AdjointgenError) as error:
        grad(lambda x: np.sum(np.abs(decorated(x))))(np.ones(2))
    assert error.value.code == code


@pytest.mark.parametrize(("name", "code"), [("lacking", "AG402"), ("without", "AG102")])
def test_refused_in_text(path: Path, name: str, code: str) -> None:
    with pytest.raises(AdjointgenError) as error:
        generate(f"{path}::{name}", wrt="a")
    assert error.value.code == code


def identity(a: float) -> float:
    return a


@pytest.mark.parametrize(
    "declare",
    [
        lambda: custom(residual=lambda z, b: z - b)(identity),
        lambda: custom(step=lambda: 1.0)(identity),
        lambda: custom(step=identity, residual=identity),
        lambda: custom(step=identity, adjoint=identity),
        lambda: rules.implicit("math.sin", lambda z, x: z - x),
    ],
    ids=["parameter", "unknown", "both", "rule", "source"],
)
def test_what_cannot_be_declared(declare: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"lacks|needs|source"):
        declare()
