"""One test twice: as it is, and as its primal program; the row that says what came of it."""

from __future__ import annotations

import os
import random
import re
import signal
import traceback
import unittest
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from adjointgen.api.calls.modes import primal
from adjointgen.errors import AdjointgenError
from tests.conform.depth import measured

SECONDS = int(os.environ.get("ADJOINTGEN_CONFORM_SECONDS", "10"))
"""How long a run may take; a generation may take three times as long."""

_CODED = re.compile(r"AG\d{3}(?=: )")
"""What a program raises that cannot go on as the function does."""

Row = dict[str, Any]


class TooLong(BaseException):
    """A run or a generation took longer than it may."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raises TooLong after so many seconds."""

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Swap:
    """A test function as its program; `found` says what became of it."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.program = primal(function, wrt=())
        self.found: Row = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self.program.generated
        left, _ = signal.alarm(0), signal.alarm(3 * SECONDS)
        try:
            values, _, _ = made.binder.split(args, kwargs, 0)
            with measured() as found:
                made.special(values)
        except AdjointgenError as error:
            self.found = {"refused": error.code, "message": str(error)}
            raise
        except TooLong:
            self.found = {"internal": "TooLong", "message": "generation takes too long"}
            raise
        except Exception as error:
            text = "".join(traceback.format_exception(error)[-6:])
            self.found = {"internal": type(error).__name__, "message": text}
            raise
        finally:
            signal.alarm(left)
        self.found = self.found if not found else dict(found)
        return self.program(*args, **kwargs)


def ending(call: Callable[[], Any]) -> str:
    """How a call ends: passed, skipped, refused while it runs, or with the exception of a class."""
    random.seed(0)
    np.random.seed(0)
    try:
        with limited(SECONDS), warnings.catch_warnings():
            call()
    except TooLong:
        return "too long"
    except unittest.SkipTest:
        return "skipped"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, AdjointgenError):
            # A path that the first call of the test did not take.
            return f"refused: {error.code}"
        name = type(error).__name__
        if isinstance(error, RuntimeError) and (coded := _CODED.match(str(error))):
            return f"refused: {coded[0]}"
        return "skipped" if name in ("Skipped", "XFailed") else f"failed: {name}"
    return "passed"


def judged(swap: Swap, plain: Callable[[], Any], program: Callable[[], Any]) -> Row:
    """The row of a test; `program` calls the swap."""
    row: Row = {"plain": ending(plain)}
    if row["plain"] == "passed" or row["plain"].startswith("failed"):
        swap.found = {}
        row["program"] = ending(program)
        row |= swap.found
        if row["program"].startswith("refused: "):
            row["refused"] = row["program"].removeprefix("refused: ")
        if row["program"] == "too long" and "refused" not in row:
            row["internal"] = "TooLong"
    return row


def named(function: FunctionType) -> str:
    """A test by its module, which pytest may have imported without its package, and its name."""
    home: str = function.__module__
    _, installed, path = function.__code__.co_filename.partition("site-packages/")
    if installed and "." not in home:
        home = path.removesuffix(".py").replace("/", ".")
    return f"{home}::{function.__qualname__}"
