"""The disk cache gives back what was saved or nothing, whatever happens to its files."""

import contextlib
import json
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from adjointgen.api.cache import disk_store as store_module
from adjointgen.api.cache import file_trust
from adjointgen.api.cache.disk_store import Entry, Store, cache_folder, default_store

KEY = ("source of f", "wrt=x", "types")
ENTRY = Entry("def f():\n    return 'ü'\n", {"functions": ["f"], "imports": [], "n": 1})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def test_what_is_saved_is_loaded(store: Store) -> None:
    assert store.load(KEY) is None
    store.save(KEY, ENTRY)
    assert store.load(KEY) == ENTRY
    store.save(KEY, Entry("other"))
    assert store.load(KEY) == Entry("other")
    assert [path.name for path in store.root.rglob("*.*")] == [store.path(KEY).name]


@pytest.mark.parametrize("other", [KEY[:2], (*KEY, ""), ("source of fwrt=x", "", "types")])
def test_keys_are_told_apart(store: Store, other: tuple[str, ...]) -> None:
    store.save(KEY, ENTRY)
    assert store.load(other) is None


def change(name: str, value: object) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        content = json.loads(data)
        assert name in content
        return json.dumps({**content, name: value}).encode()

    return changed


def drop(name: str) -> Callable[[bytes], bytes]:
    def dropped(data: bytes) -> bytes:
        content = json.loads(data)
        del content[name]
        return json.dumps(content).encode()

    return dropped


def summed(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A change after which the checksum is that of the changed entry."""

    def changed(data: bytes) -> bytes:
        return store_module._summed(change(data)[len(store_module._summed(b"")) :])

    return changed


def version(name: str) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        content = json.loads(data)
        content["versions"][name] = "0"
        return json.dumps(content).encode()

    return summed(changed)


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "one byte short": lambda data: data[:-1],
    "not text": lambda data: b"\x80\x04" + data,
    "another type": lambda data: b"[1, 2]",
    "nested": lambda data: b"[" * 100_000,
    "magic": change("magic", "something else"),
    "text": change("text", "import os\n"),
    "text of another type": change("text", 3),
    "metadata": change("metadata", {}),
    "checksum": change("checksum", "0" * 64),
    "key": summed(change("key", ["another"])),
    "magic of another version": summed(change("magic", "adjointgen cache 1")),
    "text of another type, with its checksum": summed(change("text", 3)),
    "no key": drop("key"),
    "no checksum": drop("checksum"),
    "tool": version("adjointgen"),
    "python": version("python"),
    "numpy": version("numpy"),
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN.keys())
def test_a_damaged_entry_is_no_entry(store: Store, damage: Callable[[bytes], bytes]) -> None:
    store.save(KEY, ENTRY)
    path = store.path(KEY)
    path.write_bytes(damage(path.read_bytes()))
    assert store.load(KEY) is None
    store.save(KEY, ENTRY)
    assert store.load(KEY) == ENTRY


def test_the_content_of_another_entry_under_this_key(store: Store) -> None:
    """Two blocks of two files, each as it was written: the key is covered by the checksum."""
    other = ("source of g", "wrt=x", "types")
    store.save(KEY, ENTRY)
    store.save(other, Entry("def g(): ...\n"))
    mixed = {**json.loads(store.path(other).read_bytes()), "key": [*KEY]}
    store.path(KEY).write_bytes(json.dumps(mixed).encode())
    assert store.load(KEY) is None
    assert store.load(other) == Entry("def g(): ...\n")


def test_what_is_damaged_is_not_parsed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(KEY, ENTRY)
    path = store.path(KEY)
    path.write_bytes(path.read_bytes() + b" ")
    monkeypatch.setattr(json, "loads", lambda data: pytest.fail("parsed"))
    assert store.load(KEY) is None


def test_every_byte_counts(store: Store) -> None:
    store.save(KEY, ENTRY)
    path = store.path(KEY)
    data = path.read_bytes()
    for k in range(len(data)):
        path.write_bytes(data[:k] + bytes([data[k] ^ 1]) + data[k + 1 :])
        assert store.load(KEY) in (None, ENTRY)
    accepted = sum(
        path.write_bytes(data[:k] + bytes([data[k] ^ 1]) + data[k + 1 :]) > 0
        and store.load(KEY) is not None
        for k in range(0, len(data), 7)
    )
    assert accepted == 0


def test_what_belongs_to_someone_else_is_not_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(KEY, ENTRY)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert store.load(KEY) is None


def test_nothing_is_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for store in (Store(tmp_path / "file"), Store(tmp_path / "file" / "below")):
        store.save(KEY, ENTRY)
        assert store.load(KEY) is None

    def refuse(*args: object, **options: object) -> None:
        raise PermissionError("read-only file system")

    store = Store(tmp_path / "cache")
    monkeypatch.setattr(store_module, "replace_file", refuse)
    store.save(KEY, ENTRY)
    assert store.load(KEY) is None


def test_an_entry_that_cannot_be_read(store: Store) -> None:
    store.path(KEY).mkdir(parents=True)
    assert store.load(KEY) is None
    store.save(KEY, ENTRY)
    assert store.load(KEY) == ENTRY


def test_an_interrupted_save_keeps_the_old_entry(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(KEY, ENTRY)

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.save(KEY, Entry("other"))
    assert store.load(KEY) == ENTRY
    assert not [*store.root.rglob("*.tmp")]


# Size


def in_one_folder(store: Store, count: int) -> list[tuple[str]]:
    """Keys whose entries lie in one folder."""
    keys = ((str(k),) for k in range(10_000))
    return [key for key in keys if store.path(key).parent.name == "0"][:count]


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=16 * 5000)
    keys = in_one_folder(store, 6)
    for k, key in enumerate(keys[:-1]):
        store.save(key, Entry("x" * 700))
        age(store.path(key), 1000 - k)
    # What is used is young again.
    assert store.load(keys[0]) is not None
    store.save(keys[-1], Entry("x" * 700))
    kept = [key for key in keys if store.path(key).exists()]
    assert sum(store.path(key).stat().st_size for key in kept) <= 5000
    assert keys[0] in kept and keys[-1] in kept and keys[1] not in kept


def test_an_entry_over_the_limit_is_kept_until_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=16)
    first, second = in_one_folder(store, 2)
    store.save(first, ENTRY)
    assert store.load(first) == ENTRY
    age(store.path(first), 10)
    store.save(second, ENTRY)
    assert store.load(first) is None and store.load(second) == ENTRY


def test_what_a_killed_process_left_is_removed(store: Store) -> None:
    first, second = in_one_folder(store, 2)
    store.save(first, ENTRY)
    old, new = store.path(first).with_name("a.tmp"), store.path(first).with_name("b.tmp")
    for path in (old, new):
        path.write_text("")
    age(old, 2 * file_trust.STALE_SECONDS)
    store.save(second, ENTRY)
    assert not old.exists() and new.exists() and store.load(first) == ENTRY


# Many at once


def hammer(root: Path, seed: int, rounds: int) -> list[str]:
    """Saves and loads a few keys many times; returns what was loaded that nobody saved."""
    store, wrong = Store(root, limit=16 * 2000), []
    for k in range(rounds):
        key = (str((seed + k) % 5),)
        store.save(key, Entry(f"{key[0]}:" + "x" * (100 * ((seed + k) % 7)), {"by": seed}))
        found = store.load(key)
        if found is not None and not found.text.startswith(f"{key[0]}:"):
            wrong.append(found.text)
    return wrong


def test_eight_threads(tmp_path: Path) -> None:
    wrong: list[str] = []
    threads = [
        threading.Thread(target=lambda s=s: wrong.extend(hammer(tmp_path, s, 30))) for s in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and not [*tmp_path.rglob("*.tmp")]


def test_two_processes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        found = pool.starmap(hammer, [(tmp_path, seed, 40) for seed in range(2)])
    assert found == [[], []] and not [*tmp_path.rglob("*.tmp")]
    store = Store(tmp_path)
    assert all(store.load((str(k),)) is not None for k in range(5))


# Where it lies


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"ADJOINTGEN_CACHE": "off", "XDG_CACHE_HOME": "/c"}, None),
        ({"ADJOINTGEN_CACHE": "OFF"}, None),
        ({"ADJOINTGEN_CACHE": "0"}, None),
        ({"ADJOINTGEN_CACHE": "/here", "XDG_CACHE_HOME": "/c"}, Path("/here")),
        ({"XDG_CACHE_HOME": "/c"}, Path("/c/adjointgen")),
        ({"ADJOINTGEN_CACHE": "", "XDG_CACHE_HOME": "/c"}, Path("/c/adjointgen")),
    ],
)
def test_the_folder(environment: dict[str, str], folder: Path | None) -> None:
    assert cache_folder(environment) == folder


def test_the_folder_of_the_platform() -> None:
    for environment in ({}, {"XDG_CACHE_HOME": "relative"}):
        folder = cache_folder(environment)
        assert folder is not None and folder.is_absolute() and "adjointgen" in folder.parts[-1:]


def test_the_default_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", "off")
    assert default_store() is None
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(tmp_path))
    store = default_store()
    assert store is not None
    store.save(KEY, ENTRY)
    assert store.load(KEY) == ENTRY and (tmp_path / store.path(KEY).parent.name).is_dir()
    with contextlib.suppress(AttributeError):
        os.geteuid()
        assert store.path(KEY).parent.stat().st_mode & 0o077 == 0
