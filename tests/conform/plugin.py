"""The pytest plugin: a test function runs as it is, and again as its primal program.

Fixtures are made once. Each case is one line of JSON in the file that ADJOINTGEN_CONFORM names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from tests.conform.judge import Swap, judged, named

CASES = int(os.environ.get("ADJOINTGEN_CONFORM_CASES", "3"))
"""How many sets of parameters of one function are run."""


class Conform:
    """Writes a row for every test that pytest calls."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.swaps: dict[FunctionType, Swap] = {}
        self.count: dict[FunctionType, int] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Run a test twice in the place of once."""
        test: Any = pyfuncitem.obj
        function: Any = getattr(test, "__func__", test)
        if not isinstance(function, FunctionType):
            return None
        self.count[function] = self.count.get(function, 0) + 1
        if self.count[function] > CASES:
            return True
        given = {n: pyfuncitem.funcargs[n] for n in pyfuncitem._fixtureinfo.argnames}
        instance = getattr(test, "__self__", None)
        owner = () if instance is None else (instance,)
        self.write({"begin": pyfuncitem.nodeid, "test": named(function)})
        swap = self.swaps.setdefault(function, Swap(function))

        def program() -> None:
            again = getattr(instance, "setup_method", None)
            if again is not None:
                again(*(() if again.__code__.co_argcount == 1 else (test,)))
            swap(*owner, **given)

        row = judged(swap, lambda: test(**given), program)
        self.write(row | {"test": named(function), "case": pyfuncitem.nodeid})
        return True

    def write(self, row: dict[str, Any]) -> None:
        """One line more."""
        with self.path.open("a") as out:
            out.write(json.dumps(row) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin where a file is named."""
    path = os.environ.get("ADJOINTGEN_CONFORM")
    if path:
        config.pluginmanager.register(Conform(path), "conform")
