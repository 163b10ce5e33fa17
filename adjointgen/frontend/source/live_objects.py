"""Questions about live objects that a name stands for."""

from __future__ import annotations

import sys
from enum import Enum
from inspect import CO_GENERATOR
from types import FunctionType
from typing import Any

from adjointgen.frontend.domain.structures import is_followed
from adjointgen.watch import Entries, Held


def is_logger(value: Any) -> bool:
    """Whether this is a logger; there is none where nobody has imported the module."""
    logging = sys.modules.get("logging")
    return logging is not None and type(value) is getattr(logging, "Logger", None)


def calls_itself(value: Any) -> bool:
    """Whether an object of the user's is called by a `__call__` that is written in Python."""
    kinds = type(value).__mro__
    call = next((vars(c)["__call__"] for c in kinds if "__call__" in vars(c)), None)
    return isinstance(call, FunctionType) and is_followed(type(value))


def is_literal(key: object) -> bool:
    """Whether a key is written as what it is."""
    if type(key) is tuple:
        return all(map(is_literal, key))
    return isinstance(key, Enum) or (
        type(key) in (str, int, float, bool, bytes, complex, type(None)) and key == key
    )


def entry(table: Any, key: Any, entries: Entries) -> Entries | Held:
    """The table of one entry: what a text denotes, or what is under an entry of an enumeration."""
    return Held(table, lambda now: now[key]) if isinstance(key, Enum) else entries


def is_wrapped_generator(value: FunctionType) -> bool:
    """Whether a decorator made another thing of a generator: `contextlib.contextmanager`."""
    inner = getattr(value, "__wrapped__", value)
    return isinstance(inner, FunctionType) and bool(
        inner.__code__.co_flags & ~value.__code__.co_flags & CO_GENERATOR
    )
