"""Arguments become stand-ins, results become values, and gradients have the arguments' structure.

The function runs on copies: lists, dicts, objects and arrays of the caller's are not written to.
Each argument that is differentiated has its own leaves; arrays that share memory are copied apart,
and a write to one of them is refused, as is one list or object in two places of differentiated
arguments (AG113).
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from adjointgen.errors import TypeMismatch, Unsupported
from adjointgen.records import dataclass
from adjointgen.tracing.array import Array
from adjointgen.tracing.number import Number, Scalar
from adjointgen.tracing.standins import is_array, is_standin, node, raw, unseen
from adjointgen.tracing.tape import Record, Spelling, Storage, Tape

PASSED: tuple[type, ...] = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, type)
SHARED = "a write to an array of which another argument shares the memory"


def chosen(f: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], wrt: Any) -> list[str]:
    """The names of the differentiated parameters. Raises TypeMismatch (AG402, AG403)."""
    bound = bind(f, args, kwargs)
    if wrt is ...:
        names = [name for name, value in bound.items() if _has_floats(value)]
        if not names:
            raise _without_floats("no argument")
        return names
    if isinstance(wrt, str):
        wrt = tuple(name.strip() for name in wrt.split(","))
    names = [_named(one, list(bound)) for one in (wrt if isinstance(wrt, tuple | list) else (wrt,))]
    for name in names:
        if not _has_floats(bound[name]):
            raise _without_floats(name)
    return names


def _named(one: Any, parameters: list[str]) -> str:
    """The name of a parameter that is given by name or position."""
    if isinstance(one, str) and one in parameters:
        return one
    if isinstance(one, int) and -len(parameters) <= one < len(parameters):
        return parameters[one]
    raise TypeMismatch(
        f"there is no parameter {one!r}",
        code="AG402",
        help=f"the parameters are {', '.join(parameters)}",
    )


def _without_floats(name: str) -> TypeMismatch:
    return TypeMismatch(
        f"{name} holds no floating-point numbers",
        code="AG403",
        help="a derivative is by floats, or by arrays of them",
    )


def bind(f: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the names of parameters, or by number."""
    try:
        bound = inspect.signature(f).bind(*args, **kwargs)
    except ValueError:
        return {**{f"x{k}": one for k, one in enumerate(args)}, **kwargs}
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        else:
            named[name] = value
    return named


def positions(f: Callable[..., Any]) -> tuple[list[str], str]:
    """The parameters that take arguments by position, and the one that takes the rest of them."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except ValueError:
        return [], ""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    rest = [one.name for one in parameters if one.kind is inspect.Parameter.VAR_POSITIONAL]
    return [one.name for one in parameters if one.kind in kinds], "".join(rest)


def _is_object(value: Any) -> bool:
    kind = type(value)
    own = kind.__module__.partition(".")[0] not in ("builtins", "numpy", "scipy", "collections")
    return own and hasattr(value, "__dict__") and not isinstance(value, PASSED)


def _is_container(value: Any) -> bool:
    if isinstance(value, PASSED):
        return False
    return isinstance(value, tuple | list | dict) or _is_object(value)


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a container, or the attributes of an object, with how they are written."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from ((f".{name}", part) for name, part in zip(value._fields, value, strict=True))
    elif isinstance(value, tuple | list):
        yield from ((f"[{k}]", part) for k, part in enumerate(value))
    elif _is_object(value):
        yield from ((f".{name}", part) for name, part in vars(value).items())


def rebuilt(value: Any, made: list[Any]) -> Any:
    """A container like another, with other entries."""
    if isinstance(value, dict):
        new = copy.copy(value)
        new.update(zip(value, made, strict=True))
        return new
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*made)
    if isinstance(value, tuple | list):
        return type(value)(made)
    new = copy.copy(value)
    vars(new).update(zip(vars(value), made, strict=True))
    return new


def is_leaf(value: Any) -> bool:
    """Whether a value is a number or an array of floats."""
    if is_standin(value):
        return True
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "fc"
    return type(value) in (float, complex)


def _floats(value: Any) -> Iterator[Any]:
    if is_leaf(value):
        yield value
    else:
        for _, part in parts(value):
            yield from _floats(part)


def _has_floats(value: Any) -> bool:
    return any(True for _ in _floats(value))


class Leaves:
    """The stand-ins of all arguments, made one after the other."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.arrays: list[tuple[Any, Storage]] = []
        self.made: dict[int, tuple[Any, Any, bool]] = {}

    def tree(self, value: Any, path: str, active: bool) -> tuple[Any, Any]:
        """An argument as the function gets it, and the same with records for leaves."""
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
            return self._array(value, path, active)
        if is_leaf(value):
            return self._number(value, path, active)
        if isinstance(value, PASSED) or not (
            isinstance(value, tuple | list | dict) or _is_object(value)
        ):
            return value, value
        if id(value) in self.made and not isinstance(value, tuple):
            known, structure, before = self.made[id(value)]
            if active or before:
                raise _two_places(path)
            return known, structure
        pairs = [self.tree(part, path + where, active) for where, part in parts(value)]
        new = rebuilt(value, [one for one, _ in pairs])
        structure = rebuilt(value, [one for _, one in pairs])
        self.made[id(value)] = (new, structure, active)
        return new, structure

    def _number(self, value: Any, path: str, active: bool) -> tuple[Any, Any]:
        if not active:
            return value, value
        made = self.tape.add(path, value, active=True, spelling=Spelling("leaf", (path,)))
        kind = Scalar if isinstance(value, np.generic) else Number
        return kind(self.tape, value, made.index), made

    def _array(self, value: Any, path: str, active: bool) -> tuple[Any, Any]:
        if type(value) is not np.ndarray:
            if active:
                raise unseen(f"{path}, a {type(value).__name__},")
            return value, value
        taken = value.copy("K")
        made = self.tape.add(path, taken, active=active, spelling=Spelling("leaf", (path,)))
        storage = made.storage = Storage(taken, made.index)
        for other, shared in self.arrays:
            if np.shares_memory(other, value):
                for one in (storage, shared):
                    one.foreign = SHARED
                    one.base.flags.writeable = False
        taken.flags.writeable &= value.flags.writeable
        self.arrays.append((value, storage))
        return Array(self.tape, taken, made.index, storage, None), made


def _two_places(path: str) -> Unsupported:
    return Unsupported(
        f"{path} is the same object as another part of the arguments",
        code="AG113",
        help="pass copies",
    )


@dataclass(frozen=True, slots=True)
class Named:
    """A number or array of a result: the record of its content, and the one that names it."""

    record: Record
    name: int


def results(value: Any, seen: dict[int, Any]) -> tuple[Any, Any]:
    """A result as the caller gets it, and the same with what is recorded of each part."""
    if is_standin(value):
        array = is_array(value)
        found = Named(node(value), value._name if array else value._index)
        return (raw(value).copy() if array else raw(value)), found
    if is_leaf(value) or isinstance(value, PASSED):
        return value, value
    if id(value) in seen:
        known: tuple[Any, Any] = seen[id(value)]
        return known
    if not _is_container(value):
        return value, value
    pairs = [results(part, seen) for _, part in parts(value)]
    made = rebuilt(value, [one for one, _ in pairs]), rebuilt(value, [one for _, one in pairs])
    seen[id(value)] = made
    return made


def numbers_of(tree: Any) -> Iterator[Any]:
    """The numbers and arrays of a result."""
    if isinstance(tree, Named) or is_leaf(tree):
        yield tree
    else:
        for _, part in parts(tree):
            yield from numbers_of(part)
