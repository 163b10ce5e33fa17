"""What is to be differentiated, by name: `examples/heat.py::heat`, or `package.module:heat`.

Source is read and parsed, never run. A module is found as an import would find it, one package
at a time and without importing one: the finders of `sys.meta_path` are asked, with the folders that
the finder of the enclosing package named (`importlib.util.find_spec` would import the packages).
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from adjointgen.errors import SourceError
from adjointgen.frontend.source.source import Source, source_from_file
from adjointgen.records import dataclass

STDIN: Final = "-"
EVERY: Final = "*"
"""In place of a name: every function of the file that can be differentiated."""


@dataclass(frozen=True, slots=True)
class Target:
    """A function by the file or the module that it stands in.

    `place` is a path in POSIX form, or a dotted name; `text` stands for a file that is not on disk.
    """

    place: str
    name: str
    is_module: bool = False
    text: str | None = None

    @property
    def is_stdin(self) -> bool:
        """Whether the text is what was on standard input."""
        return self.place == STDIN and not self.is_module

    def __str__(self) -> str:
        return f"{self.place}{':' if self.is_module else '::'}{self.name}"

    def source(self, base: Path) -> Source:
        """The function in its text; a relative path is taken from `base`.

        Raises SourceError: AG001, AG002, AG003 (see the frontend), AG006.
        """
        if self.text is not None:
            return source_from_file("<stdin>", self.name, self.text)
        home = self.place if self.is_module else ""
        return source_from_file(shown(self.file(base), Path.cwd()), self.name, home=home)

    def file(self, base: Path) -> Path:
        """Where the text is."""
        return find_module(self.place, base) if self.is_module else base / self.place

    def seen_from(self, base: Path, other: Path) -> Target:
        """The same function, with a path that is relative to another folder."""
        if self.is_module or self.text is not None:
            return self
        return Target(shown(base / self.place, other), self.name)


def parse_target(text: str, stdin: str | None = None) -> Target:
    """A target from `FILE::name` or `package.module:name`.

    Raises ValueError where the text is neither.
    """
    place, mark, name = text.rpartition("::")
    if mark and place and (_is_dotted(name) or name == EVERY):
        if place == STDIN:
            return Target(place, name, text=stdin)
        return Target(PurePosixPath(Path(place).as_posix()).as_posix(), name)
    place, mark, name = text.rpartition(":")
    known = _is_dotted(name) or name == EVERY
    if mark and _is_dotted(place) and known and not place.endswith(".py"):
        return Target(place, name, is_module=True)
    raise ValueError(f"{text!r} names no function; write FILE.py::name or package.module:name")


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() or part == "<locals>" for part in name.split("."))


def shown(path: Path, base: Path) -> str:
    """A path in POSIX form, relative to a folder where that is possible."""
    try:
        return Path(path).relative_to(base).as_posix()
    except ValueError:
        pass
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path.name


def find_module(name: str, base: Path) -> Path:
    """The file of a module, looked for in `base` and then where imports look.

    Raises SourceError (AG006).
    """
    package, _, _ = name.rpartition(".")
    spec = _spec(name, base, _folders(package, base) if package else None)
    if spec is None:
        raise SourceError(
            f"no module {name}",
            code="AG006",
            help="name a module that can be imported here, or a file: FILE.py::name",
        )
    if not spec.origin or not spec.origin.endswith(".py"):
        raise SourceError(
            f"module {name} has no Python source",
            code="AG006",
            help="a compiled module cannot be read; give its functions rules",
        )
    return Path(spec.origin)


def _folders(package: str, base: Path) -> Sequence[str]:
    """Where the modules of a package are; nowhere if there is no such package."""
    outer, _, _ = package.rpartition(".")
    spec = _spec(package, base, _folders(outer, base) if outer else None)
    return [] if spec is None else spec.submodule_search_locations or []


def _spec(
    name: str, base: Path, folders: Sequence[str] | None
) -> importlib.machinery.ModuleSpec | None:
    if folders is None:
        found = importlib.machinery.PathFinder.find_spec(name, [str(base)])
        # A folder of that name which is no package must not hide an installed module.
        if found is not None and found.origin is not None:
            return found
    for finder in sys.meta_path:
        spec = finder.find_spec(name, folders)
        if spec is not None:
            return spec
    return None
