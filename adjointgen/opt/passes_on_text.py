"""Passes on the text of the IR: `adjointgen opt --passes=simplify,dce FILE`.

The text may say in comments how it is to be run, so that a file is a whole case:

    # passes: simplify, dce          the passes
    # frozen: y, t                   names whose statements keep their form
    # keep: t_2                      names that the reverse sweep will read (dce)
    # wrt: x                         what tangent and adjoint differentiate
    # open                           the adjoint is not closed yet
    # loops                          array statements are loops already
    # compiled                       it is for a compiler
    # parallel                       iterations may run at once
    # results: 1                     so many results are the user's; the others are derivatives
    # seeds: 1                       so many of the last parameters are seeds,
    # directions: 3                  which follow so many directions at once
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adjointgen.ad.calls.directional_terms import More
from adjointgen.analysis.differentiation.activity import activity
from adjointgen.analysis.differentiation.inputs import chosen, floats
from adjointgen.errors import SourceError
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import read
from adjointgen.passes.run import apply
from adjointgen.passes.table import PASSES
from adjointgen.passes.unit import START, Unit
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names

_NAMES = ("frozen", "keep", "wrt")
_COUNTS = ("results", "seeds", "directions")
_FLAGS = ("open", "compiled", "loops", "parallel")
_WORDS = "|".join(("passes", *_NAMES, *_COUNTS, *_FLAGS))
_OPTION = re.compile(rf"^# ({_WORDS})(?::(.*))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A function, the passes that are to be run, and the properties that it starts with."""

    function: Function
    passes: tuple[str, ...]
    frozen: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()
    wrt: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether it is an adjoint that is not closed yet."""
        return "open" in self.flags


def read_case(text: str, passes: Sequence[str] = ()) -> Case:
    """The case that a text states; `passes`, if given, are run in place of those that it names.

    Raises SourceError (AG003) for a pass that is not in the table.
    """
    options = {name: value.strip() for name, value in _OPTION.findall(text)}
    named = tuple(passes) or tuple(re.findall(r"[\w-]+", options.get("passes", "")))
    for name in named:
        if name not in PASSES:
            raise SourceError(
                f"no pass is called {name!r}", code="AG003", help=f"one of {', '.join(PASSES)}"
            )
    names = {key: tuple(re.findall(r"[\w.]+", options.get(key, ""))) for key in _NAMES}
    flags = frozenset(options) & {*_FLAGS}
    counts = {name: int(options[name]) for name in _COUNTS if name in options}
    frozen, keep = frozenset(names["frozen"]), frozenset(names["keep"])
    return Case(read(text), named, frozen, keep, names["wrt"], flags, counts)


def run_case(case: Case) -> Function:
    """The function after the passes of its case."""
    has = START | (case.flags & {"loops", "parallel"})
    if case.is_open:
        has = (has - {"closed"}) | {"open"}
    body, counts = case.function.body, case.counts
    results = counts.get("results", len(body.yields))
    unit = Unit(
        case.function,
        case.frozen,
        has=has,
        compiled="compiled" in case.flags,
        more=More(Names((case.function.name,))),
        keep=case.keep,
        results=results,
        original=case.function,
        seeds=[p.name for p in body.params[len(body.params) - counts.get("seeds", 0) :]],
        ends=range(results, len(body.yields)),
        directions=counts.get("directions", 1),
    )
    if case.wrt:
        groups = chosen(case.function, case.wrt)
        facts = activity(case.function, floats(case.function, groups))
        unit = replace(unit, groups=groups, facts=facts)
    for name in case.passes:
        unit = apply(PASSES[name], unit)
    return unit.function
