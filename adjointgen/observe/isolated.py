"""A run whose effects nobody sees: in a copy of the process, which ends with it.

What the function does to its arguments, to objects of modules, to random states and caches
is done to the copy. Files, sockets and pipes that are open lead nowhere in it. What would be
seen outside all the same ends the run: a file that is opened for writing, another process, memory
that is shared with files.

Where the system has no `fork`, there is no run.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from typing import Any, Final

from adjointgen.frontend.domain.untaken import Outcomes
from adjointgen.observe.kinds import Kinds, kinds
from adjointgen.observe.notes import Notes
from adjointgen.observe.outcomes import outcomes
from adjointgen.observe.tracing import traced

LONGEST: Final = 3.0
"""Seconds after which a run is given up."""
_WRITES: Final = frozenset("wax+")
_OUTSIDE: Final = (
    "os.chdir os.chflags os.chmod os.chown os.exec os.fork os.forkpty os.kill os.killpg os.link "
    "os.mkdir os.posix_spawn os.putenv os.remove os.removexattr os.rename os.rmdir os.setxattr "
    "os.spawn os.startfile os.symlink os.system os.truncate os.unsetenv os.utime pty.spawn "
    "shutil.chown shutil.copyfile shutil.copymode shutil.copystat shutil.copytree "
    "shutil.make_archive shutil.move shutil.rmtree shutil.unpack_archive signal.pthread_kill "
    "socket.bind socket.connect socket.sendmsg socket.sendto sqlite3.connect subprocess.Popen "
    "webbrowser.open"
)
_EVENTS: Final = frozenset(_OUTSIDE.split())


def observed(function: Callable[[], object], files: Set[str] | None = None) -> Notes | None:
    """What a run of the function reached; None where it cannot be run unseen, fails, or is long."""
    found = _told(lambda: traced(function, files))
    return found if isinstance(found, Notes) else None


def observed_kinds(function: Callable[[], object], files: Set[str] | None = None) -> Kinds:
    """The kinds of what expressions gave in a run of the function; none where there is no run."""
    found = _told(lambda: kinds(function, files))
    return found if isinstance(found, dict) else {}


def observed_outcomes(function: Callable[[], object], files: Set[str] | None = None) -> Outcomes:
    """Which way the tests of a run of the function went; none where there is no run."""
    found = _told(lambda: outcomes(function, files))
    return found if isinstance(found, dict) else {}


def is_off() -> bool:
    """Whether no run is looked at."""
    return not hasattr(os, "fork") or os.environ.get("ADJOINTGEN_OBSERVE") == "off"


def _told(look: Callable[[], object]) -> object:
    """What is found out in a copy of the process; None where nothing is."""
    if is_off():
        return None
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The copy runs Python code alone, and ends if it waits for a lock of another thread.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _run(look, writing)
    os.close(writing)
    try:
        return _received(reading)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _received(reading: int) -> object:
    """What the other process says before it ends, if it does in time."""
    end, parts = time.monotonic() + LONGEST, list[bytes]()
    while (left := end - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        part = os.read(reading, 1 << 20)
        if not part:
            return pickle.loads(b"".join(parts)) if parts else None
        parts.append(part)
    return None


def _run(look: Callable[[], object], writing: int) -> None:
    """The whole of the other process."""
    try:
        if not _shares_memory():
            _lead_nowhere(writing)
            sys.addaudithook(_audit)
            said = pickle.dumps(look())
            while said:
                said = said[os.write(writing, said) :]
    finally:
        os._exit(0)


def _lead_nowhere(writing: int) -> None:
    """Let everything that is open lead nowhere but the way back."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in _open_files():
        if fd not in (writing, nowhere):
            with suppress(OSError):
                os.dup2(nowhere, fd)


def _open_files() -> Iterator[int]:
    for folder in ("/proc/self/fd", "/dev/fd"):
        if os.path.isdir(folder):
            yield from [int(name) for name in os.listdir(folder) if name.isdecimal()]
            return
    yield from range(3)


def _shares_memory() -> bool:
    """Whether memory of this process is that of a file, or of another process, to be written."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            lines = [line.split() for line in maps]
    except OSError:
        return sys.platform == "linux"
    shared = [line for line in lines if line[1].startswith("rw") and line[1].endswith("s")]
    # Semaphores of libraries that run threads hold nothing that a function computes.
    return any(len(line) < 6 or not line[5].startswith("/dev/shm/sem.") for line in shared)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    """End the run before anything is done that others would see."""
    if event in _EVENTS or (event == "open" and _is_written(args)):
        os._exit(0)


def _is_written(args: tuple[Any, ...]) -> bool:
    mode, flags = args[1], args[2]
    if isinstance(mode, str):
        return bool(_WRITES.intersection(mode))
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
