"""Generated programs on disk, so that a process that starts again need not generate again.

    key -> <root>/<first digit>/<sha256 of the key>.json

An entry is trusted only if everything about it is as it was written: its magic, the versions of
adjointgen, Python and NumPy, the key itself (two keys could share a file name after a change of the
scheme), a checksum over every byte behind it, and that the file is the user's own, since its text
is executed (`file_trust.py`).
Anything else counts as absent and is written again. Entries are JSON: reading one runs no code, and
the checksum stands in front, so that nothing is parsed that was not written here.

    {"checksum": "<sha256 of what follows>", "magic": ..., "versions": ..., "key": ..., "text": ...}

A cache must not get in the way: what cannot be read or written is no error. Each of the 16 folders
keeps a sixteenth of the limit; saving to one drops its entries that were not used for longest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from adjointgen._version import __version__
from adjointgen.api.cache.atomic_write import replace_file
from adjointgen.api.cache.file_trust import clear_way, make_folder, read_own, remove_stale
from adjointgen.records import dataclass, field

MAGIC: Final = "adjointgen cache 2"
HEAD: Final = b'{"checksum": "'
LIMIT: Final = 64 * 2**20
OFF: Final = frozenset({"off", "0", "no", "false"})
ENTRY: Final = 16 * 2**20
"""The largest entry that is read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A generated text, and what its reader needs to know about it, as plain JSON data."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Store:
    """The entries below a folder. Safe to use from many threads and processes at once."""

    root: Path
    limit: int = LIMIT

    def load(self, key: Sequence[str]) -> Entry | None:
        """The entry that was saved under a key, if it is there and sound."""
        path = self.path(key)
        try:
            entry = _decode(read_own(path, ENTRY), key)
        except (OSError, ValueError, RecursionError):
            return None
        if entry is not None:
            with contextlib.suppress(OSError):
                os.utime(path)
        return entry

    def save(self, key: Sequence[str], entry: Entry) -> None:
        """Keep an entry under a key, in place of an older one."""
        path = self.path(key)
        try:
            clear_way(path.parent, keep_folder=True)
            make_folder(path.parent)
            clear_way(path)
            replace_file(path, _encode(key, entry), durable=False, private=True)
            remove_stale(path.parent)
            _prune(path.parent, self.limit // 16, path)
        except OSError:
            return

    def path(self, key: Sequence[str]) -> Path:
        """The file of a key."""
        name = _digest([*map(str, key)])
        return self.root / name[0] / f"{name}.json"


def default_store() -> Store | None:
    """The user's store, or None where the environment turns it off (`ADJOINTGEN_CACHE=off`)."""
    root = cache_folder(os.environ)
    return None if root is None else Store(root)


def cache_folder(environment: Mapping[str, str]) -> Path | None:
    """Where the entries lie: `ADJOINTGEN_CACHE`, else the cache folder of the platform."""
    chosen = environment.get("ADJOINTGEN_CACHE", "")
    if chosen.lower() in OFF:
        return None
    if chosen:
        try:
            return Path(chosen).expanduser()
        except RuntimeError:  # no such user
            return None
    # A relative path is to be ignored (XDG Base Directory Specification).
    base = environment.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / "adjointgen"
    import platformdirs

    return Path(platformdirs.user_cache_dir("adjointgen", appauthor=False))


def _versions() -> dict[str, str]:
    """What an entry depends on beside its key."""
    python = ".".join(map(str, sys.version_info[:2]))
    numpy = np.__version__.partition(".")[0]
    return {"adjointgen": __version__, "python": python, "numpy": numpy}


def _encode(key: Sequence[str], entry: Entry) -> bytes:
    head = {"magic": MAGIC, "versions": _versions(), "key": [*map(str, key)]}
    content = {**head, "text": entry.text, "metadata": dict(entry.metadata)}
    return _summed(json.dumps(content).encode()[1:])


def _summed(rest: bytes) -> bytes:
    """The bytes of a JSON object, but for its first brace, with their checksum as a first field."""
    return HEAD + hashlib.sha256(rest).hexdigest().encode() + b'", ' + rest


def _decode(data: bytes, key: Sequence[str]) -> Entry | None:
    """The entry, or None where it is of another version or key, or damaged."""
    if data != _summed(data[len(_summed(b"")) :]):
        return None
    match json.loads(data):
        case {
            "magic": "adjointgen cache 2",
            "versions": dict(versions),
            "key": list(echo),
            "text": str(text),
            "metadata": dict(metadata),
        }:
            if versions == _versions() and echo == [*map(str, key)]:
                return Entry(text, metadata)
    return None


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _prune(folder: Path, limit: int, keep: Path) -> None:
    """Remove the files that were not used for longest until the rest is within the limit."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process removed it
                status = entry.stat(follow_symlinks=False)
                found.append((status.st_mtime, status.st_size, Path(entry.path)))
    found.sort(reverse=True)
    total = 0
    for _, size, path in found:
        total += size
        if path != keep and total > limit and path.suffix == ".json":
            with contextlib.suppress(OSError):
                path.unlink()


__all__ = ["Entry", "Store", "cache_folder", "default_store"]
