"""Arguments that are structures: what of them is a leaf, and what is part of the specialisation.

    {"w": array, "n": 3, "how": "cubic"}    w and n are leaves, how is folded

Tuples, lists, dicts, named tuples and dataclasses are taken apart as a whole. Of other instances,
only the attributes that are asked for are opened: lowering stops where it needs another one
(`Closed`), and begins again with that one open. Leaves are read when the program runs, so a number
that changes changes nothing in the program.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from adjointgen.frontend.domain.abstract_values import Fixed, Parts, Place
from adjointgen.frontend.domain.module_tables import Matrix, layout_of
from adjointgen.frontend.domain.own_managers import leaves_alone
from adjointgen.ir.types import Type
from adjointgen.records import replace
from adjointgen.wrapping import held_under

Argument = Type | Fixed | Parts
LITERALS = (str, int, float, bool, type(None))


class Closed(Exception):
    """An attribute of the caller's object is needed that is not open."""

    def __init__(self, place: Place, name: str) -> None:
        self.place, self.name = place, name


class Changed(Exception):
    """A part of the caller's is written to in a way that the caller sees, so it stays an object."""

    def __init__(self, place: Place) -> None:
        self.place = place


def parts_of(
    name: str, value: Any, type_of: Callable[[str, Any], Argument], whole: bool = False
) -> Argument | None:
    """The parts of a structure; None for what is none. `whole` opens all attributes."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _parts(name, type(value), value._fields, tuple(value), value, type_of)
    if type(value) in (tuple, list):
        found = _parts(name, type(value).__name__, range(len(value)), value, value, type_of)
        sparse = type(value) is tuple and any(isinstance(layout_of(v), Matrix) for v in value)
        grows = type(value) is list and not value
        return found if sparse or grows or any(_holds_leaf(p) for p in found.parts) else None
    if type(value) is dict:
        if not all(_is_key(k) for k in value):
            return None
        return _parts(name, "dict", tuple(value), tuple(value.values()), value, type_of)
    if not is_instance(value):
        return None
    if is_dataclass(type(value)):
        keys = [f.name for f in fields_of(type(value)) if hasattr(value, f.name)]
    else:
        keys = [*vars(value)] if whole and hasattr(value, "__dict__") else []
    return _parts(name, type(value), keys, [getattr(value, k) for k in keys], value, type_of)


def _parts(
    name: str,
    kind: Any,
    keys: Any,
    values: Any,
    live: Any,
    type_of: Callable[[str, Any], Argument],
) -> Parts:
    rows = zip(keys, values, strict=True)
    parts = tuple(_entry(kind, type_of(part_name(name, key), v), v) for key, v in rows)
    return Parts(kind, tuple(keys), parts, live)


def _entry(kind: Any, found: Argument, value: Any) -> Argument:
    """An integer in a tuple is folded: most often it is a shape or an axis."""
    return Fixed(value) if kind == "tuple" and type(value) is int else found


def _holds_leaf(part: Argument) -> bool:
    return isinstance(part, Type | Parts)


def holds_floats(argument: Argument) -> bool:
    """Whether an argument holds floating-point numbers."""
    match argument:
        case Parts(parts=parts):
            return any(map(holds_floats, parts))
        case Type():
            return argument.is_differentiable
    return False


def leaves_of(arguments: Mapping[str, Argument]) -> dict[str, tuple[Type, Place]]:
    """The leaves of arguments by the names of their parameters, and where each is.

    One whose name is that of another parameter is left out: it is called otherwise.
    """
    found: dict[str, tuple[Type, Place]] = {}
    for root, argument in arguments.items():
        for name, type, place in _leaves(root, argument, (root,)):
            if place == (root,) or name not in arguments.keys() | found.keys():
                found[name] = type, place
    return found


def _leaves(name: str, argument: Argument, place: Place) -> Iterator[tuple[str, Type, Place]]:
    match argument:
        case Type():
            yield name, argument, place
        case Parts(keys=keys, parts=parts):
            for key, part in zip(keys, parts, strict=True):
                yield from _leaves(part_name(name, key), part, (*place, key))


def value_at(arguments: Mapping[str, Any], types: Mapping[str, Argument], place: Place) -> Any:
    """What stands at a place of the arguments."""
    value, part = arguments[place[0]], types[place[0]]
    for key in place[1:]:
        assert isinstance(part, Parts)
        value = getattr(value, key) if isinstance(part.kind, type) else value[key]
        part = part.parts[part.keys.index(key)]
    return value


def with_leaf(argument: Argument, steps: Place, leaf: Type) -> Argument:
    """An argument with another type of the leaf at a place in it."""
    if not steps:
        return leaf
    assert isinstance(argument, Parts)
    at = argument.keys.index(steps[0])
    inner = with_leaf(argument.parts[at], steps[1:], leaf)
    return replace(argument, parts=(*argument.parts[:at], inner, *argument.parts[at + 1 :]))


def _is_key(key: object) -> bool:
    if type(key) is tuple:
        return all(map(_is_key, key))
    return type(key) in LITERALS and key == key


def part_name(name: str, key: object) -> str:
    """What the parameter of a part is called: `p_w` for `p["w"]`."""
    text = "_".join("".join(c if c.isalnum() else " " for c in str(key)).split())
    return f"{name}_{text}" if text else name


def is_dataclass(cls: type) -> bool:
    """Whether a class is a data class, known without the module that makes them."""
    return hasattr(cls, "__dataclass_fields__")


def sets_fields(cls: type) -> bool:
    """Whether the `__init__` of a data class is the one that was made for it, which has no text."""
    code = getattr(vars(cls).get("__init__"), "__code__", None)
    return is_dataclass(cls) and code is not None and code.co_filename == "<string>"


def fields_of(cls: type) -> tuple[Any, ...]:
    """The fields of a data class."""
    import dataclasses

    return dataclasses.fields(cls)


def is_instance(value: Any) -> bool:
    """Whether a value is an instance of a class that is written in Python."""
    cls = type(value)
    return (
        is_user_class(cls)
        and not callable(held_under(value, "__array__"))
        and not isinstance(value, type)
    )


def is_user_class(cls: type) -> bool:
    """Whether a class is one whose instances are no more than attributes and methods."""
    if cls is SimpleNamespace:
        return True
    heap = cls.__flags__ & (1 << 9)
    module = cls.__module__.partition(".")[0]
    foreign = module in ("numpy", "scipy") or _is_of_python(cls)
    if not heap or (foreign and module != "__main__") or hasattr(cls, "__enter__"):
        return False
    makes: object = getattr(cls, "__new__", None)
    return makes is getattr(object, "__new__", 0) and type(cls) in (type, ABCMeta)


def is_followed(cls: type) -> bool:
    """Whether a class is written in Python, and is none of a library that has rules.

    What its objects do is found by their classes, whatever these are made by.
    """
    home = cls.__module__.partition(".")[0]
    foreign = home in ("numpy", "scipy", "adjointgen") or _is_of_python(cls)
    return bool(cls.__flags__ & (1 << 9)) and (not foreign or home == "__main__")


WRITTEN_OUT: Final = frozenset({("statistics", "NormalDist")})
"""Classes of the standard library whose methods are formulas, which are read as a user's are."""


def _is_of_python(cls: type) -> bool:
    """Whether a class is the standard library's, and not one whose text is read as a user's is."""
    home = cls.__module__.partition(".")[0]
    return home in sys.stdlib_module_names and (home, cls.__qualname__) not in WRITTEN_OUT


def name_in_module(value: Any) -> tuple[str, str] | None:
    """The dotted name of a class of the user's, and the import that it is read after.

    None where no name of a module stands for the class.
    """
    if not isinstance(value, type) or not is_followed(value):
        return None
    home, found = value.__module__, sys.modules.get(value.__module__.partition(".")[0])
    for name in (*home.split(".")[1:], *value.__qualname__.split(".")):
        found = getattr(found, name, None)
    return (f"{home}.{value.__qualname__}", f"import {home}") if found is value else None


HELD = "%held"
"""The name under which an instance of a subclass of a number, list or dict holds that."""


def base_of(cls: type) -> type | None:
    """The class of numbers, lists, dicts or arrays that a class is one of."""
    return next((c for c in cls.__mro__ if c in (float, list, dict, np.ndarray)), None)


def is_lowered(cls: type) -> bool:
    """Whether instances of a class are structures whose methods are lowered."""
    named = issubclass(cls, tuple) and hasattr(cls, "_fields")
    if hasattr(cls, "__enter__") and not leaves_alone(cls):
        return False
    return is_user_class(cls) or named or _is_made_in_python(cls)


def _is_made_in_python(cls: type) -> bool:
    """Whether all that a class and those above it do is written in Python, but for the base."""
    above = [c for c in cls.__mro__ if c not in (object, float, list, dict, np.ndarray)]
    homes = {c.__module__.partition(".")[0] for c in above if not is_followed(c)}
    # Dicts of `collections` and those that make entries up have others than were put into them.
    known = {"abc", "typing"} if issubclass(cls, dict) else {"abc", "collections", "typing"}
    plain = homes <= known and is_followed(cls) and not hasattr(cls, "__missing__")
    metaclass = type(cls) in (type, ABCMeta) or is_followed(type(cls))
    return plain and metaclass


def opened(
    arguments: Mapping[str, Argument],
    closed: Closed,
    type_of: Callable[[str, Any], Argument],
) -> dict[str, Argument]:
    """The arguments with one more attribute open."""
    name = reduce(part_name, closed.place[1:], closed.place[0])

    def wider(part: Parts) -> Parts:
        made = type_of(part_name(name, closed.name), getattr(part.live, closed.name))
        return replace(part, keys=(*part.keys, closed.name), parts=(*part.parts, made))

    return _replaced(arguments, closed.place, wider)


def left_alone(arguments: Mapping[str, Argument], place: Place) -> dict[str, Argument]:
    """The arguments with one part that is not taken apart: the program has the object itself."""
    return _replaced(arguments, place, lambda part: Fixed(part.live))


def empty_lists(arguments: Mapping[str, Argument]) -> list[Place]:
    """Where the empty lists are in the arguments."""
    return [place for name, one in arguments.items() for place in _empty((name,), one)]


def without_empty_lists(arguments: Mapping[str, Argument]) -> dict[str, Argument]:
    """The arguments with their empty lists as objects, into which anything may be put."""
    found = {**arguments}
    for place in empty_lists(arguments):
        found = left_alone(found, place)
    return found


def _empty(place: Place, part: Argument) -> Iterator[Place]:
    if isinstance(part, Parts):
        if part.kind == "list" and not part.parts:
            yield place
        for key, inner in zip(part.keys, part.parts, strict=True):
            yield from _empty((*place, key), inner)


def _replaced(
    arguments: Mapping[str, Argument], place: Place, new: Callable[[Parts], Argument]
) -> dict[str, Argument]:
    """The arguments with another one for the part at a place."""
    root, *steps = place

    def inside(part: Argument, steps: list[Any]) -> Argument:
        assert isinstance(part, Parts)
        if not steps:
            return new(part)
        at = part.keys.index(steps[0])
        inner = inside(part.parts[at], steps[1:])
        return replace(part, parts=(*part.parts[:at], inner, *part.parts[at + 1 :]))

    return {**arguments, root: inside(arguments[root], steps)}
