"""Assignments accept, drop and refuse what NumPy's do, which is asked in every case."""

import linecache
import types
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from adjointgen import hvp, jvp, value_and_grad
from adjointgen.errors import AdjointgenError

X = np.array([0.7, 1.3, 2.1])
TARGETS = (
    *("np.zeros(3)", "np.zeros((2, 3))", "np.zeros((1, 3))", "np.ones((3, 1))", "np.zeros(())"),
    *("np.zeros(1)", "np.arange(3)", "np.zeros(3, complex)", "np.zeros(3, bool)", "np.zeros(n)"),
)
VALUES = (
    *(
        "x[0]",
        "x",
        "x[None]",
        "x[None, None]",
        "x[:, None]",
        "x[:1]",
        "np.array(x[0])",
        "x[n - 3 :]",
    ),
    *(
        "np.outer(x, x)",
        "np.sum(x * x, keepdims=True)",
        "x * 1j",
        "[x[0], x[1], x[2]]",
        "w",
        "w[None]",
    ),
)
PLACES = ("y[0]", "y[:]", "y[...]", "y[1:]", "y[None]", "y[[0, 2]]", "y[y == 0]", "y[:, 0]", "y[i]")
WRITES = (
    *("np.copyto(y, {0})", "np.add(y, {0}, out=y)", "np.multiply(x, {0}, out=y)", "y.fill({0})"),
    *("np.sum(np.outer(x, {0}), axis=0, out=y)", "np.copyto(y, {0}, 'unsafe', y == 0)"),
)


def bodies() -> Iterator[str]:
    """Every place with every value, each of a number of targets."""
    targets = len(TARGETS)
    for k, (place, value) in enumerate(product(PLACES, VALUES)):
        yield f"y = {TARGETS[k % targets]}; {place} = {value}"
        yield f"y = {TARGETS[(k + 3) % targets]}; {place} {'+*-'[k % 3]}= {value}"
    for k, (target, value) in enumerate(product(TARGETS, VALUES)):
        yield f"y = {target}; y {'*+-'[k % 3]}= {value}"
        yield f"y = {target}; {WRITES[k % len(WRITES)].format(value)}"


def made(body: str) -> Any:
    end = "return np.sum(np.real(y) * np.arange(1.0, y.size + 1.0).reshape(np.shape(y)))"
    text = f"import numpy as np\ndef f(x, w, n=3, i=1):\n    {body}\n    {end}\n"
    linecache.cache[f"<{body}>"] = (len(text), None, text.splitlines(keepends=True), f"<{body}>")
    module = types.ModuleType("m")
    exec(compile(text, f"<{body}>", "exec"), module.__dict__)
    return module.f


def outcome(f: Any, *args: Any) -> Any:
    try:
        return f(*args)
    except AdjointgenError:
        raise
    except Exception as error:
        return type(error)


def slopes(f: Any, w: Any) -> Any:
    """Central differences, which are exact for what is quadratic at most."""
    ends = [[float(f(X + s * e, w)) for s in (1e-3, -1e-3)] for e in np.eye(3)]
    return np.array([(up - down) / 2e-3 for up, down in ends])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("part", range(8))
def test_forms(part: int) -> None:
    """`w` has one axis in one half of the forms, two in the other."""
    refused, w = 0, np.array([0.5, 1.5, 2.5])[(None,) * (part % 2)]
    every = [*bodies()][part::8]
    for body in every:
        f = made(body)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = outcome(f, X.copy(), w)
            try:
                found = outcome(value_and_grad(f), X.copy(), w)
                moved = outcome(jvp, f, (X.copy(), w), (X, np.zeros_like(w)))
            except AdjointgenError as error:
                assert error.code in ("AG107", "AG201", "AG301"), body
                refused += 1
                continue
            if isinstance(wanted, type):
                assert found is wanted and isinstance(moved, type), body
                continue
            slope = slopes(f, w)
        assert np.allclose(found[0], wanted), body
        assert np.allclose(found[1], slope, atol=1e-8), body
        assert np.allclose(moved[1], slope @ X), body
    assert refused <= len(every) // 8


LEADING = {
    "row": "out = np.zeros((2, 3)); out[0] = x[None, :] ** 2",
    "mean": "out = np.zeros((2, 3)); out[1] = np.mean(np.outer(x, x), axis=0, keepdims=True)",
    "loop": "out = np.zeros((4, 3))\n    for k in range(4): out[k] = x[None] ** 2 * (k + 1.0)",
    "filter": "out = np.zeros((3, 3)); z = x[None]\n"
    "    for k in range(3): z = z @ np.outer(x, x); out[k] = z",
    "unknown": "rows = [r for r in (x[None], x[None, None])]; out = np.zeros((2, 3))\n"
    "    for k, r in enumerate(rows): out[k] = r * r",
    "fancy": "out = np.zeros((3, 3)); out[np.array([2, 0])] = (x * x)[None, None]",
    "branch": "out = np.ones((2, 3))\n"
    "    if x[0] > 0: out[0] = (x * x)[None]\n    else: out[0] = x",
    "number": "z = np.array(0.0); z += x @ x; z[()] = z * 3.0; z -= x[0]; out = z[None]",
    "shared": "z = np.array(1.0); v = z; z *= x[1]; v += x @ x; out = np.array([float(z), v])",
}


@pytest.mark.parametrize("body", LEADING.values(), ids=LEADING)
def test_leading_axes_of_length_one(body: str) -> None:
    f = made(body + "; y = out * out" if "\n" not in body else body + "\n    y = out * out")
    value, slope = value_and_grad(f)(X.copy(), X)
    assert np.isclose(value, f(X, X))

    def numeric(x: Any) -> Any:
        return np.array([f(x + 1e-4 * e, X) - f(x - 1e-4 * e, X) for e in np.eye(3)]) / 2e-4

    assert np.allclose(slope, numeric(X), rtol=1e-6)
    assert np.isclose(jvp(f, (X, X), (X, None))[1], slope @ X)
    curved = hvp(f, (X, X), (X, None))
    grad = [value_and_grad(f)(X + s * 1e-5 * X, X)[1] for s in (1.0, -1.0)]
    assert np.allclose(curved, (grad[0] - grad[1]) / 2e-5, rtol=1e-5)
