"""Running a module of the user's: that of an example, or of a function whose text says too little.

A module that has been imported from the same file is taken as it is, so that its classes are those
of the values at hand.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from adjointgen.api.modules.target_names import Target
from adjointgen.frontend.source.module_search import dotted_name


def live_object(target: Target, base: Path) -> Any:
    """What a target names, its module imported. Raises whatever that raises."""
    found: Any = live_module(target, base)
    for part in target.name.split("."):
        found = getattr(found, part)
    return found


def live_module(target: Target, base: Path) -> ModuleType:
    """The module of a target, imported as `import` would, or by its file alone."""
    file = target.file(base).resolve()
    for module in list(sys.modules.values()):
        known = getattr(module, "__file__", None)
        if isinstance(known, str) and known.endswith(file.name) and Path(known).resolve() == file:
            return module
    with _looked_for_in(import_folder(target, base)):
        if target.is_module:
            return import_module(target.place)
        name = dotted_name(file)
        return import_module(name) if "." in name else module_by_file(file)


def import_folder(target: Target, base: Path) -> Path:
    """The folder in which Python looks for the module of a target."""
    if target.is_module:
        return base
    file = target.file(base).resolve()
    return file.parents[dotted_name(file).count(".") + (file.name == "__init__.py")]


def module_by_file(file: Path) -> ModuleType:
    """A module by its file alone: its name may be that of another module."""
    name = file.stem if file.stem not in sys.modules else f"{file.stem}_of_{file.parent.name}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


@contextmanager
def _looked_for_in(folder: Path) -> Iterator[None]:
    """Imports look in a folder first."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
