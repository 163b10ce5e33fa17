"""Passes on the text of the IR: `adjointgen opt --passes=simplify,dce FILE`.

The text may say in comments how it is to be run, so that a file is a whole case:

    # passes: simplify, dce          the passes
    # frozen: y, t                   names whose statements keep their form
    # open                           the adjoint is not closed yet
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjointgen.errors import SourceError
from adjointgen.ir.nodes import Function, defined_in
from adjointgen.ir.text import read
from adjointgen.passes.run import apply
from adjointgen.passes.table import PASSES
from adjointgen.passes.unit import START, Unit
from adjointgen.records import dataclass

_OPTION = re.compile(r"^# (passes|frozen|keep|open|compiled|loops)(?::(.*))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A function, the passes that are to be run, and the properties that it starts with."""

    function: Function
    passes: tuple[str, ...]
    frozen: frozenset[str]
    is_open: bool
    compiled: bool
    loops: bool


def read_case(text: str, passes: Sequence[str] = ()) -> Case:
    """The case that a text states; `passes` go before those that it names.

    Raises SourceError (AG003) for a pass that is not in the table.
    """
    options = {name: value.strip() for name, value in _OPTION.findall(text)}
    named = tuple(passes) or tuple(re.findall(r"[\w-]+", options.get("passes", "")))
    for name in named:
        if name not in PASSES:
            raise SourceError(
                f"no pass is called {name!r}", code="AG003", help=f"one of {', '.join(PASSES)}"
            )
    frozen = frozenset(re.findall(r"[\w.]+", options.get("frozen", "")))
    return Case(
        read(text), named, frozen, "open" in options, "compiled" in options, "loops" in options
    )


def run_case(case: Case) -> Function:
    """The function after the passes of its case."""
    has = START - {"closed"} | {"open"} if case.is_open else START
    if case.loops:
        has = has | {"loops"}
    names = {v.name for v in defined_in(case.function.body)}
    unit = Unit(case.function, case.frozen & names, has=has, compiled=case.compiled)
    for name in case.passes:
        unit = apply(PASSES[name], unit)
    return unit.function
