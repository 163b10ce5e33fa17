"""The peak of memory of an adjoint program at some arguments, predicted and measured.

The prediction walks the statements of the finished program (`views/memory/`); what is measured is
what `tracemalloc` sees while the program runs once more.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from adjointgen.api.programs.recipes import Step
from adjointgen.api.specialize.assumed_paths import AssumedPaths
from adjointgen.api.specialize.specialize import Way, settled, typed
from adjointgen.config.compilers import PYTHON
from adjointgen.errors import Span
from adjointgen.frontend.source.source import Source
from adjointgen.ir.nodes import Function
from adjointgen.ir.packing import places
from adjointgen.records import dataclass
from adjointgen.views.memory.peak import Predicted, predicted_peak

_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@dataclass(frozen=True, slots=True)
class Peak:
    """The most bytes that are alive at once beside the arguments, tape included.

    `predicted` is None where that cannot be said, `measured` where nobody asked. `line` is the line
    of the source whose statement, or whose adjoint, has the predicted peak.
    """

    predicted: int | None
    line: int | None = None
    measured: int | None = None
    note: str = ""

    def __str__(self) -> str:
        at = f", at line {self.line}" if self.line is not None else ""
        said = "not known" if self.predicted is None else _size(self.predicted) + at
        lines = [f"predicted peak  {said}{self.note}"]
        if self.measured is not None:
            lines.append(f"measured peak   {_size(self.measured)}")
        return "\n".join(lines)


def program_at(
    source: Source,
    step: Step,
    disable: tuple[str, ...],
    arguments: Mapping[str, Any],
    run: Callable[[], object] | None,
) -> Function:
    """The finished program that a call with these arguments has; `run` makes the call."""
    types, (recipe,) = typed([(step,)], arguments)
    way = Way(disable, PYTHON, paths=AssumedPaths(run))
    (program,) = settled(source, [recipe], way, types, arguments).built.functions
    return program


def peak_of(
    program: Function, arguments: Mapping[str, Any], counts: Mapping[tuple[str, int], int]
) -> Peak:
    """The predicted peak of a finished program; `arguments` are those of the function."""
    found = predicted_peak(program, {**arguments, **_parts(program, arguments)}, counts)
    return Peak(found.bytes, found.line.line if found.line else None, note=_note(found))


def measured_peak(adjoint: Callable[..., Any], arguments: tuple[Any, ...], wrt: int) -> int:
    """The most bytes that are alive at once while an adjoint program runs, of `wrt` gradients.

    It is called with the arguments as a tuple, then seeds. It runs twice: what the first call makes
    once and for all is not counted. Seeds are ones.
    """
    first = adjoint(deepcopy(arguments))
    results = first[: len(first) - wrt]
    seeds = [np.ones_like(y) for y in results if isinstance(y, np.ndarray)]
    seeds = seeds if len(seeds) == len(results) else []
    given = deepcopy(arguments)
    del first, results
    gc.collect()
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        adjoint(given, *seeds)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not running:
            tracemalloc.stop()


def _parts(program: Function, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a program takes out of structures, by the names of its parameters."""
    found = {}
    for name, place in places(program).items():
        try:
            found[name] = eval(place, {"__builtins__": {}}, dict(arguments))
        except (LookupError, AttributeError, NameError, TypeError):
            continue
    return found


def _note(found: Predicted) -> str:
    if found.bytes is None:
        return f": how often does {_loop(found.uncounted)} run?"
    return ", where some lengths are not known" if found.unsure else ""


def _loop(span: Span | None) -> str:
    return "a loop" if span is None else f"the loop of line {span.line}"


def _size(bytes: int) -> str:
    """`67.21 MB`."""
    for unit, name in _UNITS:
        if bytes >= unit:
            return f"{bytes / unit:.2f} {name}"
    return f"{bytes} B"
