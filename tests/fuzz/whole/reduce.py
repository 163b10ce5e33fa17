"""The smallest program that fails as a drawn one: `python -m tests.fuzz.whole.reduce 7 tangent`."""

import sys
import time
from importlib import import_module
from typing import Any, Final

from adjointgen.opt.shrink import shrink
from tests.fuzz.examine import time_limit
from tests.fuzz.whole.draw import Whole, draw, outcome
from tests.fuzz.whole.judge import SECONDS, judge
from tests.time_limits import Late

PATIENCE: Final = 120.0
"""The seconds that a program is made smaller for: one that hangs is so at each attempt."""


def reduced(seed: int, mode: str, budget: int = 300) -> tuple[str, Whole]:
    """What fails, and the smallest program found for it."""
    engine: Any = import_module("adjointgen")
    program = draw(seed)
    end = time.monotonic() + PATIENCE
    verdict, before = judge(program, engine, (mode,))[mode], outcome(program)

    def fails(smaller: Any) -> bool:
        if time.monotonic() > end:
            return False
        try:
            with time_limit(SECONDS):
                now = outcome(smaller)
            found = judge(smaller, engine, (mode,)).get(mode)
        except (Exception, Late):  # what does not run, or does not end, is no smaller program
            return False
        alike = type(before.error) is type(now.error)
        alike = alike and type(before.result) is type(now.result)
        return (
            alike and found is not None and (found.sort, found.kind) == (verdict.sort, verdict.kind)
        )

    small: Any = shrink(program, fails, budget)
    found = judge(small, engine, (mode,))[mode]
    return found.detail, small


if __name__ == "__main__":
    detail, small = reduced(int(sys.argv[1]), sys.argv[2])
    print(f"# seed {sys.argv[1]} {sys.argv[2]} wrt {small.wrt}: {detail[:400]}")
    print(small.source)
