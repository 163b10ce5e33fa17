"""Modules by example of functions that nobody here wrote: right, or refused as the list says.

A sample runs here, with all that are refused; `python -m tests.committed` prints the whole table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.committed.corpus import Case, cases, largest_error, written
from tests.committed.tools import complaints

ALL = tuple(cases())
NAMES = ("chirp", "companion", "correlation", "rosen_der", "linear_regression", "legval")
SAMPLE = tuple(case for case in ALL if case.name in NAMES)
REFUSED = tuple(case for case in ALL if case.code)


def test_the_list_has_fifty_functions_and_one() -> None:
    assert len({case.path for case in ALL}) == len({case.name for case in ALL}) == 51


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", SAMPLE + REFUSED, ids=lambda case: case.name)
def test_the_derivatives_are_those_of_the_function(case: Case) -> None:
    source, code = written(case)
    assert code == case.code
    assert code or largest_error(case, source) < 1e-6


def test_tools_leave_modules_alone(tmp_path: Path) -> None:
    for case in SAMPLE:
        (tmp_path / f"{case.name}_ad.py").write_text(written(case)[0], "utf-8")
    assert not list(complaints(tmp_path))
