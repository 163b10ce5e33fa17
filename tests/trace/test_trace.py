"""The executed graph: known derivatives, what records say, and what is kept alive."""

import cmath
import functools
import gc
import math
import weakref
from concurrent.futures import ThreadPoolExecutor
from math import sin
from typing import Any

import numpy as np
import pytest

import adjointgen
from adjointgen import Trace, stop_gradient, trace
from adjointgen.errors import AdjointgenError

PERCENT = "%.1f"


def quadratic(x: Any) -> Any:
    return x * x + 3 * x + 2


def product_and_sine(x: Any, y: Any) -> Any:
    return x * y + math.sin(x)


def test_a_quadratic() -> None:
    t = trace(quadratic, 5.0, wrt=0)
    assert t.value == 42.0
    assert t.backward().gradient == 13.0


def test_a_product_and_a_sine() -> None:
    t = trace(product_and_sine, 0.5, 4.2)
    assert t.value == 2.579425538604203
    assert t.backward().gradient == (5.077582561890373, 0.5)


def test_every_edge_contributes() -> None:
    assert trace(lambda x: x**2 + x, 3.0, wrt="x").backward().gradient == 7.0
    assert trace(lambda x: x * x, 3.0, wrt="x").backward().gradient == 6.0


def test_adjoints_accumulate_until_they_are_cleared() -> None:
    t = trace(quadratic, 5.0, wrt=0)
    assert t.backward().backward(2.0).gradient == 39.0
    t.clear()
    assert t.gradient == 0.0 and t.adjoints == [None] * len(t.records)
    assert t.backward().gradient == 13.0


def test_records_are_flat() -> None:
    t = trace(product_and_sine, 0.5, 4.2).backward()
    assert [one.operation for one in t.records] == ["x", "y", "multiply", "math.sin", "add"]
    assert [one.parents for one in t.records] == [(), (), (0, 1), (0,), (2, 3)]
    assert [one.index for one in t.records] == [*range(5)]
    assert t.adjoints == [one.adjoint for one in t.records]
    assert t.adjoints[2:] == [1.0, 1.0, 1.0]
    last = t.records[-1]
    assert (last.value, last.shape, last.dtype) == (t.value, (), "float64")
    first = product_and_sine.__code__.co_firstlineno
    assert (last.file, last.line) == (__file__, first + 1)


def test_what_needs_no_gradient_is_not_visited() -> None:
    t = trace(lambda x, a: np.sum(x * np.exp(a)), np.ones(2), np.zeros(2), wrt="x").backward()
    by_name = {one.operation: one for one in t.records}
    assert not by_name["np.exp"].active and by_name["np.exp"].adjoint is None
    assert by_name["a"].adjoint is None
    np.testing.assert_array_equal(t.gradient, [1.0, 1.0])


def heat(u: Any, n: Any) -> Any:
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def test_writes_have_versions() -> None:
    u = np.array([0.0, 1.0, 0.5, 2.0])
    t = trace(heat, u, 2, wrt="u")
    writes = [one for one in t.records if one.overwrites is not None]
    assert [one.version for one in writes] == [1, 2]
    assert [one.overwrites for one in writes] == [0, writes[0].index]
    assert t.records[0].overwritten and not writes[1].overwritten
    with pytest.raises(AdjointgenError, match="version 0, the storage has version 2") as caught:
        _ = t.records[0].value
    assert caught.value.code == "AG162"
    np.testing.assert_array_equal(u, [0.0, 1.0, 0.5, 2.0])


def views(A: Any, x: Any) -> Any:
    row = A[1]
    row *= x
    column = A[:, 0]
    column[0] = row[0] * row[1]
    A[::-1][0][A[1] > 0.3] *= 2.0
    A.T[[0, 1], [1, 1]] += A.reshape(4)[1:3]
    return np.sum(A * A)


def indices(a: Any, b: Any) -> Any:
    a[[0, 0, 2]] = b  # the last write to an entry stays
    np.add.at(a, [1, 1], b[:2])
    flat = a.ravel()
    flat[-1] = b[0] * a[1]
    a[a > 100.0] = 0.0
    np.multiply(a, b, out=a, where=np.array([True, False, True]))
    return a @ b + a[::-1][0]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (heat, (np.array([0.0, 1.0, 0.5, 2.0]), 2)),
        (views, (np.array([[1.0, 0.5], [0.25, 2.0]]), np.array([0.5, 1.5]))),
        (indices, (np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.7, 0.9]))),
    ],
)
def test_writes_through_views_are_seen(f: Any, args: Any) -> None:
    t = trace(f, *args)
    assert t.value == pytest.approx(
        f(*map(np.copy, args[:2]), *args[2:]) if f is not heat else heat(args[0].copy(), 2),
        rel=1e-14,
    )
    t.backward()
    for k, gradient in enumerate(t.gradient):
        for i in np.ndindex(gradient.shape):
            assert gradient[i] == pytest.approx(slope(f, args, k, i), rel=1e-6, abs=1e-7)


def slope(f: Any, args: Any, k: int, i: Any) -> float:
    """A central difference."""

    def at(h: float) -> float:
        moved = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        moved[k][i] += h
        return float(f(*moved))

    return (at(1e-5) - at(-1e-5)) / 2e-5


def test_names_that_are_imported() -> None:
    assert trace(lambda x: sin(x) * float(x), 1.0, wrt=0).backward().gradient == pytest.approx(
        math.cos(1.0) + math.sin(1.0)
    )
    assert sin is math.sin and isinstance(math.sin(1.0), float)


def test_what_is_replaced_is_put_back() -> None:
    before = (math.sin, np.sin, np.zeros, np.linalg.solve, max, product_and_sine.__code__)

    def fails(x: Any) -> Any:
        raise KeyError(float(x) > 0)

    code = fails.__code__
    with pytest.raises(KeyError):
        trace(fails, 1.0)
    trace(product_and_sine, 0.5, 4.2)
    assert before == (math.sin, np.sin, np.zeros, np.linalg.solve, max, product_and_sine.__code__)
    assert fails.__code__ is code and not hasattr(np, "__adjointgen_float64__")


def test_a_number_is_what_it_stands_for() -> None:
    seen = []

    def look(x: Any, a: Any) -> Any:
        seen.append((isinstance(x, float), x.__class__ is float, isinstance(a, np.ndarray)))
        seen.append((isinstance(a[0], np.float64), f"{x:.2f}", PERCENT % x, int(x), bool(x), x > 1))
        match x:
            case float():
                seen.append("matched")
        return x * a[0]

    trace(look, 2.0, np.ones(2))
    assert seen == [(True, True, True), (True, "2.00", "2.0", 2, True, True), "matched"]


def test_structures() -> None:
    def f(state: Any, table: Any) -> Any:
        state["v"][0] *= table[1]
        return [state["v"][0] * state["k"], (table[0],)]

    state = {"v": [2.0, 3.0], "k": 1.5, "name": "s"}
    t = trace(f, state, (1.0, 4.0), wrt="state,table")
    assert t.value == [12.0, (1.0,)] and state["v"] == [2.0, 3.0]
    t.backward([1.0, (2.0,)])
    assert t.gradient == ({"v": [6.0, 0.0], "k": 8.0, "name": "s"}, (2.0, 3.0))


def test_parameters_that_take_the_rest() -> None:
    def f(a: Any, *rest: Any, k: Any = 1.0, **more: Any) -> Any:
        return a * rest[0] ** 2 * k * more["q"] + rest[1]

    c = 2.0
    t = trace(f, c, c, 5.0, k=3.0, q=7.0).backward()
    assert t.gradient == (84.0, (168.0, 1.0), 56.0, 24.0)
    assert trace(f, c, c, 5.0, k=3.0, q=7.0, wrt="rest").backward().gradient == (168.0, 1.0)


def test_callables() -> None:
    class Model:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        def __call__(self, x: Any) -> Any:
            return self.scale * float(x) ** 2

        def twice(self, x: Any) -> Any:
            return 2.0 * self(x)

    for f, wanted in (
        (Model(3.0), 12.0),
        (Model(3.0).twice, 24.0),
        (functools.partial(Model.twice, Model(1.0)), 8.0),
        (math.sin, math.cos(2.0)),
        (np.exp, math.exp(2.0)),
    ):
        assert trace(f, 2.0).backward().gradient == (pytest.approx(wanted),)


def test_threads() -> None:
    def work(k: int) -> float:
        found: float = trace(lambda x: math.sin(x * k) * float(x), 1.0, wrt=0).backward().gradient
        return found

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(work, range(20)))
    assert made == pytest.approx([k * math.cos(k) + math.sin(k) for k in range(20)])


def test_complex_numbers() -> None:
    t = trace(lambda z: (z * z.conjugate()).real, 1.0 + 2.0j, wrt=0).backward()
    assert t.gradient == 2.0 - 4.0j
    wave = trace(lambda z: abs(cmath.exp(z)), 0.5 + 1.0j, wrt=0).backward()
    assert wave.gradient == pytest.approx(math.exp(0.5) + 0.0j)


def test_stop_gradient() -> None:
    assert trace(lambda x: x * stop_gradient(x), 3.0, wrt=0).backward().gradient == 3.0
    assert (
        trace(lambda x: x * adjointgen.stop_gradient([x])[0], 3.0, wrt=0).backward().gradient == 3
    )


def test_it_is_released_with_its_handle() -> None:
    t = trace(lambda a: np.sum(np.sin(a) * a), np.ones(5)).backward()
    held = weakref.ref(t.records[1].live)
    gc.disable()
    try:
        del t
        assert held() is None
    finally:
        gc.enable()


def test_shared_nodes_are_seen_once() -> None:
    t = trace(product_and_sine, 0.5, 4.2).backward()
    assert isinstance(t, Trace)
    assert str(t).splitlines() == [
        "add = 2.579425538604203  adjoint 1.0",
        "  multiply = 2.1  adjoint 1.0",
        "    x = 0.5  adjoint 5.077582561890373",
        "    y = 4.2  adjoint 0.5",
        "  math.sin = 0.479425538604203  adjoint 1.0",
        "    x [seen]",
    ]
