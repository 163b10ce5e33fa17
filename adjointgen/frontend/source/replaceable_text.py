"""What may be put in the place of something that a program was made of.

np.sin = mine        a function of the user's under a known name is lowered as such
np.sin = np.cos      another known function is refused: derivatives call `np.sin` by its name
@wraps(np.sum)       a function that says another's name, and is one of its own
h.__wrapped__        a wrapper that passes on may be made to pass on to another function
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from adjointgen.frontend.domain.qualified_names import meant, spelling_of, wraps_declared
from adjointgen.rules.framework.table import TABLE
from adjointgen.watch import MISSING, Cell, look
from adjointgen.wrapping import plain


def is_users(value: object, home: str) -> bool:
    """Whether a function that stands in a known module is none of its own, but put there."""
    if not isinstance(value, FunctionType):
        return False
    # A wrapper says the module of what it wraps; its names are looked up in its own.
    own = str(value.__globals__.get("__name__", "")).partition(".")[0]
    return own not in (home.partition(".")[0], "numpy", "scipy", "builtins")


def is_other(value: object, spelling: str) -> bool:
    """Whether what stands under the name of a function is another one, which was put there."""
    found, row = spelling_of(value), TABLE.find(spelling)
    other = None if found is None else TABLE.find(found)
    return row is not None and other is not None and other is not row


def has_rule(value: object, spelling: str) -> bool:
    """Whether the rule of a name is that of this function.

    A wrapper says the name of what it wraps (`functools.wraps`), and may change what it returns.
    """
    return not wraps_declared(value, spelling) and plain(meant(spelling)) in (value, spelling)


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
