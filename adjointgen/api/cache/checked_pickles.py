"""What Numba keeps on disk, behind a checksum: it unpickles whatever it finds, which runs code.

    <file>  =  magic, sha256(where + content), content

A file that is not the user's own, or not as it was written, or that stands under another name than
it was written under, is no entry: the program is compiled, and the file written again. Nothing of
what Numba does with a cache is an error of the program.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from adjointgen.api.cache.file_trust import (
    clear_way,
    is_own_folder,
    make_folder,
    read_own,
    remove_stale,
)

MAGIC: Final = b"adjointgen compiled 1\n"
LIMIT: Final = 256 * 2**20
SUM: Final = 32


def guard(dispatcher: Any) -> bool:
    """Put the cache of a compiled function behind checks; whether that could be done."""
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    known = getattr(import_module("numba.core.caching"), "IndexDataCacheFile", None)
    if file is None or type(file) is not known:
        return False
    file.__class__ = _guarded(known)
    return True


def sealed(where: str, content: bytes) -> bytes:
    """The bytes of a file: its content, and a checksum over that and its place."""
    return MAGIC + _sum(where, content) + content


def opened(where: str, data: bytes) -> bytes:
    """The content of a file.

    Raises ValueError where it is damaged, or another file's.
    """
    head = len(MAGIC)
    content = data[head + SUM :]
    if data[:head] != MAGIC or data[head : head + SUM] != _sum(where, content):
        raise ValueError("not as it was written")
    return content


def _sum(where: str, content: bytes) -> bytes:
    return hashlib.sha256(where.encode() + b"\n" + content).digest()


def _place(path: str) -> str:
    """Folder and name: what a file is written as, so that two of them cannot be exchanged."""
    return "/".join(Path(path).parts[-3:])


def _read(path: str) -> bytes:
    """The content of a file; raises OSError or ValueError."""
    if not is_own_folder(Path(path).parent):
        raise PermissionError(13, "not a folder of the user's own", path)
    return opened(_place(path), read_own(Path(path), LIMIT))


def _guarded(base: type) -> type:
    """Numba's file of an index and its entries, read and written with checks."""
    return type("Guarded", (_Checked, base), {})


class _Checked:
    """What of Numba's class is done in another way here."""

    _index_path: str
    _source_stamp: object
    _version: str

    def _load_index(self) -> Any:
        try:
            file = io.BytesIO(_read(self._index_path))
            if pickle.load(file) != self._version:
                return {}
            stamp, overloads = pickle.loads(file.read())
        except Exception:
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        try:
            path = self._data_path(name)  # type: ignore[attr-defined]
            return pickle.loads(_read(path))
        except Exception as error:
            # As of a file that is gone, which Numba takes for no entry.
            raise OSError(str(error)) from error

    def save(self, key: Any, data: Any) -> None:
        folder = Path(self._index_path).parent
        try:
            make_folder(folder)
            remove_stale(folder)
            super().save(key, data)  # type: ignore[misc]
        except OSError:
            return

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[Any]:
        file = io.BytesIO()
        yield file
        clear_way(Path(path))
        temporary = f"{path}.tmp.{os.urandom(8).hex()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(sealed(_place(path), file.getvalue()))
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
