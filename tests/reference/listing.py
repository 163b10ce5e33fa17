"""The list of SciPy's public functions: which are called and how, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")
MODULES = (
    *("special", "stats", "signal", "ndimage", "linalg", "spatial.distance", "integrate"),
    *("interpolate", "optimize", "fft", "constants"),
)


@dataclass(frozen=True)
class Call:
    """A call of a function of a module at a point, which is a name or a number."""

    group: str
    name: str
    expression: str
    point: str | float


def sections() -> Iterator[tuple[str, str, list[str]]]:
    """The module, the reason why its functions are left out, and the lines."""
    title, lines = "", list[str]()
    for line in CALLS.read_text("utf-8").splitlines():
        if line.startswith("["):
            if title:
                yield (*_titled(title), lines)
            title, lines = line.strip("[]"), []
        elif line and not line.startswith("#"):
            lines.append(line)
    yield (*_titled(title), lines)


def _titled(title: str) -> tuple[str, str]:
    module, _, reason = title.partition(": ")
    return module, reason


def calls() -> Iterator[Call]:
    """The calls, in the order of the list."""
    for module, reason, lines in sections():
        for line in () if reason else lines:
            text, _, point = line.rpartition(" @ ")
            name, _, expression = text.partition(": ")
            yield Call(module, name, expression or f"{name}(x)", point)


def listed(module: str) -> set[str]:
    """The names of a module that are in the list."""
    found: set[str] = set()
    for own, reason, lines in sections():
        if own == module:
            names = [n for line in lines for n in line.split()] if reason else []
            found.update(names or (line.split(" @ ")[0].split(":")[0] for line in lines))
    return found
