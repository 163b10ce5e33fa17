"""A test that is asked again inside: the forward branch stays for the user's names in it, and so
does its reverse branch."""

from pathlib import Path
from typing import Any

import numpy as np

from adjointgen import generate

SOURCE = """
def stride(offsets, counts, size):
    negative = offsets[1] < offsets[0]
    if negative:
        steps = zip(reversed(offsets), reversed(counts))
    else:
        steps = zip(offsets, counts)
    found = None
    for offset, count in steps:
        if negative:
            return None
        if found is None:
            found = size * count
    return -found
"""


def test_a_branch_stays_in_both_sweeps(tmp_path: Path) -> None:
    (tmp_path / "strides.py").write_text(SOURCE)
    names: dict[str, Any] = {}
    exec(generate(f"{tmp_path / 'strides.py'}::stride", guess=True).source, names)
    *_, size_bar = names["stride_adjoint"](np.array([1.0, 3.0]), np.array([10.0, 2.0]), 2.0, 1.0)
    assert size_bar == -10.0
