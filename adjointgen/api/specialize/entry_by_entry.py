"""What would let a program be made that is refused since it is not known entry by entry.

    def f(x, n):                    refused for any n;  for n = 3 the lists have known lengths,
        rows = [[x]]                and a call with another n has a program of its own
        for _ in range(n): ...

The lengths of short arrays and small integers are fixed, as few of them as will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from adjointgen.api.specialize.length_guards import Axis
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.source.collection_classes import STANDS_FOR
from adjointgen.ir.types import Type
from adjointgen.watch import Look

MOST: Final = 32
"""The longest axes, and greatest integers, of which a program may be made for each."""

Ways = tuple[dict[Axis, int], dict[str, Argument]]


def ways(types: Mapping[str, Argument], arguments: Mapping[str, Any]) -> Iterator[Ways]:
    """Lengths and integers to be fixed: of either kind alone, then of both."""
    lengths = dict(_lengths(types, arguments))
    numbers: dict[str, Argument] = {
        name: Fixed(value)
        for name, value in arguments.items()
        if type(value) is int and abs(value) <= MOST and isinstance(types.get(name), Type)
    }
    if numbers:
        yield {}, numbers
    if lengths:
        yield lengths, {}
    if numbers and lengths:
        yield lengths, numbers


def has_models(looks: Mapping[Any, Look]) -> bool:
    """Whether a program reads classes of `collections`, of which the frontend has its own."""
    return any(look.value is cls for look in looks.values() for cls in STANDS_FOR.values())


def _lengths(
    types: Mapping[str, Argument], arguments: Mapping[str, Any]
) -> Iterator[tuple[Axis, int]]:
    for name, type_ in types.items():
        if not isinstance(type_, Type) or not type_.is_array or type_.shape is None:
            continue
        sizes = np.shape(arguments[name]) if name in arguments else ()
        for axis, (size, known) in enumerate(zip(sizes, type_.shape, strict=False)):
            if size <= MOST and (known is None or known.symbol):
                yield (name, axis), size
