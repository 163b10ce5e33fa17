"""Small functions, each with the point where its derivatives are compared with differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A function and its arguments; floats and arrays of floats among them are differentiated."""

    function: Function
    args: tuple[Any, ...]
    name: str

    @property
    def active(self) -> tuple[int, ...]:
        return tuple(k for k, a in enumerate(self.args) if isinstance(a, float | np.ndarray))


class Cases(list[Case]):
    """The functions of a module, in the order of their definition."""

    def at(self, *args: Any, name: str = "") -> Callable[[Function], Function]:
        """The decorated function is tested at these arguments."""

        def keep(function: Function) -> Function:
            taken = sum(case.function is function for case in self)
            label = (name or function.__name__) + (f"_{taken + 1}" if taken else "")
            self.append(Case(function, args, label))
            return function

        return keep
