"""Functions of one text, made anew with other captured values: as few programs as there are texts.

Every gradient is held against central differences of the function that it is of.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.api.calls.generated import Generated
from adjointgen.errors import AdjointgenError

X = np.array([0.3, 0.9, 1.4])


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many programs were generated, by the name of the function."""
    found: Counter[str] = Counter()
    generate = Generated.generate

    def counted(self: Generated, *args: Any) -> Any:
        found[self.function.__name__] += 1
        return generate(self, *args)

    monkeypatch.setattr(Generated, "generate", counted)
    return found


def differences(f: Callable[[Any], float], x: Any) -> Any:
    step = 1e-6
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))])


def right(f: Callable[[Any], float], x: Any = X) -> None:
    np.testing.assert_allclose(grad(f)(x), differences(f, x), 1e-6, 1e-7)


def scaled(c):
    def f(x):
        return np.sum(np.sin(c * x) ** 2)

    return f


def of_two_numbers(c, p):
    def f(x):
        if c > 1.0:
            return np.sum(x**p) * c
        return np.sum(np.sin(x)) / c

    return f


def residual(a, b):
    def inner(w):
        return a @ w - b

    def f(w):
        return np.sum(inner(w) ** 2)

    return f


def test_numbers_that_change_are_read(made: Counter[str]) -> None:
    for c in np.linspace(0.3, 2.0, 20).tolist():
        right(scaled(c))
    assert made["f"] == 3


def test_special_numbers_are_right(made: Counter[str]) -> None:
    for c in (0.5, 0.7, 1.0, 0.0, -1.0, -0.0, 2.0, math.inf, math.nan):
        with np.errstate(invalid="ignore"):
            right(scaled(c)) if math.isfinite(c) else grad(scaled(c))(X)
    for c, p in [(1.5, 2.0), (0.5, 1.5), (1.2, 0.0), (2.0, 1.0), (0.25, 3.0), (1.1, -1.0)]:
        right(of_two_numbers(c, p))
    assert made["f"] <= 3 + 3


def test_a_number_that_does_not_change_is_a_constant() -> None:
    for c in (0.3, 0.4, 0.6):
        last = grad(of_two_numbers(c, 2.0))
        last(X)
    assert "p_ = p" not in last.source and " c" in last.source


def test_data_are_read(made: Counter[str]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        right(residual(rng.normal(size=(4, 3)), rng.normal(size=4)))
    assert made["f"] == 1


@pytest.mark.parametrize(
    "shapes",
    [[(4, 3), (1, 3), (4, 1), (1, 1)], [(3,), (1,), (3, 3)], [(2, 1), (2, 3), (1,), (3,)]],
)
def test_arrays_of_other_shapes(shapes: list[tuple[int, ...]]) -> None:
    def weighted(a):
        def f(x):
            return np.sum(np.sin(x * a) ** 2) + np.sum(a)

        return f

    for shape in (*shapes, *shapes[::-1]):
        right(weighted(np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)))


def settings() -> Iterator[Any]:
    """Captured values that decide what the program is."""
    yield from (2, 3, 2.0, 0.5, True, np.float64(1.5), np.array(0.5), np.array([0.5]))
    yield from (0, 1, np.array([1, 2, 3]), 4.0, 3.5, np.float32(0.25), 7, 7.0)


def test_kinds_are_told_apart() -> None:
    def powered(c):
        def f(x):
            return np.sum(x**c)

        return f

    for c in settings():
        right(powered(c))


def test_a_class_that_is_asked_for() -> None:
    def asked(c):
        def f(x):
            return np.sum(x) * (2.0 if isinstance(c, int) else 3.0) * c

        return f

    for c in (2, 3.0, 4.0, True, 5.0, 6.0, 7):
        right(asked(c))


@pytest.mark.parametrize(
    "several",
    [
        [[1.0, 2.0], [2.0, 1.0], [1.0], [1.0, 2.0, 3.0], [4, 2.0]],
        [(1.0, 2.0), (2.0, 1.0), (1.0,), (1, 2)],
        [np.array([1.0, 2.0]), np.array([2.0, 1.0]), np.array([3.0]), np.array([1, 2])],
    ],
    ids=["list", "tuple", "array"],
)
def test_containers(several: list[Any]) -> None:
    def summed(c):
        def f(x):
            total = 0.0
            for k in c:
                total += np.sum(x**k)
            return total

        return f

    for c in several:
        right(summed(c))


def test_objects_and_functions_are_told_apart() -> None:
    class Model:
        def __init__(self, a, kind):
            self.a, self.kind = a, kind

    def modelled(model, g):
        def f(x):
            return np.sum(g(x) * model.a if model.kind == "linear" else g(x) ** model.a)

        return f

    functions = [np.sin, np.exp, lambda x: x * x, scaled(0.5), scaled(0.7), scaled(0.9)]
    for g in functions:
        for a, kind in ((2.0, "linear"), (3.0, "linear"), (2.0, "power"), (2, "power")):
            right(modelled(Model(a, kind), g))


def test_axes_and_labels_stay_in_the_program() -> None:
    def reduced(axis, label):
        def f(x):
            y = np.outer(x, np.sin(x)) * np.arange(3.0)
            z = np.sum(y, axis=axis)
            return z[0] * 2.0 if label == "first" else np.sum(z**2)

        return f

    for axis in (0, 1):
        for label in ("first", "all", "none", "first"):
            right(reduced(axis, label))


def test_one_array_under_two_names() -> None:
    """The second function has two arrays where the first has one."""

    def both(a, b):
        def f(x):
            c = a.copy()
            c[0] = 2.0
            return np.sum(c * b * x**2)

        return f

    one, other = np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    for a, b in ((one, one), (one, other), (other, other), (other, one)):
        right(both(a, b))


def test_a_number_that_is_assigned_is_no_constant() -> None:
    def counted(c):
        def f(x):
            nonlocal c
            c = c + 0.0
            return np.sum(x) * c

        return f

    for c in (1.0, 2.0, 3.0, 4.0):
        with pytest.raises(AdjointgenError):
            grad(counted(c))(X)


def test_a_cell_that_is_written_later() -> None:
    def changing(c):
        def f(x):
            return np.sum(x) * c

        def change(new):
            nonlocal c
            c = new

        return f, change

    for c in (1.0, 2.0, 3.0, 4.0):
        f, change = changing(c)
        gradient = grad(f)
        np.testing.assert_array_equal(gradient(X), np.full(3, c))
        for new in (c + 0.5, 7, -0.0, c):
            change(new)
            np.testing.assert_array_equal(gradient(X), np.full(3, new))


def test_lengths_that_a_program_takes_to_be_equal(made: Counter[str]) -> None:
    def paired(c):
        def f(x, y):
            z = x.copy()
            z[1:] = x[1:] * y * c
            return np.sum(z**2)

        return f

    for n, c in [(3, 0.5), (4, 0.6), (5, 0.7), (3, 0.8), (2, 0.9), (6, 1.5)]:
        for m in (n - 1, 1):
            y = np.linspace(0.5, 1.0, m)
            f = paired(c)
            x = np.linspace(0.2, 1.0, n)
            got = grad(f, wrt="x")(x, y)
            np.testing.assert_allclose(got, differences(lambda v, f=f, y=y: f(v, y), x), 1e-6, 1e-7)


def test_entries_of_a_dict() -> None:
    def summed(c):
        def f(x):
            return np.sum(x ** c["a"]) + len(c)

        return f

    for c in ({"a": 1.0}, {"a": 2.0}, {"a": 2, "b": 1.0}, {"b": 3.0, "a": 2.5}):
        right(summed(c))


def test_defaults_are_told_apart() -> None:
    def defaulted(c):
        def f(x, p=c, q=(c, 1)):
            return np.sum(x**p) * q[0] + 0.0 * c

        return f

    for c in (1.0, 2.0, 3.0, 4.0, 2):
        f = defaulted(c)
        np.testing.assert_allclose(grad(f, wrt="x")(X), differences(f, X), 1e-6, 1e-7)
