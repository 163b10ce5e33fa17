"""Whether a text is the one that a live function was compiled from.

A file may be edited after its import: Python goes on with the old code, and a derivative of the new
text would be that of another function. So the statement of the module that the function stands in
is compiled again, and the code compared. Functions with `assert` are taken as they are: pytest
rewrites these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from types import CodeType
from typing import Any, Final

_FUTURE: Final[Any] = import_module("__future__")
_FLAGS: Final = _FUTURE.annotations.compiler_flag
"""What a statement at the head of a module says that changes code."""


@lru_cache(maxsize=256)
def is_text_of(
    text: str, tree: ast.Module, node: ast.AST, code: CodeType, strict: bool = False
) -> bool:
    """Whether the function at a node of a text has this code.

    A text that need not have anything to do with it is compared in full: `strict`.
    """
    if strict:
        return _has_code(text, code, False)
    if any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
        return True
    found = next((s for s in tree.body if _first(s) <= code.co_firstlineno <= _last(s)), None)
    if found is None:
        return False
    lines = text.splitlines(keepends=True)[_first(found) - 1 : _last(found)]
    part = "\n" * (_first(found) - 1) + "".join(lines)
    # CPython loads attributes of modules that the same text imports by other instructions than
    # methods. A cell of a notebook is compiled without the imports of the cells above.
    imported = sorted({*_imported(tree.body)})
    whole = part + (f"\nimport {', '.join(imported)}\n" if imported else "")
    return any(_has_code(each, code) for each in dict.fromkeys((whole, part)))


def _has_code(text: str, code: CodeType, unless: bool = True) -> bool:
    """Whether a text compiles to this code, among others; `unless` it does not stand alone."""
    try:
        made = compile(text, code.co_filename, "exec", code.co_flags & _FLAGS, dont_inherit=True)
    except (SyntaxError, ValueError):
        # A statement that does not stand alone, such as one of two on a line.
        return unless
    return any(_is_same(one, code) for one in _codes(made))


def _imported(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that a module imports."""
    for stmt in body:
        match stmt:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found = ((alias.asname or alias.name).partition(".")[0] for alias in names)
                yield from (name for name in found if name != "*")
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
                yield from _imported(
                    s for s in ast.iter_child_nodes(stmt) if isinstance(s, ast.stmt)
                )
                for handler in getattr(stmt, "handlers", []):
                    yield from _imported(handler.body)


def _first(stmt: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(stmt, "decorator_list", [])
    return min([stmt.lineno, *(decorator.lineno for decorator in decorators)])


def _last(stmt: ast.stmt) -> int:
    return stmt.end_lineno or stmt.lineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_same(one: CodeType, other: CodeType) -> bool:
    """Equal but for the places of its instructions."""
    names = ("co_name", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    return all(getattr(one, name) == getattr(other, name) for name in names) and _are_same(
        one.co_consts, other.co_consts
    )


def _are_same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    if len(some) != len(others):
        return False
    for one, other in zip(some, others, strict=True):
        if isinstance(one, CodeType) and isinstance(other, CodeType):
            if not _is_same(one, other):
                return False
        elif isinstance(one, frozenset):
            if one != other:
                return False
        elif repr(one) != repr(other):
            return False
    return True
