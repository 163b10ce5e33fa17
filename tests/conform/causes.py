"""Small functions, each with what was once different in a primal program, from tests of others."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any


class Told:
    """What is added to it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __add__(self, other: object) -> object:
        self.told.append("add")
        return other

    def __radd__(self, other: object) -> object:
        self.told.append("radd")
        return other


class Swallows:
    """A manager that takes every exception."""

    def __enter__(self) -> Swallows:
        return self

    def __exit__(self, *_: object) -> bool:
        return True


def operators_of_objects(told: Any) -> object:
    told + 1
    1 + told
    last = told + 2
    first = 2 + told
    return first, last, list(told.told)


def operators_of_views() -> object:
    one, two = {1: 1, 2: 2}.keys(), {1: 1}.keys()
    return sorted(one - two), sorted(one & two), sorted(one ^ two), list(one)


def a_tuple_is_repeated(n: int) -> object:
    return (3,) * n, n * (1, 2)


def a_union_of_classes() -> object:
    return isinstance(3, int | str), isinstance(3, str | None), repr(int | None)


def exceptions_of_local_classes() -> object:
    class Failed(Exception):
        pass

    try:
        raise Failed("said")
    except Failed as error:
        first = error.args
    try:
        raise Failed
    except Failed as error:
        second = error.args
    return first, second


def a_guard_binds_the_subject() -> object:
    n, found = 0, None
    match n:
        case 0 if not (n := 1):
            found = 0
        case 1:
            found = 1
    return n, found


def an_iterator_has_no_length() -> object:
    it: Any = iter([1, 2, 3])
    try:
        n = len(it)
    except TypeError:
        n = sum(it)
    return n


def a_mean_of_an_iterator() -> object:
    return statistics.fmean(iter([1.0, 2.0, 3.0]))


def a_default_of_the_same_name(d: Any) -> object:
    return list(map(lambda k, d=d: (k, d[k]), [0, 1]))


def a_comprehension_over_its_own_name(d: Any) -> object:
    return [d + 1 for d in d], sorted(d for d in d.copy())


def braces_in_a_string() -> object:
    table = {"'": "one", "other": "two"}
    return f"{table['other']} {table}"


def a_manager_takes_an_exception(n: int, told: Any) -> object:
    with Swallows():
        _fails(n)
        told.told.append("not here")
    told.told.append("here")
    return list(told.told)


def a_manager_takes_what_is_raised() -> object:
    with Swallows():
        raise ValueError("taken")
    return "after"


def _fails(n: int) -> None:
    if n > 0:
        raise ValueError(n)


def a_class_is_what_it_is_called() -> object:
    @dataclass
    class Point:
        x: int
        y: int = 10

    return repr(Point(4)), Point.__module__, Point.__qualname__


def a_list_times_an_object(n: Any) -> object:
    found = [1, 2]
    found *= n["n"]
    return found


CAUSES: dict[Any, tuple[Any, ...]] = {
    operators_of_objects: (Told(),),
    operators_of_views: (),
    a_tuple_is_repeated: (3,),
    a_union_of_classes: (),
    exceptions_of_local_classes: (),
    a_guard_binds_the_subject: (),
    an_iterator_has_no_length: (),
    a_mean_of_an_iterator: (),
    a_default_of_the_same_name: ({0: "a", 1: "b"},),
    a_comprehension_over_its_own_name: ({0: "a", 1: "b"},),
    braces_in_a_string: (),
    a_manager_takes_an_exception: (1, Told()),
    a_manager_takes_what_is_raised: (),
    a_class_is_what_it_is_called: (),
    a_list_times_an_object: ({"n": 2},),
}
"""The functions, with their arguments."""

REFUSED = {"a_mean_of_an_iterator": "AG101", "a_list_times_an_object": "AG106"}
"""What is refused, with the code."""
