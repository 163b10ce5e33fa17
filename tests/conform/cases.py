"""The methods of `unittest.TestCase` classes in a module, each run twice.

python -m tests.conform.cases test.test_float rows.json
"""

from __future__ import annotations

import importlib
import json
import sys
import unittest
from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

from tests.conform.judge import Swap, judged, named


def methods(module: Any) -> Iterator[tuple[type[unittest.TestCase], str]]:
    """The classes of a module and the names of their tests."""
    loader = unittest.TestLoader()
    for cls in list(vars(module).values()):
        if isinstance(cls, type) and issubclass(cls, unittest.TestCase):
            for name in loader.getTestCaseNames(cls):
                yield cls, name


class Raising(unittest.TestResult):
    """Remembers the first exception of a test."""

    def __init__(self) -> None:
        super().__init__()
        self.first: BaseException | None = None

    def addError(self, test: Any, err: Any) -> None:
        self.first = self.first or err[1]

    def addFailure(self, test: Any, err: Any) -> None:
        self.first = self.first or err[1]

    def addSkip(self, test: Any, reason: str) -> None:
        self.first = self.first or unittest.SkipTest(reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self.first = self.first or unittest.SkipTest("expected")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        self.first = self.first or (err and err[1])


def run(cls: type[unittest.TestCase], name: str) -> None:
    """One test with its set-up; raises what it ends in."""
    result = Raising()
    cls(name).run(result)
    if result.first is not None:
        raise result.first


def swapped(cls: type[unittest.TestCase], name: str, swap: Swap) -> None:
    """The test with its method swapped for the program."""

    def method(self: Any) -> Any:
        return swap(self)

    vars(method).update(vars(swap.function))
    had, before = name in vars(cls), vars(cls).get(name)
    setattr(cls, name, method)
    try:
        run(cls, name)
    finally:
        if had:
            setattr(cls, name, before)
        else:
            delattr(cls, name)


def rows(module: Any) -> Iterator[dict[str, Any]]:
    """A row for each test of a module, and before it one that says where we are."""
    swaps: dict[FunctionType, Swap] = {}
    entered: set[type] = set()
    for cls, name in methods(module):
        function = getattr(cls, name)
        case = f"{cls.__qualname__}.{name}"
        if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
            continue
        if function in swaps:
            continue
        yield {"begin": f"{module.__name__}::{case}", "test": named(function)}
        if cls not in entered:
            entered.add(cls)
            cls.setUpClass()
        swap = swaps.setdefault(function, Swap(function))
        row = judged(swap, partial(run, cls, name), partial(swapped, cls, name, swap))
        yield row | {"test": named(function), "case": f"{module.__name__}::{case}"}


def main(name: str, path: str) -> None:
    module = importlib.import_module(name)
    with open(path, "a", buffering=1) as out:
        for row in rows(module):
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
