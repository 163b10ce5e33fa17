"""The annotation of an instance: its class, which a module imports for type checkers alone.

    if TYPE_CHECKING:
        from model import Parameters

    def f_adjoint(p: "Parameters", ...)

A data class or named tuple is named where checkers can import it, and where its fields are declared
as what the program reads: a field that may be None would need a test before each use.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from typing import Any

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.expression_trees import literal
from adjointgen.emit.syntax.printer import INDENT
from adjointgen.emit.syntax.tree import Expression
from adjointgen.frontend.domain.structures import fields_of, is_dataclass
from adjointgen.ir.packing import CLASSES

_ARRAY = re.compile(r"(?:\w+\.)*(?:ndarray|NDArray)\b(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?")
_CONTAINERS = ("list", "dict", "tuple")


def class_annotation(
    named: str, fields: dict[str, str | None], modules: Modules
) -> Expression | None:
    """The class of an instance, whose `fields` have these annotations; None for any.

    None where a checker would not know the class, or knows its fields as something else.
    """
    cls = CLASSES.get(named)
    if cls is None or modules.plain is None or not _is_importable(cls):
        return None
    declared = declared_fields(cls)
    if not all(own is None or _agree(own, declared.get(key, "")) for key, own in fields.items()):
        return None
    if modules.classes.setdefault(cls.__name__, cls.__module__) != cls.__module__:
        return None
    return literal(cls.__name__)


def _is_importable(cls: type) -> bool:
    """Whether `from module import Class` gives the class."""
    module = sys.modules.get(cls.__module__)
    known = module is not None and vars(module).get(cls.__qualname__) is cls
    return known and cls.__module__ not in ("__main__", "builtins")


def declared_fields(cls: Any) -> dict[str, str]:
    """What the class says that its fields are."""
    if cls is None:
        return {}
    if is_dataclass(cls):
        return {f.name: _text(f.type) for f in fields_of(cls)}
    if issubclass(cls, tuple):
        given = getattr(cls, "__annotations__", {})
        return {key: _text(given.get(key, "Any")) for key in getattr(cls, "_fields", ())}
    return {}


def _text(declared: Any) -> str:
    """A declaration as it is written: one may be a string."""
    if isinstance(declared, str):
        return declared
    plain = isinstance(declared, type) and not getattr(declared, "__args__", ())
    return declared.__qualname__ if plain else str(declared)


def _agree(own: str, declared: str) -> bool:
    """Whether a checker takes what is declared for what the program reads."""
    given, wanted = (
        re.sub(r"[\"'\s]|\btyping\.", "", _ARRAY.sub("array", text)) for text in (declared, own)
    )
    bare = given.lower() in _CONTAINERS and wanted.startswith(f"{given.lower()}[")
    return given in (wanted, "Any") or bare


def imports_of_classes(modules: Modules, bound: Collection[str]) -> str:
    """The imports that type checkers alone read, of the classes that are not `bound` anyway."""
    wanted: dict[str, list[str]] = {}
    for name, module in sorted(modules.classes.items()):
        if name not in bound:
            wanted.setdefault(module, []).append(name)
    lines = [f"from {module} import {', '.join(names)}" for module, names in sorted(wanted.items())]
    if not lines:
        return ""
    modules.used.add("typing.TYPE_CHECKING")
    return "\n".join(["if TYPE_CHECKING:", *(INDENT + line for line in lines)])
