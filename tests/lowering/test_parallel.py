"""Loops whose iterations have nothing of each other may run at once; no others do."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad, value_and_grad
from adjointgen.emit.write.parallel_outlining import outlined
from adjointgen.errors import AdjointgenError
from tests.benchmarks.kernels.all import KERNELS
from tests.fuzz import kernels
from tests.fuzz.examine import Plan, examine
from tests.fuzz.runner import FAILED, describe
from tests.lowering.loops import Threads, uncompiled

numba = pytest.importorskip("numba", reason="the compiled target needs Numba")
THREADS = "numba-parallel"
X = np.sin(np.arange(40.0))


def leaves(tree: Any) -> list[Any]:
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple) else [tree]


@pytest.mark.parametrize(
    "name",
    ["atax", *(pytest.param(n, marks=pytest.mark.sampled(2)) for n in ("softmax", "jacobi_2d"))],
)
def test_kernels_are_the_same_with_any_number_of_threads(name: str) -> None:
    kernel = KERNELS[name]
    arguments = kernel.inputs("tiny")
    expected = leaves(value_and_grad(kernel.primal, wrt=...)(*arguments))
    threads = value_and_grad(kernel.primal, wrt=..., compile=THREADS)
    before = numba.get_num_threads()
    found = []
    try:
        for count in {1, before}:
            numba.set_num_threads(count)
            found += [leaves(threads(*arguments)) for _ in range(3)]
    finally:
        numba.set_num_threads(before)
    assert "prange" in threads.source
    for made in found:
        for a, b, c in zip(made, found[0], expected, strict=True):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_allclose(a, c, rtol=1e-9, atol=1e-12)


def rows(x: Any, c: float) -> Any:
    y = np.zeros_like(x)
    total = 0.0
    for i in range(len(x)):
        y[i] = c * np.sin(x[i])
        for k in range(3):
            total += y[i] * x[i] * k - c
    return total


def test_sums_are_kept_in_rows() -> None:
    made = value_and_grad(rows, wrt="x,c", compile=THREADS)
    value, bars = made(X, 0.5)
    wanted, wanted_bars = value_and_grad(rows, wrt="x,c")(X, 0.5)
    assert value == pytest.approx(wanted, rel=1e-13)
    for a, b in zip(bars, wanted_bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    assert re.search(r"\w+_rows\w* = np\.empty\(", made.source)
    assert re.search(r"for i in range\(.*\):\n +total \+= \w+_rows", made.source)


def along(x: Any) -> Any:
    for i in range(1, len(x)):
        x[i] = x[i] * x[i - 1]
    return np.sum(x[1:] * x[:-1])


def scattered(x: Any, where: Any) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[where[i]] += x[i] * x[i]
    total = 1.0
    for i in range(len(x)):
        total = total * (1.0 + y[i] / 100.0)
    return total


def backwards(x: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i - 1] = x[i] * x[i]
        y[i] += x[i - 1]
    return np.sum(y * y)


def early(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.9:
            break
        total += x[i] * x[i]
    return total


@pytest.mark.parametrize(
    "f, more",
    [(along, ()), (scattered, (np.arange(40) // 3,)), (backwards, ()), (early, ())],
    ids=["along", "scattered", "backwards", "early"],
)
def test_iterations_that_need_each_other_run_in_order(f: Any, more: tuple[Any, ...]) -> None:
    made = grad(f, compile=THREADS)
    np.testing.assert_allclose(made(X.copy(), *more), grad(f)(X.copy(), *more), rtol=1e-12)
    for body in re.findall(r"in prange\(.*\):.*\n((?: {8,}.*\n)+)", made.source):
        # What runs at once goes along the index: no other entry is written, and no number.
        places = re.findall(r"^ +\w+\[(.*)\] \S?= ", body, re.MULTILINE)
        assert all(re.fullmatch(r"\w+(, \w+)*", place) for place in places)
        assert "total =" not in body


def halved(x: Any) -> Any:
    n = len(x)
    y = np.outer(x, x)
    for step in range(2):
        n = n // 2
        y = y[0 : 2 * n : 2] * y[1 : 2 * n : 2] + step
    return np.sum(y)


def test_lengths_may_change_around_a_loop() -> None:
    """Numba takes a number for the same wherever a function that runs in threads names it."""
    made = value_and_grad(halved, compile=THREADS)
    value, bar = made(X)
    wanted, wanted_bar = value_and_grad(halved)(X)
    assert value == pytest.approx(wanted, rel=1e-12)
    np.testing.assert_allclose(bar, wanted_bar, rtol=1e-11, atol=1e-13)
    main, _, loops = made.source.partition("def _halved_value_and_grad_loop_1(")
    assert "prange(" in loops and "prange(" not in main


@pytest.mark.parametrize(
    "body, closed",
    [
        ("t = a[i]\n        b[i] = t", True),
        ("b[i] = t\n        t = a[i]", False),
        ("if a[i] > 0.0:\n            t = 1.0\n        b[i] = t", False),
        ("t = 0.0\n        for k in range(3):\n            t += a[k]\n        b[i] = t", True),
        ("t += a[i]\n        b[i] = t", False),
    ],
)
def test_a_loop_that_hands_a_name_on_runs_in_order(body: str, closed: bool) -> None:
    text = (
        f"from numba import prange\n\n\ndef f(a, b, n):\n    for i in prange(n):\n        {body}\n"
    )
    made, names = outlined(text)
    assert bool(names) == closed
    assert ("prange" in made) == closed
    compile(made, "made", "exec")


def test_variables_may_be_called_like_what_python_has() -> None:
    text = """from numba import prange


def f(input, n):
    sum = input + 1.0
    for i in prange(n):
        input[i] = abs(sum[i])
"""
    made, _ = outlined(text)
    assert "_f_loop_1(n, input, sum)" in made


def test_few_iterations_are_not_shared_out() -> None:
    def f(x: Any) -> Any:
        y = np.zeros(4)
        for i in range(4):
            y[i] = x[i] * x[i]
        return np.sum(y)

    made = grad(f, compile=THREADS)
    np.testing.assert_allclose(made(X[:4]), 2.0 * X[:4])
    assert "prange" not in made.source


def test_a_module_says_what_runs_in_threads(tmp_path: Path) -> None:
    module = generate(rows, "x,c", types={"x": "float64[:]", "c": "float"}, compile=THREADS)
    assert "from numba import njit, prange" in module.body
    assert re.search(r"parallel=True\)\ndef _rows_adjoint_loop_1", module.body)
    shared = re.findall(r"def \w+_loop_\d\(", module.body)
    assert len(re.findall("parallel=", module.body)) == len(shared) > 0
    path = tmp_path / "made.py"
    path.write_text(module.body.replace("cache=True, ", ""), "utf-8")
    space: dict[str, Any] = {}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), space)
    value, *bars = space["rows_adjoint"](X, 0.5, 1.0)
    wanted, wanted_bars = value_and_grad(rows, wrt="x,c")(X, 0.5)
    assert value == pytest.approx(wanted, rel=1e-12)
    for a, b in zip(bars, wanted_bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_another_target_is_refused() -> None:
    with pytest.raises((ValueError, AdjointgenError), match="numba-parallel"):
        grad(rows, compile="numba-threads")(X, 0.5)  # type: ignore[arg-type]


@pytest.mark.fuzz
@pytest.mark.parametrize("start", [300, 315])
def test_random_programs_do_not_depend_on_the_order(start: int) -> None:
    """Iterations that may run at once are taken in any order, by CPython."""
    plan = Plan(stages=("tangent", "adjoint"))
    with uncompiled():
        for program in map(kernels.generate, range(start, start + 8)):
            verdict = examine(program, Threads, plan)
            assert verdict.sort not in FAILED, f"{verdict.detail}\n{describe(program)}"
