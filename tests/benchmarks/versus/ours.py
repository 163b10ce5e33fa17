"""The candidates that adjointgen generates, and the primals that they are measured against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from adjointgen import tangent, value_and_grad
from tests.benchmarks.kernels.kernel import Arguments, is_float
from tests.benchmarks.timing import Run
from tests.benchmarks.versus.cases import (
    NUMBA,
    NUMPY,
    PRIMAL,
    PRIMAL_NUMBA,
    TANGENT,
    TANGENT_NUMBA,
    Candidate,
    Gives,
)

Prepare = Callable[[Arguments], Run]


def bound(function: Callable[..., Any]) -> Prepare:
    """Calls of a function with arguments as they are."""
    return lambda arguments: lambda: function(*arguments)


def jitted(function: Any, known: dict[Any, Any] | None = None) -> Any:
    """A function compiled by Numba, and the functions of its module that it calls with it."""
    from numba import njit

    known = {} if known is None else known
    if function not in known:
        names = {**function.__globals__}
        for name in function.__code__.co_names:
            helper = names.get(name)
            if isinstance(helper, FunctionType) and helper.__module__ == function.__module__:
                names[name] = jitted(helper, known)
        known[function] = njit(FunctionType(function.__code__, names, function.__name__))
    return known[function]


def parameters(function: Callable[..., Any], arguments: Arguments) -> tuple[str, ...]:
    """The names of the float arguments."""
    names = function.__code__.co_varnames
    return tuple(n for n, a in zip(names, arguments, strict=False) if is_float(a))


def _with_seeds(function: Callable[..., Any], **how: Any) -> Callable[[], Prepare]:
    def build() -> Prepare:
        made: dict[tuple[str, ...], Any] = {}

        def prepare(arguments: Arguments) -> Run:
            wrt = parameters(function, arguments)
            dotted = made.setdefault(wrt, tangent(function, wrt, **how))
            seeds = [np.ones_like(a) if np.ndim(a) else 1.0 for a in arguments if is_float(a)]
            return lambda: dotted(*arguments, *seeds)

        return prepare

    return build


def _gradient(function: Callable[..., Any], **how: Any) -> Callable[[], Prepare]:
    return lambda: bound(value_and_grad(function, wrt=..., **how))


def candidates(function: Callable[..., Any]) -> Mapping[str, Candidate]:
    """Both targets, with their primals and tangents."""
    numba = {"compile": "numba"}
    return {
        PRIMAL: Candidate(lambda: bound(function), Gives.VALUE),
        PRIMAL_NUMBA: Candidate(lambda: bound(jitted(function)), Gives.VALUE),
        NUMPY: Candidate(_gradient(function), base=PRIMAL, ours=True),
        NUMBA: Candidate(_gradient(function, **numba), base=PRIMAL_NUMBA, ours=True),
        TANGENT: Candidate(_with_seeds(function), Gives.SLOPE, PRIMAL),
        TANGENT_NUMBA: Candidate(_with_seeds(function, **numba), Gives.SLOPE, PRIMAL_NUMBA),
    }
