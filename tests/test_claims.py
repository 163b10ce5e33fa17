"""What generated code does not contain, and where it runs.

A tape is a list whose name ends in `_tape`; what is recorded is appended to it.
"""

import ast
import linecache
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from adjointgen import adjoint, grad, tangent
from adjointgen.api.inspect.stages import inspect

ROOT: Final = Path(__file__).parents[1]
LINE: Final = np.array([0.5, 1.5, -0.75, 2.0, 1.0])
PLANE: Final = np.arange(16.0).reshape(4, 4) / 8


def heat(u: Any, n: int) -> Any:
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def heat_functional(u: Any, n: int) -> Any:
    for _ in range(n):
        u = u + 0.1 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return np.sum(u * u)


def jacobi_with_a_copy(u: Any, n: int) -> Any:
    for _ in range(n):
        v = u.copy()
        u[1:-1, 1:-1] = 0.25 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2])
    return u


def jacobi_with_two_buffers(u: Any, n: int) -> Any:
    u, v = u.copy(), np.zeros_like(u)
    for _ in range(n):
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u, v = v, u
    return u


def gauss_seidel(u: Any, n: int) -> Any:
    for _ in range(n):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
    return u


def wave(u: Any, n: int) -> Any:
    old, now = u.copy(), u.copy()
    for _ in range(n):
        new = 2 * now - old
        new[1:-1] += 0.1 * (now[2:] - 2 * now[1:-1] + now[:-2])
        old, now = now, new
    return now


@pytest.mark.parametrize(
    ("f", "u"),
    [
        (heat, LINE),
        (heat_functional, LINE),
        (jacobi_with_a_copy, PLANE),
        (jacobi_with_two_buffers, PLANE),
        (gauss_seidel, LINE),
        (wave, LINE),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_linear_time_loops_have_no_tape(f: Callable[..., Any], u: Any) -> None:
    source = source_of(adjoint(f), u, 3)
    assert "_tape" not in source, source
    rows = inspect(f, u.copy(), 3).tape.splitlines()[1:]
    assert all(row.startswith("held ") for row in rows), rows


def cubic(u: Any, n: int) -> Any:
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2] - u[1:-1] ** 3)
    return u


def logistic(u: Any, n: int) -> Any:
    for _ in range(n):
        u = u + 0.1 * u * (1.0 - u)
    return u


def conductivity(u: Any, a: float, n: int) -> Any:
    for _ in range(n):
        u[1:-1] += a * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@pytest.mark.parametrize(
    ("f", "args", "size"),
    [
        (cubic, (LINE, 3), len(LINE) - 2),
        (logistic, (LINE, 3), len(LINE)),
        (conductivity, (LINE, 0.1, 3), len(LINE) - 2),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_one_slice_is_recorded_per_step(
    f: Callable[..., Any], args: tuple[Any, ...], size: int
) -> None:
    source = source_of(adjoint(f), *args)
    steps, entries = recorded(source, args)
    assert (steps, entries) == (3, 3 * size), source


def independent(x: Any, a: float) -> Any:
    y = np.zeros_like(x)
    for i in range(len(x)):
        s = np.sin(a * x[i])
        c = s * s + x[i]
        y[i] = c * s if c > 0.5 else c / s
    return y


def independent_rows(A: Any) -> Any:
    total = 0.0
    for i in range(len(A)):
        row = np.exp(A[i])
        total += np.sum(row * row) / np.sum(row)
    return total


@pytest.mark.parametrize(("f", "args"), [(independent, (LINE, 0.7)), (independent_rows, (PLANE,))])
def test_independent_iterations_record_nothing(
    f: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    source = source_of(adjoint(f), *args)
    assert "_tape" not in source, source


def lu(A: Any) -> Any:
    for k in range(len(A)):
        for i in range(k + 1, len(A)):
            A[i, k] /= A[k, k]
            for j in range(k + 1, len(A)):
                A[i, j] -= A[i, k] * A[k, j]
    return A


def triangular(L: Any, b: Any) -> Any:
    x = np.zeros_like(b)
    for i in range(len(b)):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    return x


def recurrence(x: Any, a: float) -> Any:
    y = np.zeros_like(x)
    y[0] = a * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
    return y


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lu, (PLANE + 4 * np.eye(4),)),
        (triangular, (PLANE + np.eye(4), PLANE[0])),
        (recurrence, (LINE, 0.7)),
    ],
)
def test_what_still_stands_is_not_recorded(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    source = source_of(adjoint(f), *args)
    assert "_tape" not in source, source


def source_of(program: Any, *args: Any) -> str:
    """The generated text, for the types of these arguments."""
    program.generated.special(tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in args))
    text: str = program.source
    return text


def recorded(source: str, args: tuple[Any, ...]) -> tuple[int, int]:
    """How many values a run of a program appends to its tapes, and of how many numbers."""
    kept: list[Any] = []

    class Tape(list[Any]):
        def append(self, value: Any) -> None:
            kept.append(value)
            super().append(value)

    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            node.value = ast.copy_location(
                ast.Call(ast.Name("Tape", ast.Load()), [], []), node.value
            )
    names: dict[str, Any] = {"Tape": Tape}
    exec(compile(ast.fix_missing_locations(tree), "<generated>", "exec"), names)
    program = next(v for k, v in names.items() if k.endswith("_adjoint"))
    program(*args, np.ones_like(args[0]))
    return len(kept), sum(np.size(value) for value in kept)


def norm(x: Any) -> Any:
    return np.sqrt(np.sum(x * x))


def scaled(x: Any, a: float) -> Any:
    return norm(x) / a


@pytest.mark.parametrize("mode", [grad, tangent, adjoint])
def test_nothing_of_adjointgen_is_needed(mode: Callable[..., Any], tmp_path: Path) -> None:
    """The text runs in a process where `import adjointgen` fails."""
    source = source_of(mode(scaled), LINE, 2.0)
    assert "adjointgen" not in source
    (tmp_path / "made.py").write_text(source, "utf-8")
    name = f"scaled_{mode.__name__}"
    seeds = {"tangent": ", x_dot=x, a_dot=0.0", "adjoint": "", "grad": ""}[mode.__name__]
    code = (
        "import sys; sys.modules['adjointgen'] = None\n"
        "import numpy as np, made\n"
        f"x = np.array({LINE.tolist()})\n"
        f"print(repr(made.{name}(x, 2.0{seeds})))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    seeded = (LINE, 0.0) if mode is tangent else ()
    assert ran.stdout.strip() == repr(mode(scaled)(LINE.copy(), 2.0, *seeded))


def singular(x: float) -> float:
    y = x - 1.0
    return 1.0 / y


def test_tracebacks_show_generated_lines() -> None:
    program = grad(singular)
    with pytest.raises(ZeroDivisionError) as caught:
        program(1.0)
    last = traceback.extract_tb(caught.tb)[-1]
    assert last.filename.startswith("<adjointgen singular_grad")
    assert last.line and last.line in program.source
    assert last.line == linecache.getline(last.filename, last.lineno or 0).strip()
