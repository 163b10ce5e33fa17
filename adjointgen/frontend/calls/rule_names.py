"""The global names that a rule of a user reads: where one changes, a program is made anew.

@custom(adjoint=lambda y, x, y_bar: y_bar * K)
def f(x): ...                                       K is part of the program
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from adjointgen.rules.framework.table import Row
from adjointgen.watch import Cell, look


def look_at_rule(row: Row) -> None:
    """Note what the names of a rule are, and those of the functions that it calls."""
    seen: set[int] = set()
    work = list(row.given)
    while work:
        rule = work.pop()
        if isinstance(rule, FunctionType) and id(rule) not in seen:
            seen.add(id(rule))
            work += _called(rule)


def _called(rule: FunctionType) -> list[Callable[..., Any]]:
    cells = zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True)
    found = [look(Cell(cell), name) for name, cell in cells]
    names = dict.fromkeys(_names(rule.__code__))
    found += [look(rule.__globals__, name) for name in names if name in rule.__globals__]
    return [one for one in found if isinstance(one, FunctionType)]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
