"""Small functions, each with what was once different in a primal program, from tests of others."""

from __future__ import annotations

import inspect
import random
import statistics
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np


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


def names_of_a_function_that_has_returned() -> object:
    def adder(seed: int) -> Any:
        def extra() -> Any:
            return lambda y: seed + y

        return extra()

    one, ten = adder(1), adder(10)
    return one(1), ten(-2)


def an_iterator_is_read_once() -> object:
    return [index for index, _ in np.ndenumerate(np.zeros(()))]


def a_slice_is_an_object() -> object:
    part = slice(1, 10)
    same = part
    return part is same, [part].index(same), slice([1], [2], None).start


def a_list_of_a_range() -> object:
    found = list(range(10000))
    random.seed(0)
    random.shuffle(found)
    return found[:3], len(found)


def an_empty_list_is_no_array() -> object:
    return np.ix_([])[0].dtype, np.bincount([], minlength=0).dtype


def an_array_lies_in_memory() -> object:
    return np.array([[1, 2], [3, 4]], order="F").flags.f_contiguous


def results_are_real_or_complex() -> object:
    x = np.array([[2.0, 1.0], [1.0, 2.0]])
    return np.linalg.eigvals(x).dtype, np.linalg.svd(x).S.dtype


def a_dtype_has_metadata() -> object:
    return np.dtype("f8", metadata={"a": 1}).metadata


def parameters_have_kinds() -> object:
    return [str(p.kind) for p in inspect.signature(np.sum).parameters.values()]


def parameters_by_position_alone() -> object:
    def f(a: int, /) -> int:
        return a

    return f(a=1)  # type: ignore[call-arg]


def a_frozen_set_is_hashable() -> object:
    return len({frozenset([1, 2]): 1})


def a_walrus_in_a_string() -> object:
    text = f"{(n := 10)}"
    return text, n


def annotations_of_a_class() -> object:
    class Point:
        x: int

    return Point.__annotations__


def who_still_refers_to_it() -> object:
    class Thing:
        pass

    thing = Thing()
    return weakref.ref(thing)() is thing


def what_an_exception_has_seen() -> object:
    try:
        raise ValueError("seen")
    except ValueError as error:
        found = error.__traceback__
    return found is not None


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
    names_of_a_function_that_has_returned: (),
    an_iterator_is_read_once: (),
    a_slice_is_an_object: (),
    a_list_of_a_range: (),
    an_empty_list_is_no_array: (),
    an_array_lies_in_memory: (),
    results_are_real_or_complex: (),
    a_dtype_has_metadata: (),
    parameters_have_kinds: (),
    parameters_by_position_alone: (),
    a_frozen_set_is_hashable: (),
    a_walrus_in_a_string: (),
    annotations_of_a_class: (),
    who_still_refers_to_it: (),
    what_an_exception_has_seen: (),
}
"""The functions, with their arguments."""

REFUSED = {
    "a_mean_of_an_iterator": "AG101",
    "a_list_times_an_object": "AG106",
    "names_of_a_function_that_has_returned": "AG102",
    "parameters_by_position_alone": "AG103",
    "a_walrus_in_a_string": "AG101",
    "who_still_refers_to_it": "AG102",
    "what_an_exception_has_seen": "AG102",
}
"""What is refused, with the code."""
