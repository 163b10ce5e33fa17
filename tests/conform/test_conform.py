"""A sample of the suites: their tests do in primal programs what they do as they are."""

import json
from pathlib import Path

import pytest

from tests.conform.run import run, suites
from tests.conform.table import counts

SAMPLE = (
    "test.test_augassign",
    "test.test_binop",
    "test.test_bool",
    "test.test_contains",
    "test.test_dictcomps",
    "test.test_enumerate",
    "test.test_index",
    "test.test_keywordonlyarg",
    "test.test_named_expressions",
    "test.test_numeric_tower",
    "test.test_operator",
    "test.test_pow",
    "test.test_raise",
    "test.test_scope",
    "test.test_unary",
    "test.test_with",
    "numpy.lib.tests.test_shape_base",
    "numpy.polynomial.tests.test_symbol",
    "scipy.integrate.tests.test_integrate",
)
"""Those that take a second or two, of all three kinds."""


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    assert name in suites()
    run(name, tmp_path / "rows.json")
    rows = [json.loads(line) for line in (tmp_path / "rows.json").read_text("utf-8").splitlines()]
    (found,) = counts(rows)["files"].values()
    assert found.get("accepted", 0) > 0
    assert not (found.get("different", 0) or found.get("internal", 0))
