"""What of a file is compiled again to be observed, and which files."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjointgen import grad
from adjointgen.observe.isolated import observed, observed_kinds, observed_outcomes

TEXT = '''
from __future__ import annotations

import json


def never(x):
    def inner(y):
        return json.loads(y)

    return inner(x)


class Model:
    """A class of whose methods few run."""

    scale = 2

    def never(self, x):
        return super().__init__()

    if scale:

        def plain(self, x):
            k = json.loads("3")
            return x * k if x > 0 else x

    try:

        @staticmethod
        def wrapped(x):
            def inner(y):
                return y * json.loads("4")

            return inner(x)

    except NotImplementedError:
        pass


match 1:
    case 1:
        halved = lambda x: x / json.loads("2")
    case _:
        pass
'''
OTHER = """
import json


def far(x):
    return x * json.loads("5.5")
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    names = {"probed_model": TEXT, "probed_other": OTHER}
    for name, text in names.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tuple(map(__import__, names))  # type: ignore[misc]
    for name in names:
        del sys.modules[name]


def lines(text: str, module: ModuleType) -> set[int]:
    """The lines of a module's text in which some text stands."""
    file = Path(str(module.__file__)).read_text("utf-8")
    return {k for k, line in enumerate(file.splitlines(), 1) if text in line}


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (lambda m: m.Model().plain(1.0), '"3"'),
        (lambda m: m.Model.wrapped(1.0), '"4"'),
        (lambda m: m.halved(1.0), '"2"'),
    ],
    ids=["method", "inner", "lambda"],
)
def test_functions_are_probed_wherever_they_stand(
    run: Callable[[Any], object], text: str, modules: tuple[Any, Any]
) -> None:
    model, _ = modules
    found = observed_kinds(lambda: run(model))
    assert lines(text, model) <= {place[0] for _, place in found}


def test_what_is_in_other_files_is_not_noted(modules: tuple[Any, Any]) -> None:
    model, other = modules

    def run() -> Any:
        return model.Model().plain(other.far(1.0))

    (mine,) = {str(Path(model.__file__))}
    assert {file for file, _ in observed_kinds(run)} == {mine, other.__file__, __file__}
    assert {file for file, _ in observed_kinds(run, {mine})} == {mine}
    assert {file for file, _ in observed_outcomes(run, {mine})} == {mine}
    notes = observed(run, {mine})
    assert notes is not None
    assert {*notes.files} == {mine}
    assert observed_kinds(run, set()) == {}


def test_files_that_are_reached_later_are_observed_then(modules: tuple[Any, Any]) -> None:
    """The first refusal lies in one file, the next one in the other, which had not been read."""
    model, other = modules

    def both(x: float) -> Any:
        return other.far(model.Model().plain(x))

    assert grad(both)(1.5) == 16.5
