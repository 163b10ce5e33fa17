"""What a compiled program makes outside its loops is made of large pages, and what else is not."""

import linecache
import sys
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.api.backends.buffer_reuse import LARGEST
from adjointgen.api.backends.huge_pages import has_large, on_large_pages

TEXT = """
import numpy as np

def program(n):
    a = np.empty((n, 3))
    b = np.zeros(4)
    c = np.zeros(1000000, dtype=np.int64)
    for i in range(3):
        d = np.empty(n)
        a[:, i] = d[0]
    return a, b, c
"""


def loaded(text: str) -> FunctionType:
    linecache.cache["<pages>"] = (len(text), None, text.splitlines(True), "<pages>")
    space: dict[str, Any] = {}
    exec(compile(text, "<pages>", "exec"), space)
    run = space["program"]
    assert isinstance(run, FunctionType)
    return run


def test_outside_the_loops_and_not_surely_small() -> None:
    pytest.importorskip("numba")
    made = on_large_pages(loaded(TEXT))
    assert made is not None
    assert {n for n in made.__code__.co_names if n.startswith("_large")} == {
        "_large_empty",
        "_large_zeros",
    }
    names = made.__code__.co_names
    assert "zeros" in names  # of `b`
    assert "empty" in names  # of `d`


def test_a_program_without_such_arrays_has_no_other_version() -> None:
    run = loaded("import numpy as np\n\ndef program(n):\n    b = np.zeros(4)\n    return b\n")
    assert on_large_pages(run) is None


def weighted(x: Any, w: float) -> Any:
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = w * x[i]
    total = 0.0
    for i in range(1, x.shape[0]):
        total += y[i] * y[i - 1]
    return total


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the Linux kernel")
def test_arrays_of_many_pages_hold_what_small_ones_hold() -> None:
    fast = value_and_grad(weighted, wrt="x,w", compile="numba")
    for n in (50, LARGEST // 16 + 1):
        x = np.linspace(0.1, 1.0, n)
        assert has_large((x, 2.0)) == (n > 50)
        value, (x_bar, w_bar) = fast(x, 2.0)
        wide = np.pad(x, 1)
        assert value == pytest.approx(4.0 * np.dot(x[1:], x[:-1]), rel=1e-12)
        assert w_bar == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(x_bar, 4.0 * (wide[2:] + wide[:-2]), rtol=1e-12)
