"""All kernels in JAX, by name, jitted with their gradients in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tests.benchmarks.kernels.kernel import Arguments, is_float
from tests.benchmarks.timing import Run
from tests.benchmarks.with_jax import (
    flows,
    networks,
    products,
    solvers,
    spectral,
    statistics,
    stencils,
    vectors,
)
from tests.benchmarks.with_jax.direct import networks as direct_networks
from tests.benchmarks.with_jax.direct import products as direct_products
from tests.benchmarks.with_jax.direct import solvers as direct_solvers
from tests.benchmarks.with_jax.direct import spectral as direct_spectral
from tests.benchmarks.with_jax.direct import statistics as direct_statistics
from tests.benchmarks.with_jax.direct import stencils as direct_stencils

FAMILIES = (products, vectors, solvers, stencils, statistics, flows, networks, spectral)
DIRECT_FAMILIES = (
    *(direct_products, direct_solvers, direct_stencils),
    *(direct_statistics, direct_networks, direct_spectral),
)
PORTS: dict[str, Callable[..., Any]] = {f.__name__: f for m in FAMILIES for f in m.FUNCTIONS}
DIRECT: dict[str, Callable[..., Any]] = {
    f.__name__: f for m in DIRECT_FAMILIES for f in m.FUNCTIONS
}
RESTRUCTURED: dict[str, Callable[..., Any]] = {
    **products.RESTRUCTURED,
    **solvers.RESTRUCTURED,
    **statistics.RESTRUCTURED,
}
MOST = 8 << 30
"""Bytes that a call may hold: one that needs more is not made."""


def gradients(function: Callable[..., Any], most: int = MOST) -> Callable[[Arguments], Run]:
    """Calls of the compiled value and gradients, on arrays of the device.

    Integers are constants of the compiled program. A program that holds more than `most` bytes
    beside its arguments and results is refused before it runs.
    """
    jax.config.update("jax_enable_x64", True)

    def prepare(arguments: Arguments) -> Run:
        numbers = tuple(k for k, a in enumerate(arguments) if isinstance(a, int))
        floats = tuple(k for k, a in enumerate(arguments) if is_float(a))
        given = [a if k in numbers else jnp.asarray(a) for k, a in enumerate(arguments)]
        both = jax.jit(jax.value_and_grad(function, floats), static_argnums=numbers)
        compiled = both.lower(*given).compile()
        held = compiled.memory_analysis().temp_size_in_bytes
        if held > most:
            sizes = f"{held / 2**30:.1f} GiB, at most {most / 2**30:.0f} GiB are allowed"
            raise MemoryError(f"out of memory: a call holds {sizes}")
        passed = [a for k, a in enumerate(given) if k not in numbers]

        def run() -> Any:
            found = compiled(*passed)
            found[0].block_until_ready()
            return found

        return run

    return prepare
