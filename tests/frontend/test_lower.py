"""Source to the text of the IR, and what a lowered function says of itself.

A case of lowered.txt names the types of the arguments; what it is lowered to stands in lowered.ir,
which `--update-golden` rewrites.
"""

import re
import sys

import pytest

from adjointgen.frontend.lower import infer_arguments, lower, source_from_file
from adjointgen.ir.nodes import Apply, Function, walk
from adjointgen.ir.text import show
from adjointgen.ir.types import FLOAT, parse_type
from adjointgen.ir.verify import verify
from adjointgen.rules.all import TABLE
from tests.frontend.cases import FOLDER, Case, read_cases

HEADER = "import math\nimport numpy as np\n"
CASES = read_cases("lowered.txt")


def lowered(text: str, types: str = "") -> Function:
    pairs = re.findall(r"(\w+)=(\w+(?:\[[^]]*\])?)", types)
    declared = {name: parse_type(type) for name, type in pairs}
    source = source_from_file("model.py", "f", text)
    return lower(source, infer_arguments(source, declared))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_listing(case: Case, update_golden: bool) -> None:
    function = lowered(HEADER + case.source, case.rest)
    verify(function, rows=TABLE.rows)
    listing = show(function)
    if update_golden:
        known = {c.name: c.source for c in read_cases("lowered.ir")}
        known[case.name] = listing
        texts = [f"=== {c.name}:\n{known[c.name]}" for c in CASES if c.name in known]
        (FOLDER / "lowered.ir").write_text("\n".join(texts), "utf-8")
    assert {c.name: c.source for c in read_cases("lowered.ir")}[case.name] == listing


def test_comments_and_doc() -> None:
    function = lowered(
        'def f(x):\n    """Doc."""\n    # above\n    y = x * 2  # beside\n    return y  # "#"\n'
    )
    assert function.comments == ((3, "# above"), (4, "# beside"), (5, '# "#"'))
    assert function.origin.doc == "Doc."
    assert function.names == ("y",)


def test_what_is_folded_is_reported() -> None:
    function = lowered("N = 3\nLIMITS = (0.5, 2)\ndef f(x):\n    return N * x + LIMITS[0]\n")
    assert function.folded == (("LIMITS", (0.5, 2)), ("N", 3))


def test_names_of_results() -> None:
    text = "def f(x):\n    a = x * 2\n    if x > 0:\n        return a, x + 1\n    return {}, x\n"
    assert lowered(text.format("a")).names == ("a", "result_2")
    assert lowered(text.format("x")).names == ("result_1", "result_2")


def test_a_procedure_gives_what_it_writes() -> None:
    function = lowered("def f(x, y):\n    y[:] = x * 2\n", "x=float64, y=float64[y.0]")
    assert function.names == ("y",)


def test_every_statement_has_its_place() -> None:
    text = "def f(x):\n    y = (x +\n        math.sin(x))\n    é = y * y; z = é\n    return z\n"
    stmts = list(walk(lowered("import math\n" + text).body))
    spans = {s.op: s.span for s in stmts if isinstance(s, Apply)}
    assert all(spans.values())
    assert spans["sin"] is not None and spans["sin"].text() == "model.py:4:9"
    assert spans["mul"] is not None and (spans["mul"].line, spans["mul"].column) == (5, 8)


def work(text: str) -> int:
    """How many functions are called while a program is lowered: a time that does not vary."""
    source = source_from_file("model.py", "f", text)
    types = infer_arguments(source, {})
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        lower(source, types)
    finally:
        sys.setprofile(None)
    return count


def straight(size: int) -> str:
    lines = (f"    x = x * {k} + math.sin(x)\n" for k in range(size))
    return f"import math\ndef f(x):\n{''.join(lines)}    return x\n"


def looped(size: int) -> str:
    part = "    for i in range(n):\n        if x[i] > 1:\n            s += x[i] * s\n"
    return f"def f(x, n):\n    s = 0\n{part * size}    return s\n"


def guarded(size: int) -> str:
    lines = (f"    if x > {k}:\n        return x * {k}\n" for k in range(size))
    return f"def f(x):\n{''.join(lines)}    return x\n"


def nested(depth: int) -> str:
    loops = "".join(f"{'    ' * k}for i{k} in range(n):\n" for k in range(1, depth + 1))
    body = "    " * (depth + 1) + "s += x[i1]\n"
    return f"def f(x, n):\n    s = 0\n{loops}{body}    return s\n"


@pytest.mark.parametrize("program", [straight, looped, guarded, nested])
def test_work_is_linear_in_the_size(program) -> None:  # type: ignore[no-untyped-def]
    small, medium, large = (work(program(size)) for size in (4, 8, 12))
    assert large - medium < 1.6 * (medium - small)


def test_an_argument_that_is_fixed_is_folded() -> None:
    function = lowered(
        HEADER + 'def f(x, kind="sin"):\n    return math.sin(x) if kind == "sin" else x\n'
    )
    assert [s.op for s in function.body.stmts if isinstance(s, Apply)] == ["sin"]
    assert [p.default for p in function.parameters] == ["", '"sin"']
    assert function.body.params[0].type == FLOAT
