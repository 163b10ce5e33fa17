"""Python's values as constants of a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, KnownKey, Named, Seq
from adjointgen.frontend.domain.qualified_names import entry_spelling
from adjointgen.ir.nodes import Dtype
from adjointgen.ir.types import dtype_of
from adjointgen.rules.framework.builder import const


def constant(value: object) -> Abstract | None:
    """A number, string, dtype, None, or a tuple of these as a constant."""
    if isinstance(value, bool | str | int | float | complex) or value is None:
        if type(value) in (bool, str, int, float, complex, type(None)):
            return const(value)
        return None
    if isinstance(value, np.dtype) and (name := dtype_of(value)) is not None:
        return const(Dtype(name))
    if type(value) is tuple:
        items = [constant(v) for v in value]
        if all(item is not None for item in items):
            return Seq(tuple(item for item in items if item is not None))
    return None


def entry_of_enumeration(value: object, text: str, line: str) -> Named | None:
    """An entry of an enumeration that has a name, however it is reached."""
    spelling = entry_spelling(value)
    return Named(spelling, text, line) if spelling else None


def key_value(key: Any) -> Abstract:
    """The key of a dict as a value."""
    if isinstance(key, tuple):
        return Seq(tuple(map(key_value, key)), "tuple")
    return key.value if isinstance(key, KnownKey) else const(key)
