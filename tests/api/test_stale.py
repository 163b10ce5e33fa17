"""A program stands as long as what it was made of: every kind of look-up, changed in every way.

`stale.txt` has a module with a function `f` and, after `-->`, a statement that changes what `f`
does; `m` is the module. After the change a gradient that was taken before, and one in a new process
(the module loaded anew, a program of the unchanged one on disk), are held against differences.
"""

import ast
import builtins
import functools
import math
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.errors import AdjointgenError

CASES_FILE = Path(__file__).parent / "stale.txt"
HEAD = """import dataclasses
import enum
import functools
import math
import types
import numpy as np
import stale_helper as sh
"""
HELPER = """import types
sub = types.ModuleType("stale_helper.sub")
sub.K = 2.0
K = 2.0
G = 2.0
def h(x):
    return G * x * x
"""
PATCHED = [(np, "sin"), (np, "pi"), (math, "sin"), (math, "pi"), (builtins, "abs")]


class Case(NamedTuple):
    name: str
    text: str
    change: str
    point: Any


def cases() -> Iterator[Case]:
    for block in CASES_FILE.read_text("utf-8").split("\n# "):
        head, _, rest = block.removeprefix("# ").partition("\n")
        name, _, point = head.partition(" @ ")
        text, _, change = rest.partition("\n--> ")
        at = np.array(ast.literal_eval(point)) if point else 1.3
        yield Case(name, text + "\n", change.strip(), at)


CASES = list(cases())


def module(name: str, path: Path, text: str) -> Any:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    made = types.ModuleType(name)
    made.__file__ = str(path)
    sys.modules[name] = made
    exec(compile(text, str(path), "exec"), vars(made))
    return made


def load(folder: Path, case: Case) -> Any:
    helper = module("stale_helper", folder / "stale_helper.py", HELPER)
    sys.modules["stale_helper.sub"] = helper.sub
    return module("stale_module", folder / "stale_module.py", HEAD + case.text)


def change(m: Any, case: Case) -> None:
    names = {"m": m, "np": np, "math": math, "types": types, "functools": functools}
    exec(case.change, {**names, "enum": __import__("enum")})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(tmp_path / "cache"))
    for owner, name in PATCHED:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    yield tmp_path
    for name in ("stale_helper", "stale_helper.sub", "stale_module"):
        sys.modules.pop(name, None)


def slope(f: Any, point: Any) -> Any:
    """The gradient by extrapolated differences."""
    x = np.asarray(point, float)
    found = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        rows = []
        for step in (1e-4, 5e-5):
            h = np.zeros(x.shape)
            h[k] = step
            ends = [x + h, x - h] if x.ndim else [float(x + h), float(x - h)]
            high, low = (float(f(end)) for end in ends)
            rows.append((high - low) / (2 * step))
        found[k] = (4 * rows[1] - rows[0]) / 3
    return found


def agrees(gradient: Any, m: Any, point: Any) -> bool | None:
    """Whether a gradient is that of the function; None where it is refused."""
    given = point.copy() if isinstance(point, np.ndarray) else point
    try:
        found = np.asarray(gradient(given))
    except AdjointgenError:
        return None
    except Exception as error:
        with pytest.raises(type(error)):
            m.f(given)
        return True
    wanted = slope(m.f, point)
    return found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_is_seen(folder: Path, case: Case) -> None:
    m = load(folder, case)
    gradient = grad(m.f)
    assert agrees(gradient, m, case.point) is not False
    change(m, case)
    assert agrees(gradient, m, case.point) is not False, "in the same process"
    for owner, name in PATCHED:
        setattr(owner, name, ORIGINAL[owner.__name__, name])
    m = load(folder, case)
    change(m, case)
    assert agrees(grad(m.f), m, case.point) is not False, "in another process"


ORIGINAL = {(owner.__name__, name): getattr(owner, name) for owner, name in PATCHED}


def test_most_changes_lead_to_another_program(folder: Path) -> None:
    """Where a look-up is refused, nothing is tested."""
    accepted = 0
    for case in CASES:
        m = load(folder, case)
        accepted += agrees(grad(m.f), m, case.point) is True
    assert accepted > 0.85 * len(CASES)


def test_a_file_that_is_edited_after_its_import(folder: Path) -> None:
    text = "def h(x):\n    return 2.0 * x\ndef f(x):\n    return h(x) * x\n"
    m = load(folder, Case("", text, "", 1.3))
    gradient = grad(m.f)
    assert gradient(3.0) == 12.0
    edited = Path(m.__file__)
    edited.write_text(HEAD + text.replace("2.0 * x", "5.0 + x"), "utf-8")
    assert gradient(np.float32(3.0)) == 12.0
    assert grad(m.f)(3.0) == 12.0
    late = load(folder, Case("", text, "", 1.3))
    edited.write_text(HEAD + text.replace("h(x) * x", "h(x) - x"), "utf-8")
    with pytest.raises(AdjointgenError, match="AG004"):
        grad(types.FunctionType(late.f.__code__.replace(co_consts=(None, 7.0)), vars(late)))(3.0)


def test_a_module_that_is_loaded_late(folder: Path) -> None:
    """What the table knows of modules is asked again when more of them are loaded."""
    from adjointgen.frontend.domain import qualified_names

    name = "scipy.optimize"
    kept = sys.modules.pop(name, None)
    try:
        assert qualified_names.spelling_of(len) == "builtins.len"
        import scipy.optimize

        assert qualified_names.spelling_of(scipy.optimize.brentq) == "scipy.optimize.brentq"
    finally:
        if kept is not None:
            sys.modules[name] = kept


def test_a_reloaded_helper(folder: Path) -> None:
    import importlib

    sys.path.insert(0, str(folder))
    try:
        path = folder / "stale_reloaded.py"
        path.write_text("def h(x):\n    return 2.0 * x\n", "utf-8")
        helper = importlib.import_module("stale_reloaded")
        text = "import stale_reloaded\ndef f(x):\n    return stale_reloaded.h(x) * x\n"
        m = load(folder, Case("", text, "", 1.3))
        gradient = grad(m.f)
        assert gradient(3.0) == 12.0
        path.write_text("def h(x):\n    return 50.0 * x\n", "utf-8")
        importlib.reload(helper)
        assert gradient(3.0) == 300.0
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("stale_reloaded", None)


class Held:
    k = 2.0

    def __init__(self, a: float) -> None:
        self.a = a

    def area(self, x: Any) -> Any:
        return self.a * x * x

    def run(self, x: Any) -> Any:
        return self.area(x) * self.k


def of_held(o: Any, p: Any, x: Any) -> Any:
    return o.area(x) + p["o"].area(x) * o.k


def linear(x: Any) -> Any:
    return 7.0 * x


def test_an_attribute_that_hides_a_method() -> None:
    gradient = grad(of_held, "x")
    one, other = Held(2.0), Held(3.0)
    assert gradient(one, {"o": other}, 1.0) == 16.0
    for owner, name, value, wanted in (
        (one, "area", linear, 7.0 + 12.0),
        (other, "area", linear, 7.0 + 14.0),
        (one, "k", 5.0, 7.0 + 35.0),
    ):
        setattr(owner, name, value)
        assert gradient(one, {"o": other}, 1.0) == wanted
        assert gradient(Held(2.0), {"o": Held(3.0)}, 1.0) == 16.0
    bound = Held(2.0)
    method = grad(bound.run)
    assert method(1.0) == 8.0
    bound.area = linear  # type: ignore[assignment, method-assign]
    assert method(1.0) == 14.0
    del bound.area
    assert method(1.0) == 8.0
