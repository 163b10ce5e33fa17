"""Objects that keep a state: what calls leave in them is what Python leaves there.

A program of state/*.txt has a function `f`, `reset` to put its objects back, and `state` to look at
them; what stands before the first one of a file is the begin of each. It is called several times,
each time at another point. Values, exceptions, the log and the state are compared with the
function's own, and slopes with differences. Behind a `!` stands the code of a refusal, which leaves
the state alone.
"""

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, hvp, jvp, value_and_grad
from tests.effects.logged import load

POINTS = (1.3, 0.7, 2.1, 1.3)
Seen = tuple[Any, str, list[Any], Any]


def cases() -> Iterator[tuple[str, str, str]]:
    """The name, the code of the refusal and the source of each program."""
    for path in sorted((Path(__file__).parent / "state").glob("*.txt")):
        begin, *parts = re.split(r"^=== (\w+)(.*)\n", path.read_text("utf-8"), flags=re.MULTILINE)
        for name, head, source in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            yield name, head, begin + source


def seen(module: ModuleType, call: Any, x: float) -> Seen:
    """The value, the exception, the log and the state after a call."""
    module.LOG.clear()
    value, raised = None, ""
    try:
        value = call(x)
    except AdjointgenError:
        raise
    except Exception as error:
        raised = type(error).__name__
    return value, raised, list(module.LOG), copy.deepcopy(module.state())


def slope(module: ModuleType, count: int, x: float) -> float:
    """The slope of the call after `count` others."""
    total = 0.0
    for factor, weight in ((1.0, 4.0 / 3.0), (2.0, -1.0 / 3.0)):
        ends = []
        for sign in (1.0, -1.0):
            module.reset()
            for point in POINTS[:count]:
                seen(module, module.f, point)
            ends.append(seen(module, module.f, x + sign * factor * 1e-3)[0])
        total += weight * (ends[0] - ends[1]) / (2e-3 * factor)
    return total


CASES = pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])


@pytest.mark.sampled(4)
@CASES
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_calls_leave_what_the_function_leaves(
    case: tuple[str, str, str], mode: str, tmp_path: Path
) -> None:
    name, head, source = case
    module = load(f"state_{name}_{mode}", source, tmp_path)
    made: Any = value_and_grad(module.f) if mode == "reverse" else None
    call = made or (lambda x: jvp(module.f, (x,), (1.0,)))
    module.reset()
    wanted = [seen(module, module.f, x) for x in POINTS]
    module.reset()
    code = head.partition("!")[2].strip()
    try:
        found = [seen(module, call, x) for x in POINTS]
    except AdjointgenError as error:
        assert error.code == code, error
        module.reset()
        return
    assert not code, "no longer refused"
    for k, (got, want) in enumerate(zip(found, wanted, strict=True)):
        assert got[1:] == want[1:], f"call {k}"
        if not want[1]:
            assert np.isclose(got[0][0], want[0], rtol=1e-13), f"call {k}"
            expected = slope(module, k, POINTS[k])
            assert np.isclose(got[0][1], expected, rtol=1e-7, atol=1e-8), f"call {k}"


@pytest.mark.sampled(3)
@CASES
def test_second_order(case: tuple[str, str, str], tmp_path: Path) -> None:
    name, head, source = case
    if "!" in head:
        pytest.skip("refused")
    module = load(f"state_{name}_second", source, tmp_path)
    x, ends = POINTS[0], []
    for step in (1e-3, -1e-3, 2e-3, -2e-3):
        module.reset()
        try:
            ends.append(value_and_grad(module.f)(x + step)[1])
        except Exception as error:
            pytest.skip(f"raises {error}")
    expected = (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12e-3
    module.reset()
    assert np.isclose(hvp(module.f, (x,), (1.0,)), expected, rtol=1e-6, atol=1e-7)
