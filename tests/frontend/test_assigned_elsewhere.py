"""Variables and functions of a module that another module of its package assigns.

What is generated from text does not use the value that the module's own text gives them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adjointgen import AdjointgenError, generate

CONSTANTS = "W = 3.0\nV = 2.0\ndef g(x): return x * 2.0\ndef h(x, k=2.0): return x * k\n"
SOURCE = """
from . import sub
from .sub import W, g, h
def attribute(x: float): return x * sub.W
def name(x: float): return x * W
def function(x: float): return g(x)
def default(x: float): return h(x)
def other(x: float): return x * sub.V
"""


def written(folder: Path, third: str, function: str) -> str:
    """The program for a function of the package whose third module has this text."""
    package = folder / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("from . import third\n")
    files = {"sub": CONSTANTS, "source": SOURCE, "third": third}
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    return generate(f"{package / 'source.py'}::{function}", wrt="x").source


@pytest.mark.parametrize(
    ("third", "function"),
    [
        ("from . import sub\nsub.W = 7.0\n", "attribute"),
        ("from . import sub\nsub.W = 7.0\n", "name"),
        ("import pack.sub\npack.sub.W = 7.0\n", "name"),
        ("import pack.sub as s\ns.W += 7.0\n", "name"),
        ("from . import sub as s\ns.W, s.X = 7.0, 1.0\n", "attribute"),
        ("def change():\n    from . import sub\n    sub.W: float = 7.0\nchange()\n", "name"),
        ("from . import sub\ndel sub.W\n", "attribute"),
        ("from . import sub\nsetattr(sub, 'W', 7.0)\n", "name"),
        ("from . import sub\ndelattr(sub, 'W')\n", "attribute"),
        ("from . import sub\nfor sub.W in (7.0,): pass\n", "name"),
        ("import sys\nfrom . import sub\nsys.modules['pack.sub'].W = 7.0\n", "name"),
        ("from . import sub\nsub.g = lambda x: 5.0 * x\n", "function"),
        ("from .sub import g\ng.__code__ = (lambda x: 5.0 * x).__code__\n", "function"),
        ("from . import sub\nsub.g.__code__ = (lambda x: 5.0 * x).__code__\n", "function"),
        ("from .sub import h as k\nk.__defaults__ = (5.0,)\n", "default"),
    ],
)
def test_what_another_module_assigns_is_not_taken_from_the_text(
    tmp_path: Path, third: str, function: str
) -> None:
    with pytest.raises(AdjointgenError) as caught:
        written(tmp_path, third, function)
    assert caught.value.code == "AG201"


@pytest.mark.parametrize(
    "third",
    [
        "from . import sub\nsub.V == 7.0\nsub.W = 7.0\n",
        "class P: pass\np = P()\np.V = 1.0  # not that of sub\n",
        "from . import sub\nx = dict(V=sub.V)\n",
        "from . import other_sub\nother_sub.V = 1.0\n",
        "sub.V = (\n",
    ],
)
def test_what_is_not_assigned_is_a_constant(tmp_path: Path, third: str) -> None:
    assert "x * 2.0" in written(tmp_path, third, "other")


def test_a_pipe_beside_the_module_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "source.py").write_text("W = 2.0\ndef f(x: float): return x * W\n")
    assert "x * 2.0" in generate(f"{tmp_path / 'source.py'}::f", wrt="x").source
