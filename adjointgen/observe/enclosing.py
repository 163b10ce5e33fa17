"""The code around a place, which may run as it stands instead of being lowered.

while len(dates) < n:          is refused in the list that it grows, and has to do with nothing
    dates.append(...)          that is differentiated
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from linecache import getlines
from os.path import abspath

from adjointgen.errors import Span
from adjointgen.frontend.domain.untaken import COPIED, Key, Place, Taken, lies_in, place_of
from adjointgen.observe.unreached import functions_in, in_bytes

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def enclosing(span: Span) -> Iterator[tuple[Taken, ...]]:
    """The expression at a place, then the statements around it, the innermost first."""
    file = abspath(span.file)
    place = in_bytes(file, span)
    own = [f for f in functions_in("".join(getlines(file))) if _holds(f, place)]
    if not own:
        return
    inner = max(own, key=_start)
    around = [node for node in ast.walk(inner) if node is not inner and _holds(node, place)]
    code = [node for node in around if isinstance(node, ast.stmt) or place_of(node) == place]
    code = [node for node in code if not isinstance(node, (*_DEFINITIONS, ast.Return))]
    for found in dict.fromkeys(map(place_of, sorted(code, key=_start, reverse=True))):
        if found is not None:
            yield (Taken(file, found, COPIED),)


def lies_in_span(span: Span, key: Key) -> bool:
    """Whether a place is within code that runs as it stands."""
    file = abspath(span.file)
    return file == key[0] and lies_in(in_bytes(file, span), key[1])


def _holds(node: ast.AST, place: Place) -> bool:
    outer = place_of(node)
    return outer is not None and lies_in(place, outer)


def _start(node: ast.AST) -> tuple[int, ...]:
    """What orders nodes that hold each other from the outermost to the innermost."""
    line, column, end, last = place_of(node) or (0, 0, 0, 0)
    return line, column, -end, -last
