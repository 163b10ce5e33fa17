"""A report as text, as data, as an exception and on a terminal."""

import io
import json
import math
import subprocess
import sys

import pytest
from rich.console import Console

from adjointgen.errors import CheckFailed
from adjointgen.verify.kinks import Kink
from adjointgen.verify.report import Report, Row

GOOD = Row("tangent 1, complex step", 1.25, 1.25, 0.0, 1e-14, "pass", "at result")
BAD = Row("dot product 1", 2.0, -2.0, 4.0, 1e-11, "fail", "the adjoint is not the transpose")
OPEN = Row("tangent 2, differences", 0.5, math.nan, math.inf, math.nan, "unclear", "try elsewhere")
BENT = Row("tangent 3, differences", "-1 to 1", 0.0, 0.0, 1e-9, "kink", "at result[2]")
KINK = Kink("result[2]", "kink", -1.0, 1.0)


def test_verdicts_decide_what_is_fine() -> None:
    assert Report("f", (GOOD, BENT), (KINK,), 0).ok
    assert not Report("f", (GOOD, BAD), (), 0).ok
    assert not Report("f", (GOOD, OPEN), (), 0).ok
    assert not Report("f", (), (), 0).ok


def test_the_table_is_aligned() -> None:
    assert str(Report("heat", (GOOD, BAD, OPEN, BENT), (KINK,), 3)) == (
        "heat: 1 failed, 1 unclear, 1 at a kink, 1 passed (seed 3)\n"
        "test                     expected   got    error  tolerance  verdict\n"
        "tangent 1, complex step      1.25  1.25  0.0e+00    1.0e-14  pass\n"
        "dot product 1                   2    -2  4.0e+00    1.0e-11  fail\n"
        "tangent 2, differences        0.5   nan      inf             unclear\n"
        "tangent 3, differences    -1 to 1     0  0.0e+00    1.0e-09  kink\n"
        "dot product 1: the adjoint is not the transpose\n"
        "tangent 2, differences: try elsewhere\n"
        "kink at result[2]: kink, left and right slopes differ (left slope -1, right slope 1)"
    )


def test_the_data_is_strict_json() -> None:
    report = Report("f", (GOOD, OPEN), (Kink("result", "jump", math.nan, 1.0),), 5)
    data = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert data["ok"] is False and data["seed"] == 5 and data["function"] == "f"
    assert data["rows"][0] == {
        "test": "tangent 1, complex step",
        "expected": 1.25,
        "got": 1.25,
        "error": 0.0,
        "tolerance": 1e-14,
        "verdict": "pass",
        "note": "at result",
    }
    assert data["rows"][1]["got"] == "nan" and data["rows"][1]["error"] == "inf"
    assert data["kinks"] == [{"where": "result", "kind": "jump", "left": "nan", "right": 1.0}]


def test_a_failure_is_raised_with_its_row_and_meaning() -> None:
    with pytest.raises(CheckFailed) as caught:
        Report("heat", (GOOD, OPEN, BAD), (), 0).raise_on_failure()
    assert caught.value.code == "AG501"
    assert str(caught.value) == (
        "error[AG501]: heat: dot product 1: expected 2, got -2 (error 4.0e+00, tolerance 1.0e-11)\n"
        "help: the adjoint is not the transpose"
    )


def test_what_is_unclear_is_raised_where_nothing_failed() -> None:
    with pytest.raises(CheckFailed, match="tangent 2"):
        Report("f", (GOOD, OPEN), (), 0).raise_on_failure()
    with pytest.raises(CheckFailed, match="no test was run"):
        Report("f", (), (), 0).raise_on_failure()


def test_nothing_is_raised_where_all_is_fine() -> None:
    Report("f", (GOOD, BENT), (KINK,), 0).raise_on_failure()


def test_a_report_is_a_value() -> None:
    one, other = (Report("f", (GOOD,), (KINK,), 1) for _ in range(2))
    assert one == other and hash(one) == hash(other)
    with pytest.raises(AttributeError):
        one.seed = 2  # type: ignore[misc]


def printed(report: Report, **options: object) -> str:
    console = Console(file=io.StringIO(), width=120, **options)  # type: ignore[arg-type]
    console.print(report)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_a_terminal_gets_colour_and_a_pipe_does_not() -> None:
    # Brackets of a place are no markup.
    report = Report("f[1]", (GOOD, BAD), (KINK,), 0)
    plain = printed(report)
    assert "\x1b" not in plain and "f[1]: 1 failed" in plain and "kink at result[2]" in plain
    assert "dot product 1" in plain and "-2" in plain
    colour = printed(report, force_terminal=True, color_system="standard", no_color=False)
    assert "\x1b[1;31mfail" in colour


def test_rich_is_loaded_only_to_print() -> None:
    code = (
        "import sys; import adjointgen.verify.verify; "
        "assert 'rich' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
