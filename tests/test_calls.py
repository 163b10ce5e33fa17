"""Functions that call functions: shared, recursive, deep, with constants and several results.

Derivatives are compared with central differences of the function itself, both modes with each
other, and the derivative of the gradient with differences of the gradient.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, check, generate, grad, inspect, tangent, value_and_grad
from adjointgen.api.programs.build_program import build
from adjointgen.api.programs.recipes import Step
from adjointgen.frontend.source.source import source_from_file
from adjointgen.ir.nodes import walk
from adjointgen.ir.types import Type

G = 9.81


def area(r, k):
    s = math.sin(r)
    t = s * s + k
    return math.pi * t * r


def shares_a_helper(x, y):
    a = area(x, 2.0)
    b = area(y, x)
    return a * b + area(a, 0.5)


def parts(u, c):
    v = u * c
    w = v[1:] - v[:-1]
    return np.sum(w * w), w


def several_results(u, c):
    s, w = parts(u, c)
    w[0] = 2.0 * w[0]
    return s * np.sum(w) + parts(w, s)[0]


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def recursive(x, y):
    return power(x, 5) + power(y, 3) * power(x, 0)


def even(n, x):
    if n == 0:
        return math.sin(x)
    return odd(n - 1, x) * x


def odd(n, x):
    if n == 0:
        return x * x
    z = even(n - 1, x)
    return z + x


def mutual(x):
    return even(7, x)


def tree(n, x):
    if n < 1:
        return math.exp(-x)
    total = 0.0
    for k in range(2):
        total += tree(n - 1, x * (0.5 + k))
    return total * math.cos(x)


def recursive_in_a_loop(x):
    return tree(3, x)


def halved(u):
    n = len(u)
    if n == 1:
        return u[0] ** 2
    m = n // 2
    return halved(u[:m]) * 0.5 + math.sin(halved(u[m:]))


def recursive_on_parts(u):
    return halved(u)


def drag(v, density=1.2, order=2):
    force = density * v
    for _ in range(order - 1):
        force = force * v
    return force


def in_a_loop(v, steps):
    x = 0.0
    for _ in range(steps):
        if v > 1.0:
            v = v - 0.01 * (drag(v) + drag(v, density=0.8) + drag(v, order=3))
        else:
            v = v + 0.001 * G
        x = x + 0.01 * v
    return x


def scaled(u, factor):
    out = u * factor
    out[0] = factor
    return out


def result_is_overwritten(u, c):
    a = scaled(u, c)
    b = scaled(u, c * c)
    a[1] = b[1] * a[0]
    u2 = scaled(a, c)
    u2 *= u2
    return np.sum(u2 * a) + np.sum(b)


def apply_twice(f, x):
    y = f(x)
    return f(y)


def bump(x):
    y = x * x
    return y / (1.0 + y)


def function_as_argument(x):
    return apply_twice(bump, x) + apply_twice(math.sin, x)


def guarded(x):
    if x < 0.0:
        raise ValueError("negative")
    y = math.sqrt(x)
    return y * x


def with_a_guard(x):
    return guarded(x) * guarded(2.0 * x)


def looked_up(x, table, k):
    value = table[k]
    return value * x, value


def with_a_passive_result(x):
    table = [1.5, 2.5]
    y, value = looked_up(x, np.array(table), 1)
    return y * y + value


def early(x, limit):
    for k in range(10):
        x = x * 1.5
        if x > limit:
            return x * k
    return -x


def with_early_returns(x):
    return early(x, 3.0) + early(x * 0.001, 3.0)


def undefined_on_a_path(x):
    y = partly(x) + partly(-x)
    return y


def partly(x):
    if x > 0.0:
        z = math.exp(x)
        y = z * z
    else:
        y = x
    return y


def halves(v):
    low, high = v.copy()
    return high, low


def marched(v, steps=2):
    for _ in range(steps):
        new = np.zeros(len(v))
        for i in range(len(v)):
            new[i] = v[i]
        v = new
    return v


def one_name_for_two_lengths(field, data):
    a, b = halves(field)
    return np.sum(marched(data) ** 2) * a * b


U = np.array([0.5, -0.75, 1.25, 0.8])
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = [
    (shares_a_helper, (0.4, 1.1), (0, 1)),
    (several_results, (U, 0.7), (0, 1)),
    (recursive, (1.2, 0.7), (0, 1)),
    (mutual, (0.8,), (0,)),
    (recursive_in_a_loop, (0.3,), (0,)),
    (recursive_on_parts, (U,), (0,)),
    (in_a_loop, (3.0, 40), (0,)),
    (result_is_overwritten, (U, 1.3), (0, 1)),
    (function_as_argument, (0.6,), (0,)),
    (with_a_guard, (0.9,), (0,)),
    (with_a_passive_result, (0.9,), (0,)),
    (with_early_returns, (0.9,), (0,)),
    (undefined_on_a_path, (0.4,), (0,)),
    (one_name_for_two_lengths, (U[:2], U), (0, 1)),
]
IDS = [case[0].__name__ for case in CASES]


def differences(f: Callable[..., Any], args: Sequence[Any], k: int) -> np.ndarray:
    """The gradient by central differences, extrapolated once."""
    start = np.atleast_1d(np.asarray(args[k], dtype=float))
    found = np.zeros_like(start)
    for i in range(start.size):

        def at(h: float, i: int = i) -> Any:
            x = start.copy()
            x[i] += h
            given = list(args)
            given[k] = x if isinstance(args[k], np.ndarray) else float(x[0])
            return f(*given)

        wide, narrow = ((at(h) - at(-h)) / (2 * h) for h in (2e-4, 1e-4))
        found[i] = narrow + (narrow - wide) / 3
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("f", "args", "wrt"), CASES, ids=IDS)
def test_gradients(f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    before = [np.copy(a) for a in args]
    value, gradients = value_and_grad(f, wrt=wrt)(*args)
    assert value == f(*args)
    assert all(np.array_equal(a, b) for a, b in zip(args, before, strict=True))
    for k, gradient in zip(wrt, gradients, strict=True):
        assert np.allclose(np.atleast_1d(gradient), differences(f, args, k), rtol=1e-7, atol=1e-9)
    assert check(f, args, wrt=wrt).ok


@pytest.mark.parametrize(("f", "args", "wrt"), CASES, ids=IDS)
def test_tangent_is_the_transpose(
    f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]
) -> None:
    dots = [0.5 * np.ones_like(args[k]) for k in wrt]
    _, dot = tangent(f, wrt=wrt)(*args, *dots)
    _, gradients = value_and_grad(f, wrt=wrt)(*args)
    product = sum(np.sum(bar * d) for bar, d in zip(gradients, dots, strict=True))
    assert np.isclose(dot, product, rtol=1e-12)


@pytest.mark.parametrize(("f", "args", "wrt"), CASES, ids=IDS)
def test_second_order(f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    k = wrt[0]
    first, dot = grad(f, wrt=k), 0.5 * np.ones_like(args[k])
    second = tangent(first, wrt=k)

    def moved(h: float) -> Any:
        return first(*args[:k], args[k] + h * dot, *args[k + 1 :])

    wide, narrow = ((moved(h) - moved(-h)) / (2 * h) for h in (2e-4, 1e-4))
    expected = narrow + (narrow - wide) / 3
    assert np.allclose(second(*args, dot)[1], expected, rtol=1e-6, atol=1e-8)


def test_a_function_is_written_once_for_all_its_callers() -> None:
    text = generate(shares_a_helper, wrt="x", types={"x": "float", "y": "float"}).source
    names = [line.split("(")[0][4:] for line in text.splitlines() if line.startswith("def ")]
    assert len(names) == len(set(names))
    assert sum(name.startswith("area") for name in names) <= 9
    assert text.count("math.cos") <= 6


def chain(depth: int) -> str:
    """A chain of functions, each of a few lines, each calling the one below it twice."""
    lines = ["import math", "", "def f0(x):", "    y = x * x", "    return y * 0.5", ""]
    for k in range(1, depth + 1):
        lines += [
            f"def f{k}(x):",
            f"    y = f{k - 1}(x) + 0.1 * x",
            f"    z = f{k - 1}(y * 0.3)",
            "    return math.sin(y) + 0.25 * z",
            "",
        ]
    return "\n".join(lines)


@pytest.mark.parametrize("depth", [10, 40])
def test_text_is_linear_in_the_depth_of_calls(depth: int, tmp_path: Any) -> None:
    file = tmp_path / "deep.py"
    file.write_text(chain(depth), "utf-8")
    types = {"x": "float"}
    text = generate(f"{file}::f{depth}", types=types).source
    assert text.count("\ndef ") <= 4 * (depth + 1)
    assert len(text) < 1800 * (depth + 1)


def test_a_deep_chain_has_the_right_gradient(tmp_path: Any) -> None:
    lines = chain(12)
    space: dict[str, Any] = {}
    file = tmp_path / "deep12.py"
    file.write_text(lines, "utf-8")
    exec(compile(lines, str(file), "exec"), space)
    f = space["f12"]
    assert np.isclose(grad(f)(0.7), differences(f, (0.7,), 0)[0], rtol=1e-8)


def test_two_closures_of_one_text_are_two_functions() -> None:
    def make(k: float) -> Callable[[float], float]:
        def inner(x: float) -> float:
            y = k * x
            return y * y

        return inner

    two, three = make(2.0), make(3.0)

    def both(x: float) -> float:
        return two(x) + 10.0 * three(x)

    assert np.isclose(grad(both)(1.5), 2 * 4 * 1.5 + 10 * 2 * 9 * 1.5)


def test_what_a_forward_keeps_is_not_overwritten_by_the_caller() -> None:
    def kept(u):
        total = 0.0
        for k in range(3):
            v = u[k : k + 2]
            total += np.sum(v * v * v)
        return total

    def overwrites(u):
        a = kept(u)
        u[:] = 7.0 * a
        return a + kept(u)

    def copied(u):
        return overwrites(u * 1.0)

    assert np.allclose(grad(copied)(U), differences(copied, (U,), 0), rtol=1e-6)


def test_the_adjoint_reads_only_what_is_kept() -> None:
    program = adjoint(recursive_on_parts)
    value, u_bar = program(U, 2.0)
    assert np.isclose(value, recursive_on_parts(U))
    assert np.allclose(u_bar, 2.0 * differences(recursive_on_parts, (U,), 0))


def test_the_tape_of_a_call_is_shown() -> None:
    found = str(inspect(shares_a_helper, 0.4, 1.1).tape)
    assert "area_forward" in found and "nothing is recorded" not in found
    report = generate(shares_a_helper, wrt="x", types={"x": "float", "y": "float"}).report
    assert any("area" in line and "nothing" not in line for line in report)


@pytest.mark.slow
def test_time_is_linear_in_the_size_of_a_module(tmp_path: Any) -> None:
    """Statements that are made, for a module of 750 lines and one of 1500."""
    made = []
    for depth in (150, 300):
        file = tmp_path / f"deep{depth}.py"
        file.write_text(chain(depth), "utf-8")
        source = source_from_file(str(file), f"f{depth}")
        program = build(source, {"x": Type("float64")}, [(Step("adjoint", ("x",)),)]).functions[0]
        functions = (program, *program.callees)
        made.append(sum(1 for f in functions for _ in walk(f.body)))
    assert made[1] < 2.02 * made[0]
