"""What a kernel of the benchmark is: a NumPy program that ends in a scalar, and its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A program, and how large it runs.

    `make` makes the arguments from the numbers in `sizes`; all float arguments are differentiated.
    `sweeps` says that a loop over time or along an axis carries arrays: memory is judged there.
    """

    primal: Callable[..., Any]
    make: Callable[..., Arguments]
    sizes: Mapping[str, tuple[int, ...]]
    sweeps: bool = False

    @property
    def name(self) -> str:
        return self.primal.__name__

    @property
    def title(self) -> str:
        return (self.primal.__doc__ or "").strip().partition("\n")[0]

    def inputs(self, size: str) -> Arguments:
        """The arguments for "tiny", "medium" or "large", the same at each call."""
        return self.make(*self.sizes[size])


Size = int | tuple[int, ...]


def at(tiny: Size, medium: Size, large: Size) -> dict[str, tuple[int, ...]]:
    """The numbers from which inputs of every size are made.

    Tests run at "tiny", the others are timed: "large" is several times as much work as "medium".
    """
    sizes = {"tiny": tiny, "medium": medium, "large": large}
    return {name: (n,) if isinstance(n, int) else n for name, n in sizes.items()}


def is_float(argument: Any) -> bool:
    """Whether an argument is differentiated."""
    kind = np.asarray(argument).dtype.kind
    return kind in "fc"


def normal(seed: int, *shapes: tuple[int, ...]) -> Arguments:
    """Arrays of normally distributed numbers."""
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal(shape) for shape in shapes)
