"""A call whose function is known by name, as the functions for such calls get it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named
from adjointgen.frontend.state.context import Context
from adjointgen.records import dataclass

Special = Callable[["Call"], Abstract | None]


class Keywords(dict[str, Abstract]):
    """Arguments by name, which knows those that nothing has asked for."""

    def __init__(self, given: dict[str, Abstract]) -> None:
        super().__init__(given)
        self.unread = set(given)

    def __getitem__(self, name: str) -> Abstract:
        self.unread.discard(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.unread.discard(str(name))
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        self.unread.clear()
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        self.unread.discard(name)
        return super().get(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        self.unread.discard(name)
        return super().pop(name, *default)

    def items(self) -> Any:
        self.unread.clear()
        return super().items()

    def keys(self) -> Any:
        self.unread.clear()
        return super().keys()

    def values(self) -> Any:
        self.unread.clear()
        return super().values()


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

    def whole(self) -> ast.Call:
        """The call as it stands in the text, with all that it is given."""
        if isinstance(self.keywords, Keywords):
            self.keywords.unread.clear()
        return self.node
