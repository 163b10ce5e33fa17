"""Helpers that mean another object by a name than the function that calls them."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

from adjointgen import generate, grad
from adjointgen.errors import Unsupported


def total(x: Any) -> Any:
    return np.sum(TABLE * x)


def with_helper(TABLE: Any) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        return np.sum(TABLE * x) + total(x)

    return f


def with_number(TABLE: float) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        return TABLE * np.sum(x) + total(x)

    return f


TABLE: Final = np.array([10.0, 20.0])


def with_two_cells(TABLE: Any) -> Callable[[Any], Any]:
    def helper(x: Any) -> Any:
        return np.sum(TABLE * x)

    def within(TABLE: Any) -> Callable[[Any], Any]:
        return lambda x: np.sum(TABLE * x) + helper(x)

    return within(np.array([3.0, 4.0]))


def test_an_object_of_the_module_is_told_from_one_of_its_name_in_a_cell() -> None:
    here = grad(with_helper(np.array([1.0, 2.0])))
    assert here(np.ones(2)).tolist() == [11.0, 22.0]
    assert grad(with_helper(TABLE))(np.ones(2)).tolist() == [20.0, 40.0]


def test_two_objects_of_one_name_in_cells_are_refused() -> None:
    with pytest.raises(Unsupported, match="two different objects are called TABLE") as refusal:
        grad(with_two_cells(np.array([1.0, 2.0])))(np.ones(2))
    assert refusal.value.code == "AG108"


HELPER = """
import numpy as np
from statistics import NormalDist
norm = NormalDist(1.0, 2.0)
cdf = norm.cdf
TABLE = np.array([5.0, 7.0])
limit = 3.0
def scaled(x):
    return x * TABLE[1] * limit
def through(x):
    return 2.0 * cdf(x)
"""
MODEL = """
import numpy as np
from statistics import NormalDist
from names_helper import scaled, through
norm = NormalDist()
cdf = norm.cdf
TABLE = np.array([1.0, 2.0])
limit = 4.0
def model(x):
    return scaled(x) * TABLE[0] * x * limit + cdf(x) * through(x)
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module and one that it imports from, in which names stand for other objects."""
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in (("names_helper", HELPER), ("names_model", MODEL)):
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    import names_model  # type: ignore[import-not-found]

    return names_model  # type: ignore[no-any-return]


def test_an_object_of_another_module_is_read_from_there(model: ModuleType) -> None:
    f, x, h = model.model, 0.3, 1e-6
    slope = (f(x + h) - f(x - h)) / (2.0 * h)
    assert grad(f)(x) == pytest.approx(slope, rel=1e-7)
    model.scaled.__globals__["TABLE"] = np.array([50.0, 70.0])
    slope = (f(x + h) - f(x - h)) / (2.0 * h)
    assert grad(f)(x) == pytest.approx(slope, rel=1e-7)


def test_a_module_that_is_written_imports_both(model: ModuleType, tmp_path: Path) -> None:
    text = generate(model.model, "x", types={"x": "float"}).body
    assert "TABLE[1]" in text and ".TABLE[0]" in text
    space: dict[str, Any] = {}
    exec(compile(text, "written", "exec"), space)
    f, x, h = model.model, 0.3, 1e-6
    slope = (f(x + h) - f(x - h)) / (2.0 * h)
    assert space["model_adjoint"](x, 1.0)[1] == pytest.approx(slope, rel=1e-7)
