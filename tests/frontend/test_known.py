"""What is known when a program is made: keys of tables, axes that are arguments, where recursion
ends."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import check, grad
from tests.frontend.agree import agrees

WHEN = {"end": 0, "begin": 1, "e": 0, "b": 1, 0: 0, 1: 1}
AXES = {name: (k, 1, 0, 0) for k, name in enumerate(("sxyz", "sxyx", "sxzy", "syxz"))}
NAMES = {axes: name for name, axes in AXES.items()}


def convert(when: Any) -> Any:
    try:
        return WHEN[when]
    except (KeyError, TypeError):
        return [WHEN[entry] for entry in when]


def future_value(rate: float, n: float, when: Any = "end") -> Any:
    return (1.0 + rate) ** n * (1.0 + rate * convert(when))


def euler(a: float, axes: Any = "sxyz") -> Any:
    try:
        first, parity, _, _ = AXES[axes]
    except (AttributeError, KeyError):
        NAMES[axes]
        first, parity, _, _ = axes
    return a * a * (1 + first) + parity * a


def letters(a: float, name: str = "xyz") -> Any:
    for letter in name:
        a = a * a if letter == "y" else a + 1.0
    return a


def holds_text(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(holds_text(entry) for entry in value)
    return isinstance(value, str)


def nested(a: float) -> Any:
    return a if holds_text([a, [a, (a, 2)]]) else a * a


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (future_value, (0.1, 3.0)),
        (future_value, (0.1, 3.0, "begin")),
        (euler, (2.0,)),
        (euler, (2.0, "syxz")),
        (euler, (2.0, (2, 1, 0, 0))),
        (letters, (1.5,)),
        (nested, (2.0,)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_tables_hold(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    defaults = f.__defaults__ or ()
    agrees(f, *args, *defaults[len(defaults) - f.__code__.co_argcount + len(args) :])


def distance(x: Any, y: Any, axis: int = 0) -> Any:
    return np.mean((x - y) ** 2, axis=axis)


def total(x: Any, axis: int) -> Any:
    doubled = 2.0 * x
    return np.sum(doubled * doubled, axis)


def of_totals(x: Any, axis: int = 0) -> Any:
    return np.sum(total(x, axis) ** 2)


X = np.arange(6.0).reshape(2, 3) + 0.5


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_axis_that_is_an_argument(axis: int) -> None:
    agrees(lambda x, y, axis: distance(x, y, axis), X, X**2, axis)
    agrees(of_totals, X, axis)


def test_each_axis_has_its_program() -> None:
    gradient = grad(of_totals)
    found = [gradient(X, axis) for axis in (0, 1, 0)]
    assert np.array_equal(found[0], found[2]) and not np.array_equal(found[0], found[1])
    assert check(of_totals, (X, 1)).ok


def with_facts(x: Any) -> Any:
    try:
        limit = 1.5 - np.finfo(x.dtype).eps
    except NameError:
        limit = 0.0
    return x * limit + x * np.finfo(float).tiny


def test_facts_of_floats() -> None:
    agrees(with_facts, X)


def repeated(a: float, n: int = 3) -> Any:
    rows = [[a, a**2], [a**2, 1.0]]
    return np.array([rows] * n)


def test_a_list_of_lists_is_repeated() -> None:
    agrees(repeated, 0.5, 2)


def by_two_moduli(x: float, **moduli: float) -> float:
    (a, b), both = moduli.values(), frozenset
    shear = {both(["E", "nu"]): a / (2.0 + 2.0 * b), both(["K", "G"]): b}
    return x * x * shear[both(moduli)]


def test_frozen_sets_are_keys_of_a_dict() -> None:
    def young(x: float) -> float:
        return by_two_moduli(x, nu=x, E=2.0) + by_two_moduli(x, G=x, K=3.0)

    def other(x: float) -> float:
        return x * {frozenset((3, 1)): x, frozenset((1, 2)): 2.0}[frozenset((2, 1))]

    assert check(young, (0.3,)).ok
    assert grad(other)(1.5) == 2.0
