"""What an objective of the benchmark is: one function, written with arrays and with loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.kernels.kernel import Arguments


@dataclass(frozen=True, slots=True)
class Objective:
    """Both writings, differentiated by the first `count` parameters.

    `jacobian` says how the derivative of a vector is asked for: "rows" where every row of the
    result depends on its own row of the arguments only, so that one adjoint sweep gives a column of
    all blocks; "columns" for a tangent sweep per number of the one parameter.
    """

    name: str
    title: str
    arrays: Callable[..., Any]
    loops: Callable[..., Any]
    make: Callable[..., Arguments]
    sizes: Mapping[str, tuple[int, ...]]
    count: int
    jacobian: str | None = None

    @property
    def wrt(self) -> tuple[str, ...]:
        return self.arrays.__code__.co_varnames[: self.count]

    def inputs(self, size: str) -> Arguments:
        """The arguments for "tiny", "small", "medium" or "large", the same at each call."""
        return self.make(*self.sizes[size])
