"""Long chains of `elif` and of early returns: any number of tests, and text that grows with it."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent

HEAD = "import math\nimport numpy as np\n\n\n"
STEP = 1e-6


def elifs(n: int) -> str:
    arms = "".join(
        f"    elif k == {i}:\n        y = math.sin(x) * {i}.5\n        z += y\n"
        for i in range(1, n)
    )
    return (
        f"def f(x, k):\n    z = x * 0.5\n    if k == 0:\n        y = x * x\n{arms}"
        "    else:\n        y = x\n    return y * z\n"
    )


def returns(n: int) -> str:
    arms = "".join(
        f"    x = x * 1.01\n    if k == {i}:\n        return math.sin(x) * {i}.5\n"
        for i in range(n)
    )
    return f"def f(x, k):\n{arms}    return x\n"


def all_leave(n: int) -> str:
    arms = "".join(f"    elif k == {i}:\n        return math.sin(x) * {i}.5\n" for i in range(1, n))
    return f"def f(x, k):\n    if k == 0:\n        return x * x\n{arms}    return x\n"


def some_leave(n: int) -> str:
    arms = "".join(
        f"    elif k == {i}:\n        "
        + ("return math.cos(x)" if i % 7 == 3 else f"y = math.sin(x) * {i}.5")
        + "\n"
        for i in range(1, n)
    )
    return f"def f(x, k):\n    y = 0.0\n    if k == 0:\n        y = x * x\n{arms}    return x + y\n"


def in_loop(n: int) -> str:
    arms = "".join(
        f"        if k + j == {i}:\n            y = y * x + {i}.5\n            "
        f"{'break' if i % 9 == 8 else 'continue'}\n"
        for i in range(n)
    )
    return (
        f"def f(x, k):\n    y = 1.0\n    for j in range(3):\n{arms}        y = y + x\n"
        "    return y * y\n"
    )


def no_last(n: int) -> str:
    arms = "".join(f"    elif k == {i}:\n        y *= math.sin(x) * {i}.5\n" for i in range(1, n))
    return f"def f(x, k):\n    y = x\n    if k == 0:\n        y = x * x\n{arms}    return y\n"


def writes(n: int) -> str:
    arms = "".join(f"    elif k == {i}:\n        u[{i % 3}] *= x * {i}.5\n" for i in range(1, n))
    return (
        "def f(x, k):\n    u = np.ones(3)\n    u[1] = x\n    if k == 0:\n        u[0] = x * x\n"
        f"{arms}    return np.sum(u * u)\n"
    )


FAMILIES = (elifs, returns, all_leave, some_leave, in_loop, no_last, writes)


def loaded(text: str, folder: Path) -> Callable[..., Any]:
    path = folder / "long_chain.py"
    path.write_text(HEAD + text, "utf-8")
    spec = importlib.util.spec_from_file_location("long_chain", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.f
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_derivatives_of_every_path(family: Callable[[int], str], tmp_path: Path) -> None:
    function = loaded(family(60), tmp_path)
    reverse, forward = grad(function), tangent(function, "x")
    for k in (*range(0, 62, 3), 19, 20, 21, 40, 41, 59, 60, 61):
        expected = (function(0.7 + STEP, k) - function(0.7 - STEP, k)) / (2 * STEP)
        assert math.isclose(reverse(0.7, k), expected, rel_tol=1e-5, abs_tol=1e-6), k
        assert math.isclose(forward(0.7, k, 1.0)[1], expected, rel_tol=1e-5, abs_tol=1e-6), k
        assert forward(0.7, k, 1.0)[0] == function(0.7, k)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_text_grows_with_the_number_of_tests(family: Callable[[int], str], tmp_path: Path) -> None:
    sizes = []
    for n in (60, 120):
        gradient = grad(loaded(family(n), tmp_path))
        gradient(0.7, 1)
        sizes.append(len(gradient.source))
    assert sizes[1] < 2.5 * sizes[0]


def test_name_that_no_test_has_set(tmp_path: Path) -> None:
    arms = "".join(f"    elif k == {i}:\n        y = x * {i}.5\n" for i in range(1, 60))
    text = f"def f(x, k):\n    if k == 0:\n        y = x * x\n{arms}    return y\n"
    function = loaded(text, tmp_path)
    forward = tangent(function, "x")
    assert np.isclose(forward(0.5, 45, 1.0)[1], 45.5)
    with pytest.raises(UnboundLocalError):
        function(0.5, 70)
    with pytest.raises(UnboundLocalError):
        forward(0.5, 70, 1.0)
