"""Products with a matrix that stays are taken of the sum, where the loop is sure to run."""

import re
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.lowering.loops import uncompiled

RNG = np.random.default_rng(17)
A, B = RNG.standard_normal((5, 3)), RNG.standard_normal((3, 3, 3))
C = RNG.standard_normal(3)


def summed(a: Any, b: Any, c: Any) -> Any:
    """The products of one matrix with several, which are scaled."""
    total = np.zeros((5, 3))
    for i in range(2):
        bent = a * c[i]
        for j in range(3):
            total[1:] += bent[1:] @ (b[j] * c[j])
            c = c * 1.1
    return np.sum(total * total)


def turned(a: Any, b: Any, c: Any) -> Any:
    """The factor stands behind."""
    total = np.zeros((3, 5))
    stays = np.sin(a.T)
    for j in range(3):
        total = total + (b[j] * c[j]) @ stays
    return np.sum(total * total)


def changing(a: Any, b: Any, c: Any) -> Any:
    """Both factors change."""
    total = np.zeros((5, 3))
    for j in range(3):
        a = a * c[j]
        total += a @ (b[j] * c[j])
    return np.sum(total * total)


def read(a: Any, b: Any, c: Any) -> Any:
    """The sum is read while it grows."""
    total = np.zeros((5, 3))
    for j in range(3):
        total += a @ (b[j] * np.sum(total))
        total += a @ b[j]
    return np.sum(total * c)


def placed(a: Any, b: Any, c: Any) -> Any:
    """Each product has a place of its own."""
    total = np.zeros((3, 5, 3))
    for j in range(3):
        total[j] += a @ (b[j] * c[j])
    return np.sum(total * total)


FUNCTIONS = (summed, turned, changing, read, placed)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "disable",
    [
        (),
        (
            "matmul-after-loop",
            "factor-common-matrix",
        ),
    ],
    ids=["on", "off"],
)
@pytest.mark.parametrize("compile", ["python", "numba"])
def test_the_numbers_are_those_of_differences(f: Any, disable: Any, compile: Any) -> None:
    at, step = (A, B, C), 1e-6
    d = [RNG.standard_normal(x.shape) for x in at]
    ahead, behind = (f(*(x + s * e for x, e in zip(at, d, strict=True))) for s in (step, -step))
    with uncompiled():
        bars = grad(f, wrt=..., disable=disable, compile=compile)(*map(np.copy, at))
    found = sum(np.sum(x * e) for x, e in zip(bars, d, strict=True))
    assert found == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-6, abs=1e-6)


def text_of(f: Any, *args: Any, **how: Any) -> str:
    gradient = grad(f, wrt=..., **how)
    with uncompiled():
        gradient(*args)
    return str(gradient.source)


def many(a: Any, b: Any, c: Any, n: int) -> Any:
    total = np.zeros((80, 40))
    for j in range(n):
        total += a @ (b * c[j])
    return np.sum(total * total)


def three(a: Any, b: Any, c: Any) -> Any:
    total = np.zeros((80, 40))
    for j in range(3):
        total += a @ (b * c[j])
    return np.sum(total * total)


LARGE = RNG.standard_normal((80, 40)), RNG.standard_normal((40, 40)), C


def products(text: str) -> int:
    return len(re.findall(r" @ |np\.dot\(", text))


def test_a_product_is_taken_once_after_the_loop() -> None:
    text = text_of(three, *LARGE, compile="numba")
    plain = text_of(
        three, *LARGE, compile="numba", disable=["matmul-after-loop", "factor-common-matrix"]
    )
    assert products(text) <= products(plain)
    forward = text.partition("# Reverse sweep.")[0]
    loop, _, after = forward.partition("for j in")[2].partition("\n    product = ")
    assert " @ " not in loop
    assert products(after) == 1 and after.startswith("a @ ")


def test_a_loop_that_may_not_run_multiplies_inside() -> None:
    x = [np.copy(v) for v in LARGE]
    x[0][0, 0] = np.inf
    with uncompiled():
        bars = grad(many, wrt="a,b,c", compile="numba")(*x, 0)
    assert not any(np.any(bar) for bar in bars)


def test_the_sums_of_the_user_keep_their_order() -> None:
    forward = text_of(three, *LARGE).partition("# Reverse sweep.")[0]
    assert "total += a @ (b * c[j])" in forward or re.search(r"total \+= a @ t", forward)
