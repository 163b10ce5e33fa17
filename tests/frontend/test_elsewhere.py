"""Functions and constants of other modules, read from their text without running them."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from adjointgen import generate

FILES = {
    "phys/__init__.py": "",
    "phys/consts.py": "G = 9.81\nHALF = 0.5\n",
    "phys/sub/__init__.py": "raise RuntimeError('this module is not to be run')\n",
    "phys/sub/drag.py": """import math
from ..consts import G
import phys.consts as named


def drag(v, k):
    f = named.HALF * v * v * k
    return f * math.exp(-v) + G
""",
    "phys/fall.py": """from .sub.drag import drag
from .sub import drag as module
from phys.consts import HALF


def fall(v: float, n: int):
    s = 0.0
    for k in range(n):
        s += drag(v, 1.5) + HALF * module.drag(v * 2.0, k)
    return s
""",
}


def fall(v: float, n: int) -> float:
    """What the package computes."""

    def drag(v: float, k: float) -> float:
        return float(0.5 * v * v * k * np.exp(-v) + 9.81)

    return sum(drag(v, 1.5) + 0.5 * drag(2.0 * v, k) for k in range(n))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path


def test_functions_of_other_modules(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(package)
    generate("phys/fall.py::fall", wrt="v").write("fall_ad.py")
    monkeypatch.syspath_prepend(package)
    made = importlib.import_module("fall_ad")
    assert "phys" not in sys.modules
    value, v_bar = made.fall_adjoint(0.7, 4)
    _, v_dot = made.fall_tangent(0.7, 4, 1.0)
    slope = (fall(0.7 + 1e-5, 4) - fall(0.7 - 1e-5, 4)) / 2e-5
    assert np.isclose(value, fall(0.7, 4), rtol=1e-14)
    assert np.isclose(v_bar, slope, rtol=1e-8) and np.isclose(v_dot, v_bar, rtol=1e-13)
    sys.modules.pop("fall_ad")


def test_a_module_is_imported_by_the_name_that_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "space").mkdir()
    text = "T = {'a': 2.0}\ndef show(n): print(T, n)\ndef f(x):\n    print(T)\n    return x * x\n"
    (tmp_path / "space" / "model.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert "from space.model import T" in generate("space.model:f").source
    assert "from model import T" in generate("space/model.py::f").source


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("phys/sub/drag.py", "+ G", "- G"), ("phys/consts.py", "9.81", "9.82")],
)
def test_what_changes_elsewhere_is_a_change(
    package: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str
) -> None:
    monkeypatch.chdir(package)
    before = generate("phys/fall.py::fall", wrt="v")
    path = package / file
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    after = generate("phys/fall.py::fall", wrt="v")
    assert before.source_hash != after.source_hash
    assert before.body != after.body
