"""The directive that would remove a value from a tape: found by deriving the program with it.

    recompute(x)       above the statement that computes x, if it has a name
    joint              above a call whose tape it is
    checkpoint(log)    above the outermost loop around it, whose steps run again

The first that leaves the value out of the table is the answer; there may be none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from adjointgen.ad.checkpoints.schedule_loops import with_schedule
from adjointgen.errors import AdjointgenError, Span
from adjointgen.frontend.functions.joint_calls import with_joint_calls
from adjointgen.ir.directives import Directive
from adjointgen.ir.nodes import Call, Function, Loop, Stmt, While, defined_in, walk
from adjointgen.ir.schedules import Schedule
from adjointgen.records import replace
from adjointgen.views.tables import HELD, Row, tape_table

Derived = Callable[[Function], Function]
"""The adjoint program of a function."""


class Remedies:
    """Answers for the rows of the table of one function, each directive tried once."""

    def __init__(self, function: Function, derived: Derived) -> None:
        self._function, self._derived = function, derived
        self._left: dict[str, frozenset[str]] = {}

    def __call__(self, row: Row) -> str:
        """The directive, with its line; "" where none removes the value."""
        if row.cells[0] == HELD or row.place is None:
            return ""
        for text, changed in self._candidates(row.cells[1], row.place):
            if text not in self._left:
                self._left[text] = self._kept(changed)
            if row.name not in self._left[text]:
                return text
        return ""

    def _kept(self, changed: Callable[[], Function]) -> frozenset[str]:
        """The values that are on tapes with a directive."""
        try:
            made = self._derived(changed())
        except AdjointgenError:
            made = self._derived(self._function)
        return frozenset(row.name for row in tape_table(made).rows if row.cells[0] != HELD)

    def _candidates(self, value: str, place: Span) -> Iterator[tuple[str, Callable[[], Function]]]:
        line = place.line
        if any(v.root == value for v in defined_in(self._function.body)):
            asked = Directive("recompute", value, place.file, line, line)
            yield f"recompute({value}) above line {line}", lambda: self._directed(asked)
        if any(isinstance(s, Call) and s.span and s.span.line == line for s in self._stmts()):
            joint = Directive("joint", "", place.file, line, line)
            only = replace(self._function, directives=(joint,))
            yield f"joint above line {line}", lambda: replace(
                with_joint_calls(only), directives=self._function.directives
            )
        for loop in self._function.body.stmts:
            if isinstance(loop, Loop | While) and loop.span and place in _spans(loop):
                at = loop.span.line
                yield f"checkpoint(log) above line {at}", lambda: with_schedule(
                    self._function, Schedule("log")
                )

    def _stmts(self) -> Iterator[Stmt]:
        return walk(self._function.body)

    def _directed(self, directive: Directive) -> Function:
        return replace(self._function, directives=(*self._function.directives, directive))


def _spans(loop: Loop | While) -> set[Span | None]:
    """The places of the statements in a loop."""
    blocks = (loop.body,) if isinstance(loop, Loop) else (loop.test, loop.body)
    return {loop.span, *(stmt.span for block in blocks for stmt in walk(block))}
