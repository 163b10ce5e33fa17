"""Written modules with the two sweeps of an adjoint: their tapes, and what is tested of them."""

import importlib.util
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad, vjp
from adjointgen.api.calls.written_programs import written_in
from adjointgen.errors import AdjointgenError, Misuse

SOURCE = """
import dataclasses
from typing import NamedTuple
import numpy as np

def heat(u0: "float64[:]", k: float, steps: int) -> float:
    u = u0.copy()
    total = 0.0
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * np.sin(u[1:-1])
        total += u @ u
    return total

def column(x: "float64[:]") -> "float64[:]":
    y = np.exp(x)
    y[0] *= y[1]
    return y

def settled(x: float, tolerance: float) -> float:
    y = x
    while abs(y * y - x) > tolerance:
        y = 0.5 * (y + x / y)
    return y

def weighed(p):
    return np.sum(p["w"] * p["x"]) ** 2

@dataclasses.dataclass
class Part:
    k: float

@dataclasses.dataclass
class Params:
    nbytes: float
    w: np.ndarray
    part: Part
    parts: list
    name: str = "n"
    power: int = 2

class Pair(NamedTuple):
    a: float
    b: float

def built(p: Params, q: Pair, x: float):
    total = x * q.a + q.b ** 2
    for i in range(p.power):
        total = np.sin(total * p.part.k) * p.nbytes
    return total + np.sum(p.w ** 3) * p.parts[0].k

def linear(p: Part):
    return 3.0 * p.k
"""


@pytest.fixture
def source(tmp_path: Path) -> Iterator[ModuleType]:
    file = tmp_path / "split_source.py"
    file.write_text(SOURCE)
    yield imported(file)
    for name in ("split_source", "split_written"):
        sys.modules.pop(name, None)


def imported(file: Path) -> ModuleType:
    """A module of a file, where `pickle` finds its classes."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def written(tmp_path: Path, *functions: Any, **options: Any) -> ModuleType:
    module = generate(list(functions), **{"modes": "split"} | options)
    module.write(tmp_path / "split_written.py")
    return imported(tmp_path / "split_written.py")


U0, K = np.array([0.3, 0.7, -0.2, 1.0, 0.4]), 0.1


def test_a_tape_is_a_value(source: ModuleType, tmp_path: Path) -> None:
    """It is read again, pickled and weighed; nothing that happens to its arguments changes it."""
    made = written(tmp_path, source.heat)
    given = U0.copy()
    y, tape = made.heat_forward(given, K, 4)
    given[:] = np.nan
    known = grad(source.heat, wrt="u0, k")(U0, K, 4)
    assert y == source.heat(U0, K, 4)
    again = pickle.loads(pickle.dumps(tape))
    for seed in (1.0, -2.5, 1.0):
        for one in (tape, again):
            for bar, want in zip(made.heat_reverse(one, seed), known, strict=True):
                np.testing.assert_allclose(bar, seed * want, rtol=1e-13)
    assert type(tape).__name__ == "HeatTape"
    assert tape.nbytes == U0.nbytes + 4 * U0[1:-1].nbytes + 16
    assert tape._fields == ("k", "steps", "u", "u_old")


def test_a_single_adjoint_is_no_tuple(source: ModuleType, tmp_path: Path) -> None:
    made = written(tmp_path, source.column)
    x, seed = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 2.0])
    y, tape = made.column_forward(x)
    y[:] = np.nan
    np.testing.assert_allclose(made.column_reverse(tape, seed), vjp(source.column, x)[1](seed)[0])


def test_a_loop_of_unknown_length(source: ModuleType, tmp_path: Path) -> None:
    made = written(tmp_path, source.settled, wrt="x")
    y, tape = made.settled_forward(2.0, 1e-12)
    assert y == pytest.approx(np.sqrt(2.0))
    assert made.settled_reverse(tape) == pytest.approx(grad(source.settled, wrt="x")(2.0, 1e-12))


def test_structures(source: ModuleType, tmp_path: Path) -> None:
    p = {"w": np.array([1.0, 2.0]), "x": np.array([0.5, -1.0])}
    made = written(tmp_path, source.weighed, example=(p,))
    y, tape = made.weighed_forward(p)
    assert y == source.weighed(p)
    found, known = made.weighed_reverse(tape), grad(source.weighed)(p)
    for key in p:
        np.testing.assert_allclose(found[key], known[key])


def test_instances_are_built_of_their_classes(source: ModuleType, tmp_path: Path) -> None:
    """A reverse sweep returns what `grad` does, classes within classes and named tuples too."""
    p = source.Params(0.7, np.array([1.0, 2.0]), source.Part(0.3), [source.Part(0.4)])
    q = source.Pair(0.2, 0.5)
    made = written(tmp_path, source.built, example=(p, q, 1.5))
    _, tape = made.built_forward(p, q, 1.5)
    tape = pickle.loads(pickle.dumps(tape))
    assert tape.nbytes < 8 * 20
    (p_bar, q_bar, x_bar), (p_want, q_want, x_want) = (
        made.built_reverse(tape),
        grad(source.built, wrt="p, q, x")(p, q, 1.5),
    )
    assert (type(p_bar), type(p_bar.part), type(q_bar)) == (source.Params, source.Part, source.Pair)
    assert type(p_bar.parts[0]) is source.Part
    assert (p_bar.name, p_bar.power) == (p_want.name, p_want.power)
    # A checker takes None for no string.
    assert "name=cast(Any, None), power=0" in " ".join(Path(str(made.__file__)).read_text().split())
    np.testing.assert_allclose(p_bar.w, p_want.w)
    found = (p_bar.nbytes, p_bar.part.k, p_bar.parts[0].k, *q_bar, x_bar)
    want = (p_want.nbytes, p_want.part.k, p_want.parts[0].k, *q_want, x_want)
    np.testing.assert_allclose(found, want)
    assert written_in(made, "built").check(source.built, (p, q, 1.5)).ok


def test_a_tape_may_have_a_class_alone(source: ModuleType, tmp_path: Path) -> None:
    p = source.Part(2.0)
    made = written(tmp_path, source.linear, example=(p,))
    y, tape = made.linear_forward(p)
    assert (y, tape.nbytes) == (6.0, 0)
    assert made.linear_reverse(tape, 2.0) == source.Part(6.0)


@pytest.mark.parametrize("modes", ["split", "tangent, adjoint, split", "primal, split"])
def test_both_sweeps_are_verified(source: ModuleType, tmp_path: Path, modes: str) -> None:
    made = written(tmp_path, source.heat, modes=modes)
    assert written_in(made, "heat").check(source.heat, (U0, K, 4)).ok
    file = Path(str(made.__file__))
    text = file.read_text()
    begin = text.index("def heat_reverse")
    for right, wrong in (("2.0 * total_bar", "2.5 * total_bar"), ("u = u.copy()", "pass")):
        assert right in text[begin:]
        file.write_text(text[:begin] + text[begin:].replace(right, wrong, 1))
        assert not written_in(imported(file), "heat").check(source.heat, (U0, K, 4)).ok


def test_a_missing_sweep_is_told(source: ModuleType, tmp_path: Path) -> None:
    made = written(tmp_path, source.column)
    del made.column_reverse
    with pytest.raises(AdjointgenError, match="column_reverse") as caught:
        written_in(made, "column", ["split"])
    assert caught.value.code == "AG503"


def test_the_command_of_a_module_makes_it_again(source: ModuleType, tmp_path: Path) -> None:
    module = generate(source.column, modes="split")
    assert "--mode split" in module.source
    assert module.functions == ("column_forward", "column_reverse")


def test_sweeps_are_not_compiled(source: ModuleType) -> None:
    with pytest.raises(Misuse, match="not compiled") as caught:
        generate(source.column, modes="split", compile="numba")
    assert caught.value.code == "AG415"


def test_two_classes_of_one_name(tmp_path: Path) -> None:
    file = tmp_path / "twice.py"
    file.write_text("def a_b(x: float): return x * x\ndef aB(x: float): return x * x\n")
    with pytest.raises(AdjointgenError, match="ABTape") as caught:
        generate([f"{file}::a_b", f"{file}::aB"], modes="split")
    assert caught.value.code == "AG007"


def test_a_class_of_the_user_keeps_its_name(tmp_path: Path) -> None:
    """The text of the program reads the user's class, which the class of the tape would hide."""
    (tmp_path / "split_kinds.py").write_text("class SquareTape:\n    weight = 3.0\n")
    file = tmp_path / "split_square.py"
    file.write_text(
        "from split_kinds import SquareTape\n\n"
        "def square(x: float) -> float:\n    return x * x * SquareTape.weight\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        square = imported(file).square
        made = written(tmp_path, square)
        y, tape = made.square_forward(2.0)
        assert (y, made.square_reverse(tape)) == (12.0, 12.0)
    finally:
        sys.path.remove(str(tmp_path))
        for name in ("split_kinds", "split_square", "split_written"):
            sys.modules.pop(name, None)
