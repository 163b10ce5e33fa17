"""Files of the cache that are damaged, exchanged, or not the user's: no failure, no wrong number.

An entry that is not as it was written is no entry. It is written again, so that a damaged file
costs one generation, or one compilation, and no more.
"""

import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.api.cache import file_trust
from adjointgen.api.cache.checked_pickles import opened, sealed
from adjointgen.api.cache.disk_store import cache_folder

TEXTS = (
    "def f(x):\n    return 2.0 * x * x\n",
    "def g(x):\n    return 5.0 * x * x\n",
    "import numpy as np\n\ndef square(x):\n    return np.sum(x * x)\n",
)
SLOPES = (12.0, 30.0)
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(tmp_path / "cache"))
    yield tmp_path
    sys.modules.pop("damaged", None)


def functions(folder: Path) -> list[Any]:
    path = folder / "damaged.py"
    text = "\n\n".join(TEXTS)
    path.write_text(text, "utf-8")
    module = sys.modules["damaged"] = ModuleType("damaged")
    exec(compile(text, str(path), "exec"), vars(module))
    return [module.f, module.g, module.square]


def slopes(folder: Path, compile: Any = "python") -> tuple[float, ...]:
    return tuple(grad(f, compile=compile)(3.0) for f in functions(folder)[:2])


def flipped(data: bytes, draw: random.Random) -> bytes:
    at, bit = draw.randrange(len(data)), 1 << draw.randrange(8)
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


Damage = Callable[[Path, Path], None]


def write(change: Callable[[bytes], bytes]) -> Damage:
    def run(path: Path, _: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return run


def exchange(path: Path, other: Path) -> None:
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)


def instead(make: Callable[[Path], Any]) -> Damage:
    def run(path: Path, _: Path) -> None:
        path.unlink()
        make(path)

    return run


def full_folder(path: Path) -> None:
    path.mkdir()
    (path / "x").write_text("x", "utf-8")


def damages(draw: random.Random) -> list[Damage]:
    """Ways to damage a file; the second is another entry."""
    return [
        write(lambda data: data[: draw.randrange(len(data))]),
        write(lambda data: flipped(data, draw)),
        write(lambda data: flipped(data[:40], draw) + data[40:]),
        write(lambda data: b""),
        write(lambda data: data + draw.randbytes(9)),
        write(lambda data: draw.randbytes(len(data))),
        write(lambda data: data[len(data) // 2 :] + data[: len(data) // 2]),
        write(lambda data: b"\x80\x05cos\nsystem\n"),
        exchange,
        lambda path, other: shutil.copy(other, path) and None,
        instead(Path.mkdir),
        instead(full_folder),
        instead(lambda path: path.symlink_to("/dev/zero")),
        instead(lambda path: path.symlink_to(path.with_name("nowhere"))),
        instead(os.mkfifo),
        lambda path, _: os.link(path, path.with_name(f"{path.name}.again{draw.random()}")),
        lambda path, _: path.chmod(0o666),
        lambda path, _: path.chmod(0o000),
        lambda path, _: path.unlink(),
    ]


def entries(cache: Path, *endings: str) -> list[Path]:
    found = (p for p in cache.rglob("*") if p.is_file() and not p.is_symlink())
    return sorted(p for p in found if p.name.endswith(endings))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(25))
def test_damaged_entries(place: Path, seed: int) -> None:
    draw = random.Random(seed)
    for damage in damages(draw):
        assert slopes(place) == SLOPES
        kept = entries(place / "cache", ".json")
        assert len(kept) == 2
        draw.shuffle(kept)
        damage(*kept)
        assert slopes(place) == SLOPES
        for left in (place / "cache").rglob("*.again*"):
            left.unlink()


def test_damaged_compiled_code(place: Path) -> None:
    pytest.importorskip("numba")
    draw = random.Random(1)
    for damage in damages(draw):
        assert slopes(place, "numba") == SLOPES
        for ending in (".nbi", ".nbc", ".py"):
            kept = entries(place / "cache", ending)
            assert len(kept) == 2
            draw.shuffle(kept)
            damage(*kept)
        assert slopes(place, "numba") == SLOPES
        for left in (place / "cache").rglob("*.again*"):
            left.unlink()


def compiled(f: Any, x: Any) -> list[float]:
    return [float(slope) for slope in grad(f, compile="numba")(x)]


def test_a_file_for_other_types_under_the_number_of_an_index(place: Path) -> None:
    """What is left where two processes begin at once, or where one ends between two writes.

    Code for adjacent memory would read the wrong entries of every other one.
    """
    pytest.importorskip("numba")
    x = np.arange(6.0)
    assert compiled(functions(place)[2], x) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    (adjacent,) = entries(place / "cache", ".nbc")
    (index,) = entries(place / "cache", ".nbi")
    data = adjacent.read_bytes()
    index.unlink()
    for _ in range(2):
        assert compiled(functions(place)[2], x[::2]) == [0.0, 4.0, 8.0]
        assert entries(place / "cache", ".nbc") == [adjacent]
        adjacent.write_bytes(data)
    assert compiled(functions(place)[2], x[::2]) == [0.0, 4.0, 8.0]
    assert compiled(functions(place)[2], x) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_file_of_another_numba(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is written before the file: the file of a version before may stand there."""
    numba = pytest.importorskip("numba")
    assert slopes(place, "numba") == SLOPES
    old = {path: path.read_bytes() for path in entries(place / "cache", ".nbc")}
    monkeypatch.setattr(numba, "__version__", "another")
    assert slopes(place, "numba") == SLOPES
    for path, data in old.items():
        path.write_bytes(data)
    assert slopes(place, "numba") == SLOPES
    assert all(path.read_bytes() != data for path, data in old.items())


@pytest.mark.parametrize("cause", [OSError("no space"), PermissionError(13, "denied")])
def test_a_folder_that_goes_before_code_is_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch, cause: Exception
) -> None:
    caching = pytest.importorskip("numba.core.caching")

    def refuse(self: object) -> None:
        raise cause

    first, _, third = (grad(f, compile="numba") for f in functions(place))
    x = np.arange(6.0)
    assert [*third(x)] == [*(2.0 * x)]
    monkeypatch.setattr(caching.InTreeCacheLocator, "ensure_cache_path", refuse)
    monkeypatch.setattr(caching.UserWideCacheLocator, "ensure_cache_path", refuse)
    # Of another type in a program that is there, and a program for which Numba finds no folder.
    assert [*third(x[::2])] == [0.0, 4.0, 8.0]
    assert first(3.0) == SLOPES[0]


def test_sealed_files_in_500_ways() -> None:
    """What protects the pickles of Numba, without compiling 500 times."""
    draw = random.Random(3)
    content = draw.randbytes(2000)
    data = sealed("a/b", content)
    assert opened("a/b", data) == content
    with pytest.raises(ValueError):
        opened("a/c", data)
    for _ in range(500):
        bad = draw.choice((flipped(data, draw), data[: draw.randrange(len(data))], data + b"x"))
        with pytest.raises(ValueError):
            opened("a/b", bad)


@needs_root
def test_what_is_another_users(place: Path) -> None:
    for make in ("python", "numba"):
        if make == "numba":
            pytest.importorskip("numba")
        assert slopes(place, make) == SLOPES
        cache = place / "cache"
        kept = entries(cache, ".json", ".nbi", ".nbc", ".py")
        before = {path: path.stat().st_mtime_ns for path in kept}
        for path in kept:
            os.chown(path, 12345, 12345)
            with pytest.raises(OSError):
                file_trust.read_own(path, 10**9)
        assert slopes(place, make) == SLOPES
        for path in kept:
            status = path.stat()
            assert status.st_uid == 0 or status.st_mtime_ns == before[path]


@needs_root
@pytest.mark.parametrize("how", ["owner", "link", "link to a folder of one's own"])
def test_folders_that_are_another_users(place: Path, how: str) -> None:
    pytest.importorskip("numba")
    assert slopes(place, "numba") == SLOPES
    for folder in sorted((place / "cache").rglob("*"), reverse=True):
        if not folder.is_dir() or folder.is_symlink():
            continue
        if how == "owner":
            os.chown(folder, 12345, 12345)
            continue
        moved = folder.with_name(f"{folder.name}.moved")
        folder.rename(moved)
        folder.symlink_to(moved)
        if how == "link":
            os.chown(folder, 12345, 12345, follow_symlinks=False)
    assert slopes(place, "numba") == SLOPES


def test_entries_are_the_users_alone(place: Path) -> None:
    pytest.importorskip("numba")
    old = os.umask(0)
    try:
        assert slopes(place) == slopes(place, "numba") == SLOPES
    finally:
        os.umask(old)
    for path in (place / "cache", *(place / "cache").rglob("*")):
        assert not path.stat().st_mode & 0o077, path


def test_what_killed_processes_left(place: Path) -> None:
    assert slopes(place) == SLOPES
    first, _ = entries(place / "cache", ".json")
    old, new = (first.with_name(f".{name}.tmp") for name in ("a", "b"))
    for path in (old, new):
        path.write_text("half", "utf-8")
    os.utime(old, (1, 1))
    first.unlink()
    assert slopes(place) == SLOPES
    assert not old.exists() and new.exists()


def test_folders_that_there_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder({"ADJOINTGEN_CACHE": "~nosuchuser/cache"}) is None
    for chosen in ("~nosuchuser", "/dev/null", "/dev/null/cache", "/proc/nowhere"):
        monkeypatch.setenv("ADJOINTGEN_CACHE", chosen)
        assert grad(lambda x: x * x)(3.0) == 6.0
