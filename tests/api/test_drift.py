"""Drift, as the library reports it; `tests/cli/test_check.py` goes through the causes."""

from pathlib import Path

import pytest

from adjointgen.api.modules.drift import Drift, drift
from adjointgen.api.modules.module import generate
from adjointgen.config.options import Request, make_options

MODEL = "def f(x: float, y: float) -> float:\n    return x * y\n"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`model.py` and the module generated from it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    generate("model.py::f", wrt="x").write("f_ad.py")
    return tmp_path / "f_ad.py"


def test_none(made: Path) -> None:
    found = drift(made)
    assert (found.ok, found.kind, found.detail, found.diff()) == (True, "none", "", "")
    assert found.expected == made.read_text() == found.text


def test_the_expected_text_is_what_generate_writes(made: Path) -> None:
    (made.parent / "model.py").write_text(MODEL.replace("x * y", "x + y"))
    found = drift(made)
    assert not found.ok and found.kind == "source changed"
    assert generate("model.py::f", wrt="x").write(made)
    assert found.expected == made.read_text() and drift(made).ok


def test_layout_changes_the_text_that_is_quoted_and_is_no_drift(made: Path) -> None:
    (made.parent / "model.py").write_text("# A remark.\n\n\n" + MODEL.replace("x * y", "x*y"))
    found = drift(made)
    assert found.ok and found.expected is not None
    assert "# return x * y\n" in found.text and "# return x*y\n" in found.expected


def test_a_request_decides_over_the_header(made: Path) -> None:
    same = Request(("./model.py::f",), make_options("x"), "f_ad.py")
    assert drift(made, same, made.parent).ok
    other = Request(("model.py::f",), make_options("y"), "f_ad.py")
    found = drift(made, other, made.parent)
    assert found.kind == "options changed" and "--wrt x then, --wrt y now" in found.detail
    assert found.expected is not None and "y_bar" in found.expected


def test_the_file_may_have_moved(made: Path) -> None:
    inner = made.parent / "gen"
    inner.mkdir()
    assert drift(made.rename(inner / "other_ad.py")).ok


def test_the_sources_of_the_nearest_folder_count(made: Path, tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    text = made.read_text()
    (below / "f_ad.py").write_text(text)
    (below / "model.py").write_text(MODEL.replace("*", "-"))
    assert drift(below / "f_ad.py").kind == "source changed"
    (below / "model.py").unlink()
    assert drift(below / "f_ad.py").ok


def test_a_text_may_stand_for_the_file(made: Path) -> None:
    assert drift("-", text=made.read_text()).ok
    assert drift("-", text="x = 1\n").kind == "not generated"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x = 1\n"])
def test_what_is_not_generated(made: Path, content: bytes) -> None:
    made.write_bytes(content)
    found = drift(made)
    assert found.kind == "not generated" and found.expected is None and found.diff() == ""


def test_what_is_not_there(tmp_path: Path) -> None:
    assert drift(tmp_path / "nosuch.py") == Drift(
        str(tmp_path / "nosuch.py"), drift(tmp_path / "nosuch.py").causes
    )
    assert drift(tmp_path / "nosuch.py").kind == "missing"


def test_a_refusal_is_kept(made: Path) -> None:
    (made.parent / "model.py").write_text(
        "def f(x: float, y: float) -> float:\n    return float(str(x * y))\n"
    )
    found = drift(made)
    assert [cause.kind for cause in found.causes] == ["source changed", "refused"]
    assert found.error is not None and found.error.code == "AG201" and found.expected is None


def test_an_example_is_found_from_a_module_in_a_folder_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The header names the example from the folder of the command, not of the module."""
    (tmp_path / "library.py").write_text("def f(x):\n    return x * x\n", "utf-8")
    (tmp_path / "data.py").write_text("args = (1.5,)\n", "utf-8")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "below" / "f_ad.py"
    generate("library:f", example="data.py::args").write(path)
    assert "-o below/f_ad.py" in path.read_text("utf-8")
    assert drift(path).ok
    monkeypatch.chdir(tmp_path / "below")
    assert drift("f_ad.py").ok
