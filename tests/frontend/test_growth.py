"""Text grows in proportion to the program: functions that call each other, branches, lists."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate, value_and_grad

SIZES = (10, 20, 40)


def called_twice(n: int) -> str:
    """Each function of one expression calls the one before it twice."""
    text = "def h0(x):\n    return x * x + 1.0\n"
    for k in range(1, n):
        text += f"def h{k}(x):\n    return h{k - 1}(x) * 0.4 + h{k - 1}(x + 0.1) * 0.1\n"
    return f"{text}def f(x: float):\n    return h{n - 1}(x)\n"


def called_once(n: int) -> str:
    text = "def h0(x):\n    return x * x + 1.0\n"
    for k in range(1, n):
        text += f"def h{k}(x):\n    return h{k - 1}(x) * 0.5 + x\n"
    return f"{text}def f(x: float):\n    return h{n - 1}(x)\n"


def ifs_in_a_row(n: int) -> str:
    tests = "".join(f"    if y < {k}.5:\n        y = y * x\n" for k in range(n))
    return f"def f(x: float):\n    y = x\n{tests}    return y\n"


GROWING = {f.__name__: f for f in (called_twice, called_once, ifs_in_a_row)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", GROWING)
def test_text_is_as_long_as_the_program(name: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    lengths = []
    for n in SIZES:
        file.write_text(GROWING[name](n))
        lengths.append(str(generate(f"{file}::f")).count("\n"))
    for short, long in pairwise(lengths):
        assert long <= 2.3 * short, lengths


def run(text: str, folder: Path) -> Callable[..., Any]:
    """The function of a text, from a file."""
    file = folder / "model.py"
    file.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    f: Callable[..., Any] = names["f"]
    return f


@pytest.mark.parametrize("name", GROWING)
def test_long_programs_compute_what_the_function_computes(name: str, tmp_path: Path) -> None:
    f = run(GROWING[name](12), tmp_path)
    value, slope = value_and_grad(f)(0.7)
    h = 1e-4
    change = (8.0 * (f(0.7 + h) - f(0.7 - h)) - (f(0.7 + 2 * h) - f(0.7 - 2 * h))) / (12.0 * h)
    assert np.isclose(value, f(0.7))
    assert np.isclose(slope, change, rtol=1e-7)


def nested_functions(kind: str, n: int) -> str:
    make = {
        "def": "    def h{k}(y):\n        return h{j}(y) * 0.5 + h{j}(y + 0.1)\n",
        "lambda": "    h{k} = lambda y: h{j}(y) * 0.5 + h{j}(y + 0.1)\n",
    }[kind]
    text = "def f(x: float):\n    h0 = lambda y: y * x\n"
    text += "".join(make.format(k=k, j=k - 1) for k in range(1, n))
    return f"{text}    return h{n - 1}(x)\n"


@pytest.mark.parametrize("kind", ["def", "lambda"])
def test_calls_that_would_be_written_out_too_often_are_refused(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(nested_functions(kind, 18))
    with pytest.raises(AdjointgenError, match="AG121"):
        generate(f"{file}::f")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("times", [3, 9, 12])
def test_lists_that_double(times: int, tmp_path: Path) -> None:
    doubled = "    a = a + a\n" * times
    text = f"def f(x: float):\n    a = [x, x * x]\n{doubled}    return a[-1] * a[2] + sum(a)\n"
    f = run(text, tmp_path)
    value, slope = value_and_grad(f)(0.7)
    assert np.isclose(value, f(0.7))
    assert np.isclose(slope, 3 * 0.7**2 + 2.0**times * (1.0 + 2 * 0.7))
    assert str(generate(f"{tmp_path}/model.py::f")).count("\n") < 2500
