"""Planting a fault: one place in the text of one module of the engine is changed, for a while.

The changed module is run again in its own namespace, and whoever imported something of it gets the
new object. On leaving everything is as it was.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pkgutil import walk_packages
from types import FunctionType, ModuleType
from typing import Any

import adjointgen
from tests.kept import own_programs


@dataclass(frozen=True, slots=True)
class Fault:
    """`old` stands once in the module `adjointgen.<module>`, and is replaced by `new`.

    `again` are modules that keep something made of what the changed module defines: a table of its
    functions, or a subclass.
    """

    name: str
    module: str
    old: str
    new: str
    again: tuple[str, ...] = ()

    @property
    def finder(self) -> str:
        """The program that is said to find it, in brackets at the end of the name."""
        return self.name.rpartition(" [")[2].removesuffix("]") if self.name.endswith("]") else ""


class Gone(Exception):
    """The text that a fault changes is not there: the fault must be planted anew."""


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """The engine with a fault. All of it is loaded, so that nothing is loaded with the fault."""
    _load_all()
    modules = [importlib.import_module(f"adjointgen.{m}") for m in (fault.module, *fault.again)]
    texts = [inspect.getsource(module) for module in modules]
    places = list(_pattern(fault.old).finditer(texts[0]))
    if len(places) != 1:
        raise Gone(f"{fault.name}: {fault.old!r} stands {len(places)} times")
    start, end = places[0].span()
    texts[0] = texts[0][:start] + fault.new + texts[0][end:]
    engine = [m for name, m in sys.modules.items() if name.partition(".")[0] == "adjointgen"]
    before = [(module, dict(vars(module))) for module in engine]
    try:
        for module, text in zip(modules, texts, strict=True):
            _run(module, text, engine)
        with own_programs():
            yield
    finally:
        for module, names in before:
            vars(module).update(names)


@cache
def _load_all() -> None:
    for found in walk_packages(adjointgen.__path__, "adjointgen."):
        importlib.import_module(found.name)


def _pattern(text: str) -> re.Pattern[str]:
    """The text, however its lines are broken."""
    return re.compile(r"\s*".join(map(re.escape, text.split())))


def _run(module: ModuleType, text: str, engine: list[ModuleType]) -> None:
    """Run a module's text again, and hand out what is new in it."""
    old = dict(vars(module))
    exec(compile(text, module.__file__ or "", "exec"), vars(module))
    changed = {
        id(value): vars(module)[name] for name, value in old.items() if _is_handed_out(value)
    }
    for other in engine:
        names = [(name, id(v)) for name, v in vars(other).items() if id(v) in changed]
        vars(other).update((name, changed[place]) for name, place in names)


def _is_handed_out(value: Any) -> bool:
    return isinstance(value, FunctionType | type | dict) or (bool(value) and type(value) is tuple)
