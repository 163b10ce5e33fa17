"""Products of lines that are there before a loop are one product before it."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent, value_and_grad
from tests.transform.lines import (
    AHEAD,
    STAY,
    A,
    C,
    V,
    W,
    X,
    downwards,
    given,
    handed_out,
    in_place,
    in_place_and_more,
    numbers,
    on_the_right,
    rows,
    several_times,
    some,
    spread,
    triangle,
    twice_each,
)

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *AHEAD,
    *STAY,
    (numbers, (X, V)),
    (spread, (X, V)),
    (triangle, (A[:4], C)),
    (twice_each, (X, C)),
    (given, (X, W, 0)),
    (given, (X, W, -3)),
    (several_times, (A, C, 0)),
    (some, (X[:1], W)),
    (downwards, (X[:1], W)),
    (rows, (X[:0], W)),
    (in_place, (A[:, :0], C)),
    (handed_out, (X[:1], C, W)),
    (rows, (X[:, :1], W[:1])),
    (in_place, (A[:, :, :2], C[:2, :2])),
]
NAMES = [f"{k} {f.__name__}" for k, (f, _) in enumerate(CASES)]


def copies(args: tuple[Any, ...]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def which(args: tuple[Any, ...]) -> tuple[int, ...]:
    found = enumerate(args)
    return tuple(k for k, a in found if isinstance(a, np.ndarray) and a.dtype.kind in "fc")


def gradients(f: Any, args: tuple[Any, ...], **how: Any) -> Any:
    made = value_and_grad(f, wrt=which(args), **how)
    value, found = made(*copies(args))
    return made, value, found


def slope(f: Any, args: tuple[Any, ...], k: int, dot: Any) -> Any:
    values = []
    for step in (1e-6, -1e-6):
        moved = copies(args)
        moved[k] = moved[k] + step * dot
        values.append(f(*moved))
    return (values[0] - values[1]) / 2e-6


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("f", "args"), CASES, ids=NAMES)
@pytest.mark.parametrize("disable", [(), ("matmul-before-loop",)], ids=["on", "off"])
def test_the_numbers_are_those_of_differences(f: Any, args: Any, disable: tuple[str, ...]) -> None:
    _, value, found = gradients(f, args, disable=disable)
    assert value == pytest.approx(f(*copies(args)), rel=1e-13)
    for k, bar in zip(which(args), found, strict=True):
        dot = np.cos(np.arange(args[k].size)).reshape(args[k].shape)
        assert bar.shape == args[k].shape
        assert np.sum(bar * dot) == pytest.approx(slope(f, args, k, dot), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("f", "args"), CASES, ids=NAMES)
def test_tangents_are_differences(f: Any, args: Any) -> None:
    k = which(args)[0]
    dot = np.cos(np.arange(args[k].size)).reshape(args[k].shape)
    _, found = tangent(f, wrt=k)(*copies(args), dot)
    assert found == pytest.approx(slope(f, args, k, dot), rel=1e-6, abs=1e-8)


def before_and_inside(text: str) -> tuple[str, str]:
    """The text of the program before its first loop, and what stands in loops."""
    body = text.partition('"""\n    ')[2]
    first = body.partition("    for ")[0]
    inside = [line for line in body.splitlines() if re.match(" {8,}[^ #]", line)]
    return first, "\n".join(inside)


@pytest.mark.parametrize(("f", "args"), AHEAD, ids=lambda v: getattr(v, "__name__", ""))
def test_the_products_are_before_the_loop(f: Any, args: Any) -> None:
    # Contractions of derivatives that stay are products of matrices too, by another pass.
    on, off = (
        gradients(f, args, disable=("loop-contractions", "blas-forms", *d))[0].source
        for d in ((), ("matmul-before-loop",))
    )
    more = before_and_inside(off)[1].count("@") - before_and_inside(on)[1].count("@")
    assert more > 0, on


@pytest.mark.parametrize(("f", "args"), STAY, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_not_there_before_stays(f: Any, args: Any) -> None:
    on, off = (gradients(f, args, disable=d)[0].source for d in ((), ("matmul-before-loop",)))
    assert on == off
    assert "@" in before_and_inside(on)[1]


def test_a_loop_that_only_copies_is_gone() -> None:
    made, _, (_, c_bar) = gradients(in_place, (A, C))
    assert "for " not in made.source and "copy" not in made.source
    flat = A.reshape(20, 11)
    np.testing.assert_allclose(c_bar, 2.0 * flat.T @ (flat @ C), rtol=1e-12)


def test_a_copy_that_is_handed_out_stays() -> None:
    """What is returned is no part of an argument."""

    def perhaps(a: Any, c: Any, n: int) -> Any:
        b = a.copy()
        if n > 3:
            for i in range(a.shape[0]):
                b[i] = b[i] @ c
        return b, b[0]

    def turned(a: Any, c: Any) -> Any:
        b = a.copy()
        d = b.T
        for i in range(b.shape[0]):
            b[i] = b[i] @ c
        return d[0], b[1:]

    x = X.copy()
    for f, args in ((perhaps, (x, C, 2)), (perhaps, (x, C, 4)), (turned, (x, C))):
        made, _ = tangent(f, wrt=0)(*args, X)
        for part, expected in zip(made, f(X.copy(), *args[1:]), strict=True):
            assert not np.shares_memory(part, x)
            np.testing.assert_allclose(part, expected, rtol=1e-13)
    np.testing.assert_array_equal(x, X)


def test_no_result_is_turned_round() -> None:
    made, _, _ = gradients(on_the_right, (X, W))
    assert ").T" not in made.source, made.source


def test_other_lengths_have_a_program_of_their_own() -> None:
    """The lengths that have to be equal are part of what a program is made for."""
    made = value_and_grad(rows, wrt=(0, 1))
    for x, w in ((X, W), (X[:0], W[:4]), (X[:, :4], W[:4]), (X, W)):
        value, (x_bar, _) = made(x, w)
        assert value == pytest.approx(rows(x, w), rel=1e-13)
        assert len(x_bar) == len(x)
    with pytest.raises(ValueError, match="mismatch"):
        made(X, W[:4])


def test_rows_that_are_too_few_raise() -> None:
    for disable in ((), ("matmul-before-loop",)):
        with pytest.raises(IndexError):
            gradients(given, (X, W, 13), disable=disable)


def test_a_loop_that_does_not_run_raises_nothing() -> None:
    """The matrices do not fit, and nobody multiplies them."""
    _, value, (_, w_bar) = gradients(rows, (X[:0], W[:4]))
    assert value == 0.0 and not w_bar.any()


def test_what_is_not_read_may_be_no_number() -> None:
    x = X.copy()
    x[[0, 10, 11]] = np.nan

    def inner(x: Any, w: Any) -> Any:
        total = 0.0
        for i in range(1, 10):
            total += np.sum(np.sin(x[i] @ w))
        return total

    made, value, (x_bar, w_bar) = gradients(inner, (x, W))
    assert "x[1:10]" in made.source, made.source
    assert np.isfinite(value) and np.isfinite(x_bar).all() and np.isfinite(w_bar).all()


def test_a_matrix_that_is_no_number_does_nothing_where_no_loop_runs() -> None:
    w = np.full_like(W, np.inf)
    _, value, (x_bar, w_bar) = gradients(given, (X, w, -2))
    assert value == pytest.approx(13.0)
    assert not x_bar.any() and not w_bar.any()


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_other_dtypes(dtype: str) -> None:
    x, w = (a.astype(dtype) for a in (X, W))
    if dtype == "complex128":
        x, w = x + 1j * x[::-1], w - 0.5j * w

    def size(x: Any, w: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            y = x[i] @ w
            total += np.sum(y.real**2 + y.imag**3)
        return total

    _, value, found = gradients(size, (x, w))
    _, expected, plain = gradients(size, (x, w), disable=["matmul-before-loop"])
    assert value == pytest.approx(expected, rel=1e-5 if dtype == "float32" else 1e-13)
    for bar, other in zip(found, plain, strict=True):
        assert bar.dtype == other.dtype
        tol = 1e-4 if dtype == "float32" else 1e-12
        np.testing.assert_allclose(bar, other, rtol=tol, atol=tol)


def test_second_derivatives() -> None:
    first = grad(in_place_and_more, wrt=1)
    dot = np.cos(np.arange(C.size)).reshape(C.shape)
    expected = (first(A, C + 1e-6 * dot) - first(A, C - 1e-6 * dot)) / 2e-6
    np.testing.assert_allclose(tangent(first, wrt=1)(A, C, dot)[1], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("f", "args"), [*AHEAD, *STAY], ids=lambda v: getattr(v, "__name__", ""))
def test_programs_for_compilers_give_the_same(
    f: Any, args: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run without a compiler, which takes their loops as they stand."""
    monkeypatch.setattr("adjointgen.api.calls.generated.compiled", lambda run, outer: run)
    _, value, found = gradients(f, args, compile="numba")
    _, expected, plain = gradients(f, args, disable=["matmul-before-loop"])
    assert value == pytest.approx(expected, rel=1e-12)
    for bar, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-9, atol=1e-11)
