"""A derivative is a function like the one it was made from: named, pickled, bound, shared."""

from __future__ import annotations

import copy
import gc
import inspect
import math
import pickle
import subprocess
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MethodType
from typing import Any, Final

import numpy as np
import pytest

import adjointgen
from adjointgen import adjoint, grad, hessian, hvp, jvp, tangent, value_and_grad, vjp
from adjointgen.api.calls import generated
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.generated import MOST
from adjointgen.api.specialize import specialize
from adjointgen.api.specialize.gc_pause import collector_paused
from adjointgen.errors import AdjointgenError, NoRule, TypeMismatch, Unsupported

ROOT: Final = Path(__file__).parents[2]


def cube(x: float, k: int = 1) -> float:
    """A cube."""
    return k * x**3


@grad
def decorated(x: float) -> float:
    """Decorated."""
    return x**3


@grad(wrt="y")
def by_name(x: float, y: float) -> float:
    return x * y**2


class Spring:
    """Something with methods."""

    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    @staticmethod
    @grad
    def energy(x: float) -> float:
        return 2.0 * x * x

    @grad(wrt="x")
    def bound(self, x: float) -> float:
        return 3.0 * x * x


def test_name_docstring_and_signature() -> None:
    for made in (grad(cube), value_and_grad(cube), tangent(cube), adjoint(cube)):
        assert (made.__name__, made.__doc__, made.__module__) == ("cube", "A cube.", __name__)
        assert inspect.signature(made) == inspect.signature(cube)
        assert made.primal is made.__wrapped__ is cube


def test_the_source_is_that_of_the_last_call() -> None:
    made = grad(cube)
    with pytest.raises(TypeMismatch) as refusal:
        _ = made.source
    assert refusal.value.code == "AG406"
    assert made(2.0) == 12.0
    scalar = made.source
    assert scalar.startswith("def cube_grad(x: float, k: int = 1) -> float:\n")
    assert made(2.0, 3.0) == 36.0
    assert made.source != scalar and "k: float" in made.source
    assert made(2.0) == 12.0 and made.source == scalar


def test_attributes_of_the_function_do_not_get_in_the_way() -> None:
    def f(x: float) -> float:
        return x * x

    f.generated = f.pack = "mine"  # type: ignore[attr-defined]
    assert grad(f)(3.0) == 6.0


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    ("made", "arguments", "wanted"),
    [
        (grad(cube), (2.0,), 12.0),
        (grad(cube, wrt=("x", "k")), (2.0, 1.0), (12.0, 8.0)),
        (value_and_grad(cube), (2.0,), (8.0, 12.0)),
        (grad(grad(cube)), (2.0,), 12.0),
        (tangent(cube, "x"), (2.0, 1, 1.0), (8.0, 12.0)),
        (decorated, (2.0,), 12.0),
        (grad(decorated), (2.0,), 12.0),
        (by_name, (3.0, 2.0), 12.0),
        (Spring.energy, (3.0,), 12.0),
    ],
    ids=["grad", "tuple", "value", "twice", "tangent", "decorated", "nested", "by_name", "method"],
)
def test_pickles_if_the_function_does(
    made: Any, arguments: tuple[Any, ...], wanted: Any, protocol: int
) -> None:
    again = pickle.loads(pickle.dumps(made, protocol))
    assert again(*arguments) == wanted
    made(*arguments)
    again = pickle.loads(pickle.dumps(made, protocol))
    assert again(*arguments) == wanted
    assert again.primal is made.primal


def test_a_decorated_function_is_pickled_by_reference() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert copy.deepcopy(decorated) is copy.copy(decorated) is decorated


def test_the_derivative_of_another_function_of_a_name_is_no_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = grad(cube)
    monkeypatch.setitem(globals(), "cube", grad(lambda x: x))
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(made)


def test_what_does_not_pickle_still_does_not() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(grad(lambda x: x * x))


def test_pickles_into_another_process() -> None:
    data = pickle.dumps([grad(math_heavy), grad(grad(math_heavy))])
    code = "import pickle, sys\nfor f in pickle.load(sys.stdin.buffer): print(repr(f(0.5)))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=data, cwd=ROOT, capture_output=True, check=True)
    slope, bend = map(float, done.stdout.split())
    assert slope == pytest.approx(math.sin(0.5) + 0.5 * math.cos(0.5), rel=1e-15)
    assert bend == pytest.approx(2.0 * math.cos(0.5) - 0.5 * math.sin(0.5), rel=1e-15)


def math_heavy(x: float) -> float:
    return x * math.sin(x)


def test_methods() -> None:
    spring = Spring(4.0)
    assert Spring.energy(3.0) == spring.energy(3.0) == 12.0
    assert isinstance(spring.bound, MethodType) and spring.bound.__self__ is spring
    assert Spring.bound(spring, 3.0) == spring.bound(3.0) == spring.bound(x=3.0) == 18.0
    assert "def bound_grad(" in spring.bound.source


def test_eight_threads_generate_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, original = [], specialize.make

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(specialize, "make", counted)
    made, gate = grad(math_heavy), threading.Barrier(8)

    def first(x: float) -> Any:
        gate.wait()
        return made(x), made.generated.last.made.text

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(first, np.linspace(0.0, 1.0, 8).tolist()))
    assert [y for y, _ in found] == [math.sin(x) + x * math.cos(x) for x in np.linspace(0, 1, 8)]
    assert len(calls) == 1


def test_specialisations_are_told_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    def power(x: Any, how: str = "") -> Any:
        return np.sum(x * x) if how != "none" else x

    made = grad(power)
    assert made.specialisations == ()
    made(2.0), made(np.ones((3, 1))), made(2.0), made(2.0, how="a")
    assert made.specialisations == (
        "x: float, how: str ''",
        "x: float64[?, 1], how: str ''",
        "x: float, how: str 'a'",
    )
    monkeypatch.setattr(generated, "MOST", 4)
    for word in "bcde":
        assert made(2.0, word) == 4.0
    assert made.specialisations == tuple(f"x: float, how: str {word!r}" for word in "bcde")
    assert MOST == 64


def test_a_program_that_no_longer_stands_makes_no_room() -> None:
    scale = 2.0

    def f(x: float) -> float:
        return scale * x

    made = grad(f)
    assert made(1.0) == 2.0
    scale = 3.0
    assert made(1.0) == 3.0
    assert made.specialisations == ("x: float",)


def test_a_failure_leaves_the_derivative_as_it_was() -> None:
    made = grad(cube)
    before = made.specialisations
    for _ in range(2):
        with pytest.raises(AdjointgenError):
            made("no number")
    assert made.specialisations == before and not made.generated.kept.lock.locked()
    assert made(2.0) == 12.0


def test_a_gradient_inside_is_not_taken_for_its_primal() -> None:
    def outer(x: float) -> float:
        return 2.0 * decorated(x)

    try:
        assert grad(outer)(3.0) == 36.0
    except AdjointgenError:
        assert grad(outer).specialisations == ()


def test_errors_of_transforms_show_the_line() -> None:
    def f(x: float) -> float:
        return math.nextafter(x, 1.0) * x

    with pytest.raises(AdjointgenError) as refusal:
        grad(f)(2.0)
    assert isinstance(refusal.value, NoRule | Unsupported)
    assert "return math.nextafter(x, 1.0) * x" in str(refusal.value)


def test_errors_in_a_helper_of_another_file_show_its_line(tmp_path: Path) -> None:
    (tmp_path / "apart.py").write_text(
        "import math\ndef g(x):\n    return math.nextafter(x, 1.0)\n"
    )
    namespace: dict[str, Any] = {"__name__": "apart"}
    path = tmp_path / "apart.py"
    exec(compile(path.read_text(), path, "exec"), namespace)
    helper = namespace["g"]

    def f(x: float) -> float:
        return helper(x) * x

    with pytest.raises(AdjointgenError) as refusal:
        grad(f)(2.0)
    assert "    return math.nextafter(x, 1.0)\n" in str(refusal.value)


def test_the_collector_is_paused_and_goes_on() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), collector_paused():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_generation_pauses_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    states, original = [], specialize.emit

    def watched(*arguments: Any) -> str:
        states.append(gc.isenabled())
        return original(*arguments)

    monkeypatch.setattr(specialize, "emit", watched)
    grad(cube)(2.0)
    assert states == [False] and gc.isenabled()


LIGHT: Final = """
import sys
import {name}
heavy = ("libcst", "black", "numba", "scipy", "adjointgen.frontend", "adjointgen.emit.write.module")
print([name for name in sys.modules if name.startswith(heavy)])
print("numpy" in sys.modules)
"""


@pytest.mark.parametrize(
    ("name", "numpy"), [("adjointgen", "False"), ("adjointgen.api.calls.modes as grad", "True")]
)
def test_imports_are_light(name: str, numpy: str) -> None:
    command = [sys.executable, "-c", LIGHT.format(name=name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", numpy]


def test_hessians_pass_through() -> None:
    assert hessian(cube)(2.0) == 12.0
    assert isinstance(grad(cube), Derivative)


def weighted(x: float, weight: float = 2.0, *, power: int = 3) -> float:
    return float(weight * x**power)


def test_seeds_are_not_taken_for_parameters_that_have_defaults() -> None:
    assert jvp(weighted, (1.5,), (0.5,)) == (6.75, 6.75)
    value, pullback = vjp(weighted, 1.5)
    assert (value, pullback(0.5)) == (6.75, (6.75, 0.5 * 1.5**3))
    assert hvp(weighted, (1.5,), (0.5,)) == 9.0


def test_truth_values_have_no_gradient() -> None:
    with pytest.raises(TypeMismatch) as caught:
        grad(lambda x: np.allclose(x, 1.0))(np.ones(2))
    assert caught.value.code == "AG404"


def test_an_empty_structure_has_an_empty_gradient() -> None:
    slope = grad(lambda d, x: d.get("a", x) ** 2, (0, 1))
    assert slope({}, 2.0) == ({}, 4.0)
    assert slope({"a": 3.0}, 2.0) == ({"a": 6.0}, 0.0)
    with pytest.raises(TypeMismatch) as caught:
        grad(lambda d: 2.0 * d["a"])({"a": 3})
    assert caught.value.code == "AG403"


def test_what_objects_say() -> None:
    def f(x: float, y: float) -> float:
        return x * y

    assert repr(grad(f)).endswith("f by x>") and repr(grad(f)).startswith("<grad of ")
    report, module = adjointgen.check(f, (1.0, 2.0)), adjointgen.generate(f)
    assert report._repr_html_().startswith("<pre>") and "&lt;" not in str(report)
    assert "def f_adjoint" in module._repr_html_()


def test_tracebacks_have_one_frame_of_ours() -> None:
    def refused(x):
        return open(x)

    def raising(x):
        return math.sqrt(x - 2.0)

    def own(call: Any) -> int:
        try:
            call()
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            package = str(Path(adjointgen.__file__).parent)
            return sum(frame.filename.startswith(package) for frame in frames)
        raise AssertionError("nothing was raised")

    assert own(lambda: grad(refused)(1.0)) == 1
    assert own(lambda: grad(f_of_two)()) == 1
    assert own(lambda: value_and_grad(raising)(1.0)) == 1


def f_of_two(x, y):
    return x * y
