"""Where a function is defined that a module only imports: the text to read is another one.

# package/__init__.py
from ._area import *                  area  ->  package._area:area
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator

from adjointgen.frontend.source.module_search import absolute, module_file

Read = Callable[[str], ast.Module | None]
"""The statements of a file; None where it cannot be read."""


def where_else(tree: ast.Module, path: str, name: str, read: Read) -> str:
    """What to write for the name of a function that a file does not define."""
    if home := _defined_in(tree, path, name, read):
        return f"it is defined elsewhere: name it {home}"
    functions = _functions(tree, "")
    close = difflib.get_close_matches(name, functions, n=3) or sorted(functions)
    return f"there is {', '.join(close)}" if close else "the file defines no functions"


def _defined_in(tree: ast.Module, path: str, name: str, read: Read) -> str:
    """The module that defines what this one imports, and its name there: `package._area:area`.

    Empty where that is not told by the imports of the modules.
    """
    seen: set[tuple[str, str]] = set()

    def followed(tree: ast.Module, path: str, name: str) -> str:
        for module, own in _imported(tree, name):
            file = module_file(module, path)
            if file is None or (str(file), own) in seen:
                continue
            seen.add((str(file), own))
            other = read(str(file))
            if other is None:
                continue
            if any(isinstance(s, ast.FunctionDef) and s.name == own for s in other.body):
                return f"{absolute(module, path)}:{own}"
            if found := followed(other, str(file), own):
                return found
        return ""

    return followed(tree, path, name)


def _imported(tree: ast.Module, name: str) -> Iterator[tuple[str, str]]:
    """The modules that a name may come from, with what it is called there; stars come last."""
    stars = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                stars.append(module)
            elif (alias.asname or alias.name) == name:
                yield module, alias.name
    for module in stars:
        yield module, name


def _functions(tree: ast.AST, prefix: str) -> list[str]:
    names = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            names.append(prefix + node.name)
        elif isinstance(node, ast.ClassDef):
            names += _functions(node, f"{prefix}{node.name}.")
    return names
