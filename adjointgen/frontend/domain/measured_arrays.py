"""Lengths of arrays that the module and its objects hold, where a program has to know them.

    for i in range(len(WEIGHTS)): models.append(Model(WEIGHTS[i] * x))

A program reads such an array when it runs, and holds for one of any length. Where it is refused, it
is made again with the lengths that these arrays have now, and stands as long as they have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace
from adjointgen.watch import MISSING, Held, look

_measured: ContextVar[bool] = ContextVar("measured", default=False)
SHAPE = "<shape>"


@contextmanager
def measuring(on: bool) -> Iterator[None]:
    """Meanwhile, whether lengths of such arrays are known."""
    token = _measured.set(on)
    try:
        yield
    finally:
        _measured.reset(token)


def measured(type: Type, owner: Any, steps: str, read: Callable[[Any], Any]) -> Type:
    """The type of an array that is `steps` away from an object, with its lengths now."""
    if not _measured.get() or type.kind != "array":
        return type
    found = tuple(read(owner).shape)

    def same(now: Any) -> object:
        return found if getattr(read(now), "shape", None) == found else MISSING

    look(Held(owner, same), f"{SHAPE}{steps}")
    return replace(type, shape=tuple(Dim("", n) for n in found))
