"""Which variables of a module other modules of its package assign.

sub.W = 7.0        setattr(sub, "W", 7.0)        sys.modules["package.sub"].W = 7.0
g.__code__ = …     in a module that imports g from sub

The text of `sub` says what `W` was at first; what it is when the program runs is not in that text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from adjointgen.frontend.source.assigned_attributes import assigned_attributes
from adjointgen.frontend.source.module_search import dotted_name, packages_around

_BY_NAME = ("sys", "importlib")
"""Modules that hand out others by their names."""
_OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")


class Neighbours:
    """The files of a module's package, or folder, that may assign its variables."""

    def __init__(self, path: str) -> None:
        file = Path(path).absolute()
        packages = [*packages_around(file)]
        self._last = dotted_name(file).rpartition(".")[2]
        files = packages[-1].rglob("*.py") if packages else file.parent.glob("*.py")
        last = self._last.encode()
        self._texts = [text for f in files if f != file and last in (text := _text(f))]

    def assign(self, name: str) -> bool:
        """Whether one of them assigns this variable of the module."""
        word = name.encode()
        seems = _line_that_assigns(word)
        return any(
            word in text and seems.search(text) is not None and self._assigned(text, name)
            for text in self._texts
        )

    def _assigned(self, text: bytes, name: str) -> bool:
        """Whether a text assigns the variable, or the code or defaults of a function."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return False
        imported = dict(_imported(tree))
        return any(
            self._is_meant(ast.unparse(owner), name if attribute in _OF_FUNCTIONS else "", imported)
            for owner, attribute in assigned_attributes(tree)
            if attribute == name or attribute in _OF_FUNCTIONS
        )

    def _is_meant(self, owner: str, function: str, imported: dict[str, str]) -> bool:
        """Whether the text of an owner stands for the module, or for a function of it."""
        first, dot, rest = owner.partition(".")
        if not function and first in _BY_NAME and first in imported:
            return re.search(rf"\b{re.escape(self._last)}\b", rest) is not None
        meant = f".{self._last}.{function}" if function else f".{self._last}"
        return f".{imported.get(first, '')}{dot}{rest}".endswith(meant)


def _text(file: Path) -> bytes:
    """The text of a file; nothing of a pipe, which would be waited for."""
    try:
        found = file.stat()
        return _read(file, found.st_mtime_ns) if S_ISREG(found.st_mode) else b""
    except OSError:
        return b""


@lru_cache(maxsize=4096)
def _read(file: Path, _: int) -> bytes:
    return file.read_bytes()


@lru_cache(maxsize=256)
def _line_that_assigns(name: bytes) -> re.Pattern[bytes]:
    """What stands in a text that assigns an attribute of this name, and in few others."""
    word = re.escape(name)
    return re.compile(
        rb"\.%b\b[^=\n(]*=(?!=)|\b(?:for|del)\b[^\n]*\.%b\b|"
        rb"\b(?:set|del)attr\([^\n]*[\"']%b[\"']|"
        rb"\.__(?:code|(?:kw)?defaults)__\s*=(?!=)" % (word, word, word)
    )


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a file imports, anywhere in it, with what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (first, first)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"
