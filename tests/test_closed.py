"""Transforms are closed: tangent over adjoint, adjoint over adjoint, and generated source as input.

The three give the same Hessian-vector product by different ways through the pipeline, over the
in-place programs, which are the hardest to get right.
"""

import math
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, hvp, tangent
from tests.test_inplace import PROGRAMS, X

V = np.array([0.3, -0.8, 0.5, 0.1, -0.4, 0.9])
W = np.array([-0.6, 0.2, 0.7, -0.3, 0.5, 0.1])


def by_name(f: Callable[..., Any]) -> str:
    return f.__name__


@pytest.mark.parametrize("f", PROGRAMS, ids=by_name)
def test_second_order_agrees_with_differences_of_the_gradient(f: Callable[..., Any]) -> None:
    h = 1e-5
    slope = (grad(f)(X + h * W) - grad(f)(X - h * W)) / (2 * h)
    np.testing.assert_allclose(hvp(f, (X.copy(),), (W,)), slope, rtol=1e-5, atol=1e-6)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", PROGRAMS, ids=by_name)
def test_the_adjoint_of_the_adjoint_is_the_transpose_of_its_tangent(f: Callable[..., Any]) -> None:
    reverse = adjoint(adjoint(f), "x")
    x_bar_bar = reverse(X.copy(), 1.0, 0.0, V)[1]
    product = hvp(f, (X.copy(),), (W,))
    assert x_bar_bar @ W == pytest.approx(V @ product, rel=1e-9, abs=1e-12)


def imported(path: Path) -> Any:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", PROGRAMS, ids=by_name)
def test_generated_source_is_accepted_as_input(f: Callable[..., Any], tmp_path: Path) -> None:
    program = adjoint(f)
    program(X.copy(), 1.0)
    path = tmp_path / f"generated_{f.__name__}.py"
    path.write_text(program.source, "utf-8")
    again = getattr(imported(path), f"{f.__name__}_adjoint")
    _, x_bar_dot = tangent(again, "x")(X.copy(), 1.0, W)[1]
    np.testing.assert_allclose(x_bar_dot, hvp(f, (X.copy(),), (W,)), rtol=1e-9, atol=1e-12)


def guarded(x: Any) -> Any:
    total = 0.0
    for k in range(8):
        try:
            total += x[k] * x[k] * math.sqrt(x[k])
        except ValueError:
            total += x[k] ** 3
        except IndexError as error:
            print(error, end="")
            total *= total
            break
    return total


def test_a_program_that_follows_exceptions_is_accepted_as_input(tmp_path: Path) -> None:
    program = adjoint(guarded)
    program(X.copy(), 1.0)
    path = tmp_path / "generated_guarded.py"
    path.write_text(program.source, "utf-8")
    again = imported(path).guarded_adjoint
    _, x_bar_dot = tangent(again, "x")(X.copy(), 1.0, W)[1]
    np.testing.assert_allclose(x_bar_dot, hvp(guarded, (X.copy(),), (W,)), rtol=1e-9, atol=1e-12)
