"""Array statements as loops are the loops that one would write."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, value_and_grad
from tests.lowering.loops import agree, text_of, uncompiled
from tests.lowering.programs import RNG, A, X, alternating, axes, chain, cube, five_points

UNEQUAL = "arrays of equal lengths only"


@pytest.fixture(autouse=True)
def _uncompiled() -> Iterator[None]:
    with uncompiled():
        yield


def test_the_adjoint_of_a_stencil_gathers() -> None:
    made = grad(five_points, compile="numba")
    made(A.copy(), 2)
    reverse = text_of(made).partition("# Reverse sweep")[2].partition("for _ in")[2]
    assert "+=" not in reverse
    assert reverse.count("np.empty") == 1
    assert reverse.count("a_bar_1[j, k] = ") == 2
    last = reverse.rpartition("a_bar_1[j, k] = ")[2]
    assert all(f"a_bar[{at}]" in last for at in ("j - 1, k", "j + 1, k", "j, k - 1", "j, k + 1"))
    assert " if " not in last


def test_no_array_is_made_for_an_expression() -> None:
    made = grad(chain, compile="numba")
    made(X.copy())
    assert text_of(made).count("np.empty") == 1


def test_a_tape_of_known_size_is_an_array() -> None:
    made = grad(cube, compile="numba")
    made(X.copy(), 3)
    text = text_of(made)
    assert "_tape = np.empty((max(n, 0), " in text
    assert ".append(" not in text


def test_loops_that_follow_each_other_are_one() -> None:
    made = value_and_grad(axes, compile="numba")
    made(A.copy())
    fused = text_of(made).count("for i in")
    apart = value_and_grad(axes, compile="numba", disable=("loop-fusion",))
    apart(A.copy())
    assert fused < text_of(apart).count("for i in") - 3


def printed(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        print("first", i)
        total += x[i]
    for i in range(3):
        print("second", i)
        total *= x[i]
    return total


def test_a_product_with_a_vector_is_a_loop_that_joins_others() -> None:
    def f(a: Any, x: Any) -> Any:
        y = a.T @ (a @ x)
        return np.sum(y * y)

    made = value_and_grad(f, wrt=..., compile="numba")
    made(RNG.uniform(size=(9, 12)), RNG.uniform(size=12))
    text = text_of(made)
    assert "@" not in text and text.count("for i in range") == 3
    assert "t_1 = _plus(t_1, a[i, j] * x[j])" in text


def test_square_matrices_have_one_length() -> None:
    def f(a: Any, b: Any) -> Any:
        for i in range(len(b)):
            b[i] -= a[i, :i] @ b[:i]
        return np.sum(b)

    made = grad(f, wrt=..., compile="numba")
    made(RNG.uniform(size=(9, 9)), RNG.uniform(size=9))
    assert "_same" not in text_of(made)
    oblong = RNG.uniform(size=(9, 10)), RNG.uniform(size=9)
    agree(made(*copy.deepcopy(oblong)), grad(f, wrt=...)(*copy.deepcopy(oblong)))


def test_a_loop_joins_one_that_is_not_next_to_it() -> None:
    def f(a: Any, x: Any) -> Any:
        b = np.sin(a)
        s = np.sum(b * b)
        y = np.exp(x) * s
        return np.sum(y) + np.sum(b * a)

    made = value_and_grad(f, wrt=..., compile="numba")
    made(RNG.uniform(size=(9, 10)), RNG.uniform(size=11))
    assert text_of(made).count("for i in range") <= 4


def test_what_the_users_code_does_keeps_its_order(capsys: pytest.CaptureFixture[str]) -> None:
    value_and_grad(printed, compile="numba")(X.copy())
    loops = capsys.readouterr().out
    printed(X)
    assert loops == capsys.readouterr().out


def shifted(x: Any) -> Any:
    y = np.empty(6)
    z = np.empty(6)
    for i in range(6):
        y[i] = x[i] ** 2
    for i in range(6):
        z[i] = y[5 - i] * x[i]
    for i in range(6):
        y[i] = y[i] * z[i]
    for i in range(6):
        y[i] += y[max(i - 1, 0)]
    return np.sum(y)


def test_loops_that_read_other_rows_stay_apart() -> None:
    plain, loops = (value_and_grad(shifted, compile=c) for c in ("python", "numba"))
    agree(loops(X.copy()), plain(X.copy()))


def test_lengths_that_are_equal_are_known_where_that_helps() -> None:
    made = grad(alternating, wrt=(0, 1))
    made(X.copy(), X.copy(), 2)
    assert "_unbroadcast" not in made.source
    assert "_tape" not in made.source


def test_a_call_of_other_lengths_has_its_own_program() -> None:
    """Where one entry is repeated its adjoint is a sum."""

    def moved(a: Any, b: Any) -> Any:
        b[1:-1] = a[1:-1]
        return np.sum(b * b)

    made = grad(moved, wrt=(0, 1))
    made(X.copy(), X.copy())
    made(X[:6].copy(), X[:6].copy())
    assert len(made.generated.kept.known) == 1
    a_bar, _ = made(X[:3].copy(), X.copy())
    np.testing.assert_allclose(a_bar, [0.0, 2.0 * (len(X) - 2) * X[1], 0.0])


def test_lengths_that_differ_are_told() -> None:
    def summed(a: Any, b: Any) -> Any:
        return np.sum(a * b)

    made = value_and_grad(summed, compile="numba")
    made(X.copy(), X.copy())
    with pytest.raises(ValueError, match=UNEQUAL):
        made(X.copy(), X[1:].copy())


def test_without_the_pass_the_arrays_stay() -> None:
    made = grad(chain, compile="numba", disable=("loop-nests",))
    agree(made(X.copy()), grad(chain)(X.copy()))
    assert "for i in" not in text_of(made)


def test_short_functions_are_part_of_the_program() -> None:
    def squared(v: Any) -> Any:
        total = 0.0
        for i in range(1, len(v)):
            total += np.sin(v[i] * v[i - 1])
        return total

    def f(x: Any) -> Any:
        return squared(x * 2.0) + squared(np.sin(x))

    made, apart = (grad(f, compile="numba", disable=d) for d in ((), ("inline-calls",)))
    agree(made(X.copy()), apart(X.copy()))
    assert "squared" not in text_of(made) and "squared" in text_of(apart)


def test_a_tape_of_a_loop_that_counts_down_is_an_array() -> None:
    def f(x: Any) -> Any:
        for i in range(len(x) - 2, -1, -1):
            x[i] *= x[i + 1]
            for j in range(i, 0, -1):
                x[j] *= x[j - 1] + x[i]
        return np.sum(x)

    made = value_and_grad(f, compile="numba")
    agree(made(X.copy()), value_and_grad(f)(X.copy()))
    assert "append" not in text_of(made)


def test_both_sweeps_may_be_one_loop() -> None:
    def f(a: Any) -> Any:
        p = a / np.sum(a, axis=1, keepdims=True)
        return np.sum(p * p)

    made = value_and_grad(f, compile="numba")
    agree(made(A.copy()), value_and_grad(f)(A.copy()))
    assert text_of(made).count("for i in range") == 1


def solved_in_columns(u: Any, n: int) -> Any:
    """Rows of which the first and the last stay; a recurrence along the other axis."""
    p, q = np.zeros_like(u), np.zeros_like(u)
    for _ in range(n):
        for j in range(1, u.shape[1]):
            pivot = 2.0 - 0.5 * p[1:-1, j - 1]
            p[1:-1, j] = 0.5 / pivot
            q[1:-1, j] = (u[1:-1, j] * u[1:-1, j] + 0.5 * q[1:-1, j - 1]) / pivot
    return np.sum(q * q)


def test_rows_next_to_the_index_are_rows_of_one_loop() -> None:
    u = RNG.uniform(size=(7, 6))
    made = value_and_grad(solved_in_columns, wrt="u", compile="numba")
    value, u_bar = made(u.copy(), 2)
    expected, expected_bar = value_and_grad(solved_in_columns, wrt="u")(u.copy(), 2)
    assert value == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(u_bar, expected_bar, rtol=1e-12)
    forward, _, reverse = text_of(made).partition("# Reverse sweep.")
    # One loop over the rows for all that a column needs, and no tape that grows.
    assert forward.partition("for j in")[2].partition("result")[0].count("for k in") == 1
    assert ".append(" not in forward and ".copy()" not in reverse


def test_loops_that_read_ahead_of_what_is_written_stay() -> None:
    """The second loop writes what the first one reads in the iterations to come."""

    def f(x: Any) -> Any:
        y = x * 1.0
        z = np.zeros_like(x)
        for _ in range(2):
            for i in range(len(x) - 1):
                z[i] = y[i + 1] * x[i]
            for i in range(len(x) - 1):
                y[i] = z[i] * y[i]
            for i in range(len(x) - 1):
                y[i + 1] = y[i + 1] + z[i] * z[i]
        return np.sum(y * y)

    x = RNG.uniform(0.5, 1.5, size=9)
    found = value_and_grad(f, wrt="x", compile="numba")(x.copy())
    expected = value_and_grad(f, wrt="x")(x.copy())
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def by_small(x: Any, a: Any) -> Any:
    small = np.zeros((20, 20))
    small[:] = a
    return np.sum((x @ small.T) ** 2)


def test_a_small_matrix_that_lies_across_is_copied_before_it_is_multiplied_by() -> None:
    made = value_and_grad(by_small, wrt="x,a", compile="numba")
    args = RNG.standard_normal((50, 20)), RNG.standard_normal((20, 20))
    found = made(*args)
    plain = value_and_grad(by_small, wrt="x,a")(*args)
    agree(found, plain)
    assert "small.T" not in text_of(made)
