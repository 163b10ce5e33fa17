"""Writing a file so that a reader sees the old bytes or the new ones, never a part of them.

The text goes to a new file in the same folder, which then takes the place of the old one in one
step of the file system (`os.replace`; POSIX rename). An interruption leaves the old file as it was.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_text(path: Path) -> str | None:
    """The text of a file with `\\n` at the end of lines, or None where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def replace_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put `data` in the place of a file, with the mode bits that it has or that a new one gets.

    A symbolic link stays, and what it points to is replaced. With `durable` the data is on the
    disk before the old file goes. Raises OSError.
    """
    path = Path(os.path.realpath(path))
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is read-only", str(path))
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    # Created with all permissions that the umask leaves, as `open` would.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
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
