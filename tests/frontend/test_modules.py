"""What the names of a module stand for, read from its text, and when the module is run."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate

TEXT = Path(__file__).with_name("modules.txt").read_text("utf-8")
BLOCKS = re.split(r"^=== ", TEXT, flags=re.MULTILINE)[1:]
OTHERS = {
    "hiding": "def abs(x): return x * x\n_own = 1\n",
    "listing": "__all__ = ['given']\ndef given(x): return 3.0 * x\ndef abs(x): return 0.0\n",
}
AT = 0.7


def parts(block: str) -> tuple[str, str, str]:
    """The title, the code of a refusal or nothing, and the text."""
    head, _, text = block.partition("\n")
    code = re.search(r"^-> (AG\d+)$|-> (AG\d+)\n", f"{text}\n{head}\n", re.MULTILINE)
    text = re.sub(r"^-> AG\d+$", "", text, flags=re.MULTILINE)
    return head.partition(" ->")[0], (code[1] or code[2]) if code else "", text


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in OTHERS.items():
        (tmp_path / f"{name}.py").write_text(text)
    yield tmp_path
    for name in (*OTHERS, "some_module", "made"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("block", BLOCKS, ids=[parts(block)[0] for block in BLOCKS])
def test_text_and_run_agree(folder: Path, block: str) -> None:
    _, code, text = parts(block)
    file = folder / "some_module.py"
    file.write_text(text)
    if code:
        with pytest.raises(AdjointgenError) as caught:
            generate(f"{file}::f", wrt="x", guess=True)
        assert caught.value.code == code
        return
    made = generate(f"{file}::f", wrt="x", guess=True)
    made.write(folder / "made.py")
    f, program = loaded(file).f, loaded(folder / "made.py")
    value, x_bar = program.f_adjoint(AT)
    assert value == pytest.approx(f(AT), rel=1e-14)
    slope = (f(AT + 1e-5) - f(AT - 1e-5)) / 2e-5
    assert x_bar == pytest.approx(slope, rel=1e-8)
    _, x_dot = program.f_tangent(AT, x_dot=1.0)
    assert np.isclose(x_dot, x_bar, rtol=1e-13)
