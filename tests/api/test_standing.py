"""What a program depends on is asked again by code made for it: each kind of look-up, changed."""

import math
import types
from collections.abc import Callable
from typing import Any

import pytest

from adjointgen import grad
from adjointgen.api.arguments.argument_tests import asked_of
from adjointgen.api.specialize.validity_check import standing, standing_for
from adjointgen.watch import MISSING, Cell, Declared, Definition, Kinds, Look, Members

K = 2.0


def root(x: float) -> float:
    return x


def helper(x: float, k: float = 2.0) -> float:
    return k * x


def of_table() -> tuple[Look, Callable[[], Any]]:
    table: dict[str, Any] = {"a": K}
    return Look(table, "a", K), lambda: table.update(a=3.0)


def of_table_without() -> tuple[Look, Callable[[], Any]]:
    table: dict[str, Any] = {"a": K}
    return Look(table, "a", K), table.clear


def of_missing() -> tuple[Look, Callable[[], Any]]:
    table: dict[str, Any] = {}
    return Look(table, "a", MISSING), lambda: table.update(a=3.0)


def of_module() -> tuple[Look, Callable[[], Any]]:
    module = types.ModuleType("m")
    module.a = K  # type: ignore[attr-defined]
    return Look(Members(module), "a", K), lambda: delattr(module, "a")


def of_computed_attribute() -> tuple[Look, Callable[[], Any]]:
    module = types.ModuleType("m")
    found = {"a": K}
    module.__getattr__ = found.__getitem__  # type: ignore[method-assign]
    return Look(Members(module), "a", K), lambda: found.update(a=3.0)


def of_cell() -> tuple[Look, Callable[[], Any]]:
    cell = types.CellType(K)
    return Look(Cell(cell), "a", K), lambda: setattr(cell, "cell_contents", 3.0)


def of_emptied_cell() -> tuple[Look, Callable[[], Any]]:
    cell = types.CellType(K)
    return Look(Cell(cell), "a", K), lambda: delattr(cell, "cell_contents")


def of_kind() -> tuple[Look, Callable[[], Any]]:
    table: dict[str, Any] = {"a": K}
    return Look(Kinds(table), "a", float), lambda: table.update(a=3)


def copied(function: Any) -> Any:
    made = types.FunctionType(function.__code__, {}, "copied")
    made.__defaults__ = function.__defaults__
    return made


def of_code() -> tuple[Look, Callable[[], Any]]:
    own = copied(helper)
    table = Definition(own)
    return Look(table, "", table.state), lambda: setattr(own, "__code__", root.__code__)


def of_defaults() -> tuple[Look, Callable[[], Any]]:
    own = copied(helper)
    table = Definition(own)
    return Look(table, "", table.state), lambda: setattr(own, "__defaults__", (3.0,))


def of_keywords() -> tuple[Look, Callable[[], Any]]:
    own = copied(helper)
    table = Definition(own)
    return Look(table, "", table.state), lambda: setattr(own, "__kwdefaults__", {"k": 3.0})


MAKERS = [
    of_table,
    of_table_without,
    of_missing,
    of_module,
    of_computed_attribute,
    of_cell,
    of_emptied_cell,
    of_kind,
    of_code,
    of_defaults,
    of_keywords,
]


def fitting(looks: list[Look]) -> Callable[[tuple[Any, ...]], bool]:
    """Whether what was looked at stands, and arguments are a float and an integer."""
    asked = asked_of((1.0, 2))
    assert asked is not None
    return standing_for(root, looks, asked.tests, asked.held)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_change_of_each_kind_is_seen(make: Any) -> None:
    look, change = make()
    other = Look({"b": helper}, "b", helper)
    stands = standing(root, [other, look])
    fits = fitting([other, look])
    assert stands()
    assert fits((1.0, 2))
    change()
    assert not stands()
    assert not fits((1.0, 2))


def test_types_and_number_of_arguments() -> None:
    fits = fitting([])
    assert fits((1.0, 2))
    assert not any(map(fits, [(1.0,), (1.0, 2.0), (1, 2), (1.0, 2, 3), (), (1.0, True)]))


def test_code_of_the_function_and_rules_that_are_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    own = copied(helper)
    stands = standing(own, [])
    monkeypatch.setattr(Declared, "count", Declared.count + 1)
    assert not stands()
    stands = standing(own, [])
    assert stands()
    own.__code__ = root.__code__
    assert not stands()


def powers(x: Any, n: Any) -> Any:
    return math.sin(x) * x**n


def test_calls_with_numbers_of_changing_types() -> None:
    slopes = grad(powers)
    for _ in range(3):
        for x, n in [(0.5, 2), (0.5, 2.5), (2.0, 3), (1.5, 2)]:
            known = math.cos(x) * x**n + n * math.sin(x) * x ** (n - 1)
            assert slopes(x, n) == pytest.approx(known, rel=1e-12)
