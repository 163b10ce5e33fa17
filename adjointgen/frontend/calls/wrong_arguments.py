"""Calls that fail for their arguments, read or not: `len(a, 1)`, `zip(1, 2)`.

How many arguments a function takes is asked of its signature, where Python has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from inspect import signature
from typing import Any, Final

from adjointgen.frontend.domain.abstract_values import Abstract, Seq, Struct
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.library.type_tests import class_of
from adjointgen.frontend.state.context import Context

NUMBERS: Final = frozenset(
    f"builtins.{name}" for name in ("float", "int", "bool", "complex", "NoneType")
)
"""Classes of what has no entries."""
RUN_OVER: Final[dict[str, slice]] = {
    "zip": slice(0, None),
    **dict.fromkeys(("enumerate", "sorted", "list", "tuple", "set", "frozenset"), slice(0, 1)),
    **dict.fromkeys(("iter", "reversed", "any", "all"), slice(0, 1)),
}
"""Which arguments of Python's own functions have entries."""

FILLING: Final = frozenset(("put", "place", "putmask", "copyto", "fill_diagonal"))
"""Functions of NumPy that write to their first argument, which has to be an array."""


def fails(
    ctx: Context, spelling: str, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> bool:
    """Whether a function refuses these arguments for certain, of which it has at least one."""
    if not args:
        return False
    if not takes(spelling, len(args), tuple(keywords)):
        return True
    module, _, name = spelling.rpartition(".")
    if module == "numpy" and name in FILLING:
        return class_of(ctx, args[0]) in NUMBERS
    if module != "builtins" or name not in RUN_OVER:
        return False
    return any(class_of(ctx, one) in NUMBERS for one in args[RUN_OVER[name]])


_CONTAINERS = ("list", "tuple", "set", "frozenset", "dict")


def of_method(
    owner: Abstract, name: str, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> bool:
    """The same of a method of a list, tuple, set or dict."""
    kind = owner.kind if isinstance(owner, Seq | Struct) else None
    if not isinstance(kind, str) or kind not in _CONTAINERS:
        return False
    return not takes(f"builtins.{kind}.{name}", 1 + len(args), tuple(keywords))


@lru_cache(maxsize=1024)
def takes(spelling: str, count: int, names: tuple[str, ...]) -> bool:
    """Whether a function takes so many arguments and these keywords, as far as it says so."""
    found: Any = live(spelling)[1]
    try:
        known = signature(found)
    except (TypeError, ValueError):
        return True
    try:
        known.bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    return True
