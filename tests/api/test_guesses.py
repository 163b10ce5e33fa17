"""Modules from text alone: right, or refused, or an error at the call; never silently wrong.

The oracle is the function itself, by central differences at arguments that the text does not know.
"""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate
from adjointgen.config.options import Request, command, make_options, parse_command
from adjointgen.frontend.lower import source_from_file
from adjointgen.frontend.textual_types import inferred

HEAD = "import math\nimport numpy as np\nfrom scipy.special import erf\nimport other\n\n\n"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Writes a text as a module and imports it."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "other.py").write_text("def unknown(x): return x\n")

    def loaded(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text)
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return loaded


def bases(text: str) -> str:
    """What the types of the parameters of `f` rest on."""
    found = inferred(source_from_file("m.py", "f", HEAD + text), {})
    return " ".join(f"{name}:{one.basis[0]}" for name, one in found.items())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # stated, certain, assumed, guessed
        ("def f(x: float, y=None, z='a'): return x", "x:s y:s z:s"),
        ("def f(x, y): return x * y + math.sin(x)", "x:c y:a"),
        ("def f(x, y): return math.sin(x * y)", "x:c y:c"),
        ("def f(x, y): return math.sin(x @ y)", "x:g y:g"),
        ("def f(x):\n if x > 0:\n  return x\n return math.sin(x)", "x:a"),
        ("def f(x):\n x = np.sum(x)\n return math.sin(x)", "x:g"),
        ("def f(x, c): return math.sin(x) if c else x", "x:a c:a"),
        ("def f(x, c): return c and math.sin(x)", "x:a c:a"),
        ("def f(x): return sum(math.sin(x) for _ in range(2))", "x:a"),
        ("def f(x, n):\n for _ in range(n):\n  x = x * x\n return x", "x:a n:c"),
        ("def f(x, n):\n return x * sum(1.0 for _ in range(n))", "x:a n:a"),
        ("def f(x, a=2.0, n=3): return a * x * n", "x:a a:a n:a"),
        ("def f(x, w=np.ones(2)): return x * w", "x:a w:g"),
        ("def f(x): return np.sin(x) * erf(x) + abs(x) ** 2", "x:a"),
        ("def f(x): return max(x, 0.0)", "x:a"),
        ("def f(x): return max(x)", "x:g"),
        ("def f(x): return x.real", "x:a"),
        ("def f(x): return x.max()", "x:g"),
        ("def f(x, y):\n d = x - y\n return (d * d).sum()", "x:g y:g"),
        ("def f(x, a): return np.sum(a * x)", "x:g a:g"),
        ("def f(x: 'float64[:]', a): return a * np.sum(x)", "x:s a:a"),
        ("def f(x: 'float64[:]', b): return np.mean(x + b)", "x:s b:g"),
        ("def f(x):\n a, b = x\n return a * b", "x:g"),
        ("def f(x): return sum(v for v in x)", "x:g"),
        ("def f(x, k): return x[k]", "x:g k:a"),
        ("def f(p): return p['a'] * p['b']", "p:g"),
        ("def f(p): return p.rate", "p:g"),
        ("def f(x): return other.unknown(x)", "x:g"),
        ("def g(v): return np.sum(v)\ndef f(x, y): return g(x) * y", "x:g y:a"),
        ("def g(v, w): return v * w\ndef f(x, y): return g(x, y)", "x:a y:a"),
        ("def f(x):\n def g(v): return v * v\n return g(x)", "x:a"),
        ("def f(n): return np.zeros(n)", "n:a"),
        ("def f(x, y): return np.array([x, y]).sum()", "x:a y:a"),
    ],
)
def test_what_a_type_rests_on(text: str, found: str) -> None:
    assert bases(text) == found


POLYMORPHIC = [
    "def f(x, y): return x * y",
    "def f(x, y): return x * y + math.sin(0.5)",
    "def f(x, y=2.0): return np.exp(x) / (1.0 + y)",
    "def f(x, y):\n    s = 0.0\n    for _ in range(3):\n        s = s + x * y\n    return s",
    "def f(x, y):\n    if x is None:\n        return y\n    return x - y",
    "def g(a, b): return a - b\ndef f(x, y): return g(x, y) ** 2",
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("compile", ["python", "numba"])
@pytest.mark.parametrize("text", POLYMORPHIC)
def test_a_module_for_numbers_refuses_arrays(
    load: Callable[..., ModuleType], tmp_path: Path, text: str, compile: str
) -> None:
    primal = load("model", HEAD + text)
    made = generate(f"{tmp_path}/model.py::f", wrt="x,y", compile=compile)
    assert made.guessed == () and "# guessed" not in made.source
    program = load(f"made_{compile}", made.body)
    value, x_bar, y_bar = program.f_adjoint(0.5, 1.5, 1.0)
    h = 1e-6
    assert value == pytest.approx(primal.f(0.5, 1.5))
    slope = (primal.f(0.5 + h, 1.5) - primal.f(0.5 - h, 1.5)) / (2 * h)
    assert x_bar == pytest.approx(slope, rel=1e-6)
    slope = (primal.f(0.5, 1.5 + h) - primal.f(0.5, 1.5 - h)) / (2 * h)
    assert y_bar == pytest.approx(slope, rel=1e-6)
    for other in (np.ones(3), np.ones((2, 2)), np.array(1.0), 1.0 + 2.0j):
        with pytest.raises(TypeError, match="f was differentiated for a number x"):
            program.f_adjoint(other, 1.5, 1.0)
        with pytest.raises(TypeError, match="f was differentiated for a number y"):
            program.f_tangent(x=0.5, y=other, x_dot=1.0, y_dot=1.0)


def test_numbers_of_numpy_are_numbers(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    load("model", HEAD + "def f(x, n): return x * sum(1.0 for _ in range(n))")
    program = load("made", generate(f"{tmp_path}/model.py::f").body)
    assert program.f_adjoint(np.float64(2.0), np.int32(3)) == (6.0, 3.0)
    assert program.f_adjoint(2, True)[0] == 2
    with pytest.raises(TypeError, match="for an integer n"):
        program.f_adjoint(2.0, 2.5)


GUESSED = [
    ("def f(x): return np.sum(x * x)", np.array([1.0, 2.0]), "x = float64[:]"),
    ("def f(x): return x[0, 0] * x[1, 1]", np.eye(2) + 1.0, "x = float64[:, :]"),
    ("def f(x): return x @ x", np.array([1.0, 2.0]), "x = float64[:]"),
]


@pytest.mark.parametrize(("text", "at", "guess"), GUESSED)
def test_a_guess_is_refused_or_said_and_tested(
    load: Callable[..., ModuleType], tmp_path: Path, text: str, at: Any, guess: str
) -> None:
    primal, target = load("model", HEAD + text), f"{tmp_path}/model.py::f"
    with pytest.raises(AdjointgenError, match=re.escape(guess)) as caught:
        generate(target)
    assert caught.value.code == "AG412" and "--type x=" in caught.value.help
    made = generate(target, guess=True)
    assert f"\n# guessed: {guess}\n" in made.source and "--guess" in made.source
    program = load("made", made.body)
    x_bar = program.f_adjoint(at.copy())[1]
    for k in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[k] = 1e-6
        slope = (primal.f(at + step) - primal.f(at - step)) / 2e-6
        assert x_bar[k] == pytest.approx(slope, rel=1e-6, abs=1e-8)
    for other in (1.0, at[None], at[..., None], at * 1.0j):
        with pytest.raises(TypeError, match=r"axis as x|axes as x"):
            program.f_adjoint(other)


def test_what_is_stated_is_not_tested(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(HEAD + "def f(x, y: float): return x * y\n")
    assert "TypeError" in generate(f"{tmp_path}/model.py::f").body
    assert "TypeError" not in generate(f"{tmp_path}/model.py::f", types={"x": "float"}).body


def test_an_array_of_any_rank_where_that_is_enough(
    load: Callable[..., ModuleType], tmp_path: Path
) -> None:
    load("model", HEAD + "def f(x: np.ndarray): return np.sum(x * x)")
    program = load("made", generate(f"{tmp_path}/model.py::f").body)
    for shape in ((), (3,), (1,), (2, 3), (0,)):
        x = np.arange(np.prod(shape), dtype=float).reshape(shape)
        value, x_bar = program.f_adjoint(x)
        assert value == np.sum(x * x) and np.array_equal(x_bar, 2.0 * x)
    with pytest.raises(TypeError, match="a real array"):
        program.f_adjoint(np.ones(2) * 1j)


def test_what_needs_the_rank_says_so(tmp_path: Path) -> None:
    text = "def f(A: 'float64[:, :]', x: np.ndarray): return np.sum(A @ x)"
    (tmp_path / "model.py").write_text(HEAD + text)
    with pytest.raises(AdjointgenError, match=r"x is not known from the text .*matrix") as caught:
        generate(f"{tmp_path}/model.py::f")
    assert caught.value.code == "AG412"
    assert generate(f"{tmp_path}/model.py::f", types={"x": "float64[:]"})


def test_none_is_no_number(load: Callable[..., ModuleType], tmp_path: Path) -> None:
    text = "def f(x: float, c: float | None): return x * 2.0 if c is None else x * c"
    load("model", HEAD + text)
    program = load("made", generate(f"{tmp_path}/model.py::f", wrt="x").body)
    assert program.f_adjoint(1.0, 3.0) == (3.0, 3.0)
    with pytest.raises(TypeError, match="a value of c"):
        program.f_adjoint(1.0, None)


def test_the_option_is_read_back(tmp_path: Path) -> None:
    request = Request(("a.py::f",), make_options("x", guess=True), "a_ad.py")
    assert "--guess" in command(request) and parse_command(command(request)) == request
    assert make_options(guess=True).canonical() != make_options().canonical()
