"""Loop-invariant loads: an element that a loop leaves alone is read before the loop.

    a_bar[i, j] = t                             a_bar[i, j] = t
    for k in range(j):                          t_1 = -t
        t_1 = -a_bar[i, j]                ->    for k in range(j):
        a_bar[i, k] += t_1 * a[k, j]                a_bar[i, k] += t_1 * a[k, j]

The loop writes to the array, and to no place that could be this one: the extents of all its writes
end before the element or begin after it. The element has to be there even if the loop does not run:
it was written before, or the blocks around read or write it anyway, or its indices are in bounds.
(Scalar replacement: Callahan, Carr and Kennedy 1990.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from adjointgen.analysis.loops.access_extents import apart, extents
from adjointgen.costs import HOISTING_WRITES
from adjointgen.ir.affine import Affine, Box, Forms
from adjointgen.ir.edit import carried, is_among, merged, name_of, substitute_in, versions
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Function,
    Loop,
    Operand,
    defined_in,
    walk,
)
from adjointgen.optimize.rewrites.indexing import same_index
from adjointgen.records import replace

Bounds = dict[str, tuple[Affine | None, Affine | None]]
Arrays = list[tuple[set[str], Operand]]


class Steady:
    """What is known of the writes to arrays in a function."""

    def __init__(self, function: Function, forms: Forms) -> None:
        self.forms = forms
        self.writes: dict[str, Apply] = {}
        for stmt in walk(function.body):
            if isinstance(stmt, Apply) and stmt.op in STORES:
                self.writes[stmt.result.name] = stmt

    def read_before(
        self, loop: Loop, box: Box, kept: Collection[str], is_there: Callable[[Apply], bool]
    ) -> tuple[Loop, set[str]]:
        """The loop with such elements read from the array before it, and their names.

        `box` has the bounds of the indices around, and `kept` what is read where it is. Of what was
        not written before, `is_there` says whether it can be read in any case.
        """
        loads = _fixed(loop, kept)
        if not loads:
            return loop, set()
        arrays, inside = self.arrays(loop), self.inside(loop, box)
        by: dict[str, Operand] = {}
        before: dict[str, Apply] = {}
        for stmt in loads:
            init = self.before(loop, stmt, arrays, inside)
            if init is None:
                continue
            known = self.written(init, stmt, box)
            if known is not None and _is_kept(known, stmt):
                by[stmt.result.name] = known.args[1]
            elif known is not None or is_there(stmt):
                before[stmt.result.name] = replace(stmt, args=(init, *stmt.args[1:]))
        if not by and not before:
            return loop, set()
        stmts = tuple(
            before.get(s.result.name, s) if isinstance(s, Apply) and len(s.results) == 1 else s
            for s in loop.body.stmts
            if not (isinstance(s, Apply) and any(r.name in by for r in s.results))
        )
        body = substitute_in(replace(loop.body, stmts=stmts), by)
        return replace(loop, body=body), set(before)

    def arrays(self, loop: Loop) -> Arrays:
        """The arrays that a loop changes: their names in it, and what they are before it."""
        found = []
        for param, init, end, _ in carried(loop):
            names = versions(loop, {param.name}) if param.type.is_array else set()
            if is_among(end, names):
                found.append((names, init))
        return found

    def inside(self, loop: Loop, box: Box) -> Bounds:
        """The bounds of the indices around, of the loop's own and of those in it."""
        loops = [one for one in (loop, *walk(loop.body)) if isinstance(one, Loop)]
        known = [(one.index.name, self.forms.bounds(one)) for one in loops]
        return {**box, **{name: (bounds.low, bounds.high) for name, bounds in known}}

    def before(self, loop: Loop, load: Apply, arrays: Arrays, inside: Box) -> Operand | None:
        """The array before the loop, if the loop leaves the element alone."""
        for names, init in arrays:
            if is_among(load.args[0], names):
                return init if self.is_left(loop, load, names, inside) else None
        return None

    def is_left(self, loop: Loop, load: Apply, names: set[str], inside: Box) -> bool:
        """Whether no version in the loop differs from another at the element."""
        place = extents(load, self.forms)
        for stmt in walk(loop.body):
            if not isinstance(stmt, Apply):
                if any(r.name in names and not is_among(o, names) for r, o in merged(stmt)):
                    return False
            elif any(r.name in names for r in stmt.results):
                if stmt.op not in STORES or not is_among(stmt.args[0], names):
                    return False
                if not apart(place, extents(stmt, self.forms), inside):
                    return False
        return True

    def written(self, array: Operand, load: Apply, box: Box) -> Apply | None:
        """The write that made the element of an array what it is."""
        place = extents(load, self.forms)
        for _ in range(HOISTING_WRITES):
            stmt = self.writes.get(name_of(array))
            if stmt is None:
                return None
            if same_index(stmt, load):
                return stmt
            if not apart(place, extents(stmt, self.forms), box):
                return None
            array = stmt.args[0]
        return None


def _is_kept(write: Apply, load: Apply) -> bool:
    """Whether what is loaded is what was stored, as it was."""
    return write.op == "store" and write.args[1].type == load.result.type


def _fixed(loop: Loop, kept: Collection[str]) -> list[Apply]:
    """The loads of numbers at places that do not change in a loop."""
    changing = {v.name for v in defined_in(loop.body)} | {loop.index.name}
    loads = [s for s in loop.body.stmts if isinstance(s, Apply) and s.op == "load"]
    return [
        s
        for s in loads
        if s.result.type.is_scalar
        and s.result.name not in kept
        and not any(is_among(a, changing) for a in s.args[1:])
    ]
