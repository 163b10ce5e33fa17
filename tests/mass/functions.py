"""The functions that a package defines, by file and name. Files are parsed and not imported.

`stdlib` is the standard library. Tests, and what is vendored, are left out.
"""

from __future__ import annotations

import ast
import random
import sysconfig
import warnings
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

LEFT_OUT = {"test", "tests", "testing", "_testing", "site-packages", "idlelib", "lib2to3"}
LEFT_OUT |= {"turtledemo", "ensurepip", "distutils", "externals", "_vendor", "__pycache__"}


class Target(NamedTuple):
    """A function in a file; `seed` is that of the change that is made to it, -1 for none."""

    file: str
    name: str
    seed: int = -1


def folder(package: str) -> Path:
    """Where the text of a package is."""
    if package == "stdlib":
        return Path(sysconfig.get_path("stdlib"))
    spec = PathFinder.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"no package {package}; name its folder with --path")
    return Path(spec.origin).parent


def functions(package: str) -> Iterator[Target]:
    """The functions of a package that take arguments, in the order of files and lines."""
    root = folder(package)
    for file in sorted(root.rglob("*.py")):
        if not LEFT_OUT & set(file.relative_to(root).parts[:-1]):
            yield from (Target(str(file), name) for name in names(file))


def names(file: Path) -> list[str]:
    """The functions of a file, without methods; once each."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [*dict.fromkeys(_names(tree.body))]


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for stmt in body:
        match stmt:
            case ast.FunctionDef(name=name, args=args) if args.args or args.posonlyargs:
                yield name
            case ast.If(body=then, orelse=other) | ast.Try(body=then, orelse=other):
                yield from _names(then + other)


def sample(found: list[Target], count: int, seed: int = 0) -> list[Target]:
    """So many of them, the same in every run."""
    if count >= len(found):
        return found
    return random.Random(seed).sample(found, count)
