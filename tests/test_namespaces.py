"""A gradient is of the function as it is now, and generating it leaves no trace.

Whatever a function depends on may change between two calls: a helper, a global, a captured number,
the function itself. Modules are made here from text, as an interactive session makes its cells.
"""

import linecache
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

from adjointgen import adjoint, grad, hessian, tangent, value_and_grad
from adjointgen.api.calls.kept_programs import NAME

ROOT: Final = Path(__file__).parents[1]
_CELLS: Final = count(1)


@pytest.fixture
def module() -> Iterator[ModuleType]:
    """An empty module of the name `session`."""
    made = ModuleType("session")
    yield made
    for name in [name for name in linecache.cache if name.startswith("<cell ")]:
        del linecache.cache[name]


def run(module: ModuleType, text: str) -> None:
    """Run a cell in a module; its lines can be looked up, as those of IPython can."""
    filename = f"<cell {next(_CELLS)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), module.__dict__)


HELPER: Final = "def helper(x):\n    return {} * x * x\n"
CALLER: Final = "def f(x):\n    return helper(x) + x\n"


def test_a_helper_that_is_defined_again(module: ModuleType) -> None:
    run(module, HELPER.format(2.0) + CALLER)
    program = grad(module.f)
    assert program(3.0) == 13.0
    run(module, HELPER.format(5.0))
    assert module.f(3.0) == 48.0
    assert program(3.0) == grad(module.f)(3.0) == 31.0


def test_a_helper_of_a_helper(module: ModuleType) -> None:
    run(module, HELPER.format(2.0) + "def middle(x):\n    return helper(x)\n")
    run(module, "def f(x):\n    return middle(x) + x\n")
    program = grad(module.f)
    assert program(3.0) == 13.0
    run(module, HELPER.format(5.0))
    assert program(3.0) == 31.0


def test_a_global_number(module: ModuleType) -> None:
    run(module, "scale = 2.0\ndef f(x):\n    return scale * x * x\n")
    program = grad(module.f)
    assert program(3.0) == 12.0
    module.scale = 5.0  # type: ignore[attr-defined]
    assert program(3.0) == 30.0
    module.scale = 2  # type: ignore[attr-defined]
    assert program(3.0) == 12.0


def test_a_global_that_chooses_code(module: ModuleType) -> None:
    run(module, "square = True\ndef f(x):\n    return x * x if square else x\n")
    program = value_and_grad(module.f)
    assert program(3.0) == (9.0, 6.0)
    module.square = False  # type: ignore[attr-defined]
    assert program(3.0) == (3.0, 1.0)


def test_a_global_array_changed_in_place(module: ModuleType) -> None:
    run(module, "import numpy as np\nw = np.array([1.0, 2.0])\n")
    run(module, "def f(x):\n    return np.sum(w * x * x)\n")
    program, x = grad(module.f), module.np.array([3.0, 5.0])
    assert program(x).tolist() == [6.0, 20.0]
    module.w[0] = 10.0
    assert program(x).tolist() == [60.0, 20.0]


def test_an_entry_of_a_global_table(module: ModuleType) -> None:
    run(module, "table = {'a': 2.0}\ndef f(x):\n    return float(table['a']) * x * x\n")
    program = grad(module.f)
    assert program(3.0) == 12.0
    module.table["a"] = 5.0
    assert program(3.0) == 30.0


def test_a_number_of_another_module(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ModuleType("session_settings")
    monkeypatch.setitem(sys.modules, "session_settings", settings)
    settings.scale = 2.0  # type: ignore[attr-defined]
    run(module, "import session_settings as s\ndef f(x):\n    return s.scale * x * x\n")
    program = grad(module.f)
    assert program(3.0) == 12.0
    settings.scale = 5.0  # type: ignore[attr-defined]
    assert program(3.0) == 30.0


def times(a: float) -> Callable[[float], float]:
    def f(x: float) -> float:
        return a * x * x

    return f


def test_two_closures_that_differ_in_a_number() -> None:
    two, five = grad(times(2.0)), grad(times(5.0))
    assert (two(3.0), five(3.0), two(3.0)) == (12.0, 30.0, 12.0)


def counter() -> tuple[Callable[[float], float], Callable[[float], None]]:
    a = 2.0

    def f(x: float) -> float:
        return a * x * x

    def change(to: float) -> None:
        nonlocal a
        a = to

    return f, change


def test_a_captured_number_that_changes() -> None:
    f, change = counter()
    program = grad(f)
    assert program(3.0) == 12.0
    change(5.0)
    assert program(3.0) == 30.0


def test_a_function_that_is_defined_again(module: ModuleType) -> None:
    run(module, "def f(x):\n    return x * x\n")
    old = grad(module.f)
    assert old(3.0) == 6.0
    run(module, "def f(x):\n    return x * x * x\n")
    assert grad(module.f)(3.0) == 27.0
    assert old(3.0) == 6.0


def test_two_modules_of_one_name_and_text() -> None:
    """Only a global tells the functions apart."""
    text = "def f(x):\n    return scale * x * x\n"
    first, second = ModuleType("session"), ModuleType("session")
    for made, scale in ((first, 2.0), (second, 5.0)):
        made.scale = scale  # type: ignore[attr-defined]
        run(made, text)
    assert (grad(first.f)(3.0), grad(second.f)(3.0)) == (12.0, 30.0)
    second.scale, second.f.__doc__ = 7.0, "changed"  # type: ignore[attr-defined]
    assert (grad(second.f)(3.0), grad(first.f)(3.0)) == (42.0, 12.0)


def test_two_lambdas_on_one_line() -> None:
    both = [lambda x: 2.0 * x * x, lambda x: 5.0 * x * x]
    assert [grad(f)(3.0) for f in both] == [12.0, 30.0]


def test_a_lambda_in_a_lambda() -> None:
    outer = lambda x: x * (lambda x: 5.0 * x)(x)  # noqa: E731
    maker = lambda a: lambda x: a * x * x  # noqa: E731
    assert grad(outer)(3.0) == 30.0
    assert [grad(maker(a))(3.0) for a in (2.0, 5.0)] == [12.0, 30.0]


@pytest.mark.parametrize("make", [grad, tangent, adjoint, hessian])
def test_the_users_module_is_left_as_it_was(module: ModuleType, make: Callable[..., Any]) -> None:
    run(module, "import math\nscale = 2.0\n" + HELPER.format("scale * math.pi"))
    run(module, CALLER)
    before, modules = dict(vars(module)), set(sys.modules)
    code, defaults = module.f.__code__, dict(vars(module.f))
    program = make(module.f)
    program(3.0, *([1.0] if make is tangent else []))
    assert dict(vars(module)) == before
    # The programs live and die with the function: its one new attribute. A table elsewhere would
    # keep a function alive that its own programs lead to: a recursive one, by its module or cell.
    assert set(vars(module.f)) - set(defaults) == {NAME}
    own = {name: value for name, value in vars(module.f).items() if name != NAME}
    assert (module.f.__code__, own) == (code, defaults)
    assert not vars(module.helper)
    assert not [name for name in set(sys.modules) - modules if "generated" in name]


def test_eight_threads_ask_for_the_first_gradient() -> None:
    for _ in range(5):
        program, gate = grad(times(2.0)), threading.Barrier(8)

        def first(x: float, program: Any = program, gate: threading.Barrier = gate) -> float:
            gate.wait()
            made: float = program(x)
            return made

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(first, map(float, range(8))))
        assert found == [4.0 * x for x in range(8)]
        assert len(program.generated.kept.known) == 1


def test_threads_with_arguments_of_different_types() -> None:
    program, gate = grad(total), threading.Barrier(8)

    def first(k: int) -> Any:
        gate.wait()
        return program(2.0 if k % 2 else np.full(k + 1, 2.0))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(first, range(8)))
    assert all(np.all(each == 4.0) for each in found)
    assert [np.shape(each) for each in found[::2]] == [(1,), (3,), (5,), (7,)]


def total(x: Any) -> Any:
    return np.sum(x * x)


def test_two_processes_at_once(tmp_path: Path) -> None:
    """Both fill the same cache; both are right, and so is a third that finds it filled."""
    (tmp_path / "model.py").write_text(
        "import math\ndef f(x):\n    return x * math.sin(x)\n", "utf-8"
    )
    code = "import model, adjointgen; print(repr(adjointgen.grad(model.f)(0.5)))"
    environment = {k: v for k, v in os.environ.items() if k != "ADJOINTGEN_CACHE"}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": f"{tmp_path}:{ROOT}"}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
        )

    wanted = math.sin(0.5) + 0.5 * math.cos(0.5)
    both = [start(), start()]
    for process in (*both, start()):
        out, _ = process.communicate()
        assert process.returncode == 0 and float(out) == pytest.approx(wanted, rel=1e-15)
