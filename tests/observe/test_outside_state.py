"""Programs around state that is not in the function: right, or refused with a code.

Each is a module of its own, which is loaded anew for each evaluation; the function is called with
the arguments behind its name. Behind a `!` stands the code of the refusal of one that is refused.
"""

import copy
import importlib.util
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, jvp, value_and_grad

TEXT = Path(__file__).with_name("outside_state.txt").read_text("utf-8")
PARTS = re.split(r"^=== (\w+): (.*)\n", TEXT, flags=re.MULTILINE)
CASES = list(zip(PARTS[1::3], PARTS[2::3], PARTS[3::3], strict=True))
NUMBER = itertools.count()


def fresh(name: str, source: str, folder: Path) -> ModuleType:
    """The module, as it is before anything has run."""
    path = folder / f"{name}.py"
    if not path.exists():
        path.write_text(source, "utf-8")
    spec = importlib.util.spec_from_file_location(f"{name}_{next(NUMBER)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def left(module: ModuleType) -> dict[str, Any]:
    """What the module holds afterwards, as far as it can be compared."""
    kinds = (int, float, str, list, dict, tuple, np.ndarray)
    found = {n: v for n, v in vars(module).items() if isinstance(v, kinds) and n[:2] != "__"}
    return {n: repr(v) for n, v in found.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_right_or_refused(case: tuple[str, str, str], tmp_path: Path) -> None:
    name, head, source = case
    given, _, code = head.partition("!")
    args = eval(f"[{given}]")

    def at(run: Callable[[ModuleType, Any], Any], x: float) -> Any:
        module = fresh(name, source, tmp_path)
        found = run(module, [x, *copy.deepcopy(args[1:])])
        return found, left(module)

    def plain(x: float) -> tuple[float, dict[str, Any]]:
        value, state = at(lambda m, a: float(m.f(*a)), x)
        return value, state

    x, h = args[0], 1e-5
    value, state = plain(x)
    slope = (plain(x + h)[0] - plain(x - h)[0]) / (2 * h)
    none = (None,) * (len(args) - 1)
    for run in (
        lambda m, a: value_and_grad(m.f)(*a),
        lambda m, a: jvp(m.f, tuple(a), (1.0, *none)),
    ):
        try:
            found, after = at(run, x)
        except AdjointgenError as error:
            assert error.code == code.strip(), error
            continue
        assert found == pytest.approx((value, slope), rel=1e-6)
        assert after == state
        assert not code.strip(), "no longer refused"
