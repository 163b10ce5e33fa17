"""Functions by the names that their packages hand out, which other modules define."""

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate
from adjointgen.errors import SourceError

NUMBER = itertools.count()
AREA = """
SCALE = 3.0

def area(x: float, y: float) -> float:
    return SCALE * x * y

class Box:
    @staticmethod
    def volume(x: float) -> float:
        return x * area(x, x)
"""

Made = Callable[[str], str]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Writes a package of this `__init__` and a module `_area`; returns its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str) -> str:
        folder = tmp_path / f"package{next(NUMBER)}"
        folder.mkdir()
        (folder / "__init__.py").write_text(text)
        (folder / "_area.py").write_text(AREA)
        (folder / "_all.py").write_text("from ._area import Box, area as surface\n")
        return folder.name

    return write


def body(text: str) -> str:
    """What stands below the header."""
    return "".join(text.partition('"""')[1:])


@pytest.mark.parametrize(
    "init, name, own",
    [
        ("from ._area import area", "area", "area"),
        ("from ._area import area as size", "size", "area"),
        ("from ._area import *", "area", "area"),
        ("from ._all import surface", "surface", "area"),
        ("from ._all import Box as B", "B.volume", "Box.volume"),
    ],
)
def test_the_text_of_an_import_is_followed(package: Made, init: str, name: str, own: str) -> None:
    made = package(init + "\n")
    found = generate(f"{made}:{name}").source
    assert body(found) == body(generate(f"{made}._area:{own}").source)
    assert f"# source: {made}:{name}\n" in found


UNDECIDED = "from ._area import *\nfrom .nowhere import *\n"
CHANGED = "from ._area import area\nglobals()['area'] = lambda x, y: x - y\n"


@pytest.mark.parametrize("init, code", [(UNDECIDED, "AG002"), (CHANGED, "AG009")])
def test_what_the_text_leaves_open_is_refused(package: Made, init: str, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        generate(f"{package(init)}:area")
    assert caught.value.code == code


def test_an_example_runs_the_module_that_leaves_it_open(package: Made) -> None:
    made = package("from ._area import *\nif len(__name__):\n    from ._all import *\n")
    with pytest.raises(SourceError, match="AG002"):
        generate(f"{made}:surface")
    namespace: dict[str, Any] = {}
    exec(generate(f"{made}:surface", example=(2.0, 5.0)).source, namespace)
    assert namespace["area_adjoint"](2.0, 5.0) == (30.0, 15.0, 6.0)
    assert f"{made}._area" in sys.modules


def test_modules_that_import_each_other(package: Made) -> None:
    made = package("from . import area\n")
    with pytest.raises(SourceError, match="AG002"):
        generate(f"{made}:area")


@pytest.mark.parametrize("name", ["numpy:trapezoid", "numpy.lib._function_base_impl:trapezoid"])
@pytest.mark.parametrize("live", [False, True])
def test_functions_that_numpy_dispatches(name: str, live: bool) -> None:
    y = np.array([0.3, 0.5, 1.2])
    made = generate(np.trapezoid if live else name, example=(y,))
    namespace: dict[str, Any] = {}
    exec(made.source, namespace)
    value, y_bar = namespace["trapezoid_adjoint"](y)[:2]
    assert value == pytest.approx(np.trapezoid(y))
    assert y_bar == pytest.approx([0.5, 1.0, 0.5])
