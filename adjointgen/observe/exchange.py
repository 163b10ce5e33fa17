"""The functions that run, and other code in their place.

Functions are exchanged for good, so this is for a copy of the process (`isolated.py`).
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from linecache import getlines
from os.path import abspath
from types import CodeType, FrameType, FunctionType
from typing import Final

_LEFT: Final = {__name__.partition(".")[0], "numpy", *sys.stdlib_module_names} - {"__main__"}


def codes_of(function: Callable[[], object], files: Set[str] | None = None) -> set[CodeType]:
    """The code of the functions that run, those in some files alone if these are given."""
    ran: set[CodeType] = set()

    def called(frame: FrameType, event: str, arg: object) -> None:
        home = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if event == "call" and home not in _LEFT:
            ran.add(frame.f_code)

    sys.setprofile(called)
    try:
        function()
    finally:
        sys.setprofile(None)
    return {code for code in ran if is_in(code, files)}


def is_in(code: CodeType, files: Set[str] | None) -> bool:
    """Whether code is in one of some files, whose paths are absolute."""
    return files is None or abspath(code.co_filename) in files


def exchange(codes: dict[CodeType, CodeType]) -> None:
    """Give the functions that there are their new code."""
    # What is frozen is not listed.
    gc.unfreeze()
    for one in gc.get_objects():
        if type(one) is FunctionType and (new := codes.get(one.__code__)) is not None:
            with suppress(ValueError):
                one.__code__ = new


def probed(
    ran: set[CodeType], rewritten: Callable[[str, ast.Module], ast.Module]
) -> Iterator[tuple[CodeType, CodeType]]:
    """The code that ran, each with what is run in its place: that of the rewritten text."""
    for file in {code.co_filename for code in ran}:
        text = "".join(getlines(file))
        with suppress(SyntaxError, ValueError, RecursionError):
            lines = {code.co_firstlineno for code in ran if code.co_filename == file}
            tree = _with_only(lines, ast.parse(text))
            plain = _by_place(compile(tree, file, "exec", dont_inherit=True))
            tree = rewritten(abspath(file), tree)
            new = _by_place(
                compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
            )
            for code in ran:
                key = _key(code)
                # The file may be another one than that which was imported.
                if _is_same(plain.get(key), code) and (made := new.get(key)) is not None:
                    yield code, made


def _with_only(lines: set[int], tree: ast.Module) -> ast.Module:
    """The statements in which functions begin on some lines, and what is around them.

    Of a large file, few functions run.
    """
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        for name in _PARTS:
            parts = getattr(node, name, None)
            if isinstance(parts, list):
                kept = [one for one in parts if _is_needed(one, lines)]
                left += [one for one in kept if not isinstance(one, _FUNCTIONS)]
                empty = [ast.copy_location(ast.Pass(), one) for one in parts[:1]]
                setattr(node, name, kept or empty)
    return tree


_PARTS: Final = ("body", "orelse", "handlers", "finalbody", "cases")
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _is_needed(node: ast.AST, lines: set[int]) -> bool:
    """Whether a statement has one of the lines; what compiles the others stays in any case."""
    if not isinstance(node, ast.stmt) or _is_of_the_future(node):
        return True
    first = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
    return any(first <= line <= (node.end_lineno or first) for line in lines)


def _is_of_the_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_same(one: CodeType | None, other: CodeType) -> bool:
    """Whether code may be that of a text; one that was compiled in parts has other instructions."""
    return one is not None and all(getattr(one, name) == getattr(other, name) for name in _SAME)


_SAME: Final = ("co_names", "co_varnames", "co_freevars", "co_cellvars")


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _by_place(code: CodeType) -> dict[tuple[str, int], CodeType | None]:
    """All code in a file, by name and line; None where there are two of one name."""
    codes: dict[tuple[str, int], CodeType | None] = {}
    left = [code]
    while left:
        one = left.pop()
        codes[_key(one)] = None if _key(one) in codes else one
        left += [const for const in one.co_consts if isinstance(const, CodeType)]
    return codes
