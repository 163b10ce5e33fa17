"""Snapshots in a file, for adjoints of loops whose states do not fit in memory.

The file has no name where the system allows that, so nothing is left of it, whatever ends the
program. Each record says of which run and step it is, and has a checksum.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from __future__ import annotations

import os
import pickle
import struct
import tempfile
import zlib
from typing import Any


class Files:
    """A stack of states: those of every `period`th step in a file, the others in memory.

    `at` has -1 and then the step of each state, the last of them that of the state to come.
    Raises OSError (AG504) for a record that cannot be written, or is not what was written.
    """

    def __init__(self, folder: str, at: Any, period: int) -> None:
        self.at, self.period = at, period
        self.run, self.memory, self.places = os.urandom(8), [], []  # type: ignore[var-annotated]
        try:
            self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        except OSError as error:
            raise self.failed(f"nothing can be written to {folder!r}", error) from error

    def failed(self, what: str, why: OSError | str, code: str = "AG504") -> OSError:
        return OSError(f"error[{code}]: {what}: {getattr(why, 'strerror', why)}")

    def __len__(self) -> int:
        return len(self.memory) + len(self.places)

    def append(self, state: Any) -> None:
        step = self.at[-1]
        if step % self.period:
            self.memory.append(state)
            return
        data = pickle.dumps(state, protocol=5)
        head = struct.pack("<8sqqL", self.run, step, len(data), zlib.crc32(data))
        try:
            self.places.append(self.file.seek(0, os.SEEK_END))
            self.file.write(head + data)
            self.file.flush()
        except OSError as error:
            raise self.failed(f"the state before step {step} cannot be written", error) from error

    def pop(self) -> None:
        (self.memory if self.on_top else self.places).pop()

    @property
    def on_top(self) -> bool:
        """Whether the last state is in memory."""
        return bool(self.memory) and self.at[len(self)] % self.period != 0

    def __getitem__(self, last: int) -> Any:
        if self.on_top:
            return self.memory[-1]
        step = self.at[len(self)]
        self.file.seek(self.places[-1])
        head = self.file.read(28)
        run, own, size, check = struct.unpack("<8sqqL", head) if len(head) == 28 else (b"", 0, 0, 0)
        data = self.file.read(size)
        if (run, own) != (self.run, step) or len(data) != size or zlib.crc32(data) != check:
            raise self.failed(f"the state before step {step} cannot be read", "the file is damaged")
        return pickle.loads(data)
