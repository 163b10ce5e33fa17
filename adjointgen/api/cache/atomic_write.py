"""Writing a file so that a reader sees the old bytes or the new ones, never a part of them.

The text goes to a new file in the same folder, which then takes the place of the old one in one
step of the file system (`os.replace`; POSIX rename). An interruption leaves the old file as it was.
"""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import time
from pathlib import Path

from adjointgen.api.cache.file_trust import STALE_SECONDS, is_own


def read_text(path: Path) -> str | None:
    """The text of a file with `\\n` at the end of lines, or None where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def replace_file(path: Path, data: bytes, *, durable: bool = True, private: bool = False) -> None:
    """Put `data` in the place of a file, with the mode bits that it has or that a new one gets.

    A symbolic link stays, and what it points to is replaced; a `private` file is the user's alone,
    and takes the place of a link. With `durable` the data is on the disk before the old file goes.
    Raises OSError, also where a device, a pipe or a folder stands there.
    """
    path = path if private else Path(os.path.realpath(path))
    status = path.lstat() if os.path.lexists(path) else None
    if status is not None and not private and not stat.S_ISREG(status.st_mode):
        raise OSError(22, "it is no regular file", str(path))
    mode = None if status is None or private else stat.S_IMODE(status.st_mode)
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is read-only", str(path))
    if not private:
        _remove_stale(path)
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    # Created with all permissions that the umask leaves, as `open` would.
    rights = 0o600 if private else 0o666
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove_stale(path: Path) -> None:
    """Remove what processes that were killed while they wrote this file have left."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with contextlib.suppress(OSError):
            status = left.lstat()
            if is_own(status) and time.time() - status.st_mtime > STALE_SECONDS:
                left.unlink()
