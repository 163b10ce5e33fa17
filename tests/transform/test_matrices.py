"""Contractions of derivatives in loops are products of matrices."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent

RNG = np.random.default_rng(8)
X = RNG.uniform(-1.0, 1.0, (3, 4, 2, 5))
W = RNG.uniform(-1.0, 1.0, (4, 2, 3))


def last_and_first(x: Any, w: Any) -> Any:
    """The innermost axes of one are the outermost of the other."""
    total = 0.0
    for k in range(x.shape[3]):
        total += np.sum(np.sin(np.tensordot(x[:, :, :, k], w, axes=2)))
    return total


def first_and_first(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.sin(np.tensordot(x[i], w, axes=((0, 1), (0, 1)))))
    return total


def last_and_last(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.cos(np.tensordot(w[:, :, i], x[i, :2], axes=((1,), (1,)))))
    return total


def in_another_order(x: Any, w: Any) -> Any:
    """The pairs of axes are named from the last one on."""
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.sin(np.tensordot(x[i], w, axes=((1, 0), (1, 0)))))
    return total


def exchanged(x: Any, w: Any) -> Any:
    """Axes that are summed are not in one order: no product of matrices."""
    total = 0.0
    for i in range(x.shape[0]):
        u = np.tensordot(x[i].transpose(1, 0, 2), w, axes=((1, 0), (0, 1)))
        total += np.sum(u * u)
    return total


def in_the_middle(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.exp(0.3 * np.tensordot(x[i], w[:, :, i], axes=((1, 0), (1, 0)))))
        total += np.sum(np.sin(np.tensordot(x[i], w, axes=((1,), (1,)))))
    return total


def turning(x: Any, w: Any) -> Any:
    """Complex numbers: the adjoint is taken with the conjugate."""
    total = 0.0
    for i in range(x.shape[0]):
        z = np.tensordot(x[i] * np.exp(1.0j * x[i]), w + 0.5j * w * w, axes=((0, 1), (0, 1)))
        total += np.sum(np.abs(z) ** 2)
    return total


ALL = (
    last_and_first,
    first_and_first,
    last_and_last,
    in_another_order,
    exchanged,
    in_the_middle,
    turning,
)
EACH = pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)


@EACH
@pytest.mark.parametrize(
    "disable",
    [
        (),
        (
            "loop-contractions",
            "blas-forms",
        ),
    ],
    ids=["on", "off"],
)
def test_the_numbers_are_those_of_differences(f: Callable[..., Any], disable: Any) -> None:
    dx, dw = RNG.standard_normal(X.shape), RNG.standard_normal(W.shape)
    ahead, behind = (f(X + s * dx, W + s * dw) for s in (1e-6, -1e-6))
    slope = (ahead - behind) / 2e-6
    x_bar, w_bar = grad(f, wrt=("x", "w"), disable=disable)(X.copy(), W.copy())
    assert np.sum(x_bar * dx) + np.sum(w_bar * dw) == pytest.approx(slope, rel=1e-6)
    dotted = tangent(f, wrt=("x", "w"), disable=disable)(X.copy(), W.copy(), dx, dw)
    assert dotted[1] == pytest.approx(slope, rel=1e-6)


@EACH
def test_the_numbers_are_those_of_the_contractions(f: Callable[..., Any]) -> None:
    """Also where there is nothing to sum, or nothing at all."""
    for x, w in ((X, W), (X[:, :, :0], W[:, :0]), (X[:, :0], W[:0]), (X[:0], W), (X, W[:, :, :3])):
        found, expected = (
            adjoint(f, ("x", "w"), disable=disable)(x.copy(), w.copy(), 1.0)
            for disable in (
                (),
                (
                    "loop-contractions",
                    "blas-forms",
                ),
            )
        )
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def reverse_of(f: Callable[..., Any], **how: Any) -> str:
    gradient = grad(f, wrt=("x", "w"), **how)
    gradient(X.copy(), W.copy())
    source: str = gradient.source
    return source.partition("# Reverse sweep.")[2]


def test_the_text_has_products_of_matrices() -> None:
    assert "tensordot" in reverse_of(
        last_and_first,
        disable=(
            "loop-contractions",
            "blas-forms",
        ),
    )
    for f in (last_and_first, first_and_first, last_and_last, in_another_order, turning):
        text = reverse_of(f)
        assert "@" in text and ".reshape(" in text
        assert ("np.tensordot(" in re.sub("#.*", "", text)) == (f is last_and_last)


def test_axes_that_would_have_to_move_stay_contractions() -> None:
    assert "tensordot" in reverse_of(in_the_middle)


def once(x: Any, w: Any) -> Any:
    return np.sum(np.sin(np.tensordot(x[0], w, axes=((0, 1), (0, 1)))))


def test_outside_of_loops_contractions_keep_their_form() -> None:
    assert "tensordot" in reverse_of(once)


def test_contractions_of_the_primal_keep_their_form() -> None:
    gradient = tangent(last_and_first, wrt=("x", "w"))
    gradient(X.copy(), W.copy(), X.copy(), W.copy())
    assert re.search(r"np\.tensordot\(\w+, w\)", gradient.source)
    assert "@ w_dot.reshape(" in gradient.source
