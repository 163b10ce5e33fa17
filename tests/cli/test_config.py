"""Options and requests: one meaning is one text, and what is printed reads back."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjointgen.config.options import (
    Options,
    Request,
    assignment,
    command,
    constant_text,
    make_options,
    parse_command,
    parse_constant,
)
from adjointgen.config.pyproject import ConfigError, find_project, read_project
from adjointgen.config.types import argument_type, canonical_type
from adjointgen.passes.table import OPTIONAL

names = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
plain = st.text(max_size=8) | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
constants = plain | st.tuples(plain, plain)
types = st.sampled_from(["float", "int", "float64[:]", "float64[:, 3]", "list[float]", "object"])
options = st.builds(
    make_options,
    st.lists(names, max_size=3),
    st.lists(st.sampled_from(["tangent", "adjoint"]), min_size=1, max_size=2),
    st.dictionaries(names, types, max_size=2),
    st.dictionaries(names, constants, max_size=3),
    st.sets(st.sampled_from(OPTIONAL)),
    directives=st.lists(st.sampled_from(["recompute(t)", "store(x)", "joint", "independent(i)"])),
)
targets = st.lists(
    st.sampled_from(["a.py::f", "my dir/b.py::C.g", "p.q:f", "-::f", "ü.py::f"]), min_size=1
)


@given(targets, options, st.sampled_from(["", "out.py", "it's out.py"]))
def test_a_command_is_read_back(targets: list[str], options: Options, output: str) -> None:
    request = Request(tuple(targets), options, output)
    assert parse_command(command(request)) == request
    assert "\n" not in command(request)


@given(constants)
def test_a_constant_is_read_back(value: object) -> None:
    found = parse_constant(constant_text(value))
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("1e-3", 1e-3),
        ("-2", -2),
        ("inf", float("inf")),
        ("cubic", "cubic"),
        ("'3'", "3"),
        ("(1, 'a')", (1, "a")),
        ("None", None),
        ("True", True),
        ("a b", "a b"),
        ("[", "["),
    ],
)
def test_constants(text: str, value: object) -> None:
    found = parse_constant(text)
    assert found == value and type(found) is type(value)


def test_one_meaning_is_one_text() -> None:
    one = make_options("x, a", "adjoint,tangent", {"u": "float[:,:]"}, {"b": 1, "a": 2}, "cse")
    two = make_options(
        ["x", "a", "x"], ["tangent", "adjoint"], {"u": "float64[:, :]"}, {"a": 2, "b": 1}, ["share"]
    )
    assert one == two and one.canonical() == two.canonical()
    assert make_options(...) == make_options(None) == Options()
    assert command(Request(("f.py::f",), Options())) == "adjointgen generate f.py::f"


def test_different_constants_have_different_texts() -> None:
    texts = [make_options(constants={"a": v}).canonical() for v in (1, 1.0, True, "1", None, "x")]
    assert len(set(texts)) == len(texts)
    assert json.loads(texts[0])


@pytest.mark.parametrize(
    "text", ["", "make x", "adjointgen", "adjointgen check a.py", "adjointgen generate --q", "'"]
)
def test_what_is_no_command(text: str) -> None:
    with pytest.raises(ValueError):
        parse_command(text)


@pytest.mark.parametrize("text", ["x", "=1", "x=", "1x=2", "x y=2", "="])
def test_what_is_no_assignment(text: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        assignment(text)


@pytest.mark.parametrize(
    ("text", "canonical", "type"),
    [
        ("float", "float", "float64"),
        ("int", "int", "int64"),
        ("bool", "bool", "bool"),
        ("float32", "float32", "float32"),
        ("float64[:]", "float64[:]", "float64[x.0]"),
        (" float [ :,: ] ", "float64[:, :]", "float64[x.0, x.1]"),
        ("int64[:,3]", "int64[:, 3]", "int64[x.0, 3]"),
        ("complex128[n, 1]", "complex128[n, 1]", "complex128[n, 1]"),
        ("float64[...]", "float64[...]", "float64[...]"),
        ("list[float]", "list[float]", "list float64[x.0]"),
        ("list[float64[:]]", "list[float64[:]]", "list float64[x.0, ?]"),
        ("object", "object", "object"),
    ],
)
def test_types(text: str, canonical: str, type: str) -> None:
    assert str(argument_type("x", text)) == type
    assert canonical_type(text) == canonical == canonical_type(canonical)
    assert argument_type("x", canonical) == argument_type("x", text)


@pytest.mark.parametrize(
    "text",
    ["", "flaot", "float[", "float[]", "float[:", "float[-1]", "list", "list[object]", "[:]"],
)
def test_what_is_no_type(text: str) -> None:
    with pytest.raises(ValueError):
        argument_type("x", text)


GOOD = """
[tool.adjointgen]
wrt = "x"

[[tool.adjointgen.targets]]
source = ["a.py::f", "b.py::g"]
wrt = ["x", "a"]
types = { x = "float64[:]" }
constants = { how = "cubic", n = [1, 2] }
disable = "cse"
directives = ["recompute(t)", "joint( g )"]
output = "gen/f_ad.py"

[[tool.adjointgen.targets]]
source = "a.py::h"
output = "h_ad.py"
"""


def test_a_project(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(GOOD)
    first, second = read_project(path)
    assert first == Request(
        ("a.py::f", "b.py::g"),
        make_options(
            "x,a",
            types={"x": "float64[:]"},
            constants={"how": "cubic", "n": (1, 2)},
            disable=["cse"],
            directives="recompute(t), joint(g)",
        ),
        "gen/f_ad.py",
    )
    assert second == Request(("a.py::h",), make_options("x"), "h_ad.py")
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find_project(tmp_path / "a" / "b") == path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[tool", "[[tool", "at line"),
        ('wrt = "x"', "wrt = 3", "wrt = 3 is of the wrong kind"),
        ('wrt = "x"', 'wtr = "x"', "unknown key 'wtr'"),
        ('output = "h_ad.py"', 'outptu = "h_ad.py"', "target 2 has an unknown key 'outptu'"),
        ('output = "h_ad.py"', "", "target 2 has no output"),
        ('source = "a.py::h"', "", "target 2 has no source"),
        ('output = "h_ad.py"', 'output = "gen/f_ad.py"', "two targets have the output gen/f_ad.py"),
        ('output = "h_ad.py"', "output = 1", "wrong kind"),
        ('"float64[:]"', '"float65"', "target 1: 'float65' is no type"),
        ('"float64[:]"', "3", "wrong kind"),
        ('disable = "cse"', 'disable = "own"', "unknown pass 'own'"),
        ('disable = "cse"', 'mode = "forward"', "unknown mode 'forward'"),
        ('"recompute(t)"', '"recompute"', "target 1: 'recompute' names no variable"),
        ('"recompute(t)"', '"log"', "target 1: 'log' is no directive of a function"),
    ],
)
def test_what_is_wrong_in_a_project(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    path = tmp_path / "pyproject.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ConfigError, match=r"pyproject\.toml: ") as caught:
        read_project(path)
    assert said in str(caught.value)


def test_a_project_without_targets(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    for text in ("", "[project]\nname = 'x'\n", "[tool.adjointgen]\nmode = 'adjoint'\n"):
        path.write_text(text)
        assert read_project(path) == ()
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigError):
        read_project(path)
