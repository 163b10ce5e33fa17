"""Directives that change nothing: found by making the program without them, and told (AG013).

A value that nothing reads in the reverse sweep, that is recorded without being asked for, or that
no operations lead to from what is recorded, is what `store` and `recompute` do nothing about.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Final

from adjointgen.api.programs.warnings_told import text_of
from adjointgen.errors import DirectiveWarning, Span
from adjointgen.ir.directives import OF_NAMES, Directive
from adjointgen.ir.nodes import Function
from adjointgen.records import replace

_WHY: Final = {
    "store": "it is on a tape in any case, or no statement of the reverse sweep reads it",
    "recompute": "it is on no tape, or operations lead to it from none",
}


def tell_idle(function: Function, made: Function, follow: Callable[[Function], Function]) -> None:
    """Warn of each `store` and `recompute` without which the program that was made is the same."""
    functions = (function, *function.callees)
    asked = dict.fromkeys(d for f in functions for d in f.directives if d.kind in OF_NAMES)
    by_text: dict[tuple[str, str], list[Directive]] = {}
    for one in asked:
        by_text.setdefault((one.kind, one.name), []).append(one)
    for (kind, name), same in by_text.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = follow(_without(function, same))
        if _alike(other, made):
            _warn(function.name, f"{kind}({name})", kind, same[0])


def _without(function: Function, directives: list[Directive]) -> Function:
    def one(each: Function) -> Function:
        return replace(each, directives=tuple(d for d in each.directives if d not in directives))

    return replace(one(function), callees=tuple(map(one, function.callees)))


def _alike(one: Function, other: Function) -> bool:
    """Whether two programs have the same statements."""
    pairs = zip((one, *one.callees), (other, *other.callees), strict=False)
    same = len(one.callees) == len(other.callees)
    return same and all(a.body == b.body for a, b in pairs)


def _warn(owner: str, text: str, kind: str, directive: Directive) -> None:
    source = text_of(directive.file)
    line = source.splitlines()[directive.first - 1] if source else ""
    begin, end = len(line) - len(line.lstrip()), len(line.rstrip())
    span = Span(directive.file, directive.first, begin, directive.first, end) if source else None
    warnings.warn(
        DirectiveWarning(
            f"{owner}: {text} changes nothing",
            code="AG013",
            span=span,
            source=source,
            label=_WHY[kind],
            help="leave the directive out; `adjointgen show --stage tape` says what is recorded",
        ),
        stacklevel=4,
    )
