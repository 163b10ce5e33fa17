"""Lists, tuples and dicts: how they compare, and what their entries share."""

import copy
import functools
import linecache
import types
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, value_and_grad
from tests.frontend.agree import agrees

X = np.array([0.7, 1.3, 2.1])
HELD = ([2], [2.0], [2, 3], (2,), (2, 3), {"a": 1}, 2, 2.5, np.array([2]), np.array([2.0, 3.0]))
ASKED = (
    *("m == 2", "m != 2", "m == [2]", "[2] == m", "m == (2,)", "m == [2, 3]", "m != (2, 3)"),
    *("m == {'a': 1}", "2 == m", "m == None", "m == 'a'", "[x, 2] == m", "[2, x] < [2, 4]"),
    *("2 in m", "m == x", "[m] == [m]", "m < [3]", "m is None", "not m == 2", "m in ([2], (2,))"),
)


def made(body: str, parameters: str = "x") -> Any:
    text = f"import copy\nimport numpy as np\ndef f({parameters}):\n    {body}\n"
    linecache.cache[f"<{body}>"] = (len(text), None, text.splitlines(keepends=True), f"<{body}>")
    module = types.ModuleType("m")
    exec(compile(text, f"<{body}>", "exec"), module.__dict__)
    return module.f


@pytest.mark.parametrize("asked", ASKED)
def test_comparisons_are_pythons(asked: str) -> None:
    f = made(f"return x * x if {asked} else -x", "x, m")
    for held in HELD[: -2 if " in (" in asked else None]:
        try:
            wanted: Any = 5.0 if f(2.5, copy.deepcopy(held)) > 0 else -1.0
        except Exception as error:
            wanted = type(error)
        try:
            found: Any = grad(f)(2.5, copy.deepcopy(held))
        except Exception as error:
            found = type(error)
        assert found == wanted, held


SHARED = {
    "list": "a = x * 1.0; L = [a, a]; L[0] *= x; L[1] += x; return np.sum(a * L[1])",
    "dict": "z = np.zeros(3); m = {'a': z, 'b': z}; m['a'] += x; m['b'] *= x; "
    "return np.sum(m['a'])",
    "nested": "a = x * 1.0; d = {'w': [a, {'v': a}]}; d['w'][1]['v'] -= x * x; "
    "return np.sum(a * x)",
    "copied": "a = x * 1.0; L = [a]; M = L[:]; N = list(L); M[0] *= 2.0; N[0] += x; "
    "return np.sum(L[0] * x)",
    "times": "v = x * 1.0; L = [v] * 3; L[1] *= x; return np.sum(L[0] * L[2])",
    "dict_copies": "p = {'w': x * 1.0}; q = dict(p); r = {**p}; q['w'] *= x; r['w'] += x; "
    "return np.sum(p['w'] * x)",
    "deep": "p = {'w': x * 1.0}; q = copy.deepcopy(p); q['w'] *= x; "
    "return np.sum(p['w'] * q['w'])",
    "shallow": "p = [x * 1.0]; q = copy.copy(p); q[0] *= x; q[0] = x; return np.sum(p[0] * q[0])",
    "optimiser": "p = {'w': x * 1.0, 'b': x * x}\n    for _ in range(3):\n"
    "        for k in p: p[k] -= 0.1 * p[k] * x\n    return np.sum(p['w'] * p['b'])",
    "several": "y = z = np.zeros(3); y += x; z *= x; return np.sum(y * z)",
    "chained": "a, b = t = x[0], x[1]; return a * b + t[1] * t[0] ** 2",
    "chained_deep": "(a, b), c = t = (x[0] ** 2, x[1] ** 3), x[2]; return a * b + c * t[0][1]",
    "chained_list": "t = a, b = [x * x, x * 2.0]; a[0] = 3.0 * x[1]; return np.sum(t[0] * b)",
    "starred": "a, *b = t = x[0] * 2.0, x[1] * 3.0, x[2]; return a * b[0] * b[1] + t[2]",
    "walrus": "return (y := x[0] * x[1]) * y + (z := y * x[2]) * z",
    "swap": "y = x * 1.0; y[0], y[2] = y[2], y[0] * y[1]; return y[0] + y[2] ** 2",
    "swap_rows": "A = np.outer(x, x); A[0], A[1] = A[1], A[0]; "
    "return np.sum(A * np.arange(9.0).reshape(3, 3))",
    "order": "y = [x[0], 1.0]\n    def bump():\n        y[0] = 10.0 * x[1]\n"
    "        return x[0] * x[2]\n    y[0] += bump(); return y[0]",
    "order_array": "y = x * 1.0\n    def bump():\n        y[0] = 10.0 * x[1]\n"
    "        return x[0] * x[2]\n    y[0] += bump(); return np.sum(y)",
    "order_view": "y = x * 1.0\n    def bump():\n        y[0] = 10.0 * x[1]\n"
    "        return x[0] * x[2]\n    y[:2] *= bump(); return np.sum(y)",
    "order_name": "s = x[0]\n    def bump():\n        nonlocal s\n        s = 5.0 * x[1]\n"
    "        return x[2]\n    s += bump(); return s",
}


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED)
def test_what_is_shared_is_written_once(body: str) -> None:
    agrees(made(body), X)


class Squares:
    def __init__(self, a: Any) -> None:
        self.a = a
        self.total = a * 1.0

    @functools.cached_property
    def square(self) -> Any:
        return self.a**2

    def add(self, v: Any) -> None:
        other = self.total
        self.total += v
        other *= v


def test_attributes() -> None:
    def cached(x: Any) -> Any:
        one = Squares(x)
        return one.square * 2.0 + one.square * one.a

    def updated(x: Any) -> Any:
        one = Squares(x)
        one.add(x * x)
        one.add(x)
        return np.sum(one.total)

    agrees(cached, 0.7)
    agrees(updated, X)


def rows_of(x: Any, s: float) -> Any:
    d = [[0.0 for _ in range(2)] for _ in range(2)]
    for j in range(2):
        d[0][j] = x * (j + s)
    return d


def test_what_a_helper_makes_twice_is_two() -> None:
    def twice(x: Any) -> Any:
        out = []
        for s, k in zip([2.0, 3.0], [x[0], x[1]], strict=True):
            out.append(rows_of(k, s))
        for j in range(2):
            out[0][1][j] += out[1][0][j] * x[2]
        return out[0][0][0] + 3.0 * out[1][0][0] * out[0][1][1]

    agrees(twice, X)


def test_entries_of_an_argument() -> None:
    def step(p: Any, x: Any) -> Any:
        q = dict(p)
        for k in q:
            q[k] -= 0.1 * x
        return np.sum(p["w"] ** 2) + np.sum(p["b"])

    p = {"w": np.ones(3), "b": np.array([2.0, 1.0, 0.5])}
    wanted = step(copy.deepcopy(p), X)
    value, slope = value_and_grad(step, wrt="x")(copy.deepcopy(p), X)
    assert np.isclose(value, wanted)
    assert np.allclose(slope, -0.2 * (1.0 - 0.1 * X) - 0.1)
