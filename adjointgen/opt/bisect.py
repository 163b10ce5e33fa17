"""The first pass after which a program gives wrong numbers at a point.

Every pass of the pipeline is watched; after each the program is run by the interpreter and judged
(`judge.py`), an adjoint that is open as well. In the end the printed program is run. Functions that
the program calls are taken into it first, so that one program goes through all passes.
"""

from __future__ import annotations

from typing import Any, Final

from adjointgen.api.specialize.load_program import Made, load
from adjointgen.emit.write.module import emit
from adjointgen.errors import AdjointgenError
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import show
from adjointgen.opt.judge import Point, Way, faults, found_in
from adjointgen.passes.run import Ran, watching
from adjointgen.pipeline import Mode, derive, finish
from adjointgen.program import flattened, primal
from adjointgen.records import dataclass, replace

FRONT: Final = "the front end"
EMISSION: Final = "emission"
_BEFORE: Final = ("equations", "before", "check")
"""The phases in which a program is not differentiated yet."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of it: the pass, or part of the program, that is at fault, and what is wrong.

    `before` and `after` are the program as text around it. No culprit: nothing is wrong.
    """

    culprit: str
    phase: str = ""
    fault: str = ""
    before: str = ""
    after: str = ""
    judged: int = 0


class _Watch:
    """Judges the program after every pass, until one is wrong."""

    def __init__(self, mode: Mode, point: Point) -> None:
        self.mode, self.point = mode, point
        self.found: Verdict | None = None
        self.judged = 0

    def __call__(self, ran: Ran) -> None:
        after = ran.after
        if self.found is not None or "directions" in after.has:
            return
        if not ran.changed and "storage" not in ran.row.ensures:
            return
        derived = ran.phase not in _BEFORE
        way: Way = self.mode if derived else "primal"
        seeds = len(after.function.body.params) - len(self.point.given(after.function))
        if after.original is None and after.function.name.startswith("along"):
            return
        if derived and not seeds:
            return
        try:
            fault = faults(after.function, way, self.point, "storage" in after.has)
        except (NotImplementedError, KeyError, AttributeError, TypeError) as error:
            if not _runs(ran, way, self.point):
                return
            fault = f"{type(error).__name__}: {error}"
        except Exception as error:  # what a wrong program raises
            fault = f"{type(error).__name__}: {error}"
        self.judged += 1
        if fault:
            before = show(ran.before.function)
            self.found = Verdict(ran.row.name, ran.phase, fault, before, show(after.function))


def _runs(ran: Ran, way: Way, point: Point) -> bool:
    """Whether the interpreter could run the program before the pass."""
    try:
        return not faults(ran.before.function, way, point)
    except Exception:  # it could not
        return False


def bisected(
    function: Function,
    point: Point,
    mode: Mode,
    disable: tuple[str, ...] = (),
    compiled: bool = False,
) -> Verdict:
    """What is at fault in the derivative program of a function, as the front end read it."""
    if fault := faults(function, "primal", point):
        return Verdict(FRONT, "", fault, "", show(function), 1)
    watch = _Watch(mode, point)
    program = replace(flattened(primal(function)), compiled=compiled)
    with watching(watch):
        finished = finish(derive(program, mode, point.wrt, disable), disable, compiled)
    if watch.found is not None:
        return replace(watch.found, judged=watch.judged)
    fault = _printed(finished, mode, point)
    if fault:
        return Verdict(EMISSION, "", fault, show(finished), emit([finished]), watch.judged + 1)
    return Verdict("", judged=watch.judged + 1)


def _printed(finished: Function, mode: Mode, point: Point) -> str:
    """What is wrong with the program as it is printed."""
    try:
        text = emit([finished])
        called = load(Made(text, finished.name, None, ()))
    except AdjointgenError:
        raise
    except Exception as error:  # text that does not compile
        return f"{type(error).__name__}: {error}"
    vars_: dict[str, Any] = called.__globals__
    vars_.update({k: v for k, v in point.names.items() if k not in vars_})
    try:
        return next(found_in(lambda *s: called(*point.given(finished), *s), mode, point), "")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
