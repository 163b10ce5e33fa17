"""Families of programs of any length, and what the first gradient of one takes.

    python -m tests.benchmarks.families NAME N

prints seconds of processor time as JSON. The process has generated another gradient before, so
imports are not counted.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from adjointgen import grad
from tests.benchmarks.model import glide, point
from tests.benchmarks.timing import pin

Made = tuple[str, tuple[Any, ...]]


def array_chain(count: int) -> Made:
    """`y = np.sin(y) * 0.5` on an array, so many times."""
    lines = "    y = np.sin(y) * 0.5\n" * count
    return f"def f(y):\n{lines}    return np.sum(y)\n", (np.ones(3),)


def scalar_chain(count: int) -> Made:
    """`y = math.sin(y) * 0.5` on a number, so many times."""
    lines = "    y = math.sin(y) * 0.5\n" * count
    return f"def f(y):\n{lines}    return y\n", (1.0,)


def elif_chain(count: int) -> Made:
    """One `if` with so many arms."""
    arms = "".join(
        f"    elif k == {k}:\n        y = math.sin(x) * {k}.5\n" for k in range(1, count)
    )
    text = f"def f(x, k):\n    if k == 0:\n        y = x * x\n{arms}    else:\n        y = x\n"
    return f"{text}    return y * 2.0\n", (1.0, 5)


def early_returns(count: int) -> Made:
    """So many tests, each with a `return`."""
    tests = (f"    if k == {k}:\n        return math.sin(x) * {k}.5\n" for k in range(count))
    return f"def f(x, k):\n{''.join(tests)}    return x\n", (1.0, 5)


def call_depth(count: int) -> Made:
    """A function that calls a function, and so on."""
    first = "def g0(x):\n    return math.sin(x)\n\n\n"
    between = (f"def g{k}(x):\n    return g{k - 1}(x) * 1.5\n\n\n" for k in range(1, count))
    return f"{first}{''.join(between)}def f(x):\n    return g{count - 1}(x)\n", (1.0,)


FAMILIES: dict[str, tuple[Callable[[int], Made], tuple[int, ...]]] = {
    "array chain": (array_chain, (100, 200, 400, 800)),
    "scalar chain": (scalar_chain, (100, 200, 400, 800)),
    "elif chain": (elif_chain, (50, 100, 200, 400)),
    "early returns": (early_returns, (50, 100, 200, 400)),
    "call depth": (call_depth, (15, 30, 60)),
}
"""Programs by name, and the lengths that are measured."""


def loaded(name: str, count: int, folder: Path) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function of a family, from a file in a folder, and arguments for it."""
    text, arguments = FAMILIES[name][0](count)
    path = folder / f"family_{count}.py"
    path.write_text(f"import math\n\nimport numpy as np\n\n\n{text}", "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    function: Callable[..., Any] = module.f
    return function, arguments


def main(name: str, count: int) -> None:
    pin()
    grad(glide)(*point())
    with tempfile.TemporaryDirectory() as folder:
        function, arguments = loaded(name, count, Path(folder))
        gradient = grad(function)
        start = process_time()
        gradient(*arguments)
        seconds = process_time() - start
    print(json.dumps({"length": count, "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
