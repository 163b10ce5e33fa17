"""Programs and loops that say whether the front end and the lowering keep what a function means.

values.txt holds functions: each is written back (`primal`) and differentiated (`tangent`), and has
the value, the effects, the order and the exceptions that Python gives it, and the slope of
differences. Array programs, as a compiler gets them, have the numbers that they have without loops.
"""

import copy
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.fuzz.examine import Verdict
from tests.fuzz.whole.draw import HEAD, Whole
from tests.fuzz.whole.judge import judge
from tests.lowering.loops import agree, uncompiled
from tests.lowering.programs import CASES
from tests.planted import nests

FILE: Final = Path(__file__).with_name("values.txt")
MODES: Final = ("primal", "tangent")
Check = Callable[[], str]


def programs() -> dict[str, Whole]:
    """The functions of values.txt by name."""
    found = {}
    parts = re.split(r"^=== (\w+): (.*)\n", FILE.read_text("utf-8"), flags=re.MULTILINE)
    for name, args, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        first = re.search(r"def f\((.*)\)", text)
        assert first
        names = tuple(first[1].split(", "))
        source = f"{HEAD}\n\n\ndef make():\n    return ({args},)\n\n\n{text}"
        wrt = "x" if "x" in names else names[0]
        found[name] = Whole(0, source, names, (), (wrt,))
    return found


def front_end(program: Whole) -> str:
    """What is wrong with a function that is read and written back; nothing if it is right."""
    engine: Any = import_module("adjointgen")
    found = judge(program, engine, MODES)
    wrong = [f"{mode}: {v.detail or v.kind}" for mode, v in found.items() if _failed(v)]
    return "; ".join(wrong)


def _failed(verdict: Verdict) -> bool:
    return verdict.sort not in ("right", "skipped")


def loops(f: Any, args: tuple[Any, ...]) -> str:
    """What is wrong with an array program as loops; nothing if it is right."""
    engine: Any = import_module("adjointgen")
    try:
        with uncompiled(), np.errstate(all="ignore"):
            plain, lowered = (
                engine.value_and_grad(f, wrt=..., compile=c)(*copy.deepcopy(args))
                for c in ("python", "numba")
            )
            agree(lowered, plain)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


FRONT_END: Final[dict[str, Check]] = {n: partial(front_end, p) for n, p in programs().items()}
LOOPS: Final[dict[str, Check]] = {
    f.__name__: partial(loops, f, args) for f, args in (*nests.CASES, *CASES)
}
