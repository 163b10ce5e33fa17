"""Programs that keep a log, run as Python and as they are generated: the logs must be equal.

`e(k, v)` has source and hands `v` on, `t(k, v)` has none and is copied as it stands; both note `k`.
Nothing is known of a `Cell`: what its attributes are is computed. `make(a)` gives a `Holder` of an
array, which it writes to.
A program may also raise, write into its argument, or enter managers, which note what they are told.
"""

import copy
import importlib.util
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from adjointgen import AdjointgenError, jvp, value_and_grad

HEADER = """
import collections
import contextlib
import functools
import io
import itertools
import math
import threading
import warnings

import numpy as np

LOG = []


def e(k, v):
    LOG.append(k)
    return v


t = eval("lambda k, v=1.5: (LOG.append(k), v)[1]", {"LOG": LOG})


def boom(k):
    LOG.append(k)
    raise ValueError(f"boom {k}")


class Manager:
    def __init__(self, k, swallows=False):
        self.k = k
        self.swallows = swallows

    def __enter__(self):
        LOG.append(("enter", self.k))
        return 2.0

    def __exit__(self, kind, error, trace):
        LOG.append(("exit", self.k, kind and kind.__name__, str(error) if error else None))
        return self.swallows


cm = eval("lambda k, s=False: Manager(k, s)", {"Manager": Manager})


@contextlib.contextmanager
def managed(k):
    LOG.append(("in", k))
    try:
        yield 3.0
    finally:
        LOG.append(("out", k))


class Box:
    def __init__(self):
        self.n = 0

    def bump(self):
        self.n += 1
        LOG.append(("bump", self.n))
        return self

    def read(self):
        LOG.append(("read", self.n))
        return float(self.n)


exec(
    '''
class Cell:
    def __init__(self, k=2.0):
        self.k, self.entries, self.row, self.table = k, [k, 3.0], np.array([k, 4.0]), {"k": k}

    p = property(lambda self: self.k * 1.0)
    __getattr__ = lambda self, name: self.k * 3.0 if name == "g" else object.__getattr__(self, name)

    def change(self):
        LOG.append("change")
        self.k += 1.0
        self.entries[0] += 1.0
        self.row = self.row + 1.0
        self.table["k"] = 7.0
        return self.k


def change(cell):
    return cell.change()


def cell():
    return Cell()
'''
)

exec(
    '''
class Holder:
    def __init__(self, a=None):
        self.a = a

    def bump(self):
        self.a[0] += 7.0

    def get(self):
        return self.a

    def put(self, a):
        self.a = a


def make(a):
    return Holder(a)


def bump(o):
    o.bump()


def empty():
    return Holder()


def fill(a):
    a.fill(3.0)
'''
)

BOX = Box()
LOCK = threading.Lock()
"""


class Outcome(NamedTuple):
    """What a call came to: its value or what was raised, its log, and what it left behind."""

    value: Any
    raised: tuple[str, str] | None
    log: list[Any]
    args: list[Any]
    locked: bool


def load(name: str, source: str, folder: Path) -> ModuleType:
    """The module of a program, from a file, so that its text is found."""
    path = folder / f"{name}.py"
    path.write_text(HEADER + source, "utf-8")
    spec = importlib.util.spec_from_file_location(f"effects_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def outcome(module: ModuleType, call: Callable[..., Any], args: list[Any]) -> Outcome:
    """A call on copies of the arguments."""
    module.LOG.clear()
    module.BOX.n = 0
    args = copy.deepcopy(args)
    value, raised = None, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = call(*args)
    except AdjointgenError:
        raise
    except Exception as error:
        raised = (type(error).__name__, str(error))
    locked = module.LOCK.locked()
    if locked:
        module.LOCK.release()
    return Outcome(value, raised, list(module.LOG), args, locked)


def reverse(f: Callable[..., Any]) -> Callable[..., Any]:
    """Value and gradient."""
    return value_and_grad(f)


def forward(f: Callable[..., Any]) -> Callable[..., Any]:
    """Value and tangent."""

    def call(*args: Any) -> Any:
        seeds = [direction(args[0]), *[None] * (len(args) - 1)]
        return jvp(f, args, seeds)

    return call


def direction(x: Any) -> Any:
    """In which the tangent is taken."""
    return 1.0 if isinstance(x, float) else np.cos(np.arange(np.size(x))).reshape(np.shape(x))


def slopes(f: Callable[..., Any], args: list[Any]) -> Any:
    """The gradient by differences of fourth order."""

    def at(k: int, step: float) -> float:
        moved = copy.deepcopy(args)
        if isinstance(moved[0], float):
            moved[0] += step
        else:
            moved[0].ravel()[k] += step
        return float(f(*moved))

    h = 1e-3
    rows = [
        8.0 * (at(k, h) - at(k, -h)) - (at(k, 2 * h) - at(k, -2 * h))
        for k in range(np.size(args[0]))
    ]
    return np.array(rows) / (12.0 * h)


def differs(module: ModuleType, args: list[Any], mode: str) -> str:
    """What the generated program does otherwise than the function; empty where it does the same."""
    make = {"reverse": reverse, "forward": forward}[mode]
    want, got = outcome(module, module.f, args), outcome(module, make(module.f), args)
    if got.raised != want.raised:
        return f"raised {got.raised}, not {want.raised}"
    if got.log != want.log:
        return f"log {got.log}, not {want.log}"
    if got.locked != want.locked:
        return "the lock is held"
    if not np.allclose(got.args[0], want.args[0]):
        return f"left {got.args[0]}, not {want.args[0]}"
    if want.raised is not None:
        return ""
    if not np.isclose(got.value[0], want.value):
        return f"value {got.value[0]}, not {want.value}"
    slope = slopes(lambda *a: outcome(module, module.f, list(a)).value, args)
    if mode == "forward":
        slope = np.dot(slope, np.ravel(direction(args[0])))
    if not np.allclose(np.ravel(got.value[1]), slope, rtol=1e-6, atol=1e-7):
        return f"derivative {got.value[1]}, not {slope}"
    return ""
