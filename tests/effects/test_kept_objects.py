"""Objects of the caller's that the function puts into each other, or that hold its arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, check, tangent, vjp


class Part:
    def __init__(self, a: float) -> None:
        self.a = a
        self.other: Any = None


def itself(p: Any, x: float) -> float:
    p.other = p
    return float(p.a * x)


def each_other(p: Any, q: Any, x: float) -> float:
    p.other = q
    q.other = p
    return float(p.a * q.a * x)


def test_an_object_is_set_to_itself() -> None:
    p = Part(0.5)
    tangent(itself, "x")(p, 2.0, 1.0)
    assert p.other is p


def test_objects_are_set_to_each_other() -> None:
    p, q = Part(0.5), Part(0.25)
    assert adjoint(each_other, "x")(p, q, 2.0) == (0.25, 0.125)
    assert p.other is q and q.other is p


def by_an_iterator(x: Any) -> Any:
    y = np.zeros(3)
    it = np.nditer((x, y), ["external_loop"], [["readonly"], ["writeonly"]])
    for a, b in it:
        b[...] = 2.0 * a
    return y


def in_a_manager(x: Any) -> Any:
    y = np.zeros(3)
    with np.nditer((x, y), ["external_loop"], [["readonly"], ["writeonly"]]) as it:
        for a, b in it:
            b[...] = 2.0 * a
    return y


def by_closures(x: Any) -> Any:
    y = np.zeros(3)
    holder = type("Holder", (), {"run": lambda self: y.__setitem__(0, x[0])})()
    holder.run()
    return y


@pytest.mark.parametrize("f", [by_an_iterator, in_a_manager, by_closures])
def test_an_object_that_writes_what_is_differentiated_into_an_array(f: Callable[..., Any]) -> None:
    with pytest.raises(AdjointgenError):
        tangent(f)(np.ones(3), np.ones(3))


def summed(x: list[Any]) -> Any:
    total: Any = 0.0
    for row in x:
        total = total + row
    return total


def test_a_sum_of_a_list_of_arrays_begins_with_a_number() -> None:
    x = [np.array([1.0, 2.0]), np.array([3.0, 0.5])]
    check(summed, [x]).raise_on_failure()


def branched(x: float, y: float, k: int) -> tuple[float, float]:
    a, b = x, x + y
    if k > 3:
        b = 0.0
    b *= a
    return a, b


@pytest.mark.parametrize("k", [1, 5])
def test_a_reverse_sweep_reads_its_seeds_itself(k: int) -> None:
    """What it adds up does not stand in a branch of the forward sweep."""
    _, back = vjp(branched, 0.7, 0.9, k)
    _, x_bar, y_bar = adjoint(branched, ("x", "y"))(0.7, 0.9, k, 1.0, 1.0)
    assert back((1.0, 1.0)) == (x_bar, y_bar)


def copied_number(x: float) -> Any:
    a = np.copy(x)
    a[...] = a**2
    return a + 0.0


def test_a_copy_of_a_number_is_an_array() -> None:
    assert tangent(copied_number)(1.5, 1.0) == (2.25, 3.0)


def in_a_loop(p: Any, x: float) -> float:
    for k in range(3):
        p.other.a = p.other.a * x + k
        p.a = p.other.a
    return float(p.a)


def renamed_in_a_loop(p: Any, x: float) -> float:
    for _ in range(3):
        p.a = p.a * x
        p = Part(x)
    return float(p.a)


def swapped(p: Any, q: Any, x: float) -> float:
    for _ in range(3):
        p.a = p.a * x
        p, q = q, p
    return float(p.a * q.a)


def test_attributes_that_loops_set_are_kept() -> None:
    """Also where an iteration gives the name of the object to another."""
    p = Part(1.0)
    p.other = Part(0.5)
    tangent(in_a_loop, "x")(p, 2.0, 1.0)
    assert (p.a, p.other.a) == (8.0, 8.0)
    p = Part(0.5)
    tangent(renamed_in_a_loop, "x")(p, 2.0, 1.0)
    assert p.a == 1.0
    p, q = Part(0.5), Part(0.7)
    tangent(swapped, "x")(p, q, 2.0, 1.0)
    assert (p.a, q.a) == (2.0, 1.4)


class Penalised:
    def __init__(self, k: float) -> None:
        self.k = k
        self.penalty = self.plain

    def plain(self, x: float) -> float:
        return self.k * x * x

    def run(self, x: float) -> float:
        return self.penalty(x)


def test_a_bound_method_that_an_object_holds_has_no_name() -> None:
    try:
        made = tangent(Penalised(2.0).run, "x")(3.0, 1.0)
    except AdjointgenError as error:
        assert error.code == "AG201"
    else:
        assert made == (18.0, 12.0)
