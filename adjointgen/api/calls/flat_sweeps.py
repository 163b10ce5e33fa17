"""Sweeps of one function from vector to vector: arguments and results are taken apart in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjointgen.api.arguments.pack_structures import leaves_like
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.jacobian_blocks import Opened, opened
from adjointgen.api.calls.split_sweeps import Recorded, run_forward
from adjointgen.api.calls.sweep_structures import inputs_of, leaves_traces, results_of
from adjointgen.api.calls.vector_sweeps import copies
from adjointgen.errors import TypeMismatch


class FlatSweeps:
    """The tangent program of a function, and its split adjoint, if it has one."""

    def __init__(self, program: Derivative, reverse: Derivative | None) -> None:
        self.program = program
        self.reverse = reverse

    def at(self, values: tuple[Any, ...]) -> FlatPoint:
        """The sweeps at these arguments.

        Raises TypeMismatch (AG404) for a function that does more than compute: it would do so in
        every sweep.
        """
        if leaves_traces(self.program, values):
            raise TypeMismatch(
                "the function does more than compute, and a sparse Jacobian runs it several times",
                code="AG404",
                help="leave sparse out: a dense Jacobian has its rows from one forward sweep",
            )
        return FlatPoint(self, values)


class FlatPoint:
    """Sweeps at one point: `inputs` numbers go in."""

    def __init__(self, sweeps: FlatSweeps, values: tuple[Any, ...]) -> None:
        self.program, self.reverse, self.values = sweeps.program, sweeps.reverse, values
        self.special = self.program.generated.special(values)
        self.given = inputs_of(self.special, values)
        parts = [part for one in self.given.values() for part in one.parts]
        self.inputs = sum(map(np.size, parts))
        self.precision = max(map(_precision, parts), default=1e-16)
        self.results: Opened | None = None
        self.recorded: Recorded | None = None

    def along(self, direction: Any) -> Any:
        """The derivative of the results along a direction, as a vector."""
        first, seeds = 0, {}
        for name, one in self.given.items():
            size = sum(map(np.size, one.parts))
            seeds[name] = _shaped(one, direction[first : first + size])
            first += size
        generated = self.program.generated
        values = copies(generated.binder, self.values)
        _, y_dot = generated.apply(self.special, values, (), seeds)
        tree = results_of(self.special, 2)[1]
        self.results = opened(tree, leaves_like(tree, y_dot))
        return _flat(self.results.parts)

    def pulled(self, weights: Any) -> Any:
        """The derivative of the results, weighted, by the inputs, as a vector."""
        assert self.reverse is not None and self.results is not None
        if self.recorded is None:
            self.recorded = run_forward(self.reverse.generated, self.values)
        bars = self.recorded.reverse(_shaped(self.results, weights))
        pairs = zip(self.given.values(), bars, strict=True)
        return _flat([part for one, bar in pairs for part in one.parts_of(bar)])


def _flat(parts: Sequence[Any]) -> Any:
    """Numbers and arrays one after another."""
    flat = [np.ravel(part) for part in parts]
    return np.concatenate(flat) if flat else np.zeros(0)


def _shaped(one: Opened, numbers: Any) -> Any:
    """A structure of numbers that stand one after another."""
    parts, first = [], 0
    for part in one.parts:
        own = numbers[first : first + np.size(part)]
        first += np.size(part)
        is_array = isinstance(part, np.ndarray)
        parts.append(own.reshape(part.shape).astype(_kind(part)) if is_array else float(own[0]))
    return one.filled(parts)


def _precision(part: Any) -> float:
    """The distance from 1 to the next number of its kind."""
    kind = np.asarray(part).dtype
    return float(np.finfo(kind if kind.kind in "fc" else float).eps)


def _kind(part: Any) -> Any:
    return part.dtype if part.dtype.kind in "fc" else float
