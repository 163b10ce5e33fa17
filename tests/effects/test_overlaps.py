"""A function of which nothing is known is given an array and views of it, and writes to them.

What is accepted computes what Python computes, as a call and as a written module; what is refused
has the code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, jvp
from adjointgen.errors import Unsupported

fill: Callable[..., None] = eval(
    "lambda *views: [(v.__setitem__(0, 7.0 + k), v.__setitem__(-1, v[0] * 3.0))"
    " for k, v in enumerate(views)] and None",
    {},
)
"""It has no source that can be read."""


def whole_and_view(x: Any, p: Any, n: int) -> Any:
    w = p[:]
    fill(w, p)
    return x[0] * p * w


def twice(x: Any, p: Any, n: int) -> Any:
    fill(p, p)
    return x[0] * p


def entries(x: Any, p: Any, n: int) -> Any:
    q = np.outer(p, p)
    fill(q[0], q[2], q[1])
    return x[0] * q


def parts(x: Any, p: Any, n: int) -> Any:
    fill(p[:2], p[2:])
    return x[0] * p


def parts_at(x: Any, p: Any, n: int) -> Any:
    fill(p[:n], p[n:])
    return x[0] * p


def ends(x: Any, p: Any, n: int) -> Any:
    fill(p[:-2], p[-2:])
    return x[0] * p


def neighbours(x: Any, p: Any, n: int) -> Any:
    q = np.outer(p, p)
    fill(q[n], q[n + 1])
    return x[0] * q


def reversed_and_part(x: Any, p: Any, n: int) -> Any:
    w = p[::-1]
    fill(w, p[1:])
    return x[0] * p * w


def list_and_entry(x: Any, p: Any, n: int) -> Any:
    q = [p[1:], p]
    fill(q[0], q[1], p)
    return x[0] * p


def printed(x: Any, p: Any, n: int) -> Any:
    print(p, p[1:])
    return x[0] * p


ACCEPTED = (twice, entries, parts, parts_at, ends, neighbours, printed)
REFUSED = (reversed_and_part, list_and_entry)


def given() -> tuple[Any, Any, int]:
    return np.array([0.5]), np.array([1.0, 2.0, 3.0, 4.0]), 1


@pytest.mark.parametrize("function", ACCEPTED)
def test_it_writes_to_what_it_is_given(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Written modules import it from the file.
    monkeypatch.setitem(sys.modules, Path(__file__).stem, sys.modules[__name__])
    expected = function(*given())
    slope = expected / 0.5
    assert np.array_equal(jvp(function, given(), (np.ones(1), None, None))[1], slope)
    for mode in ("primal", "tangent"):
        made = generate(function, wrt="x", modes=(mode,), example=given())
        names: dict[str, Any] = {}
        exec(made.body, names)
        seeds = [] if mode == "primal" else [np.ones(1)]
        found = names[made.functions[0]](*given(), *seeds)
        assert np.array_equal(found if mode == "primal" else found[0], expected)


@pytest.mark.parametrize("function", (whole_and_view, *REFUSED))
def test_views_that_may_overlap_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        generate(function, wrt="x", modes=("tangent",), example=given())
    assert caught.value.code == "AG112"
    with pytest.raises(Unsupported):
        jvp(function, given(), (np.ones(1), None, None))
