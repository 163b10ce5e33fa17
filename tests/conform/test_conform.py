"""A sample of CPython's own tests does in primal programs what it does as it is."""

import importlib

import pytest

from tests.conform.cases import rows
from tests.conform.table import kind_of


@pytest.mark.parametrize("name", ["test.test_unpack_ex", "test.test_bisect"])
def test_a_sample(name: str) -> None:
    module = pytest.importorskip(name)
    found = [row for row in rows(importlib.reload(module)) if "begin" not in row]
    bad = [row for row in found if kind_of(row) in ("different", "internal")]
    assert not bad
