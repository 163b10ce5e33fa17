"""Where an imported module stands, found without running anything.

Relative imports are looked up from the file that imports, absolute ones in the folder that its
package stands in, then on Python's path. Only modules of the user's that are written in Python are
found; those of the standard library are not read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path


def module_file(module: str, importer: str) -> Path | None:
    """The file of a module that a file imports by this name, dots in front included."""
    name = module.lstrip(".")
    level = len(module) - len(name)
    if not level and name.partition(".")[0] in sys.stdlib_module_names:
        return None
    for folder in _folders(Path(importer), level):
        base = folder.joinpath(*filter(None, name.split(".")))
        modules = [base.with_suffix(".py")] if name else []
        for file in (*modules, base / "__init__.py"):
            if file.is_file():
                return file
    return None


def dotted_name(file: Path) -> str:
    """The name that a module is imported by, as far as its packages tell."""
    own = [] if file.name == "__init__.py" else [file.stem]
    return ".".join([*(folder.name for folder in reversed([*packages_around(file)])), *own])


def packages_around(file: Path) -> Iterator[Path]:
    """The folders that are packages around a file, the innermost first."""
    folder = file.parent
    while (folder / "__init__.py").is_file():
        yield folder
        folder = folder.parent


def home_of(path: str) -> str:
    """The name that the module of a file is imported by; empty where there is none."""
    name = dotted_name(Path(path).absolute()) if path.endswith(".py") else ""
    parts = name.split(".")
    return name if all(p.isidentifier() and not iskeyword(p) for p in parts) else ""


def absolute(module: str, importer: str) -> str:
    """The name of a module without dots in front, where the packages around the importer tell."""
    name = module.lstrip(".")
    level = len(module) - len(name)
    if not level:
        return module
    file = Path(importer).absolute()
    parts = [part for part in dotted_name(file).split(".") if part]
    up = level - (file.name == "__init__.py")
    if len(parts) <= up:
        return module
    return ".".join([*parts[: len(parts) - up], *filter(None, [name])])


def _folders(importer: Path, level: int) -> Iterator[Path]:
    if level:
        yield importer.absolute().parents[level - 1]
        return
    file = importer.absolute()
    yield file.parent
    yield from (package.parent for package in packages_around(file))
    yield from (Path(entry or ".") for entry in sys.path)
