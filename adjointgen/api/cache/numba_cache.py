"""Where the code that Numba compiles is kept, so that a process that starts again does not wait.

    <root>/compiled/<digest>/<name>.py     the text of a program, beside it what Numba keeps of it

Numba knows a function by its file. Names from outside are constants to it, so they are part of the
digest; a program that reads one which is not plain data is compiled anew by every process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from adjointgen.api.cache.atomic_write import replace_file
from adjointgen.api.cache.disk_store import cache_folder
from adjointgen.api.cache.file_trust import clear_way, is_own_folder, make_folder, read_own

MOST: Final = 256
"""How many programs are kept; those go first that were not used for longest."""
LIMIT: Final = 64 * 2**20
PLAIN: Final = (bool, int, float, complex, str, type(None))


def file_of(name: str, text: str, outside: Mapping[str, Any]) -> Path | None:
    """The file of a program for Numba to keep its code by; None where it cannot be kept."""
    root = cache_folder(os.environ)
    told = _told(outside)
    if root is None or told is None:
        return None
    digest = hashlib.sha256(repr((text, told)).encode()).hexdigest()[:24]
    path = root / "compiled" / digest / f"{name}.py"
    try:
        clear_way(path.parent.parent, keep_folder=True)
        clear_way(path.parent, keep_folder=True)
        kept = path.parent / "__pycache__"
        clear_way(kept, keep_folder=True)
        make_folder(kept)
        if not (is_own_folder(path.parent.parent) and is_own_folder(path.parent)):
            return None
        if not _is_there(path, text):
            clear_way(path)
            replace_file(path, text.encode(), durable=False, private=True)
            _prune(path.parent.parent)
        os.utime(path.parent)
    except OSError:
        return None
    return path


def _is_there(path: Path, text: str) -> bool:
    """Whether the file holds the text: Numba keeps code for the file as it is."""
    try:
        return read_own(path, LIMIT) == text.encode()
    except OSError:
        return False


def _told(outside: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """The values as text that differs where they do; None where there is no such text."""
    found = []
    for name, value in sorted(outside.items()):
        if isinstance(value, np.ndarray) and value.dtype != object:
            shown = f"{value.dtype.str}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
        elif _is_plain(value):
            shown = f"{type(value).__name__} {value!r}"
        else:
            return None
        found.append((name, shown))
    return found


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in PLAIN


def _prune(folder: Path) -> None:
    """Remove the programs that were not used for longest."""
    found = sorted(folder.iterdir(), key=lambda p: p.lstat().st_mtime, reverse=True)
    for old in found[MOST:]:
        with contextlib.suppress(OSError):
            shutil.rmtree(old)
