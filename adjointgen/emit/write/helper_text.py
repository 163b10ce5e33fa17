"""The functions of `adjointgen/runtime` whose text a module carries: with those that they call."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection
from functools import cache
from typing import Any, Final

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.write.tape_class import HELPER
from adjointgen.ir.schedules import RULES
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE

PREFIX: Final = "adjointgen.runtime."
_OTHERS: Final = {
    "caught": "caught.py",
    "outcome": "caught.py",
    "kept": "managers.py",
    "require_shapes": "seeds.py",
    HELPER: "tapes.py",
    **dict.fromkeys((*(f"{rule}_keeps" for rule in RULES), "latest"), "schedules.py"),
    "Files": "disk.py",
    "Compressed": "compressed.py",
}


@dataclass(frozen=True, slots=True)
class _Helper:
    """The text of a function under a leading underscore, and the modules that it needs."""

    text: str
    imports: tuple[str, ...]


def helpers(
    modules: Modules, free: Collection[str], has_tapes: bool, classes: Collection[str] = ()
) -> list[str]:
    """The texts of the functions and `classes` that a module needs. They stand below all others."""
    called = {m.removeprefix(PREFIX) for m in modules.used if m.startswith(PREFIX)}
    # The text of the program calls these itself.
    called |= {name for name in _OTHERS if f"_{name}" in free}
    called |= {*([HELPER] if has_tapes else []), *classes}
    found: dict[str, _Helper] = {}
    for name in sorted(called):
        found |= _with_callees(_OTHERS.get(name) or TABLE.get(name).runtime, name)
    return [_written(one, modules) for _, one in sorted(found.items())]


def _written(helper: _Helper, modules: Modules) -> str:
    modules.used |= {*helper.imports, *(["typing.Any"] if "Any" in helper.text else [])}
    if modules.numpy == "np":
        return helper.text
    return helper.text.replace("np.", f"{modules.numpy}.")


@cache
def _with_callees(file: str, name: str) -> dict[str, _Helper]:
    """A function of a file, and those of the file that it calls in turn."""
    text = _source(file)
    tree = ast.parse(text).body
    defined = {n.name: n for n in tree if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    names_of = (a for n in tree for a in getattr(n, "names", ()))
    imported = {(a.asname or a.name).partition(".")[0]: a.name for a in names_of}
    waiting, found = [name], dict[str, _Helper]()
    while waiting:
        one = waiting.pop()
        names = {n.id for n in ast.walk(defined[one]) if isinstance(n, ast.Name)}
        own = ast.get_source_segment(text, defined[one]) or ""
        called = [one, *sorted(names & defined.keys() - {one})]
        for each in called:
            own = re.sub(rf"(?<![\w.]){each}(?=[(:])", f"_{each}", own)
        needs = tuple(imported[n] for n in sorted(names & imported.keys() - {"Any"}))
        found[one] = _Helper(f"{own}\n", needs)
        waiting += [other for other in called if other not in found]
    return found


def _source(file: str) -> str:
    # `importlib.resources` would do as well, and take as long as emitting a function.
    loader: Any = __spec__.loader
    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    text: str = loader.get_data(os.path.join(package, "runtime", file)).decode()
    return text
