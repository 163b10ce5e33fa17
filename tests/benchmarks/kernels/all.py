"""All kernels, by name."""

from __future__ import annotations

from tests.benchmarks.kernels import (
    flows,
    networks,
    products,
    solvers,
    spectral,
    statistics,
    stencils,
    vectors,
)
from tests.benchmarks.kernels.kernel import Kernel

FAMILIES = (products, vectors, solvers, stencils, statistics, flows, networks, spectral)
KERNELS: dict[str, Kernel] = {
    kernel.name: kernel for family in FAMILIES for kernel in family.KERNELS
}
