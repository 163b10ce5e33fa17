"""The table in the page on coverage is what its script writes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.conform.run import command, suites
from tests.conform.table import COUNTS, counts, page, written

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def test_the_page_holds_the_counts() -> None:
    text = PAGE.read_text("utf-8")
    assert written(text, json.loads(COUNTS.read_text("utf-8"))) == text


def test_refusals_have_codes() -> None:
    found = json.loads(COUNTS.read_text("utf-8"))
    refused = sum((Counter(count) for count in found["files"].values()), Counter[str]())["refused"]
    assert refused == sum(found["codes"].values())


def test_a_function_counts_once() -> None:
    alike = {"plain": "passed", "program": "passed", "lowered": 3, "copied": 1}
    rows = [
        {"begin": "numpy.a::f[0]", "test": "numpy.a::f"},
        {"test": "numpy.a::f", **alike},
        {"test": "numpy.a::f", "plain": "passed", "refused": "AG101", "program": "refused"},
        {"test": "numpy.a::g", "plain": "passed", "refused": "AG103", "program": "refused"},
        {"test": "test.b::h", "plain": "passed", "program": "failed: ValueError"},
    ]
    found = counts(rows)
    assert found["files"] == {
        "numpy.a": {"accepted": 1, "lowered": 1, "refused": 1},
        "test.b": {"different": 1},
    }
    assert found["codes"] == {"AG103": 1}
    assert "| NumPy | 1 | 1 | 1 | 1 | 0 | 0 |" in page(found)
    assert "| all | 2 | 1 | 1 | 1 | 1 | 0 |" in page(found)


def test_a_test_that_ends_its_process_is_internal() -> None:
    rows = [
        {"begin": "test.b::f", "test": "test.b::f"},
        {"begin": "test.b::g", "test": "test.b::g"},
        {"test": "test.b::g", "plain": "passed", "program": "passed"},
        {"begin": "test.b::h", "test": "test.b::h"},
    ]
    assert counts(rows)["files"] == {"test.b": {"accepted": 1, "lowered": 0, "internal": 2}}


def test_the_suites_are_those_of_the_page() -> None:
    found = json.loads(COUNTS.read_text("utf-8"))["files"]
    assert {*suites()} <= found.keys()


def test_suites_are_run_by_their_own_means() -> None:
    words, _ = command("test.test_float", Path("rows.json"))
    assert words[1:4] == ["-m", "tests.conform.cases", "test.test_float"]
    words, own = command("numpy.lib.tests.test_nanfunctions", Path("rows.json"))
    assert "pytest" in words and own["ADJOINTGEN_CONFORM"] == "rows.json"
