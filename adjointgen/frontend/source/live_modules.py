"""Modules that live code refers to, and the numbers in them."""

from __future__ import annotations

import sys
from types import ModuleType

from adjointgen.frontend.domain.abstract_values import Module, Outside
from adjointgen.ir.types import OBJECT, Type
from adjointgen.watch import Kinds, look


def number_of(module: ModuleType, name: str) -> Outside | None:
    """A number of a module that is read anew each time."""
    value = vars(module).get(name)
    if type(value) not in (int, float):
        return None
    look(Kinds(vars(module)), name)
    type_ = Type("int64" if isinstance(value, int) else "float64")
    text, line = f'getattr({module.__name__}, "{name}")', f"import {module.__name__}"
    return Outside(text, type_, line, changing=True)


def module_of(value: ModuleType, text: str, line: str) -> Module | Outside:
    """A module under the name that it has in a program."""
    if sys.modules.get(value.__name__) is not value:
        # Another module was imported under its name: `import` would find that.
        return Outside(text, OBJECT, line)
    plain = f"import {value.__name__}"
    if not line and not text.isidentifier():
        # It was found in an object, under no name that an import could bind.
        text = value.__name__
    line = line or (plain if text == value.__name__ else f"{plain} as {text}")
    return Module(value.__name__, text, line)
