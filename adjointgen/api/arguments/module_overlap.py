"""Arguments are told from what the program reads and writes in the module.

    def f(x, m):
        MODEL.k = x             f(x, MODEL) reads the number that was written
        return m.k * x

The program takes the two for different objects. So where it writes to either, what can be reached
from an argument must not be reached from an object of the module that it looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from adjointgen.errors import Unsupported
from adjointgen.frontend.domain.module_tables import is_slot, values_of
from adjointgen.frontend.domain.structures import is_instance
from adjointgen.watch import CONSTANT, Held, Look

FAR: Final = 1000
"""How many objects are looked at, the nearest first."""
_CODE: Final = (*CONSTANT, FunctionType, BuiltinFunctionType, ModuleType, type)


def roots_of(looks: Iterable[Look]) -> tuple[Any, ...]:
    """The objects of the module that a program looked at and that something can be written to."""
    found: dict[int, Any] = {}
    for look in looks:
        one = look.table.owner if isinstance(look.table, Held) else look.value
        if _is_written_to(one) or isinstance(one, (tuple, partial)):
            found[id(one)] = one
    return tuple(found.values())


def check_objects(
    names: Sequence[str], values: Sequence[Any], roots: Sequence[Any], changes: bool
) -> None:
    """Refuse an argument with a dict or object that the program has from the module as well, where
    it `changes` objects.

    Raises Unsupported (AG113).
    """
    own: dict[int, str] = {}
    for name, value in zip(names, values, strict=True):
        own |= {id(one): name for one in _reached([value])}
    for one in _reached(roots) if own and changes else ():
        if id(one) in own:
            name = own[id(one)]
            raise Unsupported(
                f"{name} holds a {type(one).__name__} that the function reaches through the module"
                " as well, where it writes",
                code="AG113",
                help="reach it by one name alone, or pass a copy",
            )


def storage_in(roots: Iterable[Any]) -> list[tuple[str, Any]]:
    """The arrays and lists that can be reached from objects of the module, as what has a name."""
    arrays: list[np.ndarray] = []
    lists = [one for one in _reached(roots, arrays) if type(one) is list]
    return [("what the module holds", one) for one in (*arrays, *lists)]


def _is_written_to(value: Any) -> bool:
    return type(value) in (list, dict) or is_instance(value)


def _reached(values: Iterable[Any], arrays: list[np.ndarray] | None = None) -> Iterator[Any]:
    """The lists, dicts and objects that can be reached from values, and the `arrays`."""
    seen: set[int] = set()
    waiting = deque(values)
    while waiting and len(seen) < FAR:
        one = waiting.popleft()
        if isinstance(one, _CODE) or id(one) in seen:
            continue
        if arrays is not None and isinstance(one, np.ndarray):
            arrays.append(one)
        seen.add(id(one))
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, partial):
            waiting.extend((*one.args, *one.keywords.values()))
        elif _is_written_to(one):
            yield one
            waiting.extend(_parts(one))


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else (*values_of(value).values(), *_in_slots(value))


def _in_slots(value: Any) -> Iterator[Any]:
    for slot in (raw for cls in type(value).__mro__ for raw in vars(cls).values() if is_slot(raw)):
        try:
            yield slot.__get__(value, type(value))
        except AttributeError:
            continue
