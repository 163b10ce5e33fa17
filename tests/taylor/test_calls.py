"""`taylor` to order 10 on functions of all kinds, against mpmath.

`mpmath.taylor` differentiates in many digits by differences, and knows nothing of ours.
"""

import math
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import adjointgen
from adjointgen.errors import NoRule, TypeMismatch

K = 10
LINE = np.eye(1, K)[0]
"""The path `x + t`: then the coefficients are those of the Taylor series of the function."""


def polynomial(x):
    return 3 * x**5 - 2.0 * x**2 + x - 4


def rational(x):
    return (1 + x * x) / (2 - x)


def exponential(x):
    return math.exp(-x * x) * 2.0**x


def oscillation(x):
    return math.sin(3 * x) * math.cos(x) + math.sinh(x) / math.cosh(x)


def tangents(x):
    return math.tan(x) - math.tanh(2 * x)


def logarithms(x):
    return math.log(x) * math.log1p(x) + math.log2(x) - math.log10(x)


def roots(x):
    return math.sqrt(x) * (1 + x) ** 0.3 / x**2.5


def cube_root(x):
    return np.cbrt(x) + np.reciprocal(x)


def inverse_trigonometric(x):
    return math.atan(x) + math.asin(x / 2) * math.acos(x / 3)


def inverse_hyperbolic(x):
    return math.asinh(x) + math.acosh(2 + x) + math.atanh(x / 2)


def exponent(x):
    return x**x + x ** math.sin(x)


def small_differences(x):
    return math.expm1(x) * np.exp2(x)


def error_function(x):
    return math.erf(x) + math.erfc(x * x)


def gammas(x):
    return math.gamma(x) + math.lgamma(x)


def quadrant(x):
    return math.atan2(x, 1 + x) + math.hypot(x, 2.0)


def horner(x):
    total = 0.0
    for k in range(6):
        total = total * x + 1.0 / (k + 1)
    return total


def newton(x):
    y = 1.0
    n = 0
    while n < 6:
        y = 0.5 * (y + x / y)
        n += 1
    return y


def branch(x):
    if x > 0.5:
        return x * math.exp(x)
    return x


def choice(x):
    return max(x, 0.25) * abs(x - 1) + np.where(x > 0, np.sin(x), x)


def left_early(x):
    total = x
    for k in range(10):
        total = total * x + k
        if total > 3:
            break
    return total


def stores(x):
    a = np.zeros(5)
    a[0] = x
    for i in range(1, 5):
        a[i] = a[i - 1] ** 2 + x
        a[i] *= 0.5
    return a.sum()


def entries(x):
    a = x * np.array([1.0, 2.0, 3.0])
    return np.sum(np.exp(a)) * np.prod(a) + np.cumsum(a)[1]


def norm(x):
    v = np.array([x, 2.0, x * x])
    return np.linalg.norm(v) + np.max(v) * np.mean(v)


def matrix(x):
    a = np.array([[2 + x, x], [x * x, 3.0]])
    return np.sum(a @ a @ a) + np.trace(np.linalg.inv(a))


def solution(x):
    a = np.array([[2 + x, x], [x * x, 3.0]])
    return np.linalg.solve(a, np.array([1.0, x]))[0]


def contraction(x):
    a = np.array([[x, 1.0], [2.0, x * x]])
    return np.einsum("ij,jk->", a, a) + np.dot(a[0], a[1])


def scale(z):
    return np.exp(-z) * z


def helper(x):
    return scale(x) + scale(2 * x)


@dataclass
class Spring:
    stiffness: float
    length: float

    def energy(self, x):
        return 0.5 * self.stiffness * (x - self.length) ** 2


def instance(x):
    return Spring(x * x, 1.0 + x).energy(math.sin(x))


def power_at_zero(x):
    return x**3 + x**1 + x**0 + (x + 1) ** -2


def product_at_zero(x):
    return x * math.sin(x) * np.prod(np.array([x, 1.0 + x, x * x]))


def soft_maximum(x):
    v = np.array([x, x * x, 1.0])
    return np.log(np.sum(np.exp(v)))


def _newton(x):
    y = mp.mpf(1)
    for _ in range(6):
        y = (y + x / y) / 2
    return y


def _stores(x):
    a = [x]
    for _ in range(4):
        a.append((a[-1] ** 2 + x) / 2)
    return sum(a)


def _left_early(x):
    total = x
    for k in range(3):
        total = total * x + k
    return total


def _matrix(x):
    return mp.matrix([[2 + x, x], [x * x, 3]])


def _contraction(x):
    a = mp.matrix([[x, 1], [2, x * x]])
    return sum(a * a) + x * 2 + x * x


CASES: list[tuple[Any, Any, float]] = [
    (polynomial, lambda x: 3 * x**5 - 2 * x**2 + x - 4, 0.7),
    (rational, lambda x: (1 + x * x) / (2 - x), 0.3),
    (exponential, lambda x: mp.exp(-x * x) * mp.mpf(2) ** x, 0.4),
    (oscillation, lambda x: mp.sin(3 * x) * mp.cos(x) + mp.tanh(x), 0.4),
    (tangents, lambda x: mp.tan(x) - mp.tanh(2 * x), 0.3),
    (
        logarithms,
        lambda x: mp.log(x) * mp.log(1 + x) + mp.log(x, 2) - mp.log(x, 10),
        1.3,
    ),
    (roots, lambda x: mp.sqrt(x) * (1 + x) ** mp.mpf(0.3) / x ** mp.mpf(2.5), 1.2),
    (cube_root, lambda x: mp.cbrt(x) + 1 / x, 1.4),
    (inverse_trigonometric, lambda x: mp.atan(x) + mp.asin(x / 2) * mp.acos(x / 3), 0.3),
    (inverse_hyperbolic, lambda x: mp.asinh(x) + mp.acosh(2 + x) + mp.atanh(x / 2), 0.4),
    (exponent, lambda x: x**x + x ** mp.sin(x), 1.1),
    (small_differences, lambda x: (mp.exp(x) - 1) * mp.mpf(2) ** x, 0.2),
    (error_function, lambda x: mp.erf(x) + mp.erfc(x * x), 0.5),
    (gammas, lambda x: mp.gamma(x) + mp.loggamma(x), 2.2),
    (quadrant, lambda x: mp.atan2(x, 1 + x) + mp.sqrt(x * x + 4), 0.6),
    (horner, lambda x: sum(x ** (5 - k) / mp.mpf(k + 1) for k in range(6)), 0.5),
    (newton, _newton, 1.7),
    (branch, lambda x: x * mp.exp(x), 0.8),
    (choice, lambda x: x * (1 - x) + mp.sin(x), 0.6),
    (left_early, _left_early, 0.9),
    (stores, _stores, 0.4),
    (
        entries,
        lambda x: (mp.exp(x) + mp.exp(2 * x) + mp.exp(3 * x)) * 6 * x**3 + 3 * x,
        0.3,
    ),
    (
        norm,
        lambda x: mp.sqrt(x * x + 4 + x**4) + 2 * (x + 2 + x * x) / 3,
        0.8,
    ),
    (
        matrix,
        lambda x: sum(_matrix(x) ** 3) + (5 + x) / ((2 + x) * 3 - x**3),
        0.3,
    ),
    (solution, lambda x: (3 - x * x) / ((2 + x) * 3 - x**3), 0.3),
    (contraction, _contraction, 0.6),
    (helper, lambda x: mp.exp(-x) * x + mp.exp(-2 * x) * 2 * x, 0.2),
    (instance, lambda x: x * x * (mp.sin(x) - 1 - x) ** 2 / 2, 0.7),
    (power_at_zero, lambda x: x**3 + x + 1 + (x + 1) ** -2, 0.0),
    (product_at_zero, lambda x: x * mp.sin(x) * x * (1 + x) * x * x, 0.0),
    (soft_maximum, lambda x: mp.log(mp.exp(x) + mp.exp(x * x) + mp.e), 0.4),
]


@pytest.mark.parametrize(("f", "exact", "x"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_order_ten(f: Any, exact: Any, x: float) -> None:
    y, found = adjointgen.taylor(f, (x,), (LINE,))
    with mp.workdps(40):
        expected = np.array([float(c) for c in mp.taylor(exact, mp.mpf(x), K)])
    scale = np.maximum(1.0, np.abs(expected))
    assert found.shape == (K,)
    assert np.max(np.abs(np.array([y, *found]) - expected) / scale) < 1e-11


def contour(f: Any, xs: Any, paths: Any, degree: int) -> Any:
    """The coefficients of degree 1 and more of `f`, analytic, by Cauchy's integral."""
    points = 0.1 * np.exp(2j * np.pi * np.arange(64) / 64)

    def at(t: complex) -> Any:
        powers = t ** np.arange(1, degree + 1)
        return f(*(x + np.tensordot(powers, p, 1) for x, p in zip(xs, paths, strict=True)))

    found = np.fft.fft(np.array([at(t) for t in points]), axis=0) / 64
    return np.array([found[k].real / 0.1**k for k in range(1, degree + 1)])


def network(w, b, x):
    h = np.tanh(w @ x + b)
    return h / np.sum(h * h)


def outer_sum(a, v):
    return a * v[:, None] + np.exp(v)[None, :] / (2 + v * v)


def heat(u, c):
    for _ in range(3):
        v = np.zeros(u.shape, u.dtype)
        v[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        u = v
    return u


def gathered(v, w):
    order = np.array([2, 0, 2])
    return np.concatenate([v[order] * w, np.stack([w, v]).T.ravel()[::2], v[1:] ** 2])


@pytest.mark.parametrize(
    ("f", "shapes"),
    [
        (network, [(3, 4), (3,), (4,)]),
        (outer_sum, [(), (3,)]),
        (heat, [(6,), ()]),
        (gathered, [(3,), (3,)]),
        (lambda a, b: np.einsum("ij,kj->ik", a, b) @ b, [(2, 3), (2, 3)]),
    ],
)
def test_arrays_along_any_path(f: Any, shapes: Any) -> None:
    """Several arguments, of several ranks, that broadcast; all coefficients of the paths differ."""
    rng = np.random.default_rng(0)
    xs = [rng.standard_normal(s) if s else float(rng.standard_normal()) for s in shapes]
    paths = [0.5 * rng.standard_normal((5, *s)) for s in shapes]
    y, found = adjointgen.taylor(f, xs, paths)
    np.testing.assert_allclose(y, f(*xs), rtol=1e-14)
    np.testing.assert_allclose(found, contour(f, xs, paths, 5), rtol=1e-7, atol=1e-7)


def test_one_degree_is_the_tangent() -> None:
    x, x_dot = np.array([0.3, 0.8]), np.array([1.0, -2.0])
    y, found = adjointgen.taylor(lambda v: np.sin(v) * v[0], (x,), (x_dot[None],))
    _, y_dot = adjointgen.jvp(lambda v: np.sin(v) * v[0], (x,), (x_dot,))
    np.testing.assert_allclose(found, y_dot[None], rtol=1e-15)
    assert y.shape == x.shape


def test_a_square_of_zero_is_none_of_one() -> None:
    """What is written in place of the argument is not written to the caller's."""
    x, path = np.array([1.0, 0.0]), np.ones((3, 2))

    def squares(v):
        v *= v
        return v

    _, found = adjointgen.taylor(squares, (x.copy(),), (path,))
    np.testing.assert_array_equal(found[:, 0], [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(found[:, 1], [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(path, 1.0)


def test_integers_and_constants_have_zeros() -> None:
    def pair(x, n):
        return x * n, n, int(x), np.floor(x)

    (y, *_), found = adjointgen.taylor(pair, (2.5, 3), (LINE[:4], None))
    assert y == 7.5
    assert [list(f) for f in found] == [[3.0, 0.0, 0.0, 0.0]] + [[0.0] * 4] * 3


def test_structures() -> None:
    def f(p):
        return {"y": p["a"] * np.exp(p["b"])}

    path = {"a": LINE, "b": 2 * LINE}
    _, found = adjointgen.taylor(f, ({"a": 1.0, "b": 0.5},), (path,))
    with mp.workdps(30):
        exact = mp.taylor(lambda t: (1 + t) * mp.exp(mp.mpf(0.5) + 2 * t), 0, K)
    np.testing.assert_allclose(found["y"], [float(c) for c in exact[1:]], rtol=1e-13)


def test_mixed_derivatives_by_interpolation() -> None:
    """Second derivatives by three directions: `H_01 = (c(1, 1) - c(1, -1)) / 2`."""

    def f(v):
        return np.sin(v[0]) * np.exp(v[1])

    def second(direction):
        path = np.zeros((2, 2))
        path[0] = direction
        return adjointgen.taylor(f, (np.array([0.4, 0.2]),), (path,))[1][1]

    mixed = (second([1.0, 1.0]) - second([1.0, -1.0])) / 2
    assert mixed == pytest.approx(math.cos(0.4) * math.exp(0.2), rel=1e-14)


def recursive(x, n):
    return x if n == 0 else x * recursive(x, n - 1)


def listed(x, n):
    powers = [x]
    for _ in range(n):
        powers.append(powers[-1] * x)
    return powers[-1]


def grown(v):
    total = 0.0
    for k in range(3):
        total = total + v * k
    return total


def unknown(x):
    return math.exp(x) + float(np.ma.masked_less(x, 0.0).sum())


@pytest.mark.parametrize(
    ("f", "args", "said"),
    [
        (recursive, (0.5, 3), "recursive"),
        (listed, (0.5, 3), "list"),
        (grown, (np.ones(3),), "becomes an array"),
        (unknown, (0.5,), "no derivative rule"),
    ],
)
def test_what_has_no_coefficients_is_refused(f: Any, args: Any, said: str) -> None:
    path = np.ones((3, *np.shape(args[0])))
    with pytest.raises(NoRule, match=said) as caught:
        adjointgen.taylor(f, args, (path, *[None] * (len(args) - 1)))
    assert caught.value.code == "AG201"


def test_paths_of_several_lengths() -> None:
    with pytest.raises(ValueError, match="same degree"):
        adjointgen.taylor(lambda a, b: a * b, (1.0, 2.0), (np.ones(3), np.ones(4)))
    with pytest.raises(TypeMismatch, match="AG407"):
        adjointgen.taylor(lambda v: v * v, (np.ones(3),), (np.ones((4, 2)),))


def test_the_text_does_not_grow_with_the_order() -> None:
    from adjointgen.api.calls.taylor_mode import taylor_program

    program = taylor_program(entries)
    program(0.3, np.ones(2))
    short = program.source
    program(0.3, np.ones(40))
    assert program.source == short
