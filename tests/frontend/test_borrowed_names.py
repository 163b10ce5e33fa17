"""Objects that say a name which stands for another object, or for none that can be imported."""

import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad
from adjointgen.api.calls.modes import primal

X = np.array([1.0, 2.0, 3.0])


@functools.wraps(np.sum)
def twice_the_sum(x: Any) -> Any:
    return 2.0 * np.sum(x)


class Thrice:
    """An object that says it is `np.sum`."""

    def __init__(self) -> None:
        functools.update_wrapper(self, np.sum)

    def __call__(self, x: Any) -> Any:
        return 3.0 * np.sum(x)


thrice_the_sum = Thrice()


def doubled(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(f)
    def wrapper(x: Any) -> Any:
        return 2.0 * f(x)

    return wrapper


class Entry:
    """A class that says that NumPy has it."""


Entry.__module__ = "numpy"
DTYPES = [np.float64, np.longdouble, Entry]


def of_a_wrapper(x: Any) -> Any:
    return twice_the_sum(x)


def of_an_object(x: Any) -> Any:
    return thrice_the_sum(x)


def of_an_entry(x: Any) -> Any:
    return x.astype(DTYPES[1]), DTYPES[1](2), type(DTYPES[2]())


@pytest.mark.parametrize("f", [of_a_wrapper, of_an_object, of_an_entry])
def test_the_object_is_called(f: Callable[[Any], Any]) -> None:
    assert repr(primal(f, wrt=())(X)) == repr(f(X))


def test_derivatives_are_those_of_the_wrapper() -> None:
    assert grad(lambda x: twice_the_sum(x))(X).tolist() == [2.0, 2.0, 2.0]


def test_an_object_of_a_known_name_is_no_known_function() -> None:
    assert grad(lambda x: thrice_the_sum(x))(X).tolist() == [3.0, 3.0, 3.0]


RULES = """
from adjointgen import custom
from tests.frontend.test_borrowed_names import doubled

@custom(adjoint=lambda y, x, y_bar: 5.0 * y_bar)
def with_a_rule(x):
    return 3.0 * x

@doubled
@custom(adjoint=lambda y, x, y_bar: 5.0 * y_bar)
def its_name_is_a_wrapper(x):
    return 3.0 * x

twice_with_a_rule = doubled(with_a_rule)

def by_a_wrapper(x):
    return twice_with_a_rule(x)

def by_the_rule(x):
    return with_a_rule(x)

def by_the_name(x):
    return its_name_is_a_wrapper(x)
"""
"""A module that declares rules."""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "borrowed_rules.py").write_text(RULES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "borrowed_rules", raising=False)
    return importlib.import_module("borrowed_rules")


def test_a_rule_is_that_of_the_function_and_not_of_its_wrapper(rules: ModuleType) -> None:
    assert grad(rules.by_a_wrapper)(2.0) == 10.0
    assert grad(rules.by_the_rule)(2.0) == 5.0


def test_a_rule_whose_name_is_a_wrapper_is_refused(rules: ModuleType) -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(rules.by_the_name)(2.0)
    assert caught.value.code == "AG201"


def test_a_patched_wrapper_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = np.sinh

    @functools.wraps(np.sum)
    def other(x: Any) -> Any:
        return 7.0 * plain(x)

    monkeypatch.setattr(np, "sinh", other)
    assert grad(lambda x: np.sinh(x))(0.0) == pytest.approx(7.0)
