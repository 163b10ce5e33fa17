"""Structures as vectors, for solvers that know of nothing else.

    {"w": w, "b": b}   ->   [*w.flat, b],    x -> {"w": x[0:6].reshape(2, 3), "b": float(x[6])}

The way back is written as a function of Python, so that it is differentiated as any other; each
structure has the text of its own. Leaves stand in the order of the structure, entries of arrays in
that of their rows. (`ravel_pytree` of JAX.)
"""

from __future__ import annotations

import ast
import hashlib
import linecache
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from adjointgen.emit.syntax.formatting import format
from adjointgen.errors import TypeMismatch
from adjointgen.frontend.domain.structures import fields_of, is_dataclass

T = TypeVar("T")


def ravel(tree: T) -> tuple[Any, Callable[[Any], T]]:
    """`(vector, unravel)`: the numbers of a structure one after another, and the way back.

    `unravel(vector)` is the structure with these numbers, each of the kind and shape that it had;
    its arrays share no memory with the vector. It may stand in a function that is differentiated.
    Structures are tuples, lists, dicts, named tuples and data classes of floats, complex numbers
    and arrays of these; None, truth values and texts in them are kept. The kind of the vector is
    the least that holds all numbers.

    Raises TypeMismatch (AG403) for integers, which a solver would not leave whole, and for objects
    of other classes.
    """
    writer = _Writer()
    made = writer.written(tree, "the structure")
    kind = (
        np.result_type(*(leaf.dtype for leaf in writer.leaves))
        if writer.leaves
        else np.dtype(float)
    )
    if kind.kind == "c":
        writer = _Writer(among_complex=True)
        made = writer.written(tree, "the structure")
    parts = [np.ravel(leaf).astype(kind, copy=False) for leaf in writer.leaves]
    vector = np.concatenate(parts) if parts else np.zeros(0, kind)
    unravel = _compiled(_text(made, len(vector), kind.kind == "c"), writer.names)
    if writer.classes and not _is_same(unravel(vector), tree):
        _refuse("the structure", "a class that makes something else of its fields")
    return vector, unravel


class _Writer:
    """The expression that makes a structure of the entries of `x`, and what it is made of.

    Among complex numbers, those that are real are the real parts of entries.
    """

    def __init__(self, among_complex: bool = False) -> None:
        self.among_complex = among_complex
        self.leaves: list[Any] = []
        self.size = 0
        self.names: dict[str, Any] = {"np": np}
        self.classes = False

    def written(self, value: Any, place: str) -> ast.expr:
        """The expression for a part of the structure."""
        kind = type(value)
        if value is None or kind in (bool, str):
            return ast.Constant(value)
        if kind is dict:
            return self.dict(value, place)
        if kind in (tuple, list):
            parts = [self.written(part, f"{place}[{k}]") for k, part in enumerate(value)]
            return ast.Tuple(parts, ast.Load()) if kind is tuple else ast.List(parts, ast.Load())
        if (names := _fields(value)) is not None:
            self.classes = True
            made = {n: self.written(getattr(value, n), f"{place}.{n}") for n in names}
            return _call(self.named(kind), **made)
        return self.numbers(value, place)

    def dict(self, value: dict[Any, Any], place: str) -> ast.expr:
        """A dict, whose keys are written out."""
        for key in value:
            if type(key) not in (str, int, bool):
                _refuse(place, f"the key {key!r:.40}")
        parts = [self.written(part, f"{place}[{key!r}]") for key, part in value.items()]
        return ast.Dict([ast.Constant(key) for key in value], parts)

    def numbers(self, value: Any, place: str) -> ast.expr:
        """A number or an array: the entries that are next."""
        kind = type(value)
        if kind not in (float, complex, np.ndarray) and not isinstance(value, np.inexact):
            _refuse(place, f"{value!r:.40} of the class {kind.__name__}")
        array = np.asarray(value)
        if array.dtype.kind not in "fc":
            _refuse(place, f"an array of the kind {array.dtype}")
        first, self.size = self.size, self.size + array.size
        self.leaves.append(array)
        if kind is np.ndarray:
            part = self.part(ast.Slice(ast.Constant(first), ast.Constant(self.size)), array.dtype)
            if array.ndim != 1:
                part = _call(_member(part, "reshape"), *_lengths(array.shape))
            return _call(_member(part, "astype"), _scalar(array.dtype))
        entry = self.part(ast.Constant(first), array.dtype)
        plain = kind in (float, complex)
        return _call(ast.Name(kind.__name__) if plain else _scalar(array.dtype), entry)

    def part(self, index: ast.expr, kind: np.dtype[Any]) -> ast.expr:
        """Some entries of `x`."""
        found = ast.Subscript(ast.Name("x"), index, ast.Load())
        return _member(found, "real") if self.among_complex and kind.kind == "f" else found

    def named(self, kind: type) -> ast.expr:
        """A class, by a name that no other one has."""
        name, k = kind.__name__, 0
        while self.names.setdefault(name, kind) is not kind:
            k += 1
            name = f"{kind.__name__}_{k}"
        return ast.Name(name)


def _fields(value: Any) -> tuple[str, ...] | None:
    """What the class of a named tuple or of a data class is called with; None for others."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(value._fields)
    if not is_dataclass(type(value)):
        return None
    return tuple(f.name for f in fields_of(type(value)) if f.init)


def _member(value: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(value, name, ast.Load())


def _call(function: ast.expr, *args: ast.expr, **keywords: ast.expr) -> ast.expr:
    return ast.Call(function, list(args), [ast.keyword(n, v) for n, v in keywords.items()])


def _scalar(kind: np.dtype[Any]) -> ast.expr:
    return _member(ast.Name("np"), kind.type.__name__)


def _lengths(shape: tuple[int, ...]) -> list[ast.expr]:
    return [ast.Constant(n) for n in shape] or [ast.Tuple([], ast.Load())]


REAL = """
if np.iscomplexobj(x):
    raise TypeError("the vector is complex, and the structure is not")
"""


def _text(made: ast.expr, size: int, is_complex: bool) -> str:
    """The function that makes the structure."""
    module = ast.parse(f'def unravel(x):\n    """The structure of {size} numbers."""\n')
    (function,) = module.body
    assert isinstance(function, ast.FunctionDef)
    whole = _call(_member(ast.Name("np"), "reshape"), ast.Name("x"), ast.Constant(size))
    checks = [] if is_complex else ast.parse(REAL).body
    function.body += [ast.Assign([ast.Name("x")], whole), *checks, ast.Return(made)]
    return format(ast.unparse(ast.fix_missing_locations(module)))


def _compiled(text: str, names: dict[str, Any]) -> Callable[[Any], Any]:
    """The function of a text, whose lines are registered."""
    file = f"<adjointgen unravel {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"__name__": "adjointgen.unravel", **names}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    made: Callable[[Any], Any] = namespace["unravel"]
    return made


def _is_same(value: Any, other: Any) -> bool:
    """Whether two structures are of the same classes, and hold the same."""
    if type(value) is not type(other):
        return False
    if isinstance(value, dict):
        pairs = [(value[key], other.get(key)) for key in value]
        return value.keys() == other.keys() and all(_is_same(*pair) for pair in pairs)
    if isinstance(value, tuple | list):
        return len(value) == len(other) and all(map(_is_same, value, other))
    if is_dataclass(type(value)):
        return _is_same(vars_of(value), vars_of(other))
    if isinstance(value, np.ndarray):
        alike = value.dtype == other.dtype and value.shape == other.shape
        return alike and bool(np.all((value == other) | (value != value)))
    return bool(value == other or value != value)


def vars_of(value: Any) -> dict[str, Any]:
    """The fields of a data class, those that its class makes of others as well."""
    return {f.name: getattr(value, f.name, None) for f in fields_of(type(value))}


def _refuse(place: str, what: str) -> NoReturn:
    raise TypeMismatch(
        f"{place} is {what}, which is no number that a vector of floats has",
        code="AG403",
        help="pass floats, arrays of floats, and structures of these; leave what is fixed outside",
    )
