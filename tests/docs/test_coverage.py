"""The comparison with other tools stands on functions that are checked."""

import numpy as np
import pytest

from adjointgen import check
from tests.docs.coverage import covered, has, lines, own
from tests.docs.witnesses import WITNESSES

X = np.array([0.75, 1.5, 0.4])


@pytest.mark.parametrize("name", sorted(WITNESSES))
def test_witnesses_are_differentiated(name: str) -> None:
    check(WITNESSES[name], (X,)).raise_on_failure()


def test_marks() -> None:
    assert own("numpy.sin") == own("ndarray.sum") == own("numpy.c_") == "RF"
    assert own("numpy.argmax") == "0"
    assert own("scipy.fft.no_such_name") == "-"
    assert has("R!") and not has("!") and not has("0") and covered("0")


def test_every_line_has_a_mark_for_each_tool() -> None:
    found = lines()
    assert len(found) > 1600 and len({line.name for line in found}) == len(found)
    assert all(len(line.marks) == 5 and line.priority in (1, 2, 3) for line in found)
