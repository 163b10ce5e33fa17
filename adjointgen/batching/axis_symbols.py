"""Lengths that are named by axes of arguments, where these axes get other numbers.

x_dot (n, k) becomes (k, n):     x_dot.0 -> x_dot.1,   x_dot.1 -> x_dot.0
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace

Renumber = Callable[[str, int], int]
"""The number that an axis of an argument has now."""
_AXIS: Final = re.compile(r"(\w+)\.(\d+)")


def renumbered(type: Type, axis: Renumber) -> Type:
    """The type with the lengths that it names by the axes as they are now."""

    def dim(old: Dim | None) -> Dim | None:
        if old is None or not old.symbol:
            return old
        symbol = _AXIS.sub(lambda m: f"{m[1]}.{axis(m[1], int(m[2]))}", old.symbol)
        return replace(old, symbol=symbol)

    shape = None if type.shape is None else tuple(map(dim, type.shape))
    made = replace(type, shape=shape, value=dim(type.value))
    return type if made == type else made
