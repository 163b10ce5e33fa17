"""Functions of iterators and ranges that were once different in primal programs."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any


class Backwards:
    """A sequence of the old kind."""

    def __getitem__(self, i: int) -> str:
        if i < 3:
            return str(i)
        raise IndexError

    def __len__(self) -> int:
        return 3


def a_range_backwards() -> object:
    listed = list(reversed(range(1, 17, 5)))
    return listed == [16, 11, 6, 1], listed != listed[::-1]


def an_iterator_is_no_list(n: int) -> object:
    return reversed([1, 2]) == [2, 1], iter(range(n)) != [0], enumerate("ab") == (1, 2)


def keys_backwards(known: Any) -> object:
    return list(reversed(known)) == ["b", "a"], len(list(reversed(known)))


def a_sequence_backwards(given: Any) -> object:
    return list(reversed(given)), list(iter(given))


def a_list_is_printed(n: int) -> object:
    return str(list(reversed(range(n)))), f"{list(enumerate(range(n)))}"


def an_iterator_is_returned(known: Any) -> object:
    return reversed(known)


def products_have_all_digits(n: int) -> object:
    return math.prod(range(1, 30)), math.prod([n, 2**40, 2**40]), math.prod(range(1, 5), start=2)


def a_product_of_many_objects() -> object:
    return math.prod(map(Decimal, range(1, 9999)))


OF_ITERATORS: dict[Any, tuple[Any, ...]] = {
    a_range_backwards: (),
    an_iterator_is_no_list: (3,),
    keys_backwards: ({"a": 1, "b": 2},),
    a_sequence_backwards: (Backwards(),),
    a_list_is_printed: (3,),
    an_iterator_is_returned: ("abc",),
    products_have_all_digits: (7,),
    a_product_of_many_objects: (),
}
"""The functions, with their arguments."""
