"""The functions in CasADi: expressions of scalar operations, loops written out, branches as terms.

Such an expression is what its own machine runs fastest without a compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi

from tests.benchmarks.kernels.kernel import Arguments, is_float
from tests.benchmarks.scalars.peers import written
from tests.benchmarks.timing import Run


def recurrence(x, a, steps):
    total = 0.0
    for _ in range(steps):
        x = casadi.if_else(x > 1.0, 0.5 * x - 0.1 * a, x * x + a)
        total = total + x * x
    return total


FUNCTIONS = {**written(casadi, casadi.erf), "recurrence": recurrence}


def prepared(name: str) -> Callable[[Arguments], Run]:
    """Calls of the value and the gradients of a function, with Python's numbers."""

    def prepare(arguments: Arguments) -> Run:
        symbols = [casadi.SX.sym(f"a{k}") if is_float(a) else a for k, a in enumerate(arguments)]
        inputs = [s for s, a in zip(symbols, arguments, strict=True) if is_float(a)]
        numbers = [a for a in arguments if is_float(a)]
        value = FUNCTIONS[name](*symbols)
        slopes = casadi.vertsplit(casadi.gradient(value, casadi.vertcat(*inputs)))
        both = casadi.Function(name, inputs, [value, *slopes])

        def run() -> Any:
            first, *rest = both(*numbers)
            return float(first), [float(g) for g in rest]

        return run

    return prepare
