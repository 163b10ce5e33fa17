"""What adjointgen differentiates, beside autograd, JAX, PyTorch and tangent-ad.

`peers.txt` has one line for each function: its name, its priority (1 is used most), and for each of
the others `R` for reverse mode, `F` for forward mode, `!` where a call gave a wrong value without
an error, and `-` for nothing. What adjointgen has is looked up: a rule, a definition, or a witness.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adjointgen.frontend.domain.qualified_names import spelling_of
from adjointgen.frontend.functions.numpy_definitions import defined
from adjointgen.frontend.library.numpy_calls import special
from adjointgen.rules.all import TABLE
from tests.docs.witnesses import WITNESSES

FILE = Path(__file__).with_name("peers.txt")
OTHERS = ("autograd", "JAX", "PyTorch", "tangent-ad")
WIDTH = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A function, and what each tool has of it; adjointgen's first."""

    name: str
    priority: int
    marks: tuple[str, ...]

    @property
    def module(self) -> str:
        """Where it stands in the totals: `numpy`, `scipy.special`, `scipy.stats`, `Python`."""
        head, *rest = self.name.split(".")
        if head == "scipy":
            return f"scipy.{rest[0]}"
        if head == "numpy":
            return "numpy.linalg, fft, random" if rest[0] in ("linalg", "fft", "random") else head
        return "array methods" if head == "ndarray" else "Python"


def lines() -> list[Line]:
    """All functions, in the order of their names."""
    found = []
    for text in FILE.read_text("utf-8").splitlines():
        name, priority, *marks = text.split()
        found.append(Line(name, int(priority), (own(name), *marks)))
    return found


def own(name: str) -> str:
    """What adjointgen has: both modes, derivative zero, a reasoned refusal, or nothing."""
    if name in WITNESSES:
        return "RF"
    for spelling in _spellings(name):
        if special(spelling) is not None or defined(spelling) is not None:
            return "RF"
        row = TABLE.find(spelling)
        if row is not None and row.kind != "refuse":
            return "0" if row.kind == "constant" else "RF"
    return "-"


def _spellings(name: str) -> Iterator[str]:
    """How the table may know a function: by its name, or as another name of the same object."""
    if name.startswith("ndarray."):
        yield name.removeprefix("ndarray")
        return
    yield name
    parts = name.split(".")
    for k in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ImportError:
            continue
        for part in parts[k:]:
            found = getattr(found, part, None)
        spelling = None if found is None else spelling_of(found)
        if spelling:
            yield spelling
        return


def has(mark: str) -> bool:
    """Whether a tool gives derivatives, in one mode at least, some of them right."""
    return "R" in mark or "F" in mark


def covered(mark: str) -> bool:
    """Whether a tool does with a function what is to be done; zero is a derivative as well."""
    return has(mark) or mark == "0"


def totals() -> Iterator[str]:
    """How many functions each tool differentiates, by module and by priority."""
    every = lines()
    yield _row(("module", "names", "adjointgen", *OTHERS))
    for module in dict.fromkeys(sorted(line.module for line in every)):
        yield _total(module, [line for line in every if line.module == module])
    for priority in (1, 2, 3):
        chosen = [line for line in every if line.priority == priority]
        yield _total(f"priority {priority}", chosen)
    yield _total("all", every)


def _total(title: str, chosen: list[Line]) -> str:
    columns = zip(*(line.marks for line in chosen), strict=True)
    return _row((title, len(chosen), *(sum(map(has, column)) for column in columns)))


def _row(cells: Iterable[object]) -> str:
    first, *rest = map(str, cells)
    return f"{first:28}" + "".join(f"{cell:>11}" for cell in rest)


def lacking() -> Iterator[str]:
    """What another tool differentiates and adjointgen does not, by priority."""
    for priority in (1, 2, 3):
        chosen = [
            line
            for line in lines()
            if line.priority == priority
            and any(map(has, line.marks[1:]))
            and not covered(line.marks[0])
        ]
        yield f"priority {priority}: {len(chosen)}"
        for line in chosen:
            pairs = zip(OTHERS, line.marks[1:], strict=True)
            yield f"  {line.name:{WIDTH}} {', '.join(tool for tool, mark in pairs if has(mark))}"


def table() -> Iterator[str]:
    """Every function that one of the tools differentiates."""
    tools = "".join(f"{tool:>11}" for tool in ("adjointgen", *OTHERS))
    yield f"{'function, priority':{WIDTH}} {'':2}{tools}"
    for line in lines():
        if any(map(has, line.marks)):
            marks = "".join(f"{mark:>11}" for mark in line.marks)
            yield f"{line.name:{WIDTH}} {line.priority:2}{marks}"
