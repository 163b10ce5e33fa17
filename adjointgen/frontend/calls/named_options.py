"""Options of a row that a call gives by position: `np.sum(a, 0)`."""

from __future__ import annotations

from itertools import takewhile

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.calls.opaque_calls import positions
from adjointgen.rules.framework.table import Row


def name_options(one: Call, row: Row, spelling: str) -> None:
    """Options given by position, under the names that NumPy has for these."""
    first = len(list(takewhile(lambda p: p.operand, row.parameters)))
    if len(one.args) <= first:
        return
    names = positions(spelling)
    single = "out" in names[: len(one.args)] or names[:1] == ("shape",)
    if any(p.variadic for p in row.parameters) and not single:
        return
    while first < len(one.args) <= len(names):
        one.keywords.setdefault(names[len(one.args) - 1], one.args[-1])
        one.args.pop()
