"""What cannot be differentiated is refused with a code, a place, and what to do instead.

`docs/errors` has a page for every code, and its examples are tested there; here are the mistakes
that people make, each told by the code it has to have and by what it must point at.
"""

import asyncio
import json
import linecache
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, grad, tangent
from adjointgen.api.modules.module import generate
from adjointgen.errors import NoRule, NotDifferentiable, SourceError, TypeMismatch, Unsupported


def refused(call: Callable[[], Any], kind: type[AdjointgenError], code: str) -> AdjointgenError:
    """The error of a call, which has a code, and says what to do."""
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.code == code, str(caught.value)
    return caught.value


def pointed_at(error: AdjointgenError) -> str:
    """The text under the caret."""
    assert error.span is not None
    line = linecache.getline(error.span.file, error.span.line)
    return line[error.span.column : error.span.end_column]


def square(x: float) -> float:
    return x * x


def test_a_missing_function(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def square(x):\n    return x * x\n", "utf-8")
    target = f"{tmp_path}/model.py::sqare"
    error = refused(lambda: generate(target), SourceError, "AG002")
    assert "square" in error.help


def test_a_function_that_is_defined_elsewhere(tmp_path: Path) -> None:
    """Where imports leave open which one it is, the first is named; circles end."""
    package = tmp_path / "shapes_elsewhere"
    package.mkdir()
    (package / "__init__.py").write_text("from ._all import *\nfrom ._all import area as size\n")
    (package / "_all.py").write_text(
        "from . import *\nif __debug__:\n    from ._area import area\n"
    )
    (package / "_area.py").write_text("def area(x: float) -> float:\n    return x * x\n")
    for name in ("area", "size"):
        target = f"{package}/__init__.py::{name}"
        error = refused(lambda target=target: generate(target), SourceError, "AG002")
        assert "name it shapes_elsewhere._area:area" in error.help
    error = refused(lambda: generate(f"{package}/__init__.py::volume"), SourceError, "AG002")
    assert "no functions" in error.help


def test_a_missing_file(tmp_path: Path) -> None:
    error = refused(lambda: generate(f"{tmp_path}/model.py::f"), SourceError, "AG003")
    assert "model.py" in error.message


def test_a_syntax_error(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x):\n    return x +* x\n", "utf-8")
    error = refused(lambda: generate(f"{tmp_path}/model.py::f"), SourceError, "AG001")
    assert error.span is not None and error.span.line == 2


def test_no_source() -> None:
    names: dict[str, Any] = {}
    exec("\n".join(["def f(x):", "    return x * 0.8125 * x"]), names)
    refused(lambda: grad(names["f"])(1.0), SourceError, "AG004")


@pytest.mark.parametrize("wrt", ["y", 1, -2, ("x", "y"), "x, y"])
def test_an_unknown_argument(wrt: Any) -> None:
    error = refused(lambda: grad(square, wrt=wrt)(1.0), TypeMismatch, "AG402")
    assert "x" in error.help


@pytest.mark.parametrize("x", [3, np.int64(3), True])
def test_an_integer(x: Any) -> None:
    error = refused(lambda: grad(square)(x), TypeMismatch, "AG403")
    assert "float" in error.help


def test_a_result_that_is_no_scalar() -> None:
    refused(lambda: grad(square)(np.ones(3)), TypeMismatch, "AG404")


def numbers(x: float) -> Iterator[float]:
    yield x


async def later(x: float) -> float:
    await asyncio.sleep(0)
    return x


async def stream(x: float) -> AsyncIterator[float]:
    yield x


@pytest.mark.parametrize("f", [numbers, later, stream])
def test_what_does_not_return_its_value(f: Callable[..., Any]) -> None:
    error = refused(lambda: grad(f)(1.0), Unsupported, "AG101")
    assert error.span is not None and f.__name__ in error.message


def evaluated(x: float) -> Any:
    return eval("x * x")


def executed(x: float) -> Any:
    exec("y = x * x")
    return x


def local_names(x: float) -> Any:
    y = x * x
    return locals()["y"]


def evaluated_with_names(x: float) -> Any:
    return eval("x * x", {"x": x})


@pytest.mark.parametrize("f", [evaluated, executed, evaluated_with_names])
@pytest.mark.parametrize("mode", [grad, adjoint, tangent])
def test_code_in_a_string(f: Callable[..., Any], mode: Callable[..., Any]) -> None:
    """Which values it reads is not known, so none is taken to be passive."""
    seeds = [1.0] if mode is tangent else []
    error = refused(lambda: mode(f)(1.0, *seeds), Unsupported, "AG101")
    assert pointed_at(error).startswith(("eval(", "exec(")) and error.help


def test_names_of_the_function_itself_are_known() -> None:
    assert grad(local_names)(3.0) == 6.0


def through_text(x: float) -> float:
    return float(json.dumps({"x": x})[6:-1])


def through_json(x: float) -> float:
    return float(json.dumps(x))


def interpolated(x: float) -> Any:
    return np.interp(0.5, np.array([0.0, 1.0]), np.array([x, 2.0])) * opaque(x)


opaque = np.frompyfunc(lambda x: x + 1.0, 1, 1)


@pytest.mark.parametrize("f", [through_text, through_json, interpolated])
@pytest.mark.parametrize("mode", [adjoint, tangent])
def test_an_active_value_in_an_unknown_function(
    f: Callable[..., Any], mode: Callable[..., Any]
) -> None:
    with pytest.raises((Unsupported, NoRule)) as caught:
        mode(f)(1.0, *([1.0] if mode is tangent else []))
    assert caught.value.span is not None and caught.value.help


def remembered(x: float, memo: list[float] = [0.0]) -> float:  # noqa: B006
    memo[0] = memo[0] + x
    return memo[0] * x


def test_a_default_that_is_written_to() -> None:
    error = refused(lambda: grad(remembered)(1.0), Unsupported, "AG130")
    assert "None" in error.help


def through_an_integer(x: float) -> float:
    return float(int(x * 10)) / 10 + x


def test_rounding_to_an_integer_has_derivative_zero() -> None:
    """Not a mistake: the derivative of a staircase is zero between its steps."""
    assert grad(through_an_integer)(1.23) == 1.0


def scattered(x: Any, i: Any, j: Any) -> Any:
    y = np.zeros((2, 2))
    y[i, j] = x
    return np.sum(y * y)


def test_a_store_through_two_index_arrays() -> None:
    x, i, j = np.array([2.0, 3.0]), np.array([0, 0]), np.array([1, 1])
    np.testing.assert_array_equal(grad(scattered)(x, i, j), [0.0, 6.0])
    args = np.ones((1, 2)), np.array([[0, 0]]), np.array([[1, 1]])
    error = refused(lambda: grad(scattered)(*args), NotDifferentiable, "AG301")
    assert pointed_at(error).startswith("y[i, j]")


def test_the_line_is_shown_with_a_caret() -> None:
    """Whichever stage refuses."""
    args = np.ones((1, 2)), np.array([[0, 0]]), np.array([[1, 1]])
    error = refused(lambda: grad(scattered)(*args), NotDifferentiable, "AG301")
    assert "|     y[i, j] = x" in str(error) and "^^^^^^^" in str(error)


def test_errors_are_caught_as_one_class() -> None:
    with pytest.raises(AdjointgenError):
        grad(square, wrt="y")(1.0)
