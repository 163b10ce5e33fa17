"""One row of the table of passes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: `at` is its module and function, `takes` the fields of a `Unit` that it is given.

    It runs where the unit has the properties that it `requires`, and changes these by `ensures` and
    `removes` (`properties.py`). An `optional` pass may be left out without changing a number; it is
    left out as well where its `switch` is, another pass. A pass `within` another one is a decision
    that the other takes.
    """

    name: str
    at: str
    does: str
    takes: tuple[str, ...] = ("function",)
    optional: bool = False
    switch: str = ""
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    within: str = ""
    source: str = ""

    @property
    def file(self) -> str:
        """Where it stands, as a path inside the package."""
        return self.at.partition(":")[0].replace(".", "/") + ".py"

    def function(self) -> Callable[..., Any]:
        """The function that does it; its module is loaded now."""
        module, _, name = self.at.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"adjointgen.{module}"), name)
        return found
