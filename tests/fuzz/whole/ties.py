"""Whether a program puts equal entries into order at its point.

    sorted([x, x * x, x])[1]        at x = 1

is smooth there, since it is x on both sides. Which entry is in the middle is a tie, which the rows
of `sort`, `max` and `min` break by a rule of their own (their `edge`): no rule of one operation
knows that the other way would have another slope.
"""

import builtins
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final

from adjointgen.opt.program import Program
from tests.fuzz.whole.draw import module
from tests.fuzz.whole.outcome import call

ORDERING: Final = ("sorted", "max", "min")


def orders_equal(program: Program) -> bool:
    """Whether equal numbers are among what the program sorts, or takes the first or last of."""
    made, found = module(program), list[bool]()
    for name in ORDERING:
        vars(made)[name] = _watched(getattr(builtins, name), found)
    call(made, made.f, made.make())
    return any(found)


def _watched(function: Callable[..., Any], found: list[bool]) -> Callable[..., Any]:
    def run(*given: Any, **named: Any) -> Any:
        if len(given) == 1:
            given = ([*given[0]],)
        found.append(_has_equal(given[0] if len(given) == 1 else given))
        return function(*given, **named)

    return run


def _has_equal(items: Iterable[Any]) -> bool:
    numbers = sorted(float(item) for item in items if isinstance(item, int | float))
    return any(one == other for one, other in pairwise(numbers))
