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

FAMILIES = (products, vectors, solvers, stencils, statistics, flows, networks, spectral)
PORTS: dict[str, Callable[..., Any]] = {f.__name__: f for m in FAMILIES for f in m.FUNCTIONS}
RESTRUCTURED: dict[str, Callable[..., Any]] = {
    **products.RESTRUCTURED,
    **solvers.RESTRUCTURED,
    **statistics.RESTRUCTURED,
}


def gradients(function: Callable[..., Any]) -> Callable[[Arguments], Run]:
    """Calls of the compiled value and gradients, on arrays of the device.

    Integers are constants of the compiled program.
    """
    jax.config.update("jax_enable_x64", True)

    def prepare(arguments: Arguments) -> Run:
        numbers = tuple(k for k, a in enumerate(arguments) if isinstance(a, int))
        floats = tuple(k for k, a in enumerate(arguments) if is_float(a))
        given = [a if k in numbers else jnp.asarray(a) for k, a in enumerate(arguments)]
        both = jax.jit(jax.value_and_grad(function, floats), static_argnums=numbers)
        compiled = both.lower(*given).compile()
        passed = [a for k, a in enumerate(given) if k not in numbers]

        def run() -> Any:
            found = compiled(*passed)
            found[0].block_until_ready()
            return found

        return run

    return prepare
