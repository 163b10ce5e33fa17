"""Stand-ins for numbers and arrays, which record what is done with them.

A stand-in is no subclass of `float` or `ndarray`: C code reads the memory of those without asking,
and a derivative would be lost without a word. It says by `__class__` what it stands for, so that
`isinstance` holds, and C code that wants its number has to call `__float__` or `__array__`, which
refuse an active value (AG160).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import ref

import numpy as np

from adjointgen.errors import AdjointgenError, NoRule, Unsupported
from adjointgen.tracing.tape import Part, Record, Slot, Spelling, Storage, Tape, located, outside

P = ParamSpec("P")
R = TypeVar("R")


class Busy:
    """How many functions of the trace itself are under way: what they call is not recorded.

    `refused` is the first refusal of the run. Code that catches it must not go on another way, so
    it is raised at the end if it is not before.
    """

    depth = 0
    refused: AdjointgenError | None = None


def refusal(error: AdjointgenError) -> AdjointgenError:
    """A refusal, noted for the end of the run."""
    Busy.refused = Busy.refused or error
    return error


def own(function: Callable[P, R]) -> Callable[P, R]:
    """A function of the trace itself, which calls NumPy on real values."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        Busy.depth += 1
        try:
            return function(*args, **kwargs)
        finally:
            Busy.depth -= 1

    return run


class Standin:
    """What numbers and arrays have in common: the real value, and the trace it belongs to."""

    __slots__ = ("__weakref__", "_index", "_raw", "_tape")
    _raw: Any
    _index: int
    _tape: ref[Tape]

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._raw)

    def __reduce_ex__(self, _: Any) -> Any:
        raise unseen("pickle")


def tape_of(standin: Standin) -> Tape:
    """The trace that a stand-in belongs to; an error where that is over."""
    tape = standin._tape()
    if tape is None or not tape.open:
        raise outside()
    return tape


def is_standin(value: Any) -> bool:
    """Whether a value stands for another."""
    return issubclass(type(value), Standin)


def is_array(value: Any) -> bool:
    """Whether a value stands for an array."""
    return is_standin(value) and hasattr(type(value), "__setitem__")


def raw(value: Any) -> Any:
    """What a value stands for."""
    return value._raw if is_standin(value) else value


def lowered(tree: Any) -> Any:
    """Tuples, lists and dicts with real values in place of stand-ins."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind(lowered(part) for part in tree)
    if kind is dict:
        return {key: lowered(part) for key, part in tree.items()}
    if kind is slice:
        return slice(lowered(tree.start), lowered(tree.stop), lowered(tree.step))
    return raw(tree)


def standins(tree: Any) -> list[Any]:
    """The stand-ins in tuples, lists and dicts, in order."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return [one for part in tree for one in standins(part)]
    if kind is dict:
        return [one for part in tree.values() for one in standins(part)]
    return [tree] if is_standin(tree) else []


def is_floating(value: Any) -> bool:
    """Whether a real value has floating-point numbers, so that it may have a derivative."""
    kind = type(value)
    if kind is float or kind is complex:
        return True
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "fc"
    return isinstance(value, tuple) and any(map(is_floating, value))


def is_plain(value: Any) -> bool:
    """Whether a real value holds nothing that could have a derivative."""
    if isinstance(value, tuple | list):
        return all(map(is_plain, value))
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind not in "fcOV"
    return value is None or isinstance(value, int | str | bytes | slice | type | np.dtype)


@own
def node(value: Any) -> Record:
    """The record that holds the content of a stand-in now."""
    tape = tape_of(value)
    if not is_array(value) or value._version == value._storage.version:
        first: Record = tape.records[value._index]
        return first
    storage: Storage = value._storage
    if value._positions is None:
        return tape.records[storage.current]
    content = value._raw.copy()
    parent = tape.records[storage.current]
    positions = value._positions
    made = tape.add(
        "read",
        content,
        (parent.index,),
        active=parent.active,
        pull=lambda g, _: [Part(positions, g)],
    )
    value._version, value._index = storage.version, made.index
    return made


def template(tree: Any, count: list[int]) -> Any:
    """Arguments with a slot for each stand-in; arrays are copied, which others may write to."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind(template(part, count) for part in tree)
    if kind is dict:
        return {key: template(part, count) for key, part in tree.items()}
    if is_standin(tree):
        count[0] += 1
        return Slot(count[0], tree._index if not is_array(tree) else tree._name)
    return tree.copy() if type(tree) is np.ndarray else tree


def filled(tree: Any, kept: list[Any]) -> Any:
    """Arguments with the kept operands in the slots."""
    kind = type(tree)
    if kind is Slot:
        return kept[tree.number]
    if kind is tuple or kind is list:
        return kind(filled(part, kept) for part in tree)
    if kind is dict:
        return {key: filled(part, kept) for key, part in tree.items()}
    return tree


def unseen(what: str) -> AdjointgenError:
    """A differentiated value goes where the trace does not see what becomes of it."""
    return refusal(
        Unsupported(
            f"{what} takes a differentiated value, and a trace cannot see what it computes",
            code="AG160",
            help="write it with operations of Python, math and NumPy, or pass stop_gradient(...)",
            **located(),
        )
    )


def no_rule(name: str, why: str = "") -> AdjointgenError:
    """An operation ran on a differentiated value, and the trace has no derivative of it."""
    return refusal(
        NoRule(
            f"a trace has no derivative of {name}{': ' if why else ''}{why}",
            code="AG202",
            help="write it with operations that have one, or pass stop_gradient(...)",
            **located(),
        )
    )


def is_active(value: Any) -> bool:
    """Whether a value is a stand-in whose content depends on what is differentiated."""
    return is_standin(value) and node(value).active


def spelled(form: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Spelling, list[int]]:
    """The spelling of a call of these arguments, and how many slots it has."""
    count = [0]
    return Spelling(form, template(args, count), template(kwargs, count)), count
