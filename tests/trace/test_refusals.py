"""What a trace does not take: coded errors, never a derivative that is lost."""

import functools
import struct
from typing import Any

import numpy as np
import pytest

from adjointgen import trace
from adjointgen.errors import AdjointgenError

TABLE = np.zeros(3)
ONES = np.ones(2)


def packed(x: Any) -> Any:
    return struct.unpack("d", struct.pack("d", x))[0]


def swallowed(x: Any) -> Any:
    try:
        return packed(x) * x
    except Exception:
        return 0.0 * x


def of_the_module(x: Any) -> Any:
    TABLE[0] = x
    return TABLE[0] * x


def into(x: Any) -> Any:
    return np.multiply(ONES, x, out=TABLE[:2]).sum()


@functools.cache
def cached(x: Any) -> Any:
    return x * x


def as_objects(x: Any) -> Any:
    return np.frompyfunc(lambda q: q * q, 1, 1)(np.ones(2) * x)[0]


def memory(x: Any) -> Any:
    a = np.zeros(2)
    np.nditer(a)
    a[0] = x
    return a[0]


def other_name(x: Any) -> Any:
    convert = float
    return convert(x)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (packed, "AG160"),
        (swallowed, "AG160"),
        (of_the_module, "AG160"),
        (into, "AG160"),
        (cached, "AG160"),
        (as_objects, "AG202"),
        (memory, "AG160"),
        (other_name, "AG160"),
        (lambda x: {x: 1.0}[x], "AG160"),
        (lambda x: x.as_integer_ratio()[0] * 1.0, "AG160"),
        (lambda x: (np.ones(2) * x).tobytes() and x, "AG160"),
        (lambda x: np.array([x, 1.0], dtype=object)[1], "AG160"),
        (lambda x: np.linalg.eigvals(np.eye(2) * x)[0], "AG202"),
        (lambda x: np.add.reduceat(np.ones(3) * x, [0, 1]).sum(), "AG202"),
        (lambda x: trace(lambda y: y * y, 2.0).value * x, "AG161"),
    ],
)
def test_a_refusal(f: Any, code: str) -> None:
    with pytest.raises(AdjointgenError) as caught:
        trace(f, 2.0)
    assert caught.value.code == code


def test_the_same_without_anything_differentiated() -> None:
    assert trace(lambda x, a: x + packed(float(a[0])), 2.0, np.ones(1), wrt="x").value == 3.0


def test_arrays_that_share_memory() -> None:
    def f(a: Any, b: Any) -> Any:
        return a @ b

    def g(a: Any, b: Any) -> Any:
        a[0] = b[1]
        return a @ b

    x = np.array([1.0, 2.0, 3.0])
    gradient = trace(f, x[:2], x[1:], wrt=0).backward().gradient
    np.testing.assert_array_equal(gradient, [2.0, 3.0])
    with pytest.raises(AdjointgenError) as caught:
        trace(g, x[:2], x[1:], wrt=0)
    assert caught.value.code == "AG160"
    shared = [1.0, 2.0]
    with pytest.raises(AdjointgenError) as caught:
        trace(lambda a, b: a[0] * b[0], shared, shared)
    assert caught.value.code == "AG113"


@pytest.mark.parametrize(
    ("wrt", "code"), [("z", "AG402"), (2, "AG402"), ("n", "AG403"), ((), None)]
)
def test_what_is_differentiated(wrt: Any, code: str | None) -> None:
    def f(x: Any, n: Any) -> Any:
        return x * n

    if code is None:
        assert trace(f, 2.0, 3, wrt=wrt).gradient == ()
        return
    with pytest.raises(AdjointgenError) as caught:
        trace(f, 2.0, 3, wrt=wrt)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("seed", "code"),
    [(None, "AG404"), (1.0, "AG407"), (np.ones(3), "AG407"), (1j * np.ones(2), "AG407")],
)
def test_seeds(seed: Any, code: str) -> None:
    t = trace(lambda a: a * 2.0, np.ones(2))
    with pytest.raises(AdjointgenError) as caught:
        t.backward(seed)
    assert caught.value.code == code
    t.backward(np.ones(2))
    np.testing.assert_array_equal(t.gradient[0], [2.0, 2.0])


class Spaced:
    """An object that holds a module."""

    def __init__(self) -> None:
        self.np = np
        self.k = 2.0

    def value(self, x: float) -> float:
        return float(self.k) * self.np.sin(x)  # type: ignore[no-any-return]


def test_an_object_that_holds_a_module() -> None:
    traced = trace(Spaced().value, 1.0, wrt="x")
    assert traced.backward().gradient == pytest.approx(2.0 * np.cos(1.0), rel=1e-12)
