"""Finding functions: in files, as live objects, and what their names resolve to."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen.errors import SourceError
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.lower import lower, source_from_file, source_from_function, type_of
from adjointgen.ir.nodes import Apply, Function, walk
from adjointgen.ir.types import FLOAT, Dim, Type
from adjointgen.opt.interpreter import run

FACTOR = 3.0
ITSELF = Path(__file__)


def scaled(x: Any) -> Any:
    return FACTOR * x


def decorated(f: Any) -> Any:
    @functools.wraps(f)
    def wrapper(*args: Any) -> Any:
        return f(*args)

    return wrapper


@decorated
def wrapped(x: Any) -> Any:
    return x + 1.0


def outer(shift: float) -> Any:
    def inner(x: Any) -> Any:
        return x * shift

    return inner


class Model:
    def step(self, x: Any) -> Any:
        return x * 2.0


first, second = (lambda x: x + 1.0), (lambda x: x * 5.0)


def live(f: Any, *args: Any) -> Function:
    source = source_from_function(f)
    names = [a.arg for a in source.arguments.args]
    return lower(source, {n: type_of(n, v) for n, v in zip(names, args, strict=True)})


@pytest.mark.parametrize(
    ("f", "wanted"),
    [(scaled, 6.0), (wrapped, 3.0), (outer(4.0), 8.0), (first, 3.0), (second, 10.0)],
    ids=["global", "decorated", "closure", "lambda", "second lambda on a line"],
)
def test_live_functions(f: Any, wanted: float) -> None:
    assert run(live(f, 2.0), 2.0) == wanted


def test_live_values_are_reported_as_folded() -> None:
    assert live(scaled, 2.0).folded == (("FACTOR", 3.0),)
    assert live(outer(4.0), 2.0).folded == (("shift", 4.0),)


def test_a_method_has_its_place() -> None:
    source = source_from_function(Model().step)
    assert source.qualname == "Model.step"
    assert source.text.splitlines()[source.first_line - 1].strip().startswith("def step")
    assert source_from_file(str(ITSELF), "Model.step").first_line == source.first_line


def test_the_file_is_shown_relative_to_where_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ITSELF.parent)
    assert source_from_function(scaled).file == ITSELF.name


@pytest.mark.parametrize("f", [len, np.sin, eval("lambda x: x")])
def test_functions_without_source(f: Any) -> None:
    with pytest.raises(SourceError) as caught:
        source_from_function(f)
    assert caught.value.code == "AG004"


def test_text_is_never_executed(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("1 / 0\ndef f(x):\n    return x\n")
    assert lower(source_from_file(str(file), "f"), {"x": FLOAT}).names == ("x",)


def test_an_encoding_mark_and_windows_lines(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_bytes(b"\xef\xbb\xbfdef f(x):\r\n    # one\r\n    return x * x\r\n")
    function = lower(source_from_file(str(file), "f"), {"x": FLOAT})
    assert function.comments == ((2, "# one"),)


IMPORTS = """
import numpy
import numpy as xp, math as m
from math import sin as s
from numpy.linalg import norm
if True:
    from numpy import cos
"""


@pytest.mark.parametrize(
    ("text", "op", "spelling"),
    [
        ("numpy.tanh(x)", "tanh", None),
        ("xp.exp(x)", "exp", None),
        ("m.exp(x)", "exp", "math.exp"),
        ("s(x)", "sin", "math.sin"),
        ("cos(x)", "cos", None),
        ("xp.linalg.norm(y)", "norm", None),
        ("norm(y)", "norm", None),
        ("y.mean()", "mean", ".mean"),
    ],
)
def test_what_a_name_denotes(text: str, op: str, spelling: str | None) -> None:
    source = source_from_file("m.py", "f", f"{IMPORTS}def f(x, y):\n    return {text}\n")
    types = {"x": FLOAT, "y": Type("float64", (Dim("y.0"),), "array")}
    stmts = [s for s in walk(lower(source, types).body) if isinstance(s, Apply)]
    assert [(s.op, s.option("spelling")) for s in stmts] == [(op, spelling)]


def test_names_that_functions_change_are_no_constants() -> None:
    text = "N = 1\nN = 2\ndef g():\n    global K\n    K = 5\nK = 1\ndef f(x):\n    return x * {}\n"
    for name, folded in (("N", (("N", 2),)), ("K", ())):
        function = lower(source_from_file("m.py", "f", text.format(name)), {"x": FLOAT})
        assert function.folded == folded


def test_types_of_arguments() -> None:
    grid = np.zeros((3, 1), dtype=np.float32)
    assert type_of("a", 1.5) == FLOAT
    assert type_of("a", np.float64(1.5)) == FLOAT
    assert type_of("a", 2) == Type("int64")
    assert type_of("a", 1j) == Type("complex128")
    assert type_of("a", grid) == Type("float32", (Dim("a.0"), Dim("", 1)), "array")
    assert type_of("a", [1, 2.0]) == Type("float64", (Dim("a.0"),), "list")
    for value in (None, True, "cubic", (1, 2)):
        assert type_of("a", value) == Fixed(value)
