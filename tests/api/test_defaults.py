"""Defaults have the value that they had where the function was defined."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate, value_and_grad

SCALE = 2.0


def grown(x: Any) -> Any:
    global SCALE
    SCALE = SCALE + 1.0
    return x * x * SCALE


def scaled(x: Any, k: float = SCALE, n: int = max(2, 3)) -> Any:
    return x * k * n


def test_a_default_is_a_variable_that_a_function_assigns() -> None:
    derivative = value_and_grad(scaled)
    assert derivative(1.5) == (9.0, 6.0)
    grown(1.0)
    assert SCALE == 3.0
    assert derivative(1.5) == (9.0, 6.0)


REBOUND = """
import numpy as np

W = np.array([1.0, 2.0])
K = 2.0


def by_array(x, w=W):
    return np.sum(x * w)


def by_number(x, k=K):
    return x * k


def by_text(x, k=1.0):
    return x * k


def by_keyword(x, *, k={"a": 2.0}):
    return x * k["a"]


def as_it_was(x, k=(1.0, 2.0)):
    return x * k[1]


by_text.__defaults__ = (3.0,)
by_keyword.__kwdefaults__ = {"k": {"a": 5.0}}
W = np.array([10.0, 20.0])
K = 7.0
"""


def test_a_module_has_the_defaults_that_the_function_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rebound_defaults.py").write_text(REBOUND)
    monkeypatch.syspath_prepend(tmp_path)
    user = importlib.import_module("rebound_defaults")
    for name in ("by_number", "by_text", "by_keyword", "as_it_was"):
        function = getattr(user, name)
        made: dict[str, Any] = {}
        exec(generate(function, wrt="x", modes="adjoint", example=(3.0,)).source, made)
        value, x_bar = made[f"{name}_adjoint"](3.0)
        assert value == function(3.0)
        assert x_bar == function(1.0)
    with pytest.raises(AdjointgenError, match="no longer what its text gives"):
        generate(user.by_array, wrt="x", modes="adjoint", example=(np.ones(2),))


def squares(x: Any) -> Any:
    return np.sum(x * x)


def with_local_defaults() -> Any:
    function, factors = squares, np.array([2.0, 3.0])

    def called(x: Any, f: Any = function, w: Any = factors) -> Any:
        return f(x) * w[1]

    return called


def test_a_default_is_a_variable_of_an_enclosing_function() -> None:
    value, x_bar = value_and_grad(with_local_defaults())(np.array([1.0, 2.0]))
    assert value == 15.0
    assert list(x_bar) == [6.0, 12.0]
