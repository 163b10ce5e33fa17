"""A generated module: what it says of itself, and that it is written whole or not at all."""

import math
import os
import stat
import subprocess
import sys
from pathlib import Path

import black
import pytest

from adjointgen.api.cache import atomic_write
from adjointgen.api.modules.header import FIRST, Header, body_hash, is_generated, join, split
from adjointgen.api.modules.module import DerivativeModule, generate
from adjointgen.api.modules.target_names import Target, find_module, parse_target, shown
from adjointgen.errors import SourceError, TypeMismatch

ROOT = Path(__file__).parents[2]

MODEL = '''import math

import numpy as np

RATE, STEPS = 0.5, 3
TABLE = np.array([1.0, 2.0])


def scale(x):
    return RATE * x


def decay(x: float, a: float) -> float:
    """How much is left."""
    return scale(a) * math.exp(-x)


def energy(u: "float64[:]", k):
    return 0.5 * k * np.sum(u * u)


def plain(x: float, y: float) -> float:
    return x * y
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def header_of(text: str) -> Header:
    parts = split(text)
    assert parts is not None
    return parts[0]


# The text


@pytest.mark.parametrize("name", ["decay", "energy", "plain"])
def test_the_text_is_as_black_leaves_it(folder: Path, name: str) -> None:
    text = generate(f"model.py::{name}").text_for("out_ad.py")
    mode = black.Mode(target_versions={black.TargetVersion.PY311})
    assert black.format_str(text, mode=mode) == text
    parts = split(text)
    assert parts is not None and join(*parts) == text
    assert parts[0].body_hash == body_hash(parts[1])


def test_the_header(folder: Path) -> None:
    module = generate("model.py::decay", wrt=("x", "a"), modes=["adjoint"])
    assert module.source.startswith(f"{FIRST}\n# source: model.py::decay\n# adjointgen: ")
    header = header_of(module.source)
    assert header.command == "adjointgen generate model.py::decay --wrt x,a --mode adjoint"
    assert all(len(h) == 12 for h in (header.source_hash, header.options_hash, header.body_hash))
    assert "claims none in this file" in module.source
    assert module.functions == ("decay_adjoint",) and str(module) == module.source
    assert module.report == ("decay_adjoint: records nothing",)


def test_no_path_is_absolute(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    module = generate(str(folder / "model.py") + "::decay")
    texts = [module.source, module.text_for(folder / "a" / "b.py"), module.text_for("b.py")]
    assert "# source: model.py::decay\n" in texts[0]
    assert texts[1] == module.text_for("a/b.py") and "-o a/b.py\n" in texts[1]
    outside = module.text_for(elsewhere / "b.py")
    command = header_of(outside).command
    assert command.endswith("/model.py::decay -o b.py") and "generate ../" in command
    for text in (*texts, outside):
        assert str(folder) not in text and not any(
            word.startswith("/") for word in header_of(text).command.split()
        )


def test_the_text_does_not_depend_on_hash_seeds(folder: Path) -> None:
    program = (
        "from adjointgen.api.modules.module import generate\n"
        "print(generate(['model.py::decay', 'model.py::energy'], wrt='x,u'.split(',')[:0] or ...))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1 and texts.pop().count("def ") == 4


def test_the_text_runs_without_the_package(folder: Path) -> None:
    space: dict[str, object] = {}
    exec(generate("model.py::plain", modes="adjoint").source, space)
    program = space["plain_adjoint"]
    assert callable(program) and program(2.0, 3.0) == (6.0, 3.0, 2.0)


# Targets and options


def live(x: float, a: float) -> float:
    return a * math.sin(x)


def test_a_live_function_gives_what_its_name_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    made = generate(live)
    named = generate("tests/api/test_module.py::live")
    assert made.source == named.source and "# source: tests/api/test_module.py::live" in str(made)


def test_a_function_that_text_alone_cannot_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    factor = 3.0

    def inner(x: float) -> float:
        return factor * x

    made = generate(inner, modes="adjoint")
    space: dict[str, object] = {}
    exec(made.source, space)
    program = space["inner_adjoint"]
    assert callable(program) and program(2.0) == (6.0, 3.0)


def test_positions_are_names(folder: Path) -> None:
    name = "model.py::decay"
    assert generate(name, wrt=0).source == generate(name, wrt="x").source
    assert generate(name, wrt=(-1, "x")).source == generate(name, wrt="a,x").source
    with pytest.raises(TypeMismatch, match="has no parameter 2"):
        generate(name, wrt=2)


def test_types_may_be_python_types(folder: Path) -> None:
    made = generate("model.py::energy", types={"u": "float64[:, :]", "k": float}, modes="tangent")
    assert "--type k=float --type 'u=float64[:, :]'" in made.source
    assert "x.shape" not in made.source and "u.shape[1]" in made.source


@pytest.mark.parametrize(
    "options",
    [{"modes": "forward"}, {"types": {"x": "float65"}}, {"disable": "own"}],
    ids=lambda options: next(iter(options)),
)
def test_words_that_are_not_known(folder: Path, options: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        generate("model.py::decay", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["types", "constants"])
def test_a_declaration_about_no_parameter(folder: Path, option: str) -> None:
    with pytest.raises(TypeMismatch, match="has a parameter q"):
        generate("model.py::decay", **{option: {"q": "float"}})  # type: ignore[arg-type]


def test_two_functions_of_one_name(folder: Path) -> None:
    (folder / "other.py").write_text(MODEL)
    with pytest.raises(SourceError, match="decay_tangent") as caught:
        generate(["model.py::decay", "other.py::decay"])
    assert caught.value.code == "AG007"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("a.py::f", Target("a.py", "f")),
        ("./a/../b.py::C.f", Target("a/../b.py", "C.f")),
        ("C:/x/a.py::f", Target("C:/x/a.py", "f")),
        ("a.b:f", Target("a.b", "f", is_module=True)),
        ("a.py::outer.<locals>.f", Target("a.py", "outer.<locals>.f")),
    ],
)
def test_names_of_functions(text: str, target: Target) -> None:
    assert parse_target(text) == target
    assert str(target) == text.removeprefix("./")


@pytest.mark.parametrize("text", ["", "a.py", "a.py:f", "::f", "a.py::", "a.py::1f", ":f", "a b:f"])
def test_what_names_no_function(text: str) -> None:
    with pytest.raises(ValueError, match="names no function"):
        parse_target(text)


def test_modules_are_found_and_not_imported(folder: Path) -> None:
    (folder / "pack" / "sub").mkdir(parents=True)
    for place in ("pack", "pack/sub"):
        (folder / place / "__init__.py").write_text("raise RuntimeError\n")
    (folder / "pack" / "sub" / "m.py").write_text("raise RuntimeError\n")
    (folder / "json").mkdir()  # no package, so it hides nothing
    assert find_module("pack.sub.m", folder) == folder / "pack" / "sub" / "m.py"
    assert find_module("pack", folder) == folder / "pack" / "__init__.py"
    assert find_module("json.decoder", folder).name == "decoder.py"
    assert "pack" not in sys.modules
    for name in ("nosuch", "pack.nosuch", "nosuch.m", "math", "sys"):
        with pytest.raises(SourceError) as caught:
            find_module(name, folder)
        assert caught.value.code == "AG006"


def test_paths_are_shown_from_a_folder() -> None:
    assert shown(Path("/a/b/c.py"), Path("/a")) == "b/c.py"
    assert shown(Path("/a/c.py"), Path("/a/b")) == "../c.py"


# Writing


def module(folder: Path) -> DerivativeModule:
    return generate("model.py::plain", modes="tangent")


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]


def test_writing(folder: Path) -> None:
    made = module(folder)
    path = folder / "plain_ad.py"
    assert made.write(path) is True and path.read_text() == made.text_for(path)
    path.chmod(0o640)
    os.utime(path, (1, 1))
    assert made.write("plain_ad.py") is False and path.stat().st_mtime == 1
    path.write_text(path.read_text() + "# more\n")
    assert made.write(path) is True and path.read_text() == made.text_for(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and leftovers(folder) == []


def test_a_new_file_has_the_usual_mode(folder: Path) -> None:
    module(folder).write("plain_ad.py")
    (folder / "usual").write_text("")
    assert (folder / "plain_ad.py").stat().st_mode == (folder / "usual").stat().st_mode


def test_other_line_ends_are_no_change(folder: Path) -> None:
    made, path = module(folder), folder / "plain_ad.py"
    path.write_bytes(made.text_for(path).replace("\n", "\r\n").encode())
    assert made.write(path) is False and b"\r\n" in path.read_bytes()


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "link.py").symlink_to(folder / "real" / "plain_ad.py")
    assert module(folder).write("link.py") is True
    assert (folder / "link.py").is_symlink() and (folder / "real" / "plain_ad.py").is_file()


@pytest.mark.parametrize("failing", ["replace", "fsync"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, failing: str, error: BaseException
) -> None:
    made, path = module(folder), folder / "plain_ad.py"
    old = made.text_for(path) + "# old\n"
    path.write_text(old)

    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises((SourceError, KeyboardInterrupt)) as caught:
        made.write(path)
    if isinstance(caught.value, SourceError):
        assert caught.value.code == "AG005" and "no space left" in str(caught.value)
    assert path.read_text() == old and leftovers(folder) == []


def test_a_missing_folder(folder: Path) -> None:
    with pytest.raises(SourceError, match="make the folder nosuch first") as caught:
        module(folder).write("nosuch/plain_ad.py")
    assert caught.value.code == "AG005" and not (folder / "nosuch").exists()


def test_a_read_only_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "plain_ad.py"
    module(folder).write(path)
    path.write_text(path.read_text() + "# more\n")
    # Whoever runs the tests may be allowed to write to everything.
    monkeypatch.setattr(atomic_write.os, "access", lambda *args: False)
    with pytest.raises(SourceError, match="read-only") as caught:
        module(folder).write(path)
    assert "writable" in caught.value.help and path.read_text().endswith("# more\n")


@pytest.mark.parametrize("name", ["model.py", "."])
def test_what_a_person_wrote_is_not_overwritten(folder: Path, name: str) -> None:
    with pytest.raises(SourceError) as caught:
        module(folder).write(name)
    assert caught.value.code == "AG005" and (folder / "model.py").read_text() == MODEL


def test_an_empty_file_is_overwritten(folder: Path) -> None:
    (folder / "plain_ad.py").write_text("\n")
    assert module(folder).write("plain_ad.py") is True


# Headers


def test_a_header_is_read_back() -> None:
    header = Header("a.py::f", "adjointgen generate a.py::f", "0" * 12, "1" * 12, "2" * 12, "0.1")
    for body in ("import math\n", "def f():\n    pass\n", "@g\ndef f(): ...\n", ""):
        assert split(join(header, body)) == (header, body)
    assert split("import math\n") is None and not is_generated(" " + FIRST)


def test_a_header_with_missing_lines() -> None:
    parts = split(f"{FIRST}\n# hashes: source=ab\n# made: today\nx = 1\n")
    assert parts == (Header("", "", "ab", "", "", ""), "x = 1\n")
