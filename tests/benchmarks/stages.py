"""Where the first gradient spends its time.

    python -m tests.benchmarks.stages

prints seconds per stage as JSON. Every name in the package that is bound to the function of a
stage is bound to a clock around it, so nothing of the package is changed for being measured. A
stage's time is its own: that of a stage that it calls is not in it.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

from adjointgen import grad
from tests.benchmarks.model import glide, point
from tests.benchmarks.timing import pin

STAGES = {
    "read": "adjointgen.frontend.source.source:source_from_function",
    "lower": "adjointgen.frontend.lower:lower",
    "activity": "adjointgen.analysis.differentiation.activity:activity",
    "adjoint": "adjointgen.ad.modes.adjoint:adjoint",
    "simplify": "adjointgen.optimize.simplify:simplify",
    "share": "adjointgen.optimize.scalar.cse:share",
    "dead": "adjointgen.optimize.scalar.dce:dead",
    "standing": "adjointgen.analysis.loops.surviving_elements:standing",
    "record": "adjointgen.ad.taping.close_adjoint:record",
    "own": "adjointgen.storage.insert_copies:own",
    "emit": "adjointgen.emit.write.module:emit",
    "compile": "adjointgen.api.specialize.load_program:load",
}
# What the package imports at the first call.
LAZY = ("adjointgen.api.cache.disk_lookup", "adjointgen.api.specialize.specialize")
REST = "imports"
OTHER = "other"


class Clock:
    """Seconds per stage, each stage's own."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.running: list[str] = []
        self.since = 0.0

    def switch(self) -> None:
        """Books the time since the last switch to the stage that was running."""
        now = perf_counter()
        if self.running:
            name = self.running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self.since
        self.since = now

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.switch()
            self.running.append(name)
            try:
                return function(*args, **kwargs)
            finally:
                self.switch()
                self.running.pop()

        return timed


def install(clock: Clock) -> None:
    """Puts the clock around the functions of all stages.

    Raises AttributeError where a stage's function is not where `STAGES` says.
    """
    for lazy in LAZY:
        import_module(lazy)
    for name, place in STAGES.items():
        home, _, attribute = place.partition(":")
        function = getattr(import_module(home), attribute)
        _rebind(function, clock.around(name, function))


def _rebind(old: Any, new: Any) -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "adjointgen" and module is not None:
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


def stage_times() -> dict[str, float]:
    """Seconds per stage of the first gradient of `glide`; imports are the first entry."""
    clock = Clock()
    start = perf_counter()
    install(clock)  # imports what was not yet imported
    imports = perf_counter() - start
    clock.around(OTHER, grad(glide))(*point())
    return {REST: imports, **{s: clock.seconds.get(s, 0.0) for s in (*STAGES, OTHER)}}


if __name__ == "__main__":
    pin()
    print(json.dumps(stage_times()))
