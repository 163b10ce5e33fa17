"""A record does what a data class of the standard library does that is defined in the same way."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adjointgen import records

PACKAGE = Path(records.__file__).parent


def classes(library: Any) -> Any:
    """The same classes, made by one library or the other."""
    dataclass, field = library.dataclass, library.field

    @dataclass(frozen=True, slots=True)
    class Point:
        x: float
        y: float = 2.0
        source: object = field(compare=False, default_factory=lambda: "here")

    @dataclass(frozen=True, slots=True)
    class One:
        x: object

    @dataclass(frozen=True, slots=True)
    class Nothing:
        """No field at all."""

    @dataclass(slots=True)
    class Open:
        items: list[int] = field(default_factory=list)
        count: int = 0

    @dataclass(frozen=True, slots=True, eq=False)
    class Same:
        x: int = 1

    return SimpleNamespace(**locals())


OURS, THEIRS = classes(records), classes(dataclasses)
SAME: dict[str, Callable[[Any], object]] = {
    "equal": lambda c: c.Point(1.0) == c.Point(1.0, 2.0, "there"),
    "unequal": lambda c: (c.Point(1.0) == c.Point(2.0), c.One(1.0) == c.Point(1.0)),
    "other": lambda c: (c.One(1) == 1, c.One(1) != (1,)),
    "hash": lambda c: len({c.Point(1.0), c.Point(1.0), c.Point(2.0), c.Nothing(), c.Nothing()}),
    "no hash": lambda c: c.Open.__hash__,
    "identity": lambda c: (c.Same() == c.Same(), len({c.Same(), c.Same()})),
    "repr": lambda c: [repr(v).split(".")[-1] for v in (c.Point(1.0), c.Nothing(), c.Open())],
    "match": lambda c: [cls.__match_args__ for cls in (c.Point, c.Nothing, c.Open)],
    "fresh": lambda c: (c.Open().items is c.Open().items, c.Open([1]).items),
    "fields": lambda c: [(f.name, f.compare) for f in dataclasses.fields(c.Point)],
    "known": lambda c: (dataclasses.is_dataclass(c.Open), dataclasses.asdict(c.Point(1.0))),
    "replace": lambda c: dataclasses.replace(c.Point(1.0), y=3.0) == c.Point(1.0, 3.0),
    "copy": lambda c: copy.deepcopy(c.One([1])) == c.One([1]),
    "slots": lambda c: hasattr(c.Point(1.0), "__dict__"),
    "nan": lambda c: (x := c.One(float("nan"))) == c.One(x.x),
}


@pytest.mark.parametrize("few", [0, 1, records.FEW])
@pytest.mark.parametrize("what", SAME)
def test_it_does_what_the_standard_library_does(
    what: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "FEW", few)
    assert SAME[what](classes(records)) == SAME[what](THEIRS)


@pytest.mark.parametrize("library", [OURS, THEIRS], ids=["ours", "theirs"])
def test_it_is_frozen(library: Any) -> None:
    point = library.Point(1.0)
    with pytest.raises(AttributeError, match="x"):
        point.x = 2.0
    with pytest.raises(AttributeError, match="x"):
        del point.x
    opened = library.Open()
    opened.count = 3
    assert opened.count == 3


def test_a_copy_has_the_values_that_are_given() -> None:
    assert records.replace(OURS.Point(1.0), y=3.0) == OURS.Point(1.0, 3.0)
    assert records.replace(OURS.Point(1.0, source="s")).source == "s"
    with pytest.raises(TypeError, match="z"):
        records.replace(OURS.Point(1.0), z=3.0)


@records.dataclass(frozen=True, slots=True)
class Kept:
    """A class that can be found again."""

    x: int


def test_it_is_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1))) == Kept(1)


def test_a_default_ends_the_required_fields() -> None:
    @records.dataclass(slots=True)
    class Wrong:
        x: int = 1
        y: int  # type: ignore[misc]

    with pytest.raises(TypeError, match="y"):
        Wrong(1)


@pytest.mark.parametrize("few", [0, records.FEW])
def test_arguments_are_checked(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "FEW", few)
    library = classes(records)
    with pytest.raises(TypeError, match="x"):
        library.Point()
    with pytest.raises(TypeError):
        library.Point(1.0, 2.0, 3.0, 4.0)
    with pytest.raises(TypeError, match="x"):
        library.Point(1.0, x=2.0)
    with pytest.raises(TypeError, match="z"):
        library.Point(1.0, z=2.0)


def test_what_is_imported_for_a_first_derivative_is_made_of_records() -> None:
    """Only what judges derivatives or passes, and takes a while anyway, has the standard ones.

    A function may import them where it makes a data class for the user.
    """
    others = {
        path.parent.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
    }
    assert others == {"verify", "opt"}
