"""An element that a loop leaves alone is read before the loop.

    a_bar[i, j] = t                             a_bar[i, j] = t
    for k in range(j):                          t_1 = -t
        t_1 = -a_bar[i, j]                ->    for k in range(j):
        a_bar[i, k] += t_1 * a[k, j]                a_bar[i, k] += t_1 * a[k, j]

The loop writes to the array, and to no place that could be this one: the extents of all its writes
end before the element or begin after it. Since the element was written before the loop, it is
there, even if the loop does not run. (Scalar replacement: Callahan, Carr and Kennedy 1990.)
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.analysis.affine import Affine, Box, Forms
from adjointgen.analysis.extents import apart, extents
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
from adjointgen.records import replace
from adjointgen.rules.indexing import numbers_of

FAR = 4
"""So many writes to an array before a loop are looked through."""
Bounds = dict[str, tuple[Affine | None, Affine | None]]


class Steady:
    """What is known of the writes to arrays in a function."""

    def __init__(self, function: Function, forms: Forms) -> None:
        self.forms = forms
        self.writes: dict[str, Apply] = {}
        for stmt in walk(function.body):
            if isinstance(stmt, Apply) and stmt.op in STORES:
                self.writes[stmt.result.name] = stmt

    def read_before(self, loop: Loop, box: Box, kept: Collection[str]) -> tuple[Loop, set[str]]:
        """The loop with such elements read from the array before it, and their names.

        `box` has the bounds of the indices around, and `kept` what is read where it is.
        """
        changing = {v.name for v in defined_in(loop.body)} | {loop.index.name}
        by: dict[str, Operand] = {}
        before: dict[str, Apply] = {}
        for stmt in loop.body.stmts:
            if not isinstance(stmt, Apply) or stmt.op != "load" or stmt.result.name in kept:
                continue
            if not stmt.result.type.is_scalar or any(is_among(a, changing) for a in stmt.args[1:]):
                continue
            init = self.before(loop, stmt, box)
            known = None if init is None else self.written(init, stmt, box)
            if known is None:
                continue
            stored = known.args[1]
            if known.op == "store" and stored.type == stmt.result.type:
                by[stmt.result.name] = stored
            elif init is not None:
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

    def before(self, loop: Loop, load: Apply, box: Box) -> Operand | None:
        """The array before the loop, if the loop leaves the element alone."""
        for param, init, end, _ in carried(loop):
            if param.type.is_array:
                names = versions(loop, {param.name})
                if is_among(load.args[0], names):
                    alone = is_among(end, names) and self.is_left(loop, load, names, box)
                    return init if alone else None
        return None

    def is_left(self, loop: Loop, load: Apply, names: set[str], box: Box) -> bool:
        """Whether no version in the loop differs from another at the element."""
        inside: Bounds = dict(box)
        for one in (loop, *walk(loop.body)):
            if isinstance(one, Loop):
                bounds = self.forms.bounds(one)
                inside[one.index.name] = (bounds.low, bounds.high)
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
        for _ in range(FAR):
            stmt = self.writes.get(name_of(array))
            if stmt is None:
                return None
            same = stmt.option("index") == load.option("index")
            if same and numbers_of(stmt) == numbers_of(load):
                return stmt
            if not apart(place, extents(stmt, self.forms), box):
                return None
            array = stmt.args[0]
        return None
