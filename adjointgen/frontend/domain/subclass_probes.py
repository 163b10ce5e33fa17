"""Of which class NumPy makes a result where an argument is of a class derived from its array.

    v + 1, v.sum(), np.sqrt(v)        of the class of v, and `__array_finalize__` is called with v
    np.cross(v, v), np.where(c, v, 0)     of NumPy's own

Which functions do the one and which the other follows no rule. So NumPy is asked: the function is
called with small arrays of a class that notes what each of its arrays was made from.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.records import dataclass

LENGTHS = (3, 4, 2, 1, 6)
"""How long the axes are of which the length is not known, one after the other."""


class Probe(np.ndarray):
    """An array that knows what NumPy made it from.

    Of each class there is one in its place, below those in the place of the classes above it.
    """

    origin: object = None
    stands_for: type = np.ndarray

    def __array_finalize__(self, obj: object) -> None:
        self.origin = obj


def _in_place_of(cls: type, known: dict[type, type[Probe]]) -> type[Probe]:
    if cls not in known:
        above = [c for c in cls.__bases__ if issubclass(c, np.ndarray) and c is not np.ndarray]
        bases = tuple(_in_place_of(c, known) for c in above) or (Probe,)
        priority: float = getattr(cls, "__array_priority__", 0.0)
        own = {"stands_for": cls, "__array_priority__": priority}
        known[cls] = type(cls.__name__, bases, own)
    return known[cls]


@dataclass(frozen=True, slots=True)
class Like:
    """An argument that is an array: its lengths, its type, and its class if that is derived."""

    shape: tuple[int | None, ...]
    dtype: str
    derived: type | None

    def array(self, length: int, known: dict[type, type[Probe]]) -> np.ndarray[Any, Any]:
        lengths = tuple(length if n is None else n for n in self.shape)
        made = np.ones(lengths, self.dtype)
        return made if self.derived is None else made.view(_in_place_of(self.derived, known))


@dataclass(frozen=True, slots=True)
class Made:
    """A result of a derived class.

    `origin` is the number of the argument that it was made from, or None for an array of NumPy's
    own class, and `between` are the classes of those that were made on the way.
    """

    cls: type
    origin: int | None
    between: tuple[type, ...]


def asked(
    function: Callable[..., Any], args: Sequence[Any], keywords: Mapping[str, Any]
) -> Made | bool:
    """What NumPy makes of these; False for no array of the class, True where it does not say."""
    known: dict[type, type[Probe]] = {}
    for length in LENGTHS:
        given = [_given(arg, length, known) for arg in args]
        named = {name: _given(arg, length, known) for name, arg in keywords.items()}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = function(*given, **named)
        except Exception:  # of shapes that do not fit
            continue
        return _made(result, given)
    return True


def _given(arg: Any, length: int, known: dict[type, type[Probe]]) -> Any:
    match arg:
        case Like():
            return arg.array(length, known)
        case list() | tuple():
            return type(arg)(_given(item, length, known) for item in arg)
    return arg


def _made(result: Any, given: list[Any]) -> Made | bool:
    if isinstance(result, tuple | list):
        return any(isinstance(part, Probe | tuple | list) for part in result)
    if not isinstance(result, Probe):
        return False
    if any(result is arg for arg in given):
        return True
    origin: Any = result.origin
    between: tuple[type, ...] = ()
    while isinstance(origin, Probe):
        number = next((k for k, arg in enumerate(given) if arg is origin), None)
        if number is not None:
            return Made(result.stands_for, number, between)
        origin, between = origin.origin, (origin.stands_for, *between)
    return Made(result.stands_for, None, between)
