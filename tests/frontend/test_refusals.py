"""Every refusal of the frontend has its code, points at the line, and says what to write instead.

A case of refusals.txt states code, line and a part of the help; line 0 is no place at all.
"""

import pytest

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.lower import infer_arguments, lower, source_from_file
from adjointgen.ir.nodes import Function
from adjointgen.ir.types import Type, array
from tests.frontend.cases import Case, read_cases

HEADER = "import numpy as np\n"
TYPES = {
    "x": array("float64", "x.0"),
    "y": array("float64", "y.0"),
    "A": array("float64", "A.0", "A.1"),
    "n": Type("int64"),
}


def lowered(text: str) -> Function:
    source = source_from_file("model.py", "f", text)
    names = {a.arg for a in source.arguments.args}
    declared = {name: type for name, type in TYPES.items() if name in names}
    return lower(source, infer_arguments(source, declared))


@pytest.mark.parametrize("case", read_cases("refusals.txt"), ids=lambda case: case.name)
def test_refusal(case: Case) -> None:
    code, line, help = case.rest.split(maxsplit=2)
    with pytest.raises(AdjointgenError) as caught:
        lowered(HEADER + case.source)
    error = caught.value
    assert error.code == code
    assert (error.span.line - 1 if error.span else 0) == int(line)
    assert help in str(error)
    if code != "AG002":
        assert error.source.startswith(HEADER)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(AdjointgenError) as caught:
        source_from_file("nowhere/model.py", "f")
    assert caught.value.code == "AG003"


@pytest.mark.parametrize("name", ["heats", "Model.step"])
def test_close_names_are_suggested(name: str) -> None:
    text = "def heat(x): return x\nclass Model:\n    def steps(self, x): return x\n"
    with pytest.raises(AdjointgenError) as caught:
        source_from_file("model.py", name, text)
    assert {"heats": "heat", "Model.step": "Model.steps"}[name] in caught.value.help


def test_what_is_nested_too_deeply() -> None:
    with pytest.raises(AdjointgenError) as caught:
        lowered(f"{HEADER}def f(x):\n    return x[0]{' + x[0]' * 20000}\n")
    assert caught.value.code == "AG121"
