"""Small functions, each with what was once different in a primal program, from tests of others."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import random
import statistics
import sys
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


class Keeps:
    """Keeps what it is given."""

    def keep(self, thing: Any) -> None:
        self.thing = thing

    def same(self, one: object, other: object) -> bool:
        return one is other


class Sized:
    """Compares as it likes."""

    v = np.array([1.0, 2.0, 3.0])

    def __lt__(self, other: object) -> bool:
        raise TypeError("no order")


def lists_have_an_identity() -> object:
    a = [1, 2]
    b = [a, a]
    c = a or [3]
    held = {"a": a}
    return b[0] is b[1], b[0] is a, c is a, held["a"] is a, a is not b


def a_list_is_handed_back() -> object:
    a = [1.0, 2.0]
    return np.diff(a, n=0) is a, copy.copy(a) is a


def a_tuple_is_handed_back() -> object:
    a = (1, 2, [])
    return copy.copy(a) is a, len(a)


def a_tuple_is_given_twice(keeps: Any) -> object:
    a = (1, 2, [])
    return keeps.same(a, a), keeps.same(copy.copy(a), a)


def a_list_is_kept_in_another(keeps: Any) -> object:
    a = [1]
    b = [a]
    keeps.keep(b)
    b[0].append(2)
    return a, keeps.thing


def a_list_in_a_kept_list_is_written(keeps: Any) -> object:
    a = [1]
    b = {"k": a}
    keeps.keep(b)
    a.append(2)
    return b, keeps.thing


def a_table_of_copies_is_written() -> object:
    memo: dict[int, object] = {}
    x = [1, 2, 3]
    y = copy.deepcopy(x, memo)
    return y == x, len(memo)


def the_greatest_of_lists() -> object:
    return max([1, 2], [0]), min((1, 2), (0, 5)), max([[1], [2]])


def a_comparison_fails(sized: Any) -> object:
    try:
        _ordered(sized)
    except TypeError:
        return "no order"
    return "ordered"


def _ordered(sized: Any) -> None:
    sized < 1  # noqa: B015


def a_type_of_its_own() -> object:
    return isinstance({}.keys(), tuple)


def a_length_is_too_long() -> object:
    r = range(-sys.maxsize, sys.maxsize)
    try:
        n = len(r)
    except OverflowError:
        n = 0
    return n


def a_manager_cannot_be_made(makers: Any) -> object:
    found = 1
    try:
        with makers["fails"]():
            found = 2
    except ZeroDivisionError:
        found = 3
    return found


def a_class_of_the_module() -> object:
    global Declared

    class Declared:
        pass

    return Declared.__qualname__


def a_module_of_an_imported_name() -> object:
    return FRESH.bisect([1, 2], 1), FRESH.__spec__ is FRESH_SPEC


FRESH_SPEC: Any = importlib.util.find_spec("bisect")
FRESH: Any = importlib.util.module_from_spec(FRESH_SPEC)
FRESH_SPEC.loader.exec_module(FRESH)


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
    parameters_have_kinds: (),
    parameters_by_position_alone: (),
    a_frozen_set_is_hashable: (),
    a_walrus_in_a_string: (),
    annotations_of_a_class: (),
    who_still_refers_to_it: (),
    what_an_exception_has_seen: (),
    lists_have_an_identity: (),
    a_list_is_handed_back: (),
    a_tuple_is_handed_back: (),
    a_tuple_is_given_twice: (Keeps(),),
    a_list_is_kept_in_another: (Keeps(),),
    a_list_in_a_kept_list_is_written: (Keeps(),),
    a_table_of_copies_is_written: (),
    the_greatest_of_lists: (),
    a_comparison_fails: (Sized(),),
    a_type_of_its_own: (),
    a_length_is_too_long: (),
    a_manager_cannot_be_made: ({"fails": lambda: 1 // 0},),
    a_class_of_the_module: (),
    a_module_of_an_imported_name: (),
}
"""The functions, with their arguments."""

REFUSED = {
    "an_iterator_is_returned": "AG102",
    "a_product_of_many_objects": "AG102",
    "a_class_of_the_module": "AG101",
    "a_list_times_an_object": "AG106",
    "names_of_a_function_that_has_returned": "AG102",
    "parameters_by_position_alone": "AG103",
    "a_walrus_in_a_string": "AG101",
    "who_still_refers_to_it": "AG102",
    "what_an_exception_has_seen": "AG102",
}
"""What is refused, with the code."""
