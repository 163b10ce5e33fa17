"""A compiled program of the function itself leaves arguments alone, or is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate


def summed(x: Any, y: Any) -> Any:
    for _ in range(2):
        x = x + y
    return x


def parts(x: Any, y: Any) -> Any:
    k = len(x) - len(y)
    return x[k:] * x[: len(x) - k]


def written(x: Any, y: Any) -> Any:
    x[1:] *= y[:-1]
    return np.sum(x)


X, Y = np.array([1.0, 1.0, 2.0, 0.0]), np.array([0.5, -1.0, 1.0, 2.0])


@pytest.mark.parametrize("f", [summed, parts])
def test_arguments_are_left_alone(f: Any, tmp_path: Path) -> None:
    path = tmp_path / f"{f.__name__}_ad.py"
    made = generate(f, modes="primal", compile="numba", example=((X, Y), {}))
    path.write_text(str(made), "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x, y = X.copy(), Y.copy()
    np.testing.assert_array_equal(getattr(module, f"{f.__name__}_primal")(x, y), f(X, Y))
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, Y)


def test_a_function_that_writes_to_its_arguments_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="writes to x"):
        generate(written, modes="primal", compile="numba", example=((X, Y), {}))
