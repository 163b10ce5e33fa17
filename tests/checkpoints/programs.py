"""Loops whose states are kept by a schedule: a module of them, with the directive or without."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SOURCE = """
import numpy as np

def heat(u0, k, steps):
    u = u0.copy()
    total = 0.0
    # DIRECTIVE
    for i in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * np.sin(u[1:-1])
        total += u @ u
    return total

def orbit(u0, k, steps):
    def slope(z):
        r = (z[0] ** 2 + z[1] ** 2) ** 1.5
        return np.array([z[2], z[3], -k * z[0] / r, -k * z[1] / r])
    z, h = u0, 0.05
    # DIRECTIVE
    for _ in range(steps):
        a = slope(z)
        b = slope(z + 0.5 * h * a)
        c = slope(z + 0.5 * h * b)
        d = slope(z + h * c)
        z = z + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return z @ z

def solver(u0, k, steps):
    x, y = u0, 1.0
    # DIRECTIVE
    while abs(y * y - k) > 1e-13:
        y = 0.5 * (y + k / y)
        x = np.sin(x) * y + x
    return y * np.sum(x)

def wave(u0, k, steps):
    size = 4
    now = np.outer(u0, u0)
    before = now.copy()
    misfit = 0.0
    # DIRECTIVE
    for i in range(steps):
        after = 2.0 * now - before
        after[1:-1, 1:-1] += k ** 2 * (now[2:, 1:-1] + now[:-2, 1:-1] - 4.0 * now[1:-1, 1:-1])
        before, now = now, after
        misfit += np.sin(now[1, i % size]) ** 2
    return misfit

def recurrent(u0, k, steps):
    h = np.zeros(4)
    loss = 0.0
    # DIRECTIVE
    for i in range(steps):
        h = np.tanh(np.outer(u0, u0) @ h * k + u0[i % 4])
        loss += (h[0] - 0.1 * i) ** 2
    return loss

def backwards(u0, k, steps):
    x = u0
    # DIRECTIVE
    for i in range(steps, 1, -2):
        x = np.sin(x) * k + i * x[0] * 0.1
    return np.sum(x * x)

def leaving(u0, k, steps):
    x = u0 * 1.0
    s = 0.0
    # DIRECTIVE
    for i in range(100):
        if s > 20.0 or i > steps:
            break
        x[i % 3] = x[(i + 1) % 3] * k + np.sin(x[0])
        s += np.sum(x * x)
    return s

def nested(u0, k, steps):
    total = 0.0
    for r in range(3):
        x = u0 * (1.0 + r)
        # DIRECTIVE
        for i in range(steps + r):
            x = np.cos(x) * k + x[::-1]
        total += np.sum(x ** 2)
    return total

def twice(u0, k, steps):
    total = 0.0
    x = u0.copy()
    # DIRECTIVE
    for r in range(3):
        # DIRECTIVE
        for i in range(steps + r):
            x = np.cos(x) * k + x[::-1] * np.sin(x)
        total += np.sum(x ** 2)
    return total

def moved(x, k, n):
    # DIRECTIVE
    for i in range(n):
        x = np.cos(x) * k + x[::-1]
    return x

def calling(u0, k, steps):
    return np.sum(moved(moved(u0, k, steps), k * k, 3) * u0)

def trajectory(u0, k, steps):
    out = np.zeros((steps, 2))
    a, b = u0[0], u0[1]
    # DIRECTIVE
    for i in range(steps):
        a, b = a + 0.1 * b, b - 0.1 * np.sin(a) * k
        out[i, 0] = a
        out[i, 1] = b
    return np.sum(out ** 2)

def affine(u0, k, steps):
    x = u0.copy()
    # DIRECTIVE
    for i in range(steps):
        x = 0.5 * x + 1.0
    return np.sum(x) * k

def raising(u0, k, steps):
    x = u0
    # DIRECTIVE
    for i in range(steps):
        if x[0] > 1e6:
            raise ValueError("too large")
        x = np.sin(x) * k
    return x @ x
"""
NAMES = (
    *("heat", "orbit", "solver", "wave", "recurrent", "backwards", "leaving", "nested", "twice"),
    *("calling", "trajectory", "affine", "raising"),
)
SCHEDULES = (
    "log",
    "binomial, snapshots=1",
    "binomial, snapshots=3",
    "periodic, period=2",
    'memory="1 kB"',
    'disk="FOLDER", snapshots=2, period=3',
    'disk="FOLDER"',
)


def programs(folder: Path, schedule: str = "") -> ModuleType:
    """The module, with a directive above its loops, or none."""
    directive = f"adjointgen: checkpoint({schedule})" if schedule else "a loop"
    text = SOURCE.replace("DIRECTIVE", directive.replace("FOLDER", folder.as_posix()))
    name = f"checkpointed_{abs(hash((folder, schedule)))}"
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
