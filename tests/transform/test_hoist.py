"""What an iteration does not change is computed before the loop, and raises only where it would."""

import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent
from tests.lowering.loops import uncompiled

X = np.array([0.7, -1.2, 0.4, 1.9])


def solved(x: Any) -> Any:
    """Forward substitution: the quotient of a row is subtracted along it."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        total = x[i] * x[0]
        for j in range(i):
            total -= (2.0 + x[i]) * y[j]
        y[i] = total / (3.0 + x[i])
    return np.sum(y * y)


def mixed(x: Any) -> Any:
    """Products of matrices of which one does not change, where a loop may not run."""
    a = np.outer(x, x) + np.eye(4)
    total = np.zeros((4, 4))
    for i in range(3):
        left = np.outer(x, x + i)
        for j in range(i):
            total += left @ (a * x[j])
    return np.sum(total * total)


def scaled(x: Any) -> Any:
    n = 0
    total = 0.0
    while n < 5:
        for j in range(n, len(x)):
            total += x[0] * x[1] * x[j] * n
        n += 2
    return total * total


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [solved, mixed, scaled])
@pytest.mark.parametrize("disable", [(), ("licm",)], ids=["on", "off"])
@pytest.mark.parametrize("compile", ["python", "numba"])
def test_the_numbers_are_those_of_differences(f: Any, disable: Any, compile: Any) -> None:
    d = np.array([0.3, -0.8, 0.5, 1.1])
    slope = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    gradient = grad(f, disable=disable, compile=compile)
    dotted = tangent(f, disable=disable, compile=compile)
    # A compiler sees the text of all passes.
    with uncompiled() if disable else nullcontext():
        assert gradient(X.copy()) @ d == pytest.approx(slope, rel=1e-7)
        assert dotted(X.copy(), d)[1] == pytest.approx(slope, rel=1e-7)


def reverse_of(f: Any, *args: Any, disable: Any = ()) -> str:
    gradient = grad(f, wrt=..., disable=["vectorize-loops", *disable])
    gradient(*args)
    text: str = gradient.source
    return text.partition("# Reverse sweep.")[2] or text


def test_a_negated_adjoint_is_computed_once_a_row() -> None:
    def before_the_inner_loop(text: str) -> bool:
        return "= -total_bar" in text.rpartition("for j in")[0]

    assert before_the_inner_loop(reverse_of(solved, X))
    assert not before_the_inner_loop(reverse_of(solved, X, disable=["licm"]))


def test_an_element_that_is_there_is_read_once() -> None:
    def f(x: Any) -> Any:
        y = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(3):
                y[i] += x[i] * x[j]
        return y

    def row(x: Any, k: int) -> Any:
        y = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                y[j] += x[i] * x[k]
        return y

    made = adjoint(f)
    made(X, np.ones(4))
    code = re.sub(r" +#.*\n", "", made.source)
    assert re.search(r"(\w+)_bar = y_bar\[i\]\n +\w+ = \1_bar \* x\[i\]\n +for j in", code)
    made = adjoint(row, wrt="x")
    made(X, 1, np.ones(4))
    # Whether there is an element k is known only if the loop runs.
    assert "x[k]" in made.source.rpartition("for j in")[2]


def test_a_loop_that_does_not_run_does_not_raise() -> None:
    def f(x: Any, y: Any, n: int) -> Any:
        left = np.outer(x, x)
        total = 0.0
        for k in range(n):
            total += np.sum(left @ y * x[k])
        return total

    text = reverse_of(f, X, np.ones((4, 4)), 2)
    assert "tape" not in text
    assert re.search(r"if n > 0:.*\n( +#.*\n)* +\w+ = left @ y\n( +#.*\n)* +for k in", text)
    x_bar, y_bar = grad(f, wrt="x,y")(X, np.ones((3, 7)), 0)
    assert not x_bar.any() and y_bar.shape == (3, 7) and not y_bar.any()


@pytest.mark.parametrize("step", [2, -1, -3])
def test_loops_in_steps_are_asked_too(step: int) -> None:
    def f(x: Any, y: Any, n: int) -> Any:
        left = np.outer(x, x)
        total = 0.0
        for k in range(n, n + 2 * step, step):
            total += np.sum(left @ y) * k
        return total

    y = np.ones((4, 4))
    gradient = grad(f, wrt="x")
    d = np.array([0.3, -0.8, 0.5, 1.1])
    slope = (f(X + 1e-6 * d, y, 3) - f(X - 1e-6 * d, y, 3)) / 2e-6
    assert gradient(X, y, 3) @ d == pytest.approx(slope, rel=1e-7)
    assert "tape" not in gradient.source


def test_quotients_of_numbers_stay_where_they_may_not_run() -> None:
    def f(x: float, y: float, n: int) -> float:
        total = 0.0
        for _ in range(n):
            total += x / y
        return total

    assert grad(f, wrt="x,y")(2.0, 0.0, 0) == (0.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        grad(f, wrt="x,y")(2.0, 0.0, 1)


def test_the_statements_of_the_user_stay() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            for _ in range(3):
                scale = x[0] * x[1] * 2.0
                total += scale * x[i]
        return total

    made = tangent(f)
    made(X, X)
    before, _, inside = made.source.partition("for _ in")
    assert "scale = " in inside and "x[0]" in inside
    assert "x_dot[0]" in before and "x_dot[0]" not in inside and "x_dot[1]" not in inside


def ranked(a: Any, c: Any, s: float) -> Any:
    """Elements that the blocks around read anyway, though their indices are not known to be in."""
    c = c.copy()
    for i in range(a.shape[0]):
        for j in range(i + 1):
            c[i, j] *= s
            for k in range(a.shape[1]):
                c[i, j] += s * a[i, k] * a[j, k] * (a[j, k] + 1.0)
    return np.sum(np.sin(c))


def test_elements_that_are_read_anyway_are_read_before_the_loop() -> None:
    rng = np.random.default_rng(6)
    for shape in ((3, 2), (3, 0), (0, 2)):
        a, c = rng.standard_normal(shape), rng.standard_normal((4, 5))
        gradient = grad(ranked, wrt=("a", "c", "s"), disable=("vectorize-loops",))
        found = gradient(a.copy(), c.copy(), 0.7)
        expected = grad(ranked, wrt=("a", "c", "s"), disable=("licm",))(a.copy(), c.copy(), 0.7)
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)
        inner = gradient.source.partition("# Reverse")[2].partition("for k in")[2]
        inner = inner[: inner.index("c_tape.pop()")]
        assert "c_bar[i, j]" not in inner
