"""The tables, by name: which cases they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.kernels.kernel import Arguments, Kernel
from tests.benchmarks.timing import Run
from tests.benchmarks.versus import objectives, ours, scalars
from tests.benchmarks.versus.cases import (
    DIRECT,
    DIRECT_NAMES,
    JAX,
    RESTRUCTURED,
    RESTRUCTURED_NAMES,
    Candidate,
    Case,
)

SIZES = ("medium", "large")


def _in_jax(table: str, name: str) -> Callable[[], Callable[[Arguments], Run]]:
    def build() -> Callable[[Arguments], Run]:
        from tests.benchmarks.with_jax import all as with_jax

        return with_jax.gradients(getattr(with_jax, table)[name])

    return build


def _kernel(kernel: Kernel) -> Case:
    peers = {JAX: Candidate(_in_jax("PORTS", kernel.name))}
    if kernel.name in DIRECT_NAMES:
        peers[DIRECT] = Candidate(_in_jax("DIRECT", kernel.name), probed=True)
    if kernel.name in RESTRUCTURED_NAMES:
        peers[RESTRUCTURED] = Candidate(_in_jax("RESTRUCTURED", kernel.name))
    found: Mapping[str, Any] = {**ours.candidates(kernel.primal), **peers}
    return Case(kernel.name, kernel.title, kernel.inputs, found, SIZES, kernel.sweeps)


def kernels() -> list[Case]:
    return [_kernel(kernel) for kernel in KERNELS.values()]


TABLES: dict[str, Callable[[], list[Case]]] = {
    "kernels": kernels,
    "objectives": objectives.cases,
    "scalars": scalars.cases,
}


def case(table: str, name: str) -> Case:
    """The case of that name."""
    (found,) = (c for c in TABLES[table]() if c.name == name)
    return found
