"""A module asks whether a tuple of constants is the one that its text was made for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate

TEXT = """
def pick(x, w):
    return x[w[0]] * x[w[1]]


def summed(x, w):
    s = 0.0
    for k in w:
        s += x[k] * k
    return s


def chosen(x, w):
    return x.sum() if w[0] else x.prod()


def shaped(x, w):
    return (x.reshape(w) ** 2).sum(axis=0).prod()


def named(x, w):
    return x[w["places"][0]] * x[w["places"][1]]


def nested(x, w):
    return x[w[0][0]] * x[w[1][0]]


def called(x, w):
    return x[0] * 2.0 if w[0] == "a" else x[1]
"""
PLACES = ({"places": (1, 0)}, {"places": (3, 2)})
CASES = [
    ("pick", (1, 0), (3, 2)),
    ("pick", (1, 0), (1,)),
    ("summed", (1, 2), (1, 2, 3)),
    ("chosen", (True, False), (False, True)),
    ("shaped", (2, 2), (1, 4)),
    ("named", *PLACES),
    ("nested", ((1, 2), (0,)), ((3, 2), (2,))),
    ("called", ("a", 1), ("b", 1)),
]
X = np.array([0.7, -1.3, 2.1, 0.4])


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize(("name", "own", "other"), CASES)
def test_another_tuple_is_refused(
    name: str, own: Any, other: Any, mode: str, tmp_path: Path
) -> None:
    source, written = tmp_path / "source.py", tmp_path / "written.py"
    source.write_text(TEXT)
    generate(f"{source}::{name}", wrt="x", modes=mode, example=((X, own), {})).write(written)
    function = getattr(loaded(written), f"{name}_{mode}")
    more = (np.ones(4),) if mode == "tangent" else ()
    assert function(X, own, *more)[0] == getattr(loaded(source), name)(X, own)
    with pytest.raises(ValueError, match="was differentiated for"):
        function(X, other, *more)


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
