"""One program as data: source text, arguments, and what to differentiate.

A program is data. `load` turns it into a function whose source can be read back: the text is put
into `linecache` under a name of its own and executed in a module object, so that `inspect`,
tracebacks and global names behave as they do for a file.
"""

import hashlib
import linecache
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

FUNCTION: Final = "f"


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A function of a module's text, its arguments in order, and the names to differentiate."""

    seed: int
    source: str
    parameters: tuple[str, ...]
    args: tuple[Any, ...]
    wrt: tuple[str, ...]
    features: tuple[str, ...] = ()
    attempt: int = 0
    name: str = FUNCTION

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()[:12]

    @property
    def active(self) -> tuple[int, ...]:
        """The positions of the differentiated arguments, in the order of `wrt`."""
        return tuple(self.parameters.index(name) for name in self.wrt)

    def fresh_args(self) -> list[Any]:
        return deepcopy(list(self.args))


def load(program: Program, function: str = "") -> Callable[..., Any]:
    """The program's function, or another one, in a new module that `inspect` can read."""
    name = f"fuzz_{program.seed}_{program.digest}"
    filename = f"<{name}>"
    text = program.source
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    exec(_compiled(text, filename), module.__dict__)
    loaded: Callable[..., Any] = module.__dict__[function or program.name]
    return loaded


@lru_cache(maxsize=64)
def _compiled(text: str, filename: str) -> CodeType:
    return compile(text, filename, "exec")


def unload(program: Program) -> None:
    """Forget what `load` registered, so that long runs do not grow."""
    name = f"fuzz_{program.seed}_{program.digest}"
    sys.modules.pop(name, None)
    linecache.cache.pop(f"<{name}>", None)


def flatten(tree: Any) -> Vector:
    """The numbers of a result, left to right: tuples and lists opened, arrays in C order."""
    if isinstance(tree, (tuple, list)):
        parts = [flatten(item) for item in tree]
        return np.concatenate(parts) if parts else np.zeros(0)
    return np.asarray(tree, dtype=np.float64).reshape(-1)


def refill(like: Any, numbers: Vector) -> Any:
    """The inverse of `flatten`: `numbers` in the structure of `like`."""
    if isinstance(like, (tuple, list)):
        items = []
        for item in like:
            size = flatten(item).size
            items.append(refill(item, numbers[:size]))
            numbers = numbers[size:]
        return type(like)(items)
    if isinstance(like, np.ndarray):
        return numbers.reshape(like.shape).copy()
    return float(numbers[0])
