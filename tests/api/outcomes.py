"""What a call does, as something to compare: its value, its exception, what it leaves in its
arguments, and which objects are one.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`shown` describes value, exception, arguments and what was printed; equal if they agree."""

    shown: str
    raised: str
    printed: str


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """The outcome of a call with copies of the arguments."""
    args = copy.deepcopy(args)
    raised, value = "", None
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = f(*args)
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
    seen: dict[int, int] = {}
    arrays: list[np.ndarray[Any, Any]] = []
    shown = describe((value, args), seen, arrays)
    shared = [
        (i, j)
        for i, a in enumerate(arrays)
        for j, b in enumerate(arrays[:i])
        if np.may_share_memory(a, b) and np.shares_memory(a, b)
    ]
    return Outcome(f"{shown} shared {shared}", raised, out.getvalue())


def describe(value: Any, seen: dict[int, int], arrays: list[np.ndarray[Any, Any]]) -> str:
    """A value as text, objects numbered in the order in which they are met."""
    if isinstance(value, list | dict | np.ndarray) or dataclasses.is_dataclass(value):
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
    kind = type(value).__name__
    match value:
        case np.ndarray():
            arrays.append(value)
            return f"{kind} {value.dtype} {value.shape} {value.tolist()!r}"
        case float() | complex() | np.generic():
            return f"{getattr(value, 'dtype', kind)} {value!r}".replace("np.float64", "")
        case dict():
            rows = (f"{k!r}: {describe(v, seen, arrays)}" for k, v in value.items())
            return f"{kind} {{{', '.join(rows)}}}"
        case list() | tuple():
            return f"{kind} ({', '.join(describe(v, seen, arrays) for v in value)})"
    if hasattr(value, "__dict__") and not callable(value):
        return f"{kind} {describe(vars(value), seen, arrays)}"
    return f"{kind} {value!r}" if isinstance(value, int | str | bytes | None) else kind
