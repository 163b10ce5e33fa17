"""Names and places that a careless or hostile project may have."""

import os
import stat
from pathlib import Path

import pytest

from adjointgen import generate, grad
from adjointgen.config.pyproject import ConfigError, read_project
from adjointgen.errors import SourceError

TEXT = "import math\ndef f(x: float) -> float:\n    y = math.sin(x)\n    return y * x\n"
NAME = "a\nraise SystemExit\n\r\x85\u2028raise SystemExit\n.py"


def test_a_name_with_line_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(NAME).write_text(TEXT, "utf-8")
    made = generate(f"{NAME}::f", wrt="x")
    space: dict[str, object] = {}
    exec(made.source, space)
    assert "f_adjoint" in space
    assert all(
        "raise" not in line or line.startswith("#") or "#" in line
        for line in made.source.splitlines()
    )


def test_a_live_function_of_a_file_with_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text(TEXT, "utf-8")
    space: dict[str, object] = {"__name__": "broken"}
    exec(compile(TEXT, str(path), "exec"), space)
    gradient = grad(space["f"])
    assert gradient(0.0) == 0.0
    assert not any(line.startswith("raise") for line in gradient.source.splitlines())


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_replaced(tmp_path: Path, make: object) -> None:
    source, target = tmp_path / "model.py", tmp_path / "out.py"
    source.write_text(TEXT, "utf-8")
    make(target)  # type: ignore[operator]
    kind = stat.S_IFMT(target.lstat().st_mode)
    link = tmp_path / "link.py"
    link.symlink_to(target)
    for path in (target, link, "/dev/null"):
        with pytest.raises(SourceError, match="AG005"):
            generate(f"{source}::f", wrt="x").write(path)
    assert stat.S_IFMT(target.lstat().st_mode) == kind
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_what_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    source, target = tmp_path / "model.py", tmp_path / "out.py"
    source.write_text(TEXT, "utf-8")
    target.write_bytes(b"\xff\xfe mine")
    with pytest.raises(SourceError, match="AG005"):
        generate(f"{source}::f", wrt="x").write(target)
    assert target.read_bytes() == b"\xff\xfe mine"


def test_half_written_files_are_removed(tmp_path: Path) -> None:
    source, target = tmp_path / "model.py", tmp_path / "out[1].py"
    source.write_text(TEXT, "utf-8")
    old, new, other = (
        tmp_path / name for name in (f".{target.name}.a.tmp", f".{target.name}.b.tmp", ".x.a.tmp")
    )
    for path in (old, new, other):
        path.write_text("half", "utf-8")
    os.utime(old, (1, 1))
    os.utime(other, (1, 1))
    assert generate(f"{source}::f", wrt="x").write(target)
    assert [path.exists() for path in (old, new, other)] == [False, True, True]


@pytest.mark.parametrize("output", ["../out.py", "a/../../out.py", "/tmp/out.py", "away/out.py"])
def test_outputs_stay_in_the_project(tmp_path: Path, output: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "away").symlink_to(tmp_path)
    file = project / "pyproject.toml"
    table = f'[[tool.adjointgen.targets]]\nsource = "m.py::f"\noutput = "{output}"\n'
    file.write_text(table, "utf-8")
    with pytest.raises(ConfigError, match="outside of the project"):
        read_project(file)
    file.write_text(table.replace(output, "sub/../out.py"), "utf-8")
    assert read_project(file)


def test_encodings_that_a_file_states(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\ndef f(größe: float) -> float:\n    return größe * größe\n"
    path = tmp_path / "model.py"
    path.write_bytes(text.encode("latin-1"))
    assert "größe" in generate(f"{path}::f").source
    path.write_bytes(b"# -*- coding: nosuch -*-\ndef f(x): return x\n")
    with pytest.raises(SourceError, match="AG003"):
        generate(f"{path}::f")
    path.write_bytes(b"\xef\xbb\xbfdef f(x: float) -> float:\n    return x * x\n")
    assert "f_adjoint" in generate(f"{path}::f").source
