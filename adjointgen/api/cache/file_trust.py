"""Files of the cache: read only where they are the user's own, and written for the user alone.

What is read from there is executed. So as git and ssh do, an entry counts only if it is a regular
file of the user's, with one name, that nobody else may write to; a link, a pipe, a device, another
user's file, or one that is too large, is no entry. Anything that stands in the way of an entry that
is written is removed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from pathlib import Path
from typing import Final

OTHERS: Final = 0o022
"""The rights to write of a group and of all others."""
STALE_SECONDS: Final = 3600.0
"""What a killed process left half-written is removed when it is older than this."""
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_own(path: Path, limit: int) -> bytes:
    """The bytes of a file of the user's own.

    Raises OSError where it is none, or larger than the limit.
    """
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not is_own_file(status) or status.st_size > limit:
            raise PermissionError(13, "not a file of the user's own", str(path))
        return file.read(limit)


def is_own_file(status: os.stat_result) -> bool:
    """Whether a file is a regular one of the user's, with one name, that others cannot write."""
    safe = os.name == "nt" or not status.st_mode & OTHERS
    return stat.S_ISREG(status.st_mode) and is_own(status) and status.st_nlink == 1 and safe


def is_own(status: os.stat_result) -> bool:
    """Whether a file is the user's own; on systems without owners, all are."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_own_folder(path: Path) -> bool:
    """Whether a path is a folder of the user's, no link to one, that others cannot write to."""
    try:
        status = path.lstat()
    except OSError:
        return False
    safe = os.name == "nt" or not status.st_mode & OTHERS
    return stat.S_ISDIR(status.st_mode) and is_own(status) and safe


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, for the user alone.

    Raises OSError.
    """
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def clear_way(path: Path, keep_folder: bool = False) -> None:
    """Remove what stands in the place of an entry and is no file, so that one can be written.

    In the place of a folder of entries only a folder may stand (`keep_folder`).
    """
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if keep_folder:
            if not stat.S_ISDIR(mode):
                path.unlink()
        elif stat.S_ISDIR(mode):
            shutil.rmtree(path)
        elif not stat.S_ISREG(mode):
            path.unlink()


def remove_stale(folder: Path) -> None:
    """Remove the user's own half-written files that no process writes any more."""
    now = time.time()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if ".tmp" not in entry.name:
                continue
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if is_own(status) and now - status.st_mtime > STALE_SECONDS:
                    os.unlink(entry.path)
