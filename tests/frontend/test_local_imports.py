"""Imports inside of a function, from modules of the user's that are loaded and from others."""

import importlib
import sys
import types
from typing import Any

import pytest

from adjointgen import AdjointgenError, grad
from tests.frontend.agree import agrees

HELPERS = """
from collections import namedtuple

Pair = namedtuple("Pair", "a b")
TABLE = {"scale": 3.0}
FACTOR = 2.0


def cube(x):
    return FACTOR * x**3


class Line:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return self.slope * x
"""


@pytest.fixture(name="helpers")
def _helpers(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module of a name of its own, which is loaded from a file."""
    path = tmp_path / "helpers_that_are_loaded.py"
    path.write_text(HELPERS)
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__(path.stem)
    monkeypatch.setitem(sys.modules, path.stem, module)
    return module


def of_a_function(x: Any) -> Any:
    from helpers_that_are_loaded import cube  # type: ignore[import-not-found]

    return cube(x) * x


def of_all_kinds(x: Any) -> Any:
    from helpers_that_are_loaded import FACTOR, TABLE, Line, Pair
    from helpers_that_are_loaded import cube as third

    pair = Pair(x, third(x))
    return Line(pair.a)(pair.b) * FACTOR + TABLE["scale"] * x


def of_the_module(x: Any) -> Any:
    import helpers_that_are_loaded as here

    return here.cube(x)


@pytest.mark.parametrize("f", [of_a_function, of_all_kinds, of_the_module])
def test_names_are_what_the_module_holds(f: Any, helpers: types.ModuleType) -> None:
    agrees(f, 0.7)


def test_a_module_may_hold_another_function_afterwards(
    helpers: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    slope = grad(of_a_function)
    assert slope(2.0) == pytest.approx(64.0)
    monkeypatch.setattr(helpers, "cube", lambda x: x)
    assert slope(2.0) == pytest.approx(4.0)


def not_loaded(x: Any) -> Any:
    if x > 1.0:
        from helpers_that_are_loaded import cube

        return cube(x)
    return x * x


def test_a_module_that_is_not_loaded_is_not_loaded_early(
    helpers: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, helpers.__name__)
    try:
        found = grad(not_loaded)(0.5)
    except AdjointgenError:
        found = 1.0
    assert found == 1.0
    assert helpers.__name__ not in sys.modules


PACKAGE = {
    "inner_of_a_package/__init__.py": "",
    "inner_of_a_package/late.py": "SCALE = 3.0\n",
    "inner_of_a_package/sub/__init__.py": "",
    "inner_of_a_package/sub/of.py": """
def scaled(x):
    if x > 1.0:
        from ..late import SCALE

        return x * x * float(SCALE)
    return x


def or_another(x):
    try:
        from ..missing import FACTOR
    except ImportError:
        return x * 5.0
    return x * float(FACTOR)


def fails(x):
    from ..missing import FACTOR

    return x * float(FACTOR)
""",
}


def test_a_relative_import_is_carried_out_where_it_stands(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    of = importlib.import_module("inner_of_a_package.sub.of")
    slope = grad(of.scaled)
    assert slope(0.5) == 1.0 and "inner_of_a_package.late" not in sys.modules
    assert slope(2.0) == 12.0 and "inner_of_a_package.late" in sys.modules
    assert grad(of.or_another)(2.0) == 5.0
    with pytest.raises(ModuleNotFoundError, match="of_a_package"):
        grad(of.fails)(2.0)
