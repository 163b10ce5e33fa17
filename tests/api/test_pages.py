"""What a compiled program makes outside its loops is made of large pages, and what else is not."""

import linecache
import sys
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.api.pages import on_large_pages

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
    assert {n for n in made.__code__.co_names if n.startswith("_large")} == {
        "_large_empty",
        "_large_zeros",
    }
    names = made.__code__.co_names
    assert "zeros" in names  # of `b`
    assert "empty" in names  # of `d`


def test_a_program_without_such_arrays_is_left_alone() -> None:
    run = loaded("import numpy as np\n\ndef program(n):\n    b = np.zeros(4)\n    return b\n")
    assert on_large_pages(run) is run


def products(x: Any, w: Any) -> Any:
    y = np.zeros(x.shape[0])
    for i in range(1, x.shape[0]):
        y[i] = np.sin(y[i - 1]) * x[i] + w
    return np.sum(y * y)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the Linux kernel")
def test_arrays_of_many_pages_hold_what_small_ones_hold() -> None:
    fast = value_and_grad(products, wrt="x,w", compile="numba")
    x = np.linspace(0.1, 1.0, 700_001)
    value, (x_bar, w_bar) = fast(x, 0.3)
    run = fast.generated.last.run.__wrapped__
    assert "_large_zeros" in run.__code__.co_names
    wanted, (bars, sum_bar) = value_and_grad(products, wrt="x,w")(x, 0.3)
    assert value == pytest.approx(wanted, rel=1e-12)
    assert w_bar == pytest.approx(sum_bar, rel=1e-12)
    np.testing.assert_allclose(x_bar, bars, rtol=1e-12)
