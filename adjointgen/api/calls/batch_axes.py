"""Axes of samples in arguments and results: which they are, one sample, and all put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, NoReturn

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.errors import TypeMismatch
from adjointgen.records import dataclass

Axes = Any
"""An integer, None, or a tuple, list or dict of axes, nested as what they are about."""


def refuse(what: str, help: str) -> NoReturn:
    """Raise TypeMismatch (AG416)."""
    raise TypeMismatch(what, code="AG416", help=help)


@dataclass(frozen=True, slots=True)
class ByName:
    """The axes of arguments: those of `named` ones, and of all others."""

    named: dict[str, Axes]
    other: Axes

    def of(self, name: str) -> Axes:
        return self.named.get(name, self.other)


def checked_axes(in_axes: Axes, binder: Binder) -> ByName:
    """The axes for each parameter, and for seeds after them.

    Raises TypeMismatch (AG416) for what is neither axes nor names of parameters.
    """
    shared: dict[str, Axes] = dict.fromkeys(binder.names[: len(binder.owner)])
    if in_axes is None:
        refuse("in_axes=None: no argument has a batch axis", "call the function itself")
    _check(in_axes, "in_axes")
    if _is_axis(in_axes):
        return ByName(shared, in_axes)
    if isinstance(in_axes, dict):
        if unknown := [name for name in in_axes if name not in binder.own]:
            listed = f"choose from {', '.join(binder.own)}"
            refuse(f"in_axes names {unknown[0]!r}, which is no parameter", listed)
        return ByName(shared | in_axes, None)
    places, count = binder.positional, len(binder.positional)
    if binder.star:
        # What is over goes to `*args`, as in the call.
        named = dict(zip(places, in_axes, strict=False))
        return ByName(shared | named | {binder.own[count]: tuple(in_axes[count:])}, 0)
    names = (*places, *map(seed_name, range(len(in_axes))))
    return ByName(shared | dict(zip(names, in_axes, strict=False)), 0)


def seed_name(k: int) -> str:
    """What a seed by position is called."""
    return f"seed {k + 1}"


def require_axes(in_axes: Axes, count: int) -> None:
    """Raise TypeMismatch (AG416) where there are not as many axes as arguments of a call."""
    if isinstance(in_axes, tuple | list) and len(in_axes) != count:
        refuse(
            f"in_axes has {len(in_axes)} entries for {count} arguments",
            "one entry for each argument by position; those by name have axis 0",
        )


def _is_axis(axes: Axes) -> bool:
    return isinstance(axes, int | np.integer) and not isinstance(axes, bool)


def _check(axes: Axes, what: str) -> None:
    """Raise TypeMismatch (AG416) for what is not made of integers and None."""
    if axes is None or _is_axis(axes):
        return
    if not isinstance(axes, tuple | list | dict):
        refuse(f"{what} has {axes!r}", "an axis is an integer, or None")
    for one in axes.values() if isinstance(axes, dict) else axes:
        _check(one, what)


@dataclass(frozen=True, slots=True)
class Mapped:
    """The arguments of a call, their batch axes first; `places` are where these are."""

    values: tuple[Any, ...]
    places: tuple[str, ...]
    count: int
    axes: tuple[Axes, ...]

    def first(self) -> tuple[Any, ...]:
        """The arguments of the first sample."""
        return self.sample(0)

    def sample(self, k: int) -> tuple[Any, ...]:
        pairs = zip(self.values, self.axes, strict=True)
        return tuple(_each(v, axes, "", lambda leaf, axis, place: leaf[k]) for v, axes in pairs)

    def samples(self) -> Iterator[tuple[Any, ...]]:
        """The arguments of each sample in turn."""
        return map(self.sample, range(self.count))


def mapped(names: Sequence[str], values: Sequence[Any], axes: ByName) -> Mapped:
    """The arguments with their batch axes first.

    Raises TypeMismatch (AG416) where these are not as long, or not there.
    """
    lengths: dict[str, int] = {}

    def moved(leaf: Any, axis: int, place: str) -> Any:
        if not isinstance(leaf, np.ndarray):
            refuse(
                f"in_axes gives {place} a batch axis, which is {_kind(leaf)}",
                "pass an array that has an axis for the samples, or give it the axis None",
            )
        if not -leaf.ndim <= axis < leaf.ndim:
            refuse(
                f"in_axes gives {place} the batch axis {axis}, and it has {leaf.ndim} axes",
                "the batch axis is one of the array's own, counted from 0",
            )
        lengths[place] = leaf.shape[axis]
        return leaf if axis == 0 else np.moveaxis(leaf, axis, 0)

    own = tuple(axes.of(name) for name in names)
    rows = zip(names, values, own, strict=True)
    moved_values = tuple(_each(value, one, name, moved) for name, value, one in rows)
    return Mapped(moved_values, tuple(lengths), _count(lengths), own)


def _count(lengths: dict[str, int]) -> int:
    """The number of samples."""
    if not lengths:
        help = "give one an axis in in_axes, or call the function itself"
        refuse("no argument has a batch axis", help)
    (first, count), *_ = lengths.items()
    for place, other in lengths.items():
        if other != count:
            what = f"{first} has {count} samples, and {place} has {other}"
            refuse(what, "batch axes are of one length; in_axes says which they are")
    if not count:
        refuse("the batch has no samples", "results of none have no shape; return before the call")
    return count


def _kind(value: Any) -> str:
    return "None" if value is None else f"of class {type(value).__name__}"


Leaf = Callable[[Any, int, str], Any]


def _each(value: Any, axes: Axes, place: str, leaf: Leaf) -> Any:
    """A structure with its arrays that have a batch axis changed."""
    if axes is None:
        return value
    if not is_structure(value):
        if not _is_axis(axes):
            refuse(f"in_axes has a structure of axes for {place}, which is {_kind(value)}", _ALIKE)
        return leaf(value, int(axes), place)
    keys = keys_of(value)
    inner = _inner(value, axes, keys, "in_axes", place)
    parts = [
        _each(part_of(value, key), one, f"{place}{step_of(value, key)}", leaf)
        for key, one in zip(keys, inner, strict=True)
    ]
    return with_parts(value, parts)


def _inner(value: Any, axes: Axes, keys: list[Any], what: str, place: str) -> list[Axes]:
    """The axes of the entries of a structure."""
    if _is_axis(axes):
        return [axes] * len(keys)
    if isinstance(axes, dict) and set(axes) == set(keys):
        return [axes[key] for key in keys]
    if isinstance(axes, tuple | list) and len(axes) == len(keys) and not isinstance(value, dict):
        return list(axes)
    refuse(f"{what} has other entries for {place} than it has", _ALIKE)


_ALIKE = "axes are one integer or None, or a structure like that of the argument"


def is_structure(value: Any) -> bool:
    """Whether a value holds others: a tuple, list, dict or instance of a dataclass."""
    return isinstance(value, tuple | list | dict) or hasattr(type(value), "__dataclass_fields__")


def keys_of(value: Any) -> list[Any]:
    """The keys of the entries of a structure."""
    if isinstance(value, dict):
        return list(value)
    if hasattr(type(value), "__dataclass_fields__"):
        return list(type(value).__dataclass_fields__)
    return list(getattr(value, "_fields", range(len(value))))


def part_of(value: Any, key: Any) -> Any:
    """The entry of a structure."""
    return getattr(value, key) if _by_attribute(value) else value[key]


def step_of(value: Any, key: Any) -> str:
    """How it is written."""
    return f".{key}" if _by_attribute(value) else f"[{key!r}]"


def _by_attribute(value: Any) -> bool:
    return hasattr(value, "_fields") or hasattr(type(value), "__dataclass_fields__")


def with_parts(value: Any, parts: list[Any]) -> Any:
    """The structure with other entries."""
    if isinstance(value, dict):
        made = copy(value)
        made.update(zip(value, parts, strict=True))
        return made
    if hasattr(value, "_fields"):
        return type(value)(*parts)
    if isinstance(value, tuple | list):
        return type(value)(parts)
    made = copy(value)
    for key, part in zip(keys_of(value), parts, strict=True):
        object.__setattr__(made, key, part)
    return made


def stacked(results: list[Any]) -> Any:
    """What a loop over samples gave, each number and array with a batch axis.

    Raises TypeMismatch (AG416) for results of several structures or shapes, and for other objects.
    """
    first = results[0]
    if is_structure(first):
        if any(type(r) is not type(first) or keys_of(r) != keys_of(first) for r in results):
            refuse("samples give results of several structures", "call it for each sample")
        keys = keys_of(first)
        return with_parts(first, [stacked([part_of(r, key) for r in results]) for key in keys])
    if first is None and all(r is None for r in results):
        return None
    arrays = [np.asarray(r) for r in results]
    if arrays[0].dtype.kind not in "biufc":
        refuse(f"a result is {_kind(first)}", "return numbers and arrays")
    if any(a.shape != arrays[0].shape for a in arrays):
        shapes = sorted({a.shape for a in arrays})
        refuse(f"samples give results of the shapes {shapes}", "call it for each sample")
    return np.stack(arrays)


def apart(result: Any, others: list[np.ndarray]) -> Any:
    """Results whose memory is their own, as it is where samples are put together.

    `others` are the arrays that results may not share memory with; results join them.
    """
    if is_structure(result):
        parts = [apart(part_of(result, key), others) for key in keys_of(result)]
        return with_parts(result, parts)
    if not isinstance(result, np.ndarray):
        return result
    shared = any(np.may_share_memory(result, other) for other in others)
    made = result if result.flags.writeable and not shared else result.copy()
    others.append(made)
    return made


def arrays_of(value: Any) -> list[np.ndarray]:
    """The arrays of a structure."""
    if is_structure(value):
        return [array for key in keys_of(value) for array in arrays_of(part_of(value, key))]
    return [value] if isinstance(value, np.ndarray) else []


def outward(result: Any, out_axes: Axes) -> Any:
    """Results with their batch axes where they are asked for."""
    if _is_axis(out_axes) and out_axes == 0:
        return result
    return _placed(result, out_axes, "the result")


def _placed(value: Any, axes: Axes, place: str) -> Any:
    if value is None:
        return None
    if is_structure(value):
        keys = keys_of(value)
        inner = _inner(value, axes, keys, "out_axes", place)
        parts = [part_of(value, key) for key in keys]
        steps = [f"{place}{step_of(value, key)}" for key in keys]
        rows = zip(parts, inner, steps, strict=True)
        return with_parts(value, [_placed(p, a, s) for p, a, s in rows])
    if not _is_axis(axes):
        refuse(f"out_axes gives {place} the axis {axes!r}", "every result has a batch axis")
    if not -value.ndim <= axes < value.ndim:
        refuse(
            f"out_axes gives {place} the batch axis {axes}, and it has {value.ndim} axes",
            "the batch axis is one of the result's own, counted from 0",
        )
    return np.moveaxis(value, 0, axes)
