"""Ways to change what stands in the place of a file of the cache, or of a folder of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from tests.damage.contents import Beside

Damage = Callable[[Path, Beside], None]


def instead(make: Callable[[Path], object]) -> Damage:
    """Something else in the place of a file."""

    def damage(path: Path, _: Beside) -> None:
        path.unlink()
        make(path)

    return damage


def mode(bits: int) -> Damage:
    return lambda path, _: path.chmod(bits)


def full_folder(path: Path) -> None:
    path.mkdir()
    (path / "x").write_text("x", "utf-8")


def closed_folder(path: Path) -> None:
    full_folder(path)
    path.chmod(0)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # names of sockets are short
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def link_to_copy(path: Path, _: Beside) -> None:
    path.rename(path.with_name(f"copy.{path.name}"))
    path.symlink_to(f"copy.{path.name}")


def second_name(path: Path, _: Beside) -> None:
    os.link(path, path.with_name(f"again.{path.name}"))


def sparse(size: int) -> Damage:
    def damage(path: Path, _: Beside) -> None:
        try:
            os.truncate(path, size)
        except OSError:  # the file system has none so large
            os.truncate(path, 2**31)

    return damage


def another_owner(path: Path, _: Beside) -> None:
    with contextlib.suppress(OSError):  # only the administrator may
        os.chown(path, 12345, 12345)


def at(seconds: int) -> Damage:
    return lambda path, _: os.utime(path, (seconds, seconds))


def of_folder(change: Damage, up: int = 1) -> Damage:
    """A change of the folder that a file is in."""
    return lambda path, beside: change(path.parents[up - 1], beside)


def folder_instead(make: Callable[[Path], object]) -> Damage:
    def damage(path: Path, _: Beside) -> None:
        shutil.rmtree(path)
        make(path)

    return damage


def folder_moved(path: Path, _: Beside) -> None:
    path.rename(path.with_name(f"moved.{path.name}"))
    path.symlink_to(f"moved.{path.name}")


def read_only(path: Path, _: Beside) -> None:
    """Nothing below the scratch folder can be written, as on a disk that is mounted so."""
    base = next(p for p in path.parents if p.name == "cache").parent
    for folder in (*(base / "cache").rglob("*"), base / "cache", base / "home"):
        folder.chmod(0o500 if folder.is_dir() else 0o400)


def gone(path: Path, _: Beside) -> None:
    path.unlink()


FOLDERS: dict[str, Damage] = {
    "read-only": mode(0o500),
    "closed": mode(0),
    "of all": mode(0o777),
    "not to be listed": mode(0o300),
    "another owner's": another_owner,
    "gone": folder_instead(lambda path: None),
    "a file": folder_instead(lambda path: path.write_text("x", "utf-8")),
    "a link to nothing": folder_instead(lambda path: path.symlink_to("nowhere")),
    "a link to itself": folder_instead(lambda path: path.symlink_to(path.name)),
    "a pipe": folder_instead(os.mkfifo),
    "a link to it": folder_moved,
}
PLACES: dict[str, Damage] = {
    "folder": instead(Path.mkdir),
    "folder with a file": instead(full_folder),
    "closed folder": instead(closed_folder),
    "link to a device": instead(lambda path: path.symlink_to("/dev/zero")),
    "link to nothing": instead(lambda path: path.symlink_to("nowhere")),
    "link to itself": instead(lambda path: path.symlink_to(path.name)),
    "link to a copy": link_to_copy,
    "pipe": instead(os.mkfifo),
    "socket": instead(listening),
    "two names": second_name,
    "2 GB": sparse(2**31),
    "250 MB": sparse(250 * 2**20),
    "1 TB": sparse(2**40),
    "mode 0666": mode(0o666),
    "mode 0000": mode(0),
    "mode 0400": mode(0o400),
    "mode 0200": mode(0o200),
    "mode 0620": mode(0o620),
    "mode 4755": mode(0o4755),
    "another owner's": another_owner,
    "of 1970": at(0),
    "of the future": at(2**32),
    "gone": gone,
    "nothing can be written": read_only,
    **{f"its folder is {name}": of_folder(change) for name, change in FOLDERS.items()},
    **{f"the folder above is {name}": of_folder(change, 2) for name, change in FOLDERS.items()},
}
