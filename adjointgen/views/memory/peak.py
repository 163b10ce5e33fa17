"""The peak of memory of a program at given arguments, predicted from its statements."""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.errors import Span
from adjointgen.ir.nodes import Function
from adjointgen.records import dataclass
from adjointgen.views.memory.shadows import Meter, shadow
from adjointgen.views.memory.walker import MISSING, Counts, NotCounted, Program, Walker


@dataclass(frozen=True, slots=True)
class Predicted:
    """Bytes that are alive at once beside the arguments, and the line of the source it is for.

    Without `bytes` the program has a loop `uncounted`, which runs as often as entries of arrays
    say. It is `unsure` where some lengths are not known.
    """

    bytes: int | None
    line: Span | None = None
    uncounted: Span | None = None
    unsure: bool = False


def predicted_peak(program: Function, arguments: Mapping[str, object], counts: Counts) -> Predicted:
    """The peak of a finished program.

    `arguments` are the values of its parameters by name, those of seeds left out, which are as
    their types say; `counts` how often loops run.
    """
    meter = Meter()
    run = Program(program, counts, meter)
    held = {name: shadow(meter, value) for name, value in arguments.items()}
    given = [held.get(p.root or p.name, MISSING) for p in program.body.params]
    try:
        Walker(run, program.name).call(given)
    except NotCounted as error:
        return Predicted(None, uncounted=error.span)
    return Predicted(round(meter.peak), meter.line, unsure=run.unsure)
