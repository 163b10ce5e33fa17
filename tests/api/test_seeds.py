"""Seeds are held against what they belong to, and gradients by a tuple of names are tuples.

What a seed may be is asked of the plain function: differences along the seed, converted by hand.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import adjoint, grad, hvp, jvp, tangent, value_and_grad, vjp
from adjointgen.errors import TypeMismatch

X = np.array([0.7, -1.3, 2.1])


def doubled(x: Any) -> Any:
    return 2.0 * x


def positive(x: Any) -> Any:
    return 2.0 * x[x > -9.0]


def upper(x: Any) -> Any:
    return 2.0 * np.sort(x)[x.size // 2 :]


def squares(x: Any) -> Any:
    return np.sum(x * x)


def square(a: Any) -> Any:
    return a * a


SEEDS = [
    (X, X),
    ([1.0, 2, 3.0], np.array([1.0, 2.0, 3.0])),
    ((1, 2, 3), np.array([1.0, 2.0, 3.0])),
    (np.arange(3), np.arange(3.0)),
    (X.astype("f"), X.astype("f").astype(float)),
    (X.astype(">f8"), X),
    (np.ones(6)[::2], np.ones(3)),
    (np.ones((3, 2), order="F")[:, 0], np.ones(3)),
    (np.full(3, np.nan), np.full(3, np.nan)),
    (None, np.zeros(3)),
]
NO_SEEDS = [
    *(np.ones(4), np.ones(2), np.ones((3, 1)), np.ones((1, 3)), np.ones(()), np.zeros(0)),
    *(1.0, 1, True, "abc", b"abc", {"a": 1.0}, {1.0}, [1.0, 2.0], [[1.0], [2.0], [3.0]]),
    *(np.ones(3, bool), 1j * X, X.astype(object), [1.0, "a", 2.0], [[1.0], [2.0, 3.0]]),
    *(np.ma.masked_array(X, [0, 1, 0]), np.array([X]), np.array(["a", "b", "c"]), Ellipsis),
]


@pytest.mark.parametrize("f", [doubled, positive])
@pytest.mark.parametrize(("seed", "meant"), SEEDS, ids=lambda s: repr(s)[:30])
def test_seeds_are_converted(f: Callable[..., Any], seed: Any, meant: Any) -> None:
    given = (X,) if seed is None else (X, seed)
    for found in (adjoint(f)(*given)[1], tangent(f)(*given)[1], vjp(f, X)[1](seed)[0]):
        np.testing.assert_array_equal(found, 2.0 * meant)
        assert found.dtype == float and found.shape == (3,)


@pytest.mark.parametrize("f", [doubled, positive])
@pytest.mark.parametrize("seed", NO_SEEDS, ids=lambda s: repr(s)[:30])
def test_what_is_no_seed_is_refused(f: Callable[..., Any], seed: Any) -> None:
    calls = [
        lambda: adjoint(f)(X, seed),
        lambda: adjoint(f)(X, result_bar=seed),
        lambda: tangent(f)(X, seed),
        lambda: tangent(f)(X, x_dot=seed),
        lambda: vjp(f, X)[1](seed),
        lambda: jvp(f, (X,), (seed,)),
        lambda: hvp(squares, (X,), (seed,)),
    ]
    for call in calls:
        with pytest.raises(TypeMismatch) as caught:
            call()
        assert caught.value.code == "AG407"


@pytest.mark.parametrize("seed", [np.ones(3), np.ones((2, 1)), 1.0])
def test_a_shape_that_only_the_result_knows(seed: Any) -> None:
    with pytest.raises(TypeMismatch, match="AG407"):
        adjoint(upper)(X, seed)
    assert adjoint(upper)(X, np.ones(2))[1].tolist() == [2.0, 0.0, 2.0]


@pytest.mark.parametrize("seed", [2, 2.0, np.float64(2.0), np.float32(2.0), np.array(2.0)])
def test_seeds_of_numbers(seed: Any) -> None:
    assert adjoint(square)(3.0, seed)[1] == 12.0
    assert jvp(square, (3.0,), (seed,)) == (9.0, 12.0)
    assert vjp(square, 3.0)[1](seed) == (12.0,)
    assert np.array_equal(adjoint(squares)(X, seed)[1], 4.0 * X)


@pytest.mark.parametrize("seed", [np.ones(1), [1.0], (1.0,), True, "1", 1j, np.ones((1, 1))])
def test_no_seeds_of_numbers(seed: Any) -> None:
    for call in (
        lambda: adjoint(square)(3.0, seed),
        lambda: jvp(square, (3.0,), (seed,)),
        lambda: vjp(square, 3.0)[1](seed),
    ):
        with pytest.raises(TypeMismatch, match="AG407"):
            call()


def test_dtypes_of_arguments_are_kept() -> None:
    x = X.astype(np.float32)
    for found in (adjoint(doubled)(x, X)[1], tangent(doubled)(x, X)[1], grad(squares)(x)):
        assert found.dtype == np.float32 and found.shape == (3,)
    z = X + 1j
    assert adjoint(doubled)(z, X)[1].dtype == complex


class Pair(NamedTuple):
    u: Any
    v: Any


@dataclass
class Held:
    u: Any
    n: Any = 2


def several(x: Any, a: Any) -> Any:
    return a * x, a * a, 3, "name"


def nested(x: Any) -> Any:
    return {"a": 2.0 * x, "b": (np.sum(x), [x[0], x[1] * x[2]])}, Held(3.0 * x), Pair(x[0], 1)


def test_seeds_in_the_structure_of_the_result() -> None:
    y_bar = ({"a": X, "b": (1.0, [1.0, 2])}, Held(X), Pair(1.0, None))
    wanted = 2.0 * X + 1.0 + np.array([1.0, 2.0 * X[2], 2.0 * X[1]]) + 3.0 * X + [1.0, 0.0, 0.0]
    value, pull = vjp(nested, X)
    np.testing.assert_allclose(pull(y_bar)[0], wanted, rtol=1e-14)
    np.testing.assert_allclose(adjoint(nested)(X, *y_bar)[1], wanted, rtol=1e-14)
    np.testing.assert_allclose(adjoint(nested)(X, y_bar)[1], wanted, rtol=1e-14)
    step = 1e-6 * X

    def flat(y: Any) -> Any:
        (a, b), held, pair = y[0].values(), y[1], y[2]
        return np.concatenate([a, [b[0]], b[1], held.u, [pair.u]])

    slope = (flat(nested(X + step)) - flat(nested(X - step))) / 2e-6
    assert pull(value)[0] @ X == pytest.approx(slope @ flat(value), rel=1e-8)


@pytest.mark.parametrize(
    "seed",
    [
        ({"a": X, "b": (1.0, [1.0])}, None, None),
        ({"a": X, "b": (1.0, np.ones(2))}, None, None),
        ({"a": X, "c": (1.0, [1.0, 2.0])}, None, None),
        ({"a": X}, None, None),
        ({"a": X, "b": None, "c": 1.0}, None, None),
        ([X, None], None, None),
        (None, {"u": X}, None),
        (None, Held(np.ones(4)), None),
        (None, Pair(X, 2), None),
        (None, None, Held(1.0)),
        (None, None, Pair(X, None)),
        (None, None),
        (None, None, None, None),
        X,
        1.0,
        {"a": X},
    ],
    ids=lambda s: repr(s)[:40],
)
def test_seeds_of_another_structure(seed: Any) -> None:
    with pytest.raises(TypeMismatch, match=r"AG40[57]"):
        vjp(nested, X)[1](seed)


def test_none_and_what_is_left_out_are_zero() -> None:
    half = adjoint(several)(X, 2.0, X)[1:]
    for rest in ((None,), (0.0,), (0, 3, "name"), (None, None, None)):
        for one, other in zip(half, adjoint(several)(X, 2.0, X, *rest)[1:], strict=True):
            np.testing.assert_array_equal(one, other)
    assert not adjoint(several)(X, 2.0)[1].any()
    assert not adjoint(upper)(X)[1].any()
    assert tangent(several)(X, 2.0, a_dot=1)[1][1] == 4.0
    assert adjoint(square)(3.0)[1] == 6.0
    back = vjp(nested, X)[1]((None, None, Pair(1.0, None)))
    np.testing.assert_array_equal(back[0], [1.0, 0.0, 0.0])


def weighed(p: Any, held: Any) -> Any:
    return np.sum(p["w"] * held.u) * p["l"][1]


P = {"w": X, "l": [1.0, 2.0], "n": 3}


@pytest.mark.parametrize(
    ("dots", "wanted"),
    [
        ((P, Held(X)), 6.0 * X @ X),
        (({"w": X, "l": [0, 0]}, None), 2.0 * X @ X),
        (({"w": None, "l": [None, 1]}, Held(None)), X @ X),
        (({"w": list(X), "l": np.array([0.0, 0.0]), "n": None}, Held(tuple(X), "x")), 4 * X @ X),
    ],
)
def test_tangents_of_structures(dots: Any, wanted: float) -> None:
    assert jvp(weighed, (P, Held(X)), dots)[1] == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize(
    "dots",
    [
        ({"w": np.ones(4), "l": [1.0, 2.0]}, None),
        ({"w": X, "l": [1.0]}, None),
        ({"w": X}, None),
        ({"w": X, "l": None, "z": 1.0}, None),
        ([X, [1.0, 2.0], 3], None),
        (X, None),
        (P, {"u": X}),
        (P, Pair(X, 2)),
        (P, Held(1.0)),
        (P, Held([X])),
    ],
)
def test_tangents_of_another_structure(dots: Any) -> None:
    with pytest.raises(TypeMismatch, match="AG407"):
        jvp(weighed, (P, Held(X)), dots)


def test_arguments_and_tangents_are_sequences() -> None:
    assert jvp(lambda x, a: a * x, (X, 2.0), (X,))[1].tolist() == (2.0 * X).tolist()
    for primals, dots in (((X,), (X, X)), (X, X), ((X,), X), (X, (X,))):
        with pytest.raises(TypeMismatch, match="AG407"):
            jvp(doubled, primals, dots)
        with pytest.raises(TypeMismatch, match="AG407"):
            hvp(squares, primals, dots)


def rising(x: Any, n: int) -> Any:
    total = 0.0
    for _ in range(n):
        total = total + x
    return total


def test_a_number_that_may_stand_for_an_array() -> None:
    assert np.array_equal(adjoint(rising)(X, 2, X)[1], 2.0 * X)
    with pytest.raises(TypeMismatch, match="AG407"):
        adjoint(rising)(X, 0)
    assert np.array_equal(adjoint(rising)(X, 0, 1.0)[1], np.zeros(3))
    with pytest.raises(TypeMismatch, match="AG407"):
        adjoint(rising)(X, 0, X)


def test_too_many_seeds_and_other_names() -> None:
    for call in (
        lambda: adjoint(doubled)(X, X, X),
        lambda: adjoint(doubled)(X, y_bar=X),
        lambda: adjoint(doubled)(X, X, result_bar=X),
        lambda: grad(squares)(X, X),
        lambda: grad(squares)(X, y_bar=X),
    ):
        with pytest.raises(TypeMismatch, match="AG405"):
            call()


def overwritten(x: Any) -> Any:
    x *= x
    return 3.0 * x


@pytest.mark.parametrize("make", [tangent, adjoint])
def test_an_argument_that_is_its_own_seed(make: Callable[..., Any]) -> None:
    x = X.copy()
    np.testing.assert_allclose(make(overwritten)(x, x)[1], 6.0 * X * X, rtol=1e-14)


def product(q: Any, a: float = 2.0) -> Any:
    return q[0] * q[1] * a + q[2]


def test_a_tuple_of_one_gradient() -> None:
    q = (2.0, 3.0, 4.0)
    wanted = (6.0, 4.0, 1.0)
    assert grad(product)(q) == grad(product, "q")(q) == wanted
    for wrt in (("q",), (0,), ["q"]):
        assert grad(product, wrt)(q) == (wanted,)
        assert value_and_grad(product, wrt)(q) == (16.0, (wanted,))
    assert grad(product, ("q", "a"))(q) == grad(product, ...)(q) == (wanted, 6.0)
    assert value_and_grad(product, ...)(q) == (16.0, (wanted, 6.0))
    assert grad(squares, ...)(X)[0].tolist() == (2.0 * X).tolist()
    y, y_dot = jvp(grad(product, ("q",)), (q,), ((1.0, 0.0, 0.0),))
    assert (y, y_dot) == ((wanted,), ((0.0, 2.0, 0.0),))
    assert vjp(grad(product, ("q",)), q)[1](((0.0, 1.0, 0.0),))[0] == (2.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "wrt", [(), "", None, 1.0, "z", 5, -3, ("q", "q"), (0, "q"), "q,q", (0, -2), {0}, True, b"q"]
)
def test_what_names_no_parameters(wrt: Any) -> None:
    for make in (grad, value_and_grad, tangent, adjoint):
        with pytest.raises(TypeMismatch, match="AG402"):
            make(product, wrt)


def test_structure_and_layout_of_gradients() -> None:
    for x in (
        np.asfortranarray(np.ones((2, 3))),
        np.ones((4, 6))[::2, ::2],
        np.ones((2, 0)),
        np.array(2.0),
        np.ones((3, 2), np.float32).T,
        np.ones(3).view(type("Own", (np.ndarray,), {})),
    ):
        found = grad(squares)(x)
        assert found.shape == x.shape and found.dtype == x.dtype
        np.testing.assert_array_equal(found, 2.0 * x)


@pytest.mark.parametrize("f", [doubled, upper])
def test_compiled_programs_never_see_another_shape(f: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    back, ahead = adjoint(f, compile="numba"), tangent(f, compile="numba")
    good = np.ones(len(f(X)))
    wanted = adjoint(f)(X, good)[1]
    for seed in (good, list(good), good.astype(int), good.astype("f")):
        assert np.array_equal(back(X, seed)[1], wanted)
    for seed in (np.ones(9), np.ones((3, 1)), 1.0, "a"):
        for run in (back, ahead):
            with pytest.raises(TypeMismatch, match="AG407"):
                run(X, seed)
    assert not ahead(X, None)[1].any() and not back(X)[1].any()


def test_several_directions() -> None:
    pytest.importorskip("numba")
    run = tangent(doubled, compile="numba", directions=2)
    assert np.array_equal(run(X, np.ones((3, 2)))[1], np.full((3, 2), 2.0))
    back = adjoint(doubled, compile="numba", directions=2)
    assert np.array_equal(back(X, np.ones((3, 2)))[1], np.full((3, 2), 2.0))
    for seed in (X, np.ones((3, 3)), np.ones((2, 3)), 1.0):
        for made in (run, back):
            with pytest.raises(TypeMismatch, match="AG407"):
                made(X, seed)


def test_a_function_that_acts_is_not_run_to_see_what_it_returns() -> None:
    seen: list[float] = []

    def last(x: float, v: Any) -> Any:
        if np.prod(v):
            for v, _ in zip([0.5, 1.5, 2.5], v[v > 0.25] * v):  # noqa: B007, B020, B905
                pass
        return x * 2.0, v

    def logged(x: float, v: Any) -> Any:
        if np.prod(v):
            seen.append(1.0)
            for v, _ in zip([0.5, 1.5, 2.5], v[v > 0.25] * v):  # noqa: B007, B020, B905
                pass
        return x * 2.0, v

    args = 2.0, np.ones(3)
    assert adjoint(last, "x")(*args, 1.0, 1.0)[1] == 2.0
    with pytest.raises(TypeMismatch, match="AG407"):
        adjoint(logged, "x")(*args, 1.0, 1.0)
    assert seen == []


def stretched(x: Any, factor: float = 2.0) -> Any:
    return x * x * factor


@pytest.mark.parametrize("mode", [adjoint, tangent])
@pytest.mark.parametrize("wrt", ["x", "x,factor"])
def test_a_seed_does_not_stand_for_an_argument_with_a_default(mode: Any, wrt: str) -> None:
    derivative = mode(stretched, wrt=wrt)
    with pytest.raises(TypeMismatch, match=r"AG407.*: no seed is given for"):
        derivative(X, X)
    np.testing.assert_array_equal(derivative(X, 2.0, X)[1], 4.0 * X * X)
