"""Which piece of a function a point is on: all that its values decide, from a run of its tangent.

    y = max(a, b)     the tangent has a_dot if a > b, else b_dot
    y = sort(x)       the tangent takes x_dot in the order of x
    y = floor(x)      is a whole number itself

So the tests, whole numbers and constants of the tangent that are computed from what is
differentiated say which branches were taken, which entries were picked and which sides were taken:
they are what the rules have for a kink, whatever the operation is. Where a value jumps and its
slopes do not, the row says so (`Row.jumps`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from adjointgen.analysis.differentiation.inputs import active_inputs
from adjointgen.api.faults.regions import computed_from
from adjointgen.api.specialize.load_program import Made, load
from adjointgen.emit.write.module import emit
from adjointgen.errors import Span
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import NESTED, Apply, Block, Function, Operand, Stmt, Value
from adjointgen.ir.packing import passed
from adjointgen.pipeline import derive, finish
from adjointgen.program import primal
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.table import TABLE, Rule
from adjointgen.watch import Look

_OBSERVER: Final = "_decided_"
Pieces = tuple[tuple[int, int], ...]
"""For each place how often it ran, and a hash of what it gave."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """A tangent program that tells the pieces that it ran over: where each of them is decided."""

    places: tuple[Span, ...]
    run: Callable[..., Any]
    seeds: tuple[str, ...]
    notes: _Notes

    def pieces(self, call: Callable[[Callable[..., Any]], object]) -> Pieces:
        """The pieces of one call. Raises what the program raises."""
        self.notes.clear(len(self.places))
        with np.errstate(all="ignore"):
            call(self.run)
        return tuple(self.notes.rows)


class _Notes:
    """What the places of a run gave."""

    def __init__(self, jumps: Sequence[Rule | None]) -> None:
        self.jumps = jumps
        self.rows: list[tuple[int, int]] = []

    def clear(self, count: int) -> None:
        self.rows = [(0, 0)] * count

    def __call__(self, number: int, *values: Any) -> None:
        rule = self.jumps[number]
        value = values[0] if rule is None else rule(*values)
        count, before = self.rows[number]
        array = np.asarray(value)
        said = repr(value) if array.dtype.hasobject else (array.shape, array.tobytes())
        self.rows[number] = count + 1, hash((before, said))


def deciding(
    root: Function, wrt: Sequence[str], looks: Sequence[Look], disable: Sequence[str]
) -> Deciding:
    """The tangent of a function, which tells its pieces. Raises what making it raises."""
    made = derive(primal(root), "tangent", wrt, disable, last=True)
    work = _Marking(computed_from(made.function, active_inputs(made.function, wrt)))
    marked = replace(made, function=work.function(made.function))
    finished = finish(marked, disable)
    run = load(Made(emit([finished]), finished.name, None, tuple(looks)))
    notes = _Notes(work.jumps)
    run.__globals__[_OBSERVER] = notes
    seeds = tuple(p.name for p in passed(finished)[len(passed(root)) :])
    return Deciding(tuple(work.places), run, seeds, notes)


class _Marking:
    """Calls of the observer after what is decided by values."""

    def __init__(self, varied: frozenset[str]) -> None:
        self.varied = varied
        self.places: list[Span] = []
        self.jumps: list[Rule | None] = []
        self.everything = False

    def function(self, function: Function) -> Function:
        body = self.block(function.body)
        self.everything = True
        callees = (replace(f, body=self.block(f.body)) for f in function.callees)
        return replace(function, body=body, callees=tuple(callees))

    def block(self, block: Block) -> Block:
        found: list[Stmt] = []
        for stmt in block.stmts:
            if isinstance(stmt, NESTED):
                found.append(rebuild(stmt, lambda operand: operand, self.block))
                continue
            found.append(stmt)
            if isinstance(stmt, Apply) and stmt.span is not None and self.is_varied(stmt):
                found += self.marks(stmt, stmt.span)
        return replace(block, stmts=tuple(found))

    def is_varied(self, stmt: Apply) -> bool:
        names = (a.name for a in stmt.args if isinstance(a, Value))
        return any(self.everything or name in self.varied for name in names)

    def marks(self, stmt: Apply, span: Span) -> list[Stmt]:
        row = TABLE.rows.get(stmt.op)
        if row is not None and row.jumps is not None:
            return [self.mark(stmt.args, span, row.jumps)]
        found = []
        is_step = row is not None and row.kind == "constant" and not row.view
        for value in stmt.results:
            is_whole = value.type.kind != "object" and not value.type.is_differentiable
            if is_whole or (is_step and value.type.is_differentiable):
                found.append(self.mark((value,), span, None))
        return found

    def mark(self, values: tuple[Operand, ...], span: Span, jumps: Rule | None) -> Stmt:
        said = ", ".join([str(len(self.places)), *(f"_{k}_" for k, _ in enumerate(values))])
        self.places.append(span)
        self.jumps.append(jumps)
        return Apply((), "statement", values, (("code", f"{_OBSERVER}({said})"),))
