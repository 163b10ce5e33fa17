"""A call in a process of its own, which has loaded the packages and knows no program.

The process is a copy of one that has done nothing yet, so that a wait, an end by a signal, and what
is kept in memory are its own. It has no rights beyond those of the file's owner.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from platform import machine
from typing import Any, NamedTuple

import numpy as np

from adjointgen import grad
from adjointgen.api.specialize import specialize
from tests.damage.subjects import SUBJECTS, loaded, told

SECONDS = 60.0
CAPSET, CAPSET_NUMBERS = 0x20080522, {"x86_64": 126, "aarch64": 91}


class Answer(NamedTuple):
    """Results as text, or what went wrong, and what was generated and compiled for them."""

    results: Any
    failure: str = ""
    generated: int = 0
    compiled: int = 0


def ask(
    subject: str,
    folder: Path,
    order: int = 1,
    between: Callable[[], None] | None = None,
    seconds: float = SECONDS,
) -> Answer:
    """What the calls of a subject give; `between` is done after the first of them."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer = _answer(subject, folder, order, between)
            with os.fdopen(writing, "wb") as file:
                file.write(json.dumps(answer).encode())
        finally:
            os._exit(0)
    os.close(writing)
    said = _read(reading, time.monotonic() + seconds)
    if said is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if said is None:
        return Answer(None, f"no answer in {seconds:.0f} s")
    if not said:
        return Answer(None, f"ended with status {status}")
    return Answer(*json.loads(said))


def _read(descriptor: int, until: float) -> bytes | None:
    """All that comes from a pipe; None where that takes too long."""
    found = b""
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
            if not (part := pipe.read(65536)):
                return found
            found += part
    return None


def _answer(subject: str, folder: Path, order: int, between: Callable[[], None] | None) -> Answer:
    counts = {"generated": 0, "compiled": 0}
    _count(counts)
    results: dict[int, Any] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            calls = [*enumerate(SUBJECTS[subject](loaded(folder)))][::order]
            _without_rights()
            for number, (name, call) in enumerate(calls):
                if number == 1 and between is not None:
                    between()
                results[name] = told(call())
        return Answer([results[name] for name in sorted(results)], "", *counts.values())
    except BaseException:
        return Answer(None, traceback.format_exc(), *counts.values())


def _count(counts: dict[str, int]) -> None:
    """Count the programs that are generated and the functions that are compiled."""
    original = specialize.make

    def make(*arguments: Any) -> Any:
        counts["generated"] += 1
        return original(*arguments)

    def compiling(self: Any, event: Any) -> None:
        counts["compiled"] += 1

    specialize.make = make
    if "numba" in sys.modules:
        event = sys.modules["numba.core.event"]
        kind = type("Compiling", (event.Listener,), {"on_start": compiling, "on_end": _ignore})
        event.register("numba:compile", kind())


def _ignore(self: Any, event: Any) -> None:
    return None


def _without_rights() -> None:
    """Give up what the administrator may do: modes of files hold for him then."""
    number = CAPSET_NUMBERS.get(machine())
    if os.geteuid() == 0 and sys.platform == "linux" and number is not None:
        header, none = (ctypes.c_uint32 * 2)(CAPSET, 0), (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None).syscall(number, header, none) != 0:
            raise OSError("capset")


def warm(folder: Path) -> None:
    """Load what calls need, and compile something that no subject is."""
    os.environ["ADJOINTGEN_CACHE"] = "off"
    loaded(folder)

    def other(x: Any) -> Any:
        return np.sum(x - 1.0)

    makes = ("python", "numba") if find_spec("numba") else ("python",)
    for make in makes:
        grad(other, compile=make)(np.ones(2))
