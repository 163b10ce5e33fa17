"""Types of arguments as they are declared: `float`, `int`, `float64[:, :]`, `list[float]`.

A declaration is what an annotation may be (`frontend/annotations/type_expressions.py`), with the
names of the module that the function stands in. `float[:]` means `float64[:]`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Final

from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.annotations.reading import Left, Unreadable
from adjointgen.frontend.annotations.type_expressions import parsed, stated_type
from adjointgen.frontend.domain.structures import Argument

SHORT: Final = {"float": "float64", "int": "int64", "complex": "complex128"}
NOWHERE: Final = Names("", "")


def argument_type(name: str, text: str, names: Names = NOWHERE) -> Argument:
    """The type that is declared for an argument.

    Raises ValueError where the text is no type.
    """
    try:
        return stated_type(name, parsed(text), names)
    except Left as error:
        raise ValueError(f"{text.strip()!r}: `{error.text}` {error.why}") from error
    except Unreadable as error:
        why = f" ({error.why})" if error.why else ""
        raise ValueError(
            f"{text.strip()!r} is no type{why}; write float, int, bool, float64[:], int64[:, 3] or "
            "list[float]"
        ) from error


def canonical_type(text: str) -> str:
    """The one spelling of a declared type. Raises ValueError where it is none."""
    try:
        node = parsed(text)
    except Unreadable as error:
        raise ValueError(f"{text.strip()!r} is no type: {error.why}") from error
    if not _of_module(node):
        argument_type("x", text)
    for inner in ast.walk(node):
        match inner:
            case ast.Subscript(value=ast.Name(id=short) as head) if short in SHORT:
                head.id = SHORT[short]
    return ast.unparse(node)


def _of_module(node: ast.expr) -> bool:
    """Whether a type is one that the module of the function may define: `Params`, `Vector`."""
    parts: Collection[ast.AST] = tuple(ast.walk(node))
    return any(isinstance(n, ast.Name) and n.id[:1].isupper() for n in parts)
