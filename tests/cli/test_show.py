"""`show`, `rules` and `explain`: what is printed is what the package holds."""

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

from adjointgen.cli import explain as explain_module
from adjointgen.cli import rules as rules_module
from adjointgen.cli.formula import STRUCTURAL, Formula, formula
from adjointgen.cli.rules import KINDS, rows_named
from adjointgen.ir.text import read
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.table import Row
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
RULED = ("elementwise", "linear", "general")
# A message from one process to another has no example of one (`tests/mpi`).
TOLD = [row for row in TABLE.rows.values() if row.domain or not row.message]
WITH_RULE = [row for row in TOLD if row.kind in RULED]


def test_ssa_reads_back(run: Run) -> None:
    text = run("show heat.py::energy --stage ssa").stdout
    assert read(text).name == "energy"


def test_the_listings(run: Run) -> None:
    head, *rows = run("show heat.py::energy --stage activity --wrt u").stdout.splitlines()
    assert head.split() == ["value", "type", "varied", "useful", "through"]
    (k,) = [row.split() for row in rows if row.startswith("k ")]
    assert k[2] == "no"
    tape = run("show heat.py::energy --stage tape").stdout
    assert {row.split()[0] for row in tape.splitlines()[1:]} == {"held"}


LOOPED = """
import math

import numpy as np


def stepped(u: float, n: int) -> float:
    for _ in range(n):
        t = math.exp(math.sin(u) * u)
        u = u + math.tanh(t) * t
    return u


def energy(u: "float64[:]", k: float) -> float:
    return 0.5 * k * np.sum(np.sin(u) * u)
"""


def test_the_peak_of_memory(run: Run, project: Path) -> None:
    (project / "looped.py").write_text(LOOPED)
    words = "show looped.py::energy --stage tape --at u=float64[40000] --at k=0.5"
    found = run(words).stdout.splitlines()
    assert found[-2] == "" and re.fullmatch(r"predicted peak  [\d.]+ MB, at line 15", found[-1])
    both = run(f"{words} --measure").stdout.splitlines()
    assert both[:-1] == found and both[-1].startswith("measured peak   ")
    said, measured = (float(line.split()[2]) for line in both[-2:])
    assert said == pytest.approx(measured, rel=0.05)
    for other in ("--stage tape", "--stage ssa --at k=1.0"):
        refused = run(f"show looped.py::energy {other} --measure")
        assert refused.exit_code == 2 and "--measure is for --stage tape" in refused.stderr
    # The module need not be run to say what its adjoint will take.
    (project / "looped.py").write_text(LOOPED + "raise RuntimeError\n")
    assert run(words).stdout.splitlines() == found


def test_directives_and_schedules(run: Run, project: Path) -> None:
    (project / "looped.py").write_text(LOOPED)
    plain, asked, kept = (
        run(f"show looped.py::stepped --stage tape {words}").stdout
        for words in ("", "--directive recompute(t)", "--checkpoint log")
    )
    assert "recompute(t) above line 9" in plain and "above line 9" not in asked
    assert "checkpoint(log) above line 8" in plain and "checkpoint" not in kept
    refused = run("show looped.py::stepped --stage tape --directive recompute(z)")
    assert refused.exit_code == 3 and "error[AG012]: stepped computes no z" in refused.stderr
    refused = run("generate looped.py::stepped --directive log")
    assert refused.exit_code == 2 and "no directive" in refused.stderr


def test_programs_are_shown_without_header(run: Run) -> None:
    found = run("show heat.py::decay --stage adjoint --wrt x")
    assert found.stdout.startswith("import math\n") and "_tangent" not in found.stdout
    assert "def decay_adjoint(x: float, a: float, result_bar: float" in found.stdout


def test_pictures(run: Run) -> None:
    found = run("show heat.py::energy --stage graph").stdout
    assert found.startswith('digraph "energy" {\n')
    assert run("show heat.py::energy --stage graph --as dot").stdout == found
    assert run("show heat.py::energy --stage graph --as mermaid").stdout.startswith("flowchart")
    narrow = run("show heat.py::energy --stage graph --wrt k").stdout
    assert narrow.count("fillcolor") < found.count("fillcolor")


def test_the_page(run: Run) -> None:
    found = run("show heat.py::decay --stage html --wrt x").stdout
    assert found.startswith("<!DOCTYPE html>\n") and found.endswith("</html>\n")
    assert "heat.py::decay" in found and "a_bar" not in found


def test_the_tape_without_a_pass(run: Run, project: Path) -> None:
    loop = (
        "def f(x: float, n: int) -> float:\n    for i in range(n):\n        x = x * x + x * x * x\n"
    )
    (project / "loop.py").write_text(f"{loop}    return x\n")
    cheap = run("show loop.py::f --stage tape").stdout.splitlines()
    full = run("show loop.py::f --stage tape --disable recompute-or-record").stdout.splitlines()
    assert cheap[0].split()[:3] == ["tape", "value", "type"]
    assert len(full) > len(cheap) > 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("show heat.py::decay", 2),
        ("show heat.py::decay --stage ssa --as svg", 2),
        ("show heat.py::decay --stage graph --as png", 2),
        ("show heat.py::unknown --stage html", 3),
        ("show heat.py::decay --stage ast", 2),
        ("show --stage ssa", 2),
        ("show heat.py::nosuch --stage ssa", 3),
        ("show heat.py::unknown --stage adjoint", 3),
    ],
)
def test_what_cannot_be_shown(run: Run, words: str, code: int) -> None:
    assert run(words).exit_code == code


# Rules


WITH_RULE_NAMES = {row.name for row in WITH_RULE}
PARTS = 40
DISTRIBUTIONS = "scipy.stats."
EACH = 4
"""One in so many functions of a distribution, whose rules are of one form, is written out."""


def is_written_out(row: Row) -> bool:
    """Whether the formula of a row is made here; the next distribution has the next function.

    The rules themselves are all applied, see `tests/rules/test_table.py`.
    """
    spelled = row.spellings[0] if row.spellings else ""
    if not spelled.startswith(DISTRIBUTIONS) or spelled.count(".") < 3:
        return True
    *_, name, function = spelled.split(".")
    return (NAMES.index(name) + FUNCTIONS.index(function)) % EACH == 0


_STATS = [
    row.spellings[0].split(".")[-2:]
    for row in TABLE.rows.values()
    if row.spellings and row.spellings[0].startswith(DISTRIBUTIONS)
]
NAMES, FUNCTIONS = (list(dict.fromkeys(part)) for part in zip(*_STATS, strict=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_row_has_a_page(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula is made once, for its page and for what its two modes have to do with each other.

    The command prints the page of each row that a name means, see `test_a_page`.
    """
    for row in [*TABLE.rows.values()][part::PARTS]:
        written = is_written_out(row)
        made = formula(row) if written else None
        monkeypatch.setattr(rules_module, "formula", lambda _, made=made: made)
        try:
            assert made is not None or not written or row.name not in WITH_RULE_NAMES
            check_page(row, made)
            if made is not None and row.kind == "elementwise":
                check_modes(row, made)
        except Exception as error:
            error.add_note(row.name)
            raise


def check_page(row: Row, made: Formula | None) -> None:
    lines = [line for found in rows_named(row.name) for line in rules_module._page(found)]
    assert any(line.startswith(f"{row.name}(") for line in lines)
    assert f"kind      {row.kind}: {KINDS[row.kind]}" in lines
    for text in (row.edge, row.because, row.source):
        assert text in "\n".join(lines)
    if made is not None and row.name in WITH_RULE_NAMES:
        check_formula(made)


def test_each_function_of_distributions_is_written_out_many_times() -> None:
    rows = [row for row in TABLE.rows.values() if row.spellings and row.name in WITH_RULE_NAMES]
    stats = [row for row in rows if row.spellings[0].startswith(DISTRIBUTIONS)]
    written = [row.spellings[0].split(".")[-2:] for row in stats if is_written_out(row)]
    assert len({name for name, _ in written}) >= 0.9 * len({*NAMES})
    assert len(written) >= 0.2 * len(stats)


def check_formula(found: Formula) -> None:
    """Its lines are Python that sets tangents and adds to adjoints."""
    for line in (*found.tangent, *found.adjoint):
        compile(line, "formula", "exec")
    assert any("_dot =" in line for line in found.tangent)
    assert all(re.search(r" [-+]?= |np\.add\.at|^_mpi_send\(", line) for line in found.adjoint)


def run_formula(found: Formula, values: dict[str, Any]) -> dict[str, Any]:
    space = {"np": np, "math": math, "scipy": scipy, **values}
    for line in (*found.tangent, *found.adjoint):
        exec(line, space)
    return space


def entries(row: Row) -> list[Any]:
    """An interval for each operand; of listed examples, the operands of the first."""
    examples = row.domain if isinstance(row.domain, list) else [row.domain]
    return [spec for spec in examples[0] if not isinstance(spec, dict)]


def inside(entry: Any) -> float:
    """A number of an interval; what is held at a number, such as an order, stays at it."""
    if not isinstance(entry, tuple | list):
        return entry
    low, high = min(entry), max(entry)
    return low if low == high else 0.5 * (low + high) + 0.1


def check_modes(row: Row, found: Formula) -> None:
    # <y_bar, y_dot> = <x_bar, x_dot>, with y_bar = 1.
    names = [part.split(":")[0] for part in found.types.split(", ")]
    given = dict(zip(names, map(inside, entries(row)), strict=True))
    # A number of entries, or a degree, is not differentiated.
    names = [part.split(":")[0] for part in found.types.split(", ") if "int" not in part]
    dots = {f"{name}_dot": 1.0 + k for k, name in enumerate(names)}
    bars = {f"{name}_bar": 0.0 for name in names}
    y = next(name for name in ("y", "z", "v", "w") if name not in given)
    space = run_formula(found, {**given, **dots, **bars, y: 0.7, f"{y}_bar": 1.0})
    product = sum(space[f"{name}_bar"] * space[f"{name}_dot"] for name in names)
    assert space[f"{y}_dot"] == pytest.approx(product, rel=1e-12)


def test_structural_rows_are_the_ones_of_the_table() -> None:
    assert {row.name for row in TABLE.rows.values() if row.kind == "structural"} == {*STRUCTURAL}


def test_a_page(run: Run) -> None:
    assert run("rules np.sqrt").stdout == (
        "sqrt(x)\n\n"
        "kind      elementwise: acts entry by entry\n"
        "written   np.sqrt, math.sqrt\n"
        "for       x: float64\n"
        "tangent   y_dot = 0.5 * x_dot / y\n"
        "adjoint   x_bar += 0.5 * y_bar / y\n"
        "tested    on [0.1, 4]\n"
        "edge      infinite at 0\n"
    )


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("sin", ["sin"]),
        ("np.sin", ["sin"]),
        ("numpy.sin", ["sin"]),
        ("math.sin", ["sin"]),
        ("math.asin", ["arcsin"]),
        ("linalg.inv", ["inv"]),
        ("inv", ["inv"]),
        (".sum", ["sum"]),
        ("*", ["mul"]),
        ("+", ["add", "pos"]),
        ("nosuch", []),
        ("", []),
    ],
)
def test_names(name: str, rows: list[str]) -> None:
    assert [row.name for row in rows_named(name)] == rows


def test_an_unknown_name(run: Run) -> None:
    found = run("rules numpy.sinn")
    assert found.exit_code == 2 and "numpy.sin" in found.stderr and found.stdout == ""


def test_the_list_has_every_spelled_row(run: Run) -> None:
    lines = run("rules").stdout.splitlines()
    entries = {line.split()[0] for line in lines if line.startswith("  ")}
    assert {"np.sin", "@", "+", "np.where", "np.floor", "np.interp"} <= entries
    spelled = [row for row in TABLE.rows.values() if row.spellings or row.symbol]
    named = {(row.kind, shown(row)) for row in spelled}
    assert len([line for line in lines if line.startswith("  ")]) == len(named)


def shown(row: Row) -> str:
    """The name of a line of the list: the functions of a distribution have one."""
    name = row.symbol or row.spellings[0]
    parts = name.split(".")
    return ".".join(parts[:3]) if parts[:2] == ["scipy", "stats"] and len(parts) == 4 else name


# Error pages


@pytest.fixture
def pages(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "AG201.md").write_text("# AG201: no rule\n\nWords.\n")
    (project / "README.md").write_text("# Error codes\n")
    monkeypatch.setattr(explain_module, "_beside", lambda: project)


@pytest.mark.parametrize("code", ["AG201", "ag201"])
def test_a_page_is_printed(run: Run, pages: None, code: str) -> None:
    assert run("explain", code).stdout == "# AG201: no rule\n\nWords.\n"


@pytest.mark.parametrize("code", ["AG202", "README", "..", ""])
def test_an_unknown_code(run: Run, pages: None, code: str) -> None:
    found = run("explain", code)
    assert found.exit_code == 2 and "there is AG201" in found.stderr


def test_the_pages_of_the_source_tree_are_found() -> None:
    folder = ROOT / "docs" / "errors"
    assert [*explain_module.error_pages()] == sorted(p.stem for p in folder.glob("AG*.md"))


def test_the_wheel_holds_the_pages() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"docs/errors": "adjointgen/docs/errors"}


def test_pages_in_the_package_come_first(
    run: Run, pages: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path_factory.mktemp("package")
    (package / "docs" / "errors").mkdir(parents=True)
    (package / "docs" / "errors" / "AG101.md").write_text("# AG101: installed\n")
    monkeypatch.setattr(explain_module, "files", lambda name: package)
    assert run("explain AG101").stdout == "# AG101: installed\n"
