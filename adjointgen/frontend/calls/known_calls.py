"""A call whose function is known by name, as the functions for such calls get it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named
from adjointgen.frontend.state.context import Context
from adjointgen.records import dataclass

Special = Callable[["Call"], Abstract | None]


@dataclass(slots=True)
class Call:
    """A call whose function is known by name, with its arguments evaluated.

    `discarded` says that the value of the call is not used.
    """

    ctx: Context
    node: ast.Call
    function: Named | Method
    args: list[Abstract]
    keywords: dict[str, Abstract]
    discarded: bool = False

    def take(
        self, name: str, position: int = -1, default: Abstract | None = None
    ) -> Abstract | None:
        """The argument under a name or at a position."""
        if name in self.keywords:
            return self.keywords[name]
        return self.args[position] if 0 <= position < len(self.args) else default
