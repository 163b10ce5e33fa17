"""Of what kind the values of expressions are in a run: numbers and arrays, by place in the text.

A first run tells which code runs. Its text is compiled again with a probe around each expression
that reads something (`d.days` as `probe(17, d.days)`), the functions are given that code, and a
second run notes what goes through the probes.
"""

from __future__ import annotations

import ast
import builtins
from ast import literal_eval
from collections.abc import Callable, Set
from enum import Enum
from linecache import getline
from types import FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.frontend.domain.untaken import (
    KIND,
    LENGTHS,
    NAMED,
    NUMBER,
    TEXT,
    Place,
    Taken,
    found,
    place_of,
)
from adjointgen.observe.exchange import codes_of, exchange, probed

Kinds = dict[tuple[str, Place], tuple[str, ...]]
"""What holds of each value, by file and place.

`float`, `int`, `bool`, `list`, `tuple`; `float64[2]` for an array of two axes; `text 'a'` for one
text; `named model:Mode.FAST` for a function, a class or an entry of an enumeration. In addition,
`number 3` for one integer, and `lengths (3, 2)` of arrays, lists and tuples, `lengths ('a', 'b')`
for the keys of a dict.
"""

_PROBE: Final = "__adjointgen_probe__"
_PLAIN: Final = {float: "float", bool: "bool"}
_DTYPES: Final = frozenset({"float64", "int64", "bool"})


def kinds(function: Callable[[], object], files: Set[str] | None = None) -> Kinds:
    """Run a function twice, and note the kinds that do not change; raises what it raises.

    What is noted is in `files`, if these are given.
    """
    ran = codes_of(function, files)
    places: list[tuple[str, Place]] = []
    seen: dict[int, tuple[str, ...]] = {}

    def probe(number: int, value: Any) -> Any:
        found = _kinds(value)
        if (before := seen.setdefault(number, found)) != found:
            seen[number] = tuple(kind for kind in before if kind in found)
        return value

    setattr(builtins, _PROBE, probe)
    exchange(dict(probed(ran, lambda file, tree: _Probing(file, places).visit(tree))))
    function()
    return {places[number]: found for number, found in seen.items() if found}


def values(kinds: Kinds) -> tuple[Taken, ...]:
    """What is taken to hold of the values of expressions: kinds, and what is one in addition."""
    return tuple(
        Taken(
            file, place, KIND + kind, f"{place[0]}: no derivative where {_said(file, place, kind)}"
        )
        for (file, place), found in kinds.items()
        for kind in found
    )


def is_text(value: Taken) -> bool:
    """Whether an expression is taken to be one text, or one function, class or entry."""
    return value.begins.startswith((KIND + TEXT, KIND + NAMED))


def is_number(value: Taken) -> bool:
    """Whether an expression is taken to be one integer, or an array of one shape."""
    return value.begins.startswith((KIND + NUMBER, KIND + LENGTHS))


def _said(file: str, place: Place, kind: str) -> str:
    """In words, that the value of an expression is not of a kind."""
    line = getline(file, place[0]).encode()
    end = place[3] if place[2] == place[0] else len(line)
    text = line[place[1] : end].decode(errors="replace").strip()
    text = text if end - place[1] <= _LONG and place[2] == place[0] else f"{text[: _LONG - 3]}..."
    if kind.startswith((TEXT, NUMBER)):
        return f"`{text}` is not {kind.removeprefix(TEXT).removeprefix(NUMBER)}"
    if kind.startswith(LENGTHS):
        first = literal_eval(kind.removeprefix(LENGTHS))[0]
        what = "other keys" if isinstance(first, str) else f"others than {first} entries"
        return f"`{text}` has {what}"
    if kind.startswith(NAMED):
        return f"`{text}` is not {kind.partition(':')[2]}"
    dtype, _, rank = kind.rstrip("]").partition("[")
    return f"`{text}` is no {f'array of {dtype} with {rank} axes' if rank else kind}"


_LONG: Final = 60
_LARGE: Final = 1_000_000
"""No more than this is a length, an index or an order."""
_MANY: Final = 64
"""Axes that are shorter may be written out entry by entry."""


def _kinds(value: Any) -> tuple[str, ...]:
    """The kind of a value, and what it is in addition; none of other objects."""
    kind = type(value)
    if kind is int:
        return ("int", f"{NUMBER}{value}") if abs(value) <= _LARGE else ("int",)
    if kind is str:
        known = len(value) <= _LONG and value.isprintable()
        return (f"{TEXT}{value!r}",) if known else ()
    if isinstance(value, type | FunctionType | Enum):
        return (name,) if (name := _named(value)) else ()
    if kind in (list, tuple):
        return (kind.__name__, *_lengths((len(value),)))
    if kind is dict:
        named = all(type(key) is str and key.isidentifier() for key in value)
        return (f"{LENGTHS}{tuple(value)}",) if named and 0 < len(value) <= _MANY else ()
    if kind is not np.ndarray:
        return (_PLAIN[kind],) if kind in _PLAIN else ()
    known = value.ndim and str(value.dtype) in _DTYPES
    return (f"{value.dtype}[{value.ndim}]", *_lengths(value.shape)) if known else ()


def _lengths(shape: tuple[int, ...]) -> tuple[str, ...]:
    return (f"{LENGTHS}{shape}",) if max(shape) <= _MANY else ()


def _named(value: Any) -> str:
    """What a module has under a name of its own."""
    owner = type(value) if isinstance(value, Enum) else value
    path = f"{owner.__qualname__}.{value.name}" if isinstance(value, Enum) else owner.__qualname__
    return f"{NAMED}{owner.__module__}:{path}" if found(owner.__module__, path) is value else ""


class _Probing(ast.NodeTransformer):
    """Puts a probe around what expressions read."""

    def __init__(self, file: str, places: list[tuple[str, Place]]) -> None:
        self.file, self.places = file, places

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.pattern | ast.JoinedStr | ast.arguments):
            return node
        if isinstance(node, ast.Call):
            return self._around(node, self._inside(node))
        made = self.generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", None), ast.Load)
        if isinstance(node, ast.BinOp) or (is_read and not isinstance(node, ast.Starred)):
            return self._around(node, made)
        return made

    def _inside(self, node: ast.Call) -> ast.Call:
        """A call, what it calls being left as it is: `super()` is looked for by its name."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(arg) for arg in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def _around(self, place: ast.AST, node: Any) -> ast.expr:
        where = place_of(place)
        if where is None:
            return node  # type: ignore[no-any-return]
        self.places.append((self.file, where))
        called = ast.Name(_PROBE, ast.Load())
        made = ast.Call(called, [ast.Constant(len(self.places) - 1), node], [])
        return ast.copy_location(made, place)
