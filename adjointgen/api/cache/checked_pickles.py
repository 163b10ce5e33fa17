"""What Numba keeps on disk, behind a checksum: it unpickles whatever it finds, which runs code.

    <file>  =  magic, sha256(where + content), content

A file that is not the user's own, or not as it was written, or that stands under another name than
it was written under, is no entry: the program is compiled, and the file written again. Nothing of
what Numba does with a cache is an error of the program.

Numba numbers its files, and an index says which is for which types. Where two processes begin at
once, or one ends between the two writes, the index of one stands beside the file of another. So a
file says itself what it is for.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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

MAGIC: Final = b"adjointgen compiled 2\n"
LIMIT: Final = 256 * 2**20
SUM: Final = 32


def guard(dispatcher: Any) -> bool:
    """Put the cache of a compiled function behind checks; whether that could be done."""
    caching = import_module("numba.core.caching")
    cache = getattr(dispatcher, "_cache", None)
    file = getattr(cache, "_cache_file", None)
    known = [getattr(caching, name, None) for name in ("FunctionCache", "IndexDataCacheFile")]
    if file is None or [type(cache), type(file)] != known:
        return False
    cache.__class__ = type("Guarded", (_Quiet, type(cache)), {})
    file.__class__ = type("Guarded", (_Checked, type(file)), {})
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


class _Quiet:
    """What Numba does with the cache of a function: where it fails, there is no entry."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[misc]
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[misc]


class _Checked:
    """Numba's file of an index and its entries, read and written with checks."""

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

    def load(self, key: Any) -> Any:
        match super().load(key):  # type: ignore[misc]
            case (self._version, found, data) if found == key:
                return data
        return None

    def save(self, key: Any, data: Any) -> None:
        folder = Path(self._index_path).parent
        make_folder(folder)
        remove_stale(folder)
        super().save(key, (self._version, key, data))  # type: ignore[misc]

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
