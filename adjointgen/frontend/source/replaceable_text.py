"""What may be put in the place of something that a program was made of.

np.sin = mine        a function of the user's under a known name is lowered as such
np.sin = np.cos      another known function is refused: derivatives call `np.sin` by its name
h.__wrapped__        a wrapper that passes on may be made to pass on to another function
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from adjointgen.frontend.domain.qualified_names import spelling_of
from adjointgen.rules.framework.table import TABLE
from adjointgen.watch import MISSING, Cell, look


def is_users(value: object, home: str) -> bool:
    """Whether a function that stands in a known module is none of its own, but put there."""
    root, owner = home.partition(".")[0], str(getattr(value, "__module__", None) or "")
    own = owner.partition(".")[0]
    return isinstance(value, FunctionType) and own not in (root, "numpy", "scipy", "builtins")


def is_other(value: object, spelling: str) -> bool:
    """Whether what stands under the name of a function is another one, which was put there."""
    found, row = spelling_of(value), TABLE.find(spelling)
    other = None if found is None else TABLE.find(found)
    return row is not None and other is not None and other is not row


def look_at_wrappers(value: object) -> None:
    """Note what the wrappers around a function pass on to."""
    while isinstance(value, FunctionType) and hasattr(value, "__wrapped__"):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            look(Cell(cell), name)
        value = look(vars(value), "__wrapped__")


def same_partial(value: functools.partial[Any]) -> Callable[[Any], object]:
    """What tells whether a partial function still has the arguments that it has now."""
    found = (value.func, *value.args, *value.keywords, *value.keywords.values())

    def same(now: functools.partial[Any]) -> object:
        held = (now.func, *now.args, *now.keywords, *now.keywords.values())
        equal = len(held) == len(found) and all(map(operator.is_, held, found))
        return found if equal else MISSING

    return same


def defaults_of(f: FunctionType) -> dict[str, Any]:
    """The defaults of a live function by parameter."""
    given = f.__defaults__ or ()
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    return dict(zip(names[len(names) - len(given) :], given, strict=True)) | (
        f.__kwdefaults__ or {}
    )
