"""The stand-in for an array: its real memory, and which elements of a storage it shows.

    a[i]         a view shares the memory: it is read again once that was written to
    a[i] = v     a record that overwrites: the storage has another version from then on

What is written through a view is seen in its base and in all other views, since the memory is real
and their records say which elements of it they read.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Final
from weakref import ref

import numpy as np

from adjointgen.tracing.apply import MAKERS, standing, view_of
from adjointgen.tracing.number import BINARY, LATER, Operators, binary
from adjointgen.tracing.standins import (
    is_array,
    is_standin,
    lowered,
    node,
    own,
    raw,
    spelled,
    standins,
    tape_of,
    unseen,
)
from adjointgen.tracing.tape import Part, Slot, Spelling, Storage, Tape

PLAIN: Final = (
    "shape",
    "ndim",
    "size",
    "dtype",
    "itemsize",
    "nbytes",
    "strides",
    "flags",
    "device",
)
HIDDEN: Final = ("data", "ctypes", "tobytes", "tofile", "dump", "dumps", "byteswap", "view")


class Array(Operators):
    """An array of NumPy's."""

    __slots__ = ("_name", "_positions", "_storage", "_version")
    __hash__ = None

    def __init__(
        self, tape: Tape, value: Any, index: int, storage: Storage, positions: Any
    ) -> None:
        self._tape, self._raw, self._index, self._name = ref(tape), value, index, index
        self._storage, self._positions, self._version = storage, positions, storage.version

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if node(self).active:
            raise unseen("code in C")
        expose(self)
        return np.array(self._raw, dtype) if copy else np.asarray(self._raw, dtype)

    def __array_wrap__(self, array: Any, *_: Any, **__: Any) -> Any:
        return array

    def __getattr__(self, name: str) -> Any:
        if name in PLAIN:
            return getattr(self._raw, name)
        if name in HIDDEN:
            if node(self).active:
                raise unseen(name)
            expose(self)
            return getattr(self._raw, name)
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return LATER["method"](self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name == "shape":
            self._reshaped(value)
        elif name in ("real", "flat"):
            self[...] = value if name == "real" else np.reshape(value, self._raw.shape)
        else:
            raise unseen(f"an assignment to {name}")

    def _reshaped(self, shape: Any) -> None:
        """`a.shape = shape`: from now on this is another view of its memory."""
        self._raw.reshape(shape, copy=False)
        new = LATER["method"](self, "reshape")(shape)
        for name in ("_raw", "_index", "_name", "_positions", "_version"):
            setattr(self, name, getattr(new, name))

    def __len__(self) -> int:
        return len(self._raw)

    def __iter__(self) -> Iterator[Any]:
        if self._raw.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self._raw)))

    def __contains__(self, value: Any) -> bool:
        return raw(value) in self._raw

    def __copy__(self) -> Any:
        return LATER["array"](self)

    def __deepcopy__(self, _: Any) -> Any:
        return LATER["array"](self)

    @own
    def __getitem__(self, key: Any) -> Any:
        key = lowered(key)
        value = self._raw[key]
        if isinstance(value, np.ndarray) and np.may_share_memory(value, self._raw):
            return self._view(key, value)
        tape, state = tape_of(self), node(self)
        if not isinstance(value, np.ndarray) and not state.active:
            return value
        storage: Storage = self._storage
        positions = self._where()[key]
        parent = tape.records[storage.current]
        made = tape.add(
            "read",
            value,
            (parent.index,),
            active=parent.active,
            pull=lambda g, _: [Part(positions, g)],
            spelling=Spelling("index", (Slot(1, self._name), _kept(key))),
        )
        return standing(tape, value, made)

    def _view(self, key: Any, value: Any) -> Any:
        spelling = Spelling("index", (Slot(1, self._name), _kept(key)))
        return view_of(tape_of(self), "view", self._storage, value, self._where()[key], spelling)

    def _where(self) -> Any:
        """The positions of the elements in the storage."""
        return self._storage.positions() if self._positions is None else self._positions

    def __setitem__(self, key: Any, value: Any) -> None:
        write(self, lowered(key), value)


def _kept(key: Any) -> Any:
    """An index, as it is now."""
    if isinstance(key, tuple):
        return tuple(map(_kept, key))
    return key.copy() if isinstance(key, np.ndarray | list) else key


@own
def write(array: Any, key: Any, value: Any) -> None:
    """`array[key] = value`, recorded. Raises Unsupported (AG160) where others see the memory."""
    if not is_standin(value) and standins(value):
        value = LATER["array"](value)
    tape, storage = tape_of(array), array._storage
    if is_array(value) and value._storage is storage and _lies(value, array, key):
        return
    states = [node(value)] if is_standin(value) else []
    before = tape.records[storage.current]
    new = any(state.active for state in states)
    if storage.foreign and (new or not array._raw.flags.writeable):
        raise unseen(storage.foreign)
    given = np.array(raw(value), copy=True) if is_array(value) else raw(value)
    tape.before_write(storage)
    array._raw[key] = given
    positions = array._where()[key]
    made = tape.add(
        "write",
        array._raw[key],
        (before.index, *(state.index for state in states)),
        active=before.active or new,
        operands=(positions, _last(positions), given),
        overwrites=storage.current,
        spelling=_written(array, key, value),
    )
    made.storage, made.version, made.live = storage, storage.version, np.copy(made.live)
    storage.current = made.index


def _lies(value: Any, array: Any, key: Any) -> bool:
    """Whether a view is where it is written to: `a[1:] += b` writes to it, and then it to `a`."""
    return bool(np.array_equal(value._where(), array._where()[key]))


def _written(array: Any, key: Any, value: Any) -> Spelling:
    spelling, _ = spelled("write", (array, value), {})
    return Spelling("write", (spelling.args[0], _kept(key), spelling.args[1]))


def _last(positions: Any) -> Any:
    """1 where what is written stays, 0 where a later entry of the same write overwrites it."""
    flat = np.ravel(positions)[::-1]
    unique, first = np.unique(flat, return_index=True)
    if len(unique) == len(flat):
        return None
    stays = np.zeros(len(flat))
    stays[first] = 1.0
    return stays[::-1].reshape(np.shape(positions))


def expose(array: Any) -> None:
    """The memory is handed out: from now on others may read and write it."""
    storage = array._storage
    tape_of(array).before_write(storage)
    storage.foreign = "code that was handed the memory of an array"


def _inplace(name: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        if type(other) in (list, tuple) and standins(other):
            other = LATER["array"](other)
        value = binary(name, self, other)
        if np.result_type(raw(value)).kind == "c" and self._raw.dtype.kind != "c":
            getattr(operator, f"i{name}")(self._raw.copy(), raw(other))
        if np.shape(raw(value)) != self._raw.shape:
            getattr(operator, f"i{name}")(self._raw.copy(), raw(other))
        write(self, ..., value)
        return self

    return method


for _name in BINARY:
    setattr(Array, f"__i{_name}__", _inplace(_name))
MAKERS["array"] = Array
