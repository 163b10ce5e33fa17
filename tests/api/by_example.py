"""Modules that are written and imported, for the tests of what is made by an example."""

import importlib.util
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import generate

R = np.random.default_rng(7)
NUMBER = itertools.count()


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[ModuleType, ModuleType]]:
    """Writes a source, generates from it by an example, and imports both."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def make(text: str, name: str, **options: Any) -> tuple[ModuleType, ModuleType]:
        number = next(NUMBER)
        source = tmp_path / f"model_{number}.py"
        source.write_text(text)
        primal = imported(source)
        example = options.get("example")
        if callable(example):
            options["example"] = example(primal)
        module = generate(f"{source.name}::{name}", **options)
        module.write(f"model_{number}_ad.py")
        return primal, imported(tmp_path / f"model_{number}_ad.py")

    return make


def same(a: Any, b: Any) -> None:
    """Whether two gradients are equal in structure, shape and value."""
    if isinstance(a, dict):
        assert isinstance(b, dict) and [*a] == [*b]
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, tuple | list):
        assert type(a) is type(b) and len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif hasattr(a, "__dataclass_fields__"):
        assert type(a) is type(b)
        same(vars(a), vars(b))
    else:
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


LAYERS = R.standard_normal((4, 3)), R.standard_normal(4), R.standard_normal((2, 4))
POINT = (*LAYERS, R.standard_normal(2), R.standard_normal(3))
