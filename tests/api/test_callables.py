"""Whatever can be called: library functions, partials, methods, and functions of no file."""

import functools
import itertools
import linecache
import math
import operator
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

from adjointgen import (
    AdjointgenError,
    adjoint,
    check,
    grad,
    hessian,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
)

ROOT = Path(__file__).parents[2]
POINT = np.array([0.5, 1.5, 2.5])


def wave(amplitude: float, x: float, shift: float = 0.0, kind: str = "sin") -> float:
    return amplitude * (math.sin(x + shift) if kind == "sin" else math.cos(x + shift))


class Spring:
    def __init__(self, k: float) -> None:
        self.k = k

    def energy(self, x: float, x0: float = 0.0) -> float:
        return 0.5 * self.k * (x - x0) ** 2

    def __call__(self, x: float) -> float:
        return self.energy(x)

    @grad
    def force(self, x: float) -> float:
        return 0.5 * self.k * x**2

    @grad(wrt=...)
    def both(self, x: float, y: float) -> float:
        return self.k * x * y

    @grad
    @grad
    def stiffness(self, x: float) -> float:
        return self.k * x**3

    @value_and_grad(wrt="self.k")
    def by_k(self, x: float) -> float:
        return self.k * x**3

    @classmethod
    @grad
    def of_class(cls, x: float) -> float:
        return x * x

    @staticmethod
    @grad
    def of_none(x: float) -> float:
        return x * x


spring = Spring(4.0)


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (math.sin, (0.5,), math.cos(0.5)),
        (np.sin, (0.5,), math.cos(0.5)),
        (math.hypot, (3.0, 4.0), 0.6),
        (math.pow, (3.0, 4.0), 108.0),
        (pow, (3.0, 2.0), 6.0),
        (abs, (-2.0,), -1.0),
        (float, (2.0,), 1.0),
        (max, (3.0, 2.0), 1.0),
        (operator.mul, (3.0, 4.0), 4.0),
        (scipy.special.erf, (0.0,), 2.0 / math.sqrt(math.pi)),
        (np.sum, (POINT,), np.ones(3)),
        (np.add.reduce, (POINT,), np.ones(3)),
        (np.linalg.norm, (POINT,), POINT / np.linalg.norm(POINT)),
        (POINT.dot, (POINT,), POINT),
        (np.vectorize(lambda t: t * t), (2.0,), 4.0),
        (functools.partial(wave, 2.0), (0.5,), 2.0 * math.cos(0.5)),
        (functools.partial(wave, 2.0, kind="cos"), (0.5,), -2.0 * math.sin(0.5)),
        (functools.partial(functools.partial(wave, 2.0), shift=1.0), (0.5,), 2 * math.cos(1.5)),
        (functools.partial(math.pow, 2.0), (3.0,), 8.0 * math.log(2.0)),
        (functools.partial(spring.energy, x0=1.0), (3.0,), 8.0),
        (functools.partial(Spring.energy, spring), (3.0,), 12.0),
        (functools.partial(spring), (3.0,), 12.0),
        (functools.partial(grad(wave, wrt="x"), 2.0), (0.5,), -2.0 * math.sin(0.5)),
        (functools.lru_cache(lambda x: x * x), (3.0,), 6.0),
        (spring, (3.0,), 12.0),
        (spring.energy, (3.0,), 12.0),
        (spring.force, (3.0,), 4.0),
    ],
)
def test_gradients(function: Callable[..., Any], args: tuple[Any, ...], expected: Any) -> None:
    np.testing.assert_allclose(grad(function)(*args), expected)


def test_other_calls() -> None:
    half = functools.partial(wave, 2.0)
    assert jvp(half, (0.5,), (1.0,))[1] == pytest.approx(2.0 * math.cos(0.5))
    assert vjp(np.multiply, 2.0, 3.0)[1](1.0) == (3.0, 2.0)
    assert adjoint(math.sin)(0.0) == (0.0, 1.0)
    np.testing.assert_allclose(jacobian(np.cumsum)(POINT), np.tril(np.ones((3, 3))))
    np.testing.assert_allclose(jacobian(np.sum)(np.ones((2, 2)), axis=0)[0], [[1, 0], [1, 0]])
    assert hessian(half)(0.5) == pytest.approx(-2.0 * math.sin(0.5))
    assert check(half, (0.5,)).ok and check(np.exp, (0.5,)).ok


def test_what_a_partial_fixes_is_no_argument() -> None:
    fixed = functools.partial(wave, amplitude=2.0)
    assert grad(fixed)(x=0.5) == pytest.approx(2.0 * math.cos(0.5))
    assert grad(fixed, wrt="x")(x=0.5) == pytest.approx(2.0 * math.cos(0.5))
    with pytest.raises(AdjointgenError, match="AG402"):
        grad(fixed, wrt="amplitude")
    fixed.keywords["amplitude"] = 3.0
    assert grad(fixed)(x=0.5) == pytest.approx(3.0 * math.cos(0.5))


def test_a_partial_that_is_changed_is_read_again() -> None:
    fixed = functools.partial(wave, amplitude=2.0)
    slope = grad(fixed)
    assert slope(x=0.0) == 2.0
    fixed.keywords["amplitude"] = 3.0
    assert slope(x=0.0) == 3.0


def test_the_callable_stays_the_primal() -> None:
    half = functools.partial(wave, 2.0)
    assert grad(half).primal is half
    assert grad(np.sin).primal is np.sin
    assert grad(math.sin).__name__ == "sin" and "sine" in (grad(math.sin).__doc__ or "")
    assert pickle.loads(pickle.dumps(grad(np.sin)))(0.0) == 1.0
    assert pickle.loads(pickle.dumps(grad(half)))(0.0) == 2.0


def test_a_method_has_the_gradient_by_its_own_arguments() -> None:
    assert spring.force(3.0) == 12.0
    assert spring.both(3.0, 5.0) == (20.0, 12.0)
    assert spring.stiffness(3.0) == 72.0
    assert spring.by_k(2.0) == (32.0, 8.0)
    assert spring.of_class(3.0) == spring.of_none(3.0) == Spring.of_none(3.0) == 6.0
    stiff = Spring(8.0)
    assert stiff.force(3.0) == 24.0 and spring.force(3.0) == 12.0
    assert "def force_grad(" in spring.force.source


TEXT = "def cube(x):\n    return x * x * x\n"


def test_exec() -> None:
    namespace: dict[str, Any] = {}
    exec(TEXT, namespace)
    assert grad(namespace["cube"])(2.0) == 12.0
    exec(compile("def cube(x):\n    return x * x * x * x\n", "<mine>", "exec"), namespace)
    assert grad(namespace["cube"])(2.0) == 32.0
    assert grad(eval("  lambda x: x * x"))(3.0) == 6.0


def test_a_text_that_is_gone_is_not_guessed() -> None:
    def hidden() -> Any:
        namespace: dict[str, Any] = {}
        exec("def square(x):\n    return x" + f" * x * {2.0}\n", namespace)
        return namespace["square"]

    made = hidden()
    like = "def square(x):\n    return x * x * 3.0\n"
    assert like
    with pytest.raises(AdjointgenError, match="AG004"):
        grad(made)(3.0)


def test_a_cell_of_a_notebook() -> None:
    name, text = "<ipython-input-7-abcdef>", "\ndef cell(x):\n    return x * x\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), namespace)
    assert grad(namespace["cell"])(3.0) == 6.0


PROGRAM = """from adjointgen import grad
def f(x):
    return x * x

print(grad(f)(3.0))
print(grad(lambda x: x * x * x)(3.0))
"""


def test_a_program_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "program").write_text(PROGRAM)
    with (tmp_path / "program").open() as given:
        piped = subprocess.run([sys.executable], stdin=given, capture_output=True, cwd=ROOT)
    named = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, cwd=ROOT)
    assert piped.stdout.split() == named.stdout.split() == [b"6.0", b"27.0"]


def test_the_history_of_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["import math", "def typed(x):", "    y = x * x", "    return y", "1 + 1"]

    class History:
        get_current_history_length = staticmethod(lambda: len(lines))
        get_history_item = staticmethod(lambda k: lines[k - 1])

    monkeypatch.setitem(sys.modules, "readline", History)  # type: ignore[arg-type]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines[1:4]) + "\n", "<stdin>", "exec"), namespace)
    assert grad(namespace["typed"])(3.0) == 6.0


def test_a_closure_that_assigns_what_has_returned() -> None:
    def make(count: int) -> Callable[[float], float]:
        def inner(x: float) -> float:
            nonlocal count
            if count > 3:
                count = 0
            return x * x * (count + 1)

        return inner

    assert grad(make(1))(2.0) == 8.0
    with pytest.raises(AdjointgenError, match="AG105"):
        grad(make(4))(2.0)


@functools.singledispatch
def dispatched(x: float) -> float:
    return x * x


@pytest.mark.parametrize("given", [3, 2.5, None, "f", "model.py::f", Spring, [math.sin], POINT])
def test_what_is_no_function(given: object) -> None:
    if given is None:
        with pytest.raises(AdjointgenError, match="AG414"):
            jacobian(given)  # type: ignore[arg-type]
        return
    with pytest.raises(AdjointgenError, match="AG414"):
        grad(given)


def test_what_cannot_be_read() -> None:
    for function in (dispatched, np.frompyfunc(lambda x: x, 1, 1), operator.itemgetter(0)):
        with pytest.raises(AdjointgenError):
            grad(function)(2.0)


def asked(x: Any, function: Any) -> Any:
    if function.signature:
        raise ValueError("of several axes")
    if function.nin > 5:
        return x * x
    entries = np.array([x, 1, 1] * 256)
    return list(itertools.accumulate(entries, function))[-1]


def test_attributes_of_a_function_that_is_an_argument() -> None:
    """Of functions in C they are known: `np.add.signature` is None, and no function."""
    value, gradient = value_and_grad(asked, wrt="x")(2.0, np.add)
    assert (value, gradient) == (asked(2.0, np.add), 256.0)
    with pytest.raises(ValueError, match="of several axes"):
        value_and_grad(asked, wrt="x")(2.0, np.matmul)


def test_a_function_with_a_rule_is_refused_with_its_arguments() -> None:
    with pytest.raises(AdjointgenError, match=r"cov\(m, None"):
        vjp(np.cov, np.ones((2, 3)))
