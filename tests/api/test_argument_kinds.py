"""Written modules refuse integers where the program for floats is another one.

The oracle is the function itself: for integers NumPy truncates, and Python takes the other branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate


def shifted(x):
    y = np.zeros_like(x)
    y[1:] = 0.5 * (x[1:] + x[:-1])
    return np.sum(y * y)


def filled(x, t):
    y = np.full(3, t)
    y[1] = x[0] * x[0]
    return y.sum() + x[1]


def filled_with_sum(x, t):
    y = np.full(3, t + x[0])
    y[1] = 0.5 * t
    return y.sum()


def by_class(x, t):
    if isinstance(t, int):
        return 2.0 * x[0]
    return x[0] * 3.0 * t


def of_its_dtype(x, t):
    z = np.zeros(3, dtype=x.dtype)
    z[0] = x[0] * 0.5
    return z.sum() * t


def of_a_dtype_later(x, t):
    y = x * 2
    if y.dtype.kind == "i":
        return y.sum() * 7.0
    return y.sum() * t


def in_a_loop(x, t):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.9 + x[i] * t
    return y[-1]


def _like(x):
    return np.zeros_like(x)


def made_by_helper(x, t):
    y = _like(x)
    y[0] = np.sin(x[0]) * t
    return y.sum()


def of_a_branch(x, t):
    y = np.empty_like(x) if t > 1.0 else np.zeros(3)
    y[:] = x / 3.0
    return y.sum()


def inserted(x, t):
    return np.sum(np.insert(x, 0, t * 0.3) ** 2)


TRUNCATING = (
    *(shifted, filled, filled_with_sum, by_class, of_its_dtype, of_a_dtype_later, in_a_loop),
    *(made_by_helper, of_a_branch, inserted),
)


def plain(x, t):
    return np.sum(np.sin(t * x) * x) / t


def written_whole(x, t):
    y = np.zeros(3)
    y[:] = x * t
    return y.sum()


def moved(x, t):
    y = np.zeros_like(x)
    y[0] = 2 * x[1]
    return y.sum() * t


def program(function: Callable[..., Any], mode: str, *values: Any) -> Callable[..., Any]:
    wrt = "x" if len(values) == 1 else "x,t"
    module = generate(function, wrt=wrt, example=values, modes=(mode,))
    namespace: dict[str, Any] = {}
    exec(module.source, namespace)
    return namespace[f"{function.__name__}_{mode}"]


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("function", TRUNCATING, ids=lambda f: f.__name__)
def test_integers_that_would_truncate_are_refused(function: Any, mode: str) -> None:
    values = (np.array([1.5, 2.0, 4.0]), 2.0)[: function.__code__.co_argcount]
    made = program(function, mode, *values)
    whole = (np.array([1, 2, 4]), 2)[: len(values)]
    seeds = (1.0,) if mode == "adjoint" else tuple(np.ones_like(v) for v in values)
    assert made(*values, *seeds)[0] == pytest.approx(function(*values))
    with pytest.raises(TypeError, match="was differentiated for"):
        made(*whole, *seeds)


@pytest.mark.parametrize("function", [plain, written_whole], ids=lambda f: f.__name__)
def test_integers_that_go_on_as_floats_are_taken(function: Any) -> None:
    adjoint = program(function, "adjoint", np.array([1.5, 2.0, 4.0]), 2.0)
    value, x_bar, t_bar = adjoint(np.array([1, 2, 4]), 2)
    again = adjoint(np.array([1.0, 2.0, 4.0]), 2.0)
    assert value == pytest.approx(function(np.array([1, 2, 4]), 2))
    np.testing.assert_allclose(x_bar, again[1])
    assert t_bar == pytest.approx(again[2])


def test_a_write_of_integers_is_exact_but_that_of_the_adjoint_is_not() -> None:
    adjoint = program(moved, "adjoint", np.array([1.5, 2.0, 4.0]), 2.5)
    with pytest.raises(TypeError, match="a float array x"):
        adjoint(np.array([1, 2, 4]), 2.5)


def test_integer_seeds_are_refused_where_they_would_make_integers() -> None:
    adjoint = program(moved, "adjoint", np.array([1.5, 2.0, 4.0]), 2.5)
    assert adjoint(np.ones(3), 2.5, 1)[1][1] == 5.0

    def spread(x, t):
        y = np.full(3, t)
        return y[0] * x[0]

    tangent = program(spread, "tangent", np.array([1.5, 2.0, 4.0]), 2.5)
    assert tangent(np.ones(3), 2.0, np.full(3, 0.5), 1)[1] == 2.0


def test_both_sweeps_of_a_split_adjoint_are_looked_at() -> None:
    module = generate(in_a_loop, wrt="x", example=(np.ones(3), 2.0), modes=("split",))
    namespace: dict[str, Any] = {}
    exec(module.source, namespace)
    with pytest.raises(TypeError, match="a float array x"):
        namespace["in_a_loop_forward"](np.ones(3, dtype=int), 2.0)


def test_parts_of_structures_are_called_as_they_are_written() -> None:
    def weighted(q):
        y = np.zeros_like(q["w"])
        y[0] = q["w"][1] * 0.5
        return y.sum()

    adjoint_of = generate(weighted, wrt="q", example=({"w": np.ones(3)},), modes=("adjoint",))
    namespace: dict[str, Any] = {}
    exec(adjoint_of.source, namespace)
    with pytest.raises(TypeError, match=r"a float array q\['w'\]"):
        namespace["weighted_adjoint"]({"w": np.ones(3, dtype=int)})


def test_parts_of_structures_are_tested_in_compiled_code() -> None:
    def weighted(q):
        y = np.zeros_like(q["w"])
        y[0] = q["w"][1] * 0.5
        return y.sum()

    example = ({"w": np.ones(3)},)
    made = generate(weighted, wrt="q", example=example, modes=("adjoint",), compile="numba")
    namespace: dict[str, Any] = {}
    exec(made.source.replace("cache=True, ", ""), namespace)
    assert namespace["weighted_adjoint"]({"w": np.ones(3)})[0] == 0.5
    with pytest.raises(TypeError, match="a float array"):
        namespace["weighted_adjoint"]({"w": np.ones(3, dtype=int)})
