"""Straight-line functions of any length, and what the first gradient of one takes.

    python -m tests.benchmarks.straight N

prints seconds and memory as JSON. The process has generated another gradient before, so imports are
not counted.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from adjointgen import grad
from tests.benchmarks.model import glide, point
from tests.benchmarks.timing import pin

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

FORMS = (
    "t{k} = t{a} * x + math.sin(t{b})",
    "t{k} = t{a} / (1.0 + t{b} * t{b})",
    "t{k} = math.exp(-t{a} * t{a}) + 0.5 * t{b}",
    "t{k} = 0.3 * t{a} - y * t{b}",
    "t{k} = math.sqrt(1.0 + t{a} * t{a}) - t{b}",
)


def straight_text(count: int) -> str:
    """A module with a function `straight(x, y)` of so many assignments, each used by two later."""
    lines = ["import math", "", "", "def straight(x, y):", "    t0 = x", "    t1 = y"]
    for k in range(2, count):
        form = FORMS[k % len(FORMS)]
        lines.append("    " + form.format(k=k, a=k - 1, b=k - 2))
    return "\n".join([*lines, f"    return t{count - 1}", ""])


def load_straight(count: int, folder: Path) -> Callable[[float, float], float]:
    """The function, from a file in a folder."""
    path = folder / f"straight_{count}.py"
    path.write_text(straight_text(count), "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    found: Callable[[float, float], float] = module.straight
    return found


def highest() -> float | None:
    """The most memory that this process has held, in MiB; None where the system does not say."""
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak / 2**20 if sys.platform == "darwin" else peak / 2**10)


def main(count: int) -> None:
    pin()
    grad(glide)(*point())
    with tempfile.TemporaryDirectory() as folder:
        function = load_straight(count, Path(folder))
        gradient = grad(function, "x,y")
        before = highest()
        start = perf_counter()
        gradient(0.4, 0.3)
        seconds = perf_counter() - start
    after = highest()
    memory = None if before is None or after is None else after - before
    print(json.dumps({"statements": count, "seconds": seconds, "mebibytes": memory}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
