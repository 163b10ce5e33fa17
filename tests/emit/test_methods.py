"""What is written is a call that its callee accepts: NumPy is asked which methods take keywords."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate
from adjointgen.emit.decide.row_spelling import BY_POSITION
from adjointgen.rules.all import TABLE

METHODS = [
    (spelling, parameter.name)
    for row in TABLE.rows.values()
    for spelling in row.spellings
    if spelling.startswith(".") and callable(getattr(np.ones(2), spelling[1:], None))
    for parameter in row.parameters
    if not parameter.operand
]


@pytest.mark.parametrize(("spelling", "option"), METHODS)
def test_methods_take_their_options_by_name(spelling: str, option: str) -> None:
    try:
        getattr(np.ones((2, 3)), spelling[1:])(**{option: object()})
    except TypeError as error:
        assert ("keyword" in str(error)) == (spelling in BY_POSITION), error
    except (ValueError, AttributeError):
        assert spelling not in BY_POSITION


def test_a_method_that_takes_no_keywords(tmp_path: Path) -> None:
    text = """
import numpy as np
def f(A: np.ndarray):
    B = A[0, 0] * A
    return np.sum(np.sin(B.swapaxes(0, 1)) * B.T)
"""
    (tmp_path / "model.py").write_text(text)
    own: dict[str, Any] = {}
    program: dict[str, Any] = {}
    exec(text, own)
    exec(generate(f"{tmp_path}/model.py::f").source, program)
    x = np.arange(1.0, 7.0).reshape(2, 3) / 4.0
    value, x_bar = program["f_adjoint"](x)
    assert np.isclose(value, own["f"](x), rtol=1e-14)
    step = np.zeros_like(x)
    step[1, 2] = 1e-5
    slope = (own["f"](x + step) - own["f"](x - step)) / 2e-5
    assert np.isclose(x_bar[1, 2], slope, rtol=1e-8)
