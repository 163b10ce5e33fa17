"""Loops in steps, of which the reverse sweep says with bounds where it begins."""

import math
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, tangent, value_and_grad
from tests.lowering.loops import judged, uncompiled

X = np.linspace(0.4, 1.6, 7)


def in_steps(x: Any) -> Any:
    u, n = x.copy(), len(x)
    for i in range(0, n, 2):
        u[i] = u[i] * u[i - 1]
    for i in range(1, n - 1, 3):
        u[i] = u[i] * u[i - 1]
    for i in range(n - 1, 0, -2):
        u[i] = u[i] * u[i - 1]
    for i in range(n - 1, -1, -3):
        u[i] = u[i] * u[i]
    for i in range(5, 2, 2):
        u[i] = u[i] * u[i - 1]
    return u


def in_steps_of(x: Any, a: int, h: int) -> Any:
    u, n = x.copy(), len(x)
    for i in range(a, n, h):
        u[i] = u[i] * u[i - 1]
    for i in range(n - 1, a, -h):
        u[i] = u[i] * u[i - 1]
    for i in range(5, a, h):
        u[i] = u[i] * u[i - 2]
    return u


def doubled(x: Any) -> Any:
    u, h = x.copy(), 1
    while h < 4:
        for i in range(0, 4, 2 * h):
            for j in range(i, i + h):
                p, q = u[j], u[j + h] * 1.3
                u[j], u[j + h] = p + q, p * q
        h *= 2
    return u


def left_early(x: Any) -> Any:
    s = x[0]
    for i in range(0, len(x), 2):
        s = math.sin(s * x[i])
        if s > 0.5:
            break
    return s


CASES = [
    (in_steps, (X,)),
    (in_steps_of, (X, 2, 3)),
    (in_steps_of, (X, 1, 2)),
    (doubled, (X,)),
    (left_early, (X,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_the_same_iterations_the_other_way(f: Any, args: Any) -> None:
    found = judged(f, *args)
    assert found.sort == "right", found.detail
    with uncompiled():
        made = adjoint(f, wrt="x", compile="numba")
        made(*args, np.ones(np.shape(f(*args))))
    assert "reversed(" not in made.source


def turned_round(x: Any) -> Any:
    return np.sum(np.flip(x) * np.cumsum(x) * x[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("f", [doubled, in_steps, turned_round], ids=lambda f: f.__name__)
def test_numba_compiles_them(f: Any) -> None:
    seeds = (np.ones(np.shape(f(X))),) if np.ndim(f(X)) else (1.0,)
    plain, fast = (adjoint(f, compile=c)(X, *seeds) for c in ("python", "numba"))
    for wanted, found in zip(plain, fast, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def horner(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * horner(x, n - 1) + n


@pytest.mark.slow
def test_a_function_finds_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", "off")
    value, slope = tangent(horner, wrt="x", compile="numba")(1.3, 6, 1.0)
    assert (value, slope) == pytest.approx(value_and_grad(horner)(1.3, 6), rel=1e-12)
