"""Records of what ran, in one list, and the storage that they wrote to.

A record holds indices of its parents, never stand-ins, so nothing in a trace refers to itself: it
is released with its handle. A storage is the memory of an array and of all views of it. `version`
counts the writes to it, `current` is the record that holds its content now. Values are not copied
as long as nothing writes to them: an operand that a derivative reads is copied when its storage is
about to be written to (`Tape.before_write`). A value that no derivative reads is lost then; its
record knows by the version, and reading it is an error.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import numpy as np

from adjointgen.errors import Span, Unsupported
from adjointgen.records import dataclass, field

PACKAGE: Final = "adjointgen.tracing"
_HIDDEN: Final = (PACKAGE, "numpy")


@dataclass(slots=True)
class Storage:
    """The memory that an array and its views share."""

    base: Any
    current: int
    version: int = 0
    foreign: str = ""
    """Why nothing that is differentiated may be written: others see this memory."""
    order: Any = None

    def positions(self) -> Any:
        """The number of each element, in the shape of the base."""
        if self.order is None:
            self.order = np.arange(self.base.size).reshape(self.base.shape)
        return self.order


@dataclass(slots=True)
class Part:
    """A contribution to some elements of a parent: their flat positions, and what is added."""

    positions: Any
    value: Any


@dataclass(slots=True)
class Spelling:
    """How a record is written as Python: arguments have a `Slot` where a stand-in was."""

    form: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    target: str = ""
    """What is written to; empty where the record names its result."""


@dataclass(slots=True)
class Slot:
    """The place of an operand in the arguments of a call, and the record that names it."""

    number: int
    name: int


@dataclass(slots=True)
class Record:
    """One operation that ran.

    `kept` has its value and its operands as they were, for `pull`, which takes the adjoint of the
    value and gives that of each parent.
    """

    index: int
    operation: str
    parents: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    file: str
    line: int
    active: bool
    pull: Callable[[Any, list[Any]], list[Any]] | None
    kept: list[Any]
    live: Any
    overwrites: int | None
    spelling: Spelling | None
    adjoints: list[Any]
    storage: Storage | None = None
    version: int = 0

    @property
    def value(self) -> Any:
        """The value. Raises Unsupported (AG162) where it has been overwritten since."""
        if self.overwritten:
            raise Unsupported(
                f"the value of record {self.index} ({self.operation}) was overwritten: "
                f"it is version {self.version}, the storage has version {self._version()}",
                code="AG162",
                help="read the record that wrote last, or copy the array before it is written to",
            )
        return self.live

    @property
    def overwritten(self) -> bool:
        """Whether the memory of the value holds something else by now."""
        return self.storage is not None and self._version() != self.version

    @property
    def adjoint(self) -> Any:
        """What the sweeps so far have added up for the value; None where there was nothing."""
        return self.adjoints[self.index]

    def _version(self) -> int:
        return self.storage.version if self.storage is not None else self.version


class Tape:
    """The records of a run, in order; derivatives stand in a list of their own."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.adjoints: list[Any] = []
        self.open = True
        # What has to be copied before a storage is written to: lists and places in them.
        self.captured: dict[int, list[tuple[list[Any], int]]] = {}

    def add(
        self,
        operation: str,
        value: Any,
        parents: tuple[int, ...] = (),
        *,
        active: bool,
        pull: Callable[[Any, list[Any]], list[Any]] | None = None,
        operands: tuple[Any, ...] = (),
        spelling: Spelling | None = None,
        overwrites: int | None = None,
    ) -> Record:
        """A new record at the end."""
        made = Record(
            len(self.records),
            operation,
            parents,
            *_type(value),
            *_place(sys._getframe(1)),
            active,
            pull,
            [value, *operands] if active else [],
            value,
            overwrites,
            spelling,
            self.adjoints,
        )
        self.records.append(made)
        self.adjoints.append(None)
        return made

    def capture(self, storage: Storage, kept: list[Any], place: int) -> None:
        """Have a value copied before its storage is written to."""
        if kept and storage.foreign:
            kept[place] = np.copy(kept[place])
        elif kept:
            self.captured.setdefault(id(storage), []).append((kept, place))

    def before_write(self, storage: Storage) -> None:
        """Copy what derivatives read of a storage, and count its version."""
        for kept, place in self.captured.pop(id(storage), []):
            kept[place] = np.copy(kept[place])
        storage.version += 1


def outside() -> Unsupported:
    """A stand-in is used that belongs to no trace under way, or to another one."""
    return Unsupported(
        "a value of a trace is used outside of its run",
        code="AG161",
        help="return from the function what is needed later; a trace in a trace is not possible",
        **located(),
    )


def _place(frame: FrameType | None) -> tuple[str, int]:
    """File and line of the innermost frame that is the user's."""
    found = users(frame)
    return (found.f_code.co_filename, found.f_lineno) if found is not None else ("", 0)


def users(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that is neither of the trace nor of NumPy."""
    while frame is not None:
        if not str(frame.f_globals.get("__name__") or "").startswith(_HIDDEN):
            return frame
        frame = frame.f_back
    return None


def located() -> dict[str, Any]:
    """Where the user's code is now, for a message."""
    frame = users(sys._getframe(1))
    if frame is None:
        return {}
    code = frame.f_code
    positions = list(code.co_positions())[frame.f_lasti // 2]
    line, end, column, last = (one if one is not None else 0 for one in positions)
    lines = linecache.getlines(code.co_filename)
    text = lines[line - 1].encode() if 0 < line <= len(lines) else b""
    column, last = (len(text[:k].decode(errors="ignore")) for k in (column, last))
    return {"span": Span(code.co_filename, line, column, end, last), "source": "".join(lines)}


def _type(value: Any) -> tuple[tuple[int, ...], str]:
    """Shape and dtype; of a tuple, its length."""
    if isinstance(value, tuple):
        return (len(value),), "tuple"
    return np.shape(value), str(np.asarray(value).dtype)
