"""Classes that are structures: data classes, named tuples and typed dicts, with their fields.

Of a class that is only known by its text a stand-in is made: an empty class of the same name and
module, with the fields of the text. Nothing of the user's is run.
"""

from __future__ import annotations

import ast
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from adjointgen.frontend.annotations.names import Definition, Names
from adjointgen.frontend.annotations.reading import Left, Unreadable
from adjointgen.frontend.domain.abstract_values import Parts
from adjointgen.frontend.domain.structures import Argument, part_name

Read = Callable[[str, ast.expr], Argument]
Find = Callable[[ast.expr], str | tuple[Definition, Names]]
Fields = list[tuple[str, ast.expr]]


def class_parts(name: str, node: ast.ClassDef, read: Read, find: Find, home: str) -> Argument:
    """The structure that an instance of a class is. Raises Unreadable for other classes."""
    kind = _kind(node, find)
    if kind == "enum":
        raise Left(node.name, "is one of several values")
    if not kind:
        raise Unreadable(node.name, "the class is no dataclass, named tuple or TypedDict")
    fields = dict(_fields(node, find))
    return _parts(name, kind, node.name, list(fields.items()), read, home)


def functional_parts(
    name: str, kind: str, args: Sequence[ast.expr], read: Read, home: str
) -> Argument:
    """`NamedTuple("P", [("a", float)])`, `TypedDict("P", {"a": float})`."""
    match kind, args:
        case "TypedDict", [ast.Constant(value=str(title)), ast.Dict(keys=keys, values=values)]:
            pairs = [(_text(k), v) for k, v in zip(keys, values, strict=True)]
            return _parts(name, "dict", title, pairs, read, home)
        case "NamedTuple", [
            ast.Constant(value=str(title)),
            ast.List(elts=entries) | ast.Tuple(elts=entries),
        ]:
            rows = [e.elts for e in entries if isinstance(e, ast.Tuple) and len(e.elts) == 2]
            pairs = [(_text(k), v) for k, v in rows]
            return _parts(name, "named", title, pairs, read, home)
        case "namedtuple", [ast.Constant(value=str(title)), *_]:
            raise Left(title, "does not say what its fields are")
    raise Unreadable(f"{kind}(...)" if kind else "a call")


def _text(node: ast.expr | None) -> str:
    """The name of a field."""
    match node:
        case ast.Constant(value=str(text)):
            return text
    raise Unreadable("a field whose name is no text")


def _parts(name: str, kind: str, title: str, fields: Fields, read: Read, home: str) -> Argument:
    keys = tuple(key for key, _ in fields)
    parts = tuple(read(part_name(name, key), node) for key, node in fields)
    if kind == "dict":
        return Parts("dict", keys, parts, object())
    return Parts(_stand_in(kind, title, keys, home), keys, parts, object())


def _stand_in(kind: str, title: str, keys: tuple[str, ...], home: str) -> type:
    from dataclasses import make_dataclass

    named: Any = namedtuple
    made: type = named(title, keys) if kind == "named" else make_dataclass(title, keys)
    made.__module__ = home or "__main__"
    return made


def _kind(node: ast.ClassDef, find: Find) -> str:
    """`dict`, `named`, `data` or `enum`; empty for another class."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = find(called)
        if isinstance(found, str) and found.rpartition(".")[2] == "dataclass":
            return "data"
    for base in node.bases:
        found = find(base)
        if not isinstance(found, str):
            inner = _kind(found[0], find) if isinstance(found[0], ast.ClassDef) else ""
            if inner in ("dict", "named", "enum"):
                return inner
        elif found.rpartition(".")[2] in ("TypedDict", "NamedTuple"):
            return "dict" if found.endswith("TypedDict") else "named"
        elif found.rpartition(".")[2] in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"):
            return "enum"
    return ""


def _fields(node: ast.ClassDef, find: Find) -> Iterator[tuple[str, ast.expr]]:
    """The fields of a class in order, those of its bases first."""
    for base in reversed(node.bases):
        found = find(base)
        if not isinstance(found, str) and isinstance(found[0], ast.ClassDef):
            yield from _fields(found[0], find)
    for keyword in node.keywords:
        if keyword.arg == "total":
            raise Left(node.name, "does not say which keys it has")
    for stmt in node.body:
        match stmt:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                text = ast.unparse(annotation).strip("'\"")
                if "KW_ONLY" in text or "ClassVar" in text:
                    continue
                if "NotRequired" in text:
                    raise Left(node.name, f"may have {name} or not")
                yield name, annotation
