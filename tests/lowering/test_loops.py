"""Array statements as loops give the numbers of the arrays, and are the loops one would write."""

import copy
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent, value_and_grad
from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.kernels.kernel import Kernel, is_float
from tests.fuzz.examine import Plan, examine
from tests.fuzz.generator import generate
from tests.lowering.loops import Loops, text_of, uncompiled

RNG = np.random.default_rng(7)
X = RNG.uniform(0.5, 1.5, 7)
A = RNG.uniform(0.5, 1.5, (6, 5))
UNEQUAL = "arrays of equal lengths only"


@pytest.fixture(autouse=True)
def _uncompiled() -> Iterator[None]:
    with uncompiled():
        yield


def chain(x: Any) -> Any:
    return np.sum(np.exp(-(x**2)) * np.sin(x) + 0.5 * x)


def inner(u: Any) -> Any:
    u[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[2:] + u[:-2])
    return np.sum(u * u)


def cube(u: Any, n: int) -> Any:
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return np.sum(u**2)


def five_points(a: Any, n: int) -> Any:
    for _ in range(n):
        a[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        )
    return np.sum(a * a)


def wide(u: Any) -> Any:
    u[2:-3] = u[:-5] * u[5:]
    return np.sum(u * u)


def triangle(a: Any) -> Any:
    for i in range(a.shape[1]):
        a[i, :i] *= 0.5
        a[i, i + 1 :] -= a[i, i] * a[0, i + 1 :]
    return np.sum(a * a)


def negative(x: Any) -> Any:
    part = x[1:]
    return np.sum(part[np.array([0, -2, 1])] * part[-1]) + part[-3] ** 2


def repeated(x: Any) -> Any:
    y = np.zeros(3)
    y[np.array([0, 2, 0, 1, 2, 2, 0])] += x**2
    return np.sum(y[np.array([2, 2, 1, 0])] ** 2) + np.sum(x[np.array([1, 1, 4])])


def from_itself(x: Any) -> Any:
    x[np.array([0, 1, 1])] += x[:1]
    x[np.array([2, 0])] *= x[2]
    return np.sum(x**2)


def counted(x: Any) -> Any:
    places = np.array([[2, 0], [1, 4]])
    last = np.max(places)
    return x[last] * x[np.min(places)] + np.sum(x[: np.max(places, axis=0)[1]])


def axes(a: Any) -> Any:
    m = np.max(a, axis=1, keepdims=True)
    e = np.exp(a - m)
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(np.mean(p, axis=0) ** 2) + np.sum(np.sum(p * a, axis=0)) + np.min(a)


def spread(a: Any) -> Any:
    around = a - np.mean(a, axis=0)
    return np.sum(np.std(a, axis=0)) + np.sum(np.clip(around, -0.2, 0.2)) + np.var(a)


def products(a: Any) -> Any:
    b = np.tensordot(a, a, axes=2) + np.einsum("ij,kj->ik", a, a)[0, 1]
    c = np.stack([a, 2.0 * a]) @ a.T
    return b + np.sum(c * c)


def vectors(a: Any, x: Any) -> Any:
    y = a @ x
    z = 0.5 * a.T @ y + x * np.dot(x, np.tanh(x))
    for i in range(1, len(x)):
        z[i] += a[i, :i] @ x[:i] - np.inner(x[i:], z[i:])
    return np.sum(np.exp(y)[:, None] * a) + z @ z


def far_apart(a: Any, x: Any) -> Any:
    rows = np.sum(a * a, axis=1)
    x = x * x[::-1]
    sines = np.sin(a) * rows[:, None]
    return np.sum(sines) + np.sum(x) + np.sum(a * sines)


def turned(a: Any) -> Any:
    b = a.T * a[:5].T[0][:, None]
    return np.sum(b[::-1] * a.T) + np.sum(np.swapaxes(a, 0, 1)[1])


def rectified(a: Any) -> Any:
    return np.sum(np.where(a > 1.0, a * a, np.sqrt(a))) + np.sum(np.maximum(a, 0.9))


def alternating(a: Any, b: Any, n: int) -> Any:
    for _ in range(n):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * b)


def early(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        x = x * x * 0.9
        if x[0] < 0.1:
            break
        total += np.sum(x) * i
    return total


def narrow(a: Any) -> Any:
    a[0, :] = a[1, :]
    a[:, -1] = 2.0 * a[:, 0]
    a[2] += a[1] * a[2]
    return np.sum(a * a)


def grown(x: Any) -> Any:
    y = x
    for k in range(1, 4):
        y = y * x + k
    return np.sum(y)


def nothing_left(u: Any) -> Any:
    u[2:-2] = 3.0 * u[2:-2]
    return np.sum(u[1:-1] * u[1:-1])


CASES = [
    (chain, (X,)),
    (inner, (X,)),
    (inner, (X[:2],)),
    (cube, (X, 4)),
    (five_points, (A, 3)),
    (five_points, (A[:3, :4], 2)),
    (wide, (X,)),
    (triangle, (A,)),
    (negative, (X,)),
    (repeated, (X,)),
    (from_itself, (X,)),
    (counted, (X,)),
    (axes, (A,)),
    (spread, (A,)),
    (products, (A,)),
    (vectors, (A, X[:5])),
    (far_apart, (A, X)),
    (turned, (A,)),
    (rectified, (A,)),
    (alternating, (X, X + 0.1, 3)),
    (early, (X, 6)),
    (narrow, (A,)),
    (grown, (X,)),
    (nothing_left, (X,)),
    (nothing_left, (X[:3],)),
]


def numbers(made: Any) -> np.ndarray:
    if isinstance(made, tuple | list):
        return np.concatenate([numbers(m) for m in made]) if made else np.zeros(0)
    return np.ravel(np.asarray(made, complex)).view(float)


def agree(made: Any, wanted: Any) -> None:
    np.testing.assert_allclose(numbers(made), numbers(wanted), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_the_numbers_are_those_of_the_arrays(f: Any, args: tuple[Any, ...]) -> None:
    plain, loops = (value_and_grad(f, wrt=..., compile=c) for c in ("python", "numba"))
    agree(loops(*copy.deepcopy(args)), plain(*copy.deepcopy(args)))
    given = copy.deepcopy(args)
    loops(*given)
    agree([g for g in given if is_float(g)], [a for a in args if is_float(a)])


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_are_differences_of_the_primal(f: Any, args: tuple[Any, ...]) -> None:
    which = [k for k, a in enumerate(args) if is_float(a)]
    bars = value_and_grad(f, wrt=tuple(which), compile="numba")(*copy.deepcopy(args))[1]
    dots = [np.cos(np.arange(args[k].size)).reshape(args[k].shape) for k in which]
    slope, values = sum(np.sum(b * d) for b, d in zip(bars, dots, strict=True)), []
    for step in (1e-5, -1e-5):
        moved = list(copy.deepcopy(args))
        for k, dot in zip(which, dots, strict=True):
            moved[k] = moved[k] + step * dot
        values.append(f(*moved))
    assert slope == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_tangents_and_seconds_are_the_same_too(f: Any, args: tuple[Any, ...]) -> None:
    which = tuple(k for k, a in enumerate(args) if is_float(a))
    dots = tuple(np.cos(np.arange(args[k].size)).reshape(args[k].shape) for k in which)
    for program in (f, grad(f, wrt=which)):
        plain, loops = (tangent(program, wrt=which, compile=c) for c in ("python", "numba"))
        agree(
            loops(*copy.deepcopy(args), *copy.deepcopy(dots)),
            plain(*copy.deepcopy(args), *copy.deepcopy(dots)),
        )


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=lambda k: k.name)
def test_kernels(kernel: Kernel) -> None:
    names = inspect.signature(kernel.primal).parameters
    args = kernel.inputs("tiny")
    wrt = tuple(n for n, a in zip(names, args, strict=True) if is_float(a))
    plain, loops = (value_and_grad(kernel.primal, wrt=wrt, compile=c) for c in ("python", "numba"))
    agree(loops(*copy.deepcopy(args)), plain(*copy.deepcopy(args)))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(830_000, 830_060))
def test_random_programs(seed: int) -> None:
    found = examine(generate(seed), Loops(), Plan(stages=("tangent", "adjoint")))  # type: ignore[arg-type]
    if UNEQUAL not in found.detail:
        assert found.sort in ("right", "refused", "skipped"), found.detail


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
    apart = value_and_grad(axes, compile="numba", disable=("fuse",))
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
    assert "@" not in text and text.count("for i in range") == 4
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
    assert len(made.generated.known) == 1
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
    made = grad(chain, compile="numba", disable=("nests",))
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

    made, apart = (grad(f, compile="numba", disable=d) for d in ((), ("inline",)))
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
