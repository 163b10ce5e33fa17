"""Programs with a place for a directive, and what it changes in the text of their gradients."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

TEXT: Final = """
import numpy as np


def wave(u, k):
    for _ in range(3):
        u = u + 0.1 * np.sin(u * k)
    return u


def short(u):
    return u * u


def stepped(x, k):
    u = x
    for _ in range(4):
        # DIRECTIVE
        u = wave(u, k)
    return np.sum(u * u)


def once(x, k):
    # DIRECTIVE
    y = short(x) * np.exp(k)
    return np.sum(np.sin(y) * y)


def cheap(x, k):
    total = 0.0
    for i in range(len(x)):
        # DIRECTIVE
        t = np.exp(x[i] * k)
        total += np.sin(t) * t
    return total


def dear(x, k):
    u = x
    for _ in range(4):
        # DIRECTIVE
        t = np.exp(np.sin(u) * u)
        u = u + 0.1 * np.tanh(t) * t * k
    return np.sum(u * u)


def whole(x, k):
    u = x
    # DIRECTIVE
    for _ in range(4):
        t = np.exp(np.sin(u) * u)
        u = u + 0.1 * np.tanh(t) * t * k
    return np.sum(u * u)


def rows(x, k):
    u = x * 1.0
    # DIRECTIVE
    for i in range(len(u)):
        t = np.sin(u[i]) * k
        if t > 0.2:
            u[i] = t * u[i] + np.exp(t)
        else:
            u[i] = t * t
    return np.sum(u * u)


def nested(x, k):
    u = np.outer(x, x)
    total = 0.0
    for n in range(3):
        # DIRECTIVE
        for i in range(len(x)):
            u[i] = np.sin(u[i]) * k
            total += np.sum(u[i] * u[i])
    return total + np.sum(u)
"""


def module(folder: Path, name: str, directive: str) -> ModuleType:
    """The programs with a directive in them, in a module of a name."""
    path = folder / f"{name}.py"
    path.write_text(TEXT.replace("# DIRECTIVE", directive), "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made
