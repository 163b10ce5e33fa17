"""What is called while the cache is damaged: functions, and calls of their derivatives."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from adjointgen import grad, value_and_grad

# Pairs, so that the content of one is a program under the name of the other.
TEXT = """\
import numpy as np


def wave(x):
    return np.sum(2.0 * np.sin(x) * x)


def hill(x):
    return np.sum(3.0 * np.cos(x) * x)


def steps(x, n):
    total = 0.0
    for k in range(n):
        if x > 1.5:
            x = 0.5 * x
        else:
            x = x * x + 0.25
        total += k * x
    return total


def paces(x, n):
    total = 0.0
    for k in range(n):
        if x > 2.5:
            x = 0.25 * x
        else:
            x = x * x + 0.75
        total -= k * x
    return total


def scale(x):
    return np.sum(7.0 * x * x)


def power(x):
    return np.sum(4.0 * x * x * x)
"""
NAME = "damaged_subject"


def loaded(folder: Path) -> ModuleType:
    """The module as another process would see it: with functions that nothing is known of."""
    path = folder / f"{NAME}.py"
    if not path.exists():
        path.write_text(TEXT, "utf-8")
    linecache.checkcache()
    module = sys.modules[NAME] = ModuleType(NAME)
    exec(compile(TEXT, str(path), "exec"), vars(module))
    return module


def told(value: Any) -> Any:
    """A result as text without a loss."""
    if isinstance(value, tuple):
        return [told(entry) for entry in value]
    array = np.asarray(value)
    return [str(array.dtype), array.shape, array.tobytes().hex()]


def _python(module: ModuleType) -> list[Callable[[], Any]]:
    x = np.array([0.0, 1.0, -2.0, 1.0])
    return [lambda f=f: grad(f)(x) for f in (module.wave, module.hill)]


def _loops(module: ModuleType) -> list[Callable[[], Any]]:
    found = (module.steps, module.paces)
    return [lambda f=f: value_and_grad(f, wrt="x")(1.25, 5) for f in found]


def _compiled(module: ModuleType) -> list[Callable[[], Any]]:
    """Two programs, one of them for two kinds of memory."""
    x = np.arange(6.0)
    one, two = (grad(f, compile="numba") for f in (module.scale, module.power))
    return [lambda: one(x), lambda: one(x[::2]), lambda: two(x)]


SUBJECTS: dict[str, Callable[[ModuleType], list[Callable[[], Any]]]] = {
    "gradient": _python,
    "value and gradient": _loops,
    "compiled": _compiled,
}
