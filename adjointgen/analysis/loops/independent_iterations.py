"""Loops over elements whose iterations may run all at once, and which entry each of them takes.

An access to an array takes one entry per iteration where one of its indices is the index of the
loop, or its negative, plus something that stays; it takes the same entry in each where none is.
The iterations are independent if what one writes no other reads or writes: two accesses to one
array are at the same entry in the same iteration and at no other, or at no entry both, or both add
to what is there and nothing is decided by that. (Data dependence: Allen and Kennedy 1987.)

A slice must not reach where the indices did not. Its first entry is known not to be before the
array's, and its last not to be after it: by the bounds of the loops around, or since the user's own
statement, which has run before, has read there. `bold` is an access that reads what may not be
there if the loop does not run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import combinations

from adjointgen.analysis.differentiation.discrete_influence import steering
from adjointgen.analysis.loops.access_extents import Extent, apart, extents
from adjointgen.costs import SLICE_FROM
from adjointgen.ir.affine import (
    Affine,
    Forms,
    is_inside,
    least,
    moved,
    of_dim,
    variable,
)
from adjointgen.ir.edit import name_of, versions
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Const,
    Function,
    Loop,
    Operand,
    defined_in,
    walk,
)
from adjointgen.ir.types import Dim
from adjointgen.records import dataclass
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store: its indices, and the axis along which the iterations go, in which sense."""

    stmt: Apply
    items: list[Operand]
    axis: int | None
    sign: int
    bold: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """A loop whose iterations are independent: what is defined inside, and its accesses."""

    step: int
    inside: Collection[str]
    accesses: dict[str, Access]


class Lanes:
    """What is known of a function and of the loops around a place in it."""

    def __init__(self, function: Function, primal: Collection[str]) -> None:
        self.forms = Forms.everywhere(function.body)
        self.makers = self.forms.makers
        self.steers = steering(function.body)
        self.read = {
            (s.args[0].type.shape, s.span)
            for s in walk(function.body)
            if isinstance(s, Apply) and _is_access(s) and s.result.name in primal
        }
        self.box: dict[str, tuple[Affine | None, Affine | None]] = {}
        self.accessed: list[set[tuple[Dim | None, str]]] = []

    @contextmanager
    def within(self, loop: Loop) -> Iterator[None]:
        """While a loop is looked at or what is in it."""
        bounds = self.forms.bounds(loop)
        self.box[loop.index.name] = (bounds.low, bounds.high)
        yield
        del self.box[loop.index.name]

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """While what is in a block is looked at: what the block reads or writes is there."""
        self.accessed.append({place for s in block.stmts for place in _places(s)})
        yield
        self.accessed.pop()

    def of(self, loop: Loop) -> Facts | None:
        """What is known of a loop that is looked at, if its iterations are independent."""
        step = loop.bounds[2]
        one = next((k for k in (1, -1) if isinstance(step, Const) and step.value == k), None)
        if one is None or loop.trips is not None or self.is_short(loop):
            return None
        inside = {loop.index.name, *(v.name for v in defined_in(loop.body))}
        found: dict[str, Access] = {}
        for stmt in loop.body.stmts:
            if isinstance(stmt, Apply) and _is_access(stmt):
                access = self.access(loop, stmt, inside)
                if access is None:
                    return None
                found[stmt.result.name] = access
        if not self.are_independent(loop, found):
            return None
        return Facts(one, inside, found)

    def is_short(self, loop: Loop) -> bool:
        start, stop, _ = (self.forms.of(b) for b in loop.bounds)
        if start is None or stop is None:
            return False
        far = stop - start
        return not far.terms and abs(far.constant) < SLICE_FROM

    def access(self, loop: Loop, stmt: Apply, inside: Collection[str]) -> Access | None:
        """Where a load or store goes along, if it is a number at a place that is understood."""
        shape, items = stmt.args[0].type.shape, _items(stmt)
        if shape is None or None in shape or items is None or len(items) != len(shape):
            return None
        if stmt.op == "load" and not stmt.result.type.is_scalar:
            return None
        axis, sign, bold = None, 1, False
        for place, item in enumerate(items):
            form = self.forms.of(item)
            names = () if form is None else [n for n, _ in form.terms]
            if form is None or any(n in inside and n != loop.index.name for n in names):
                return None
            along = form.coefficient(loop.index.name)
            if along == 0:
                bold |= not self.is_there(item, form, shape[place])
                continue
            if axis is not None or along not in (1, -1):
                return None
            axis, sign = place, along
            safe = self.reaches(loop, stmt, form, shape[place])
            if safe is None:
                return None
            bold |= not safe
        return Access(stmt, items, axis, sign, bold)

    def is_there(self, item: Operand, form: Affine, length: Dim | None) -> bool:
        """Whether an index is in bounds, or the blocks around use it anyway."""
        if any((length, name_of(item)) in around for around in self.accessed):
            return True
        return length is not None and is_inside(form, length, self.box)

    def reaches(self, loop: Loop, stmt: Apply, form: Affine, length: Dim | None) -> bool | None:
        """Whether a slice for an index is as long as the loop, also if that does not run.

        None where it may not be although the loop runs.
        """
        name, along = loop.index.name, form.coefficient(loop.index.name)
        low, high = self.box[name]
        if low is None or high is None or length is None:
            return None
        first = least(form, self.box)
        last = least(of_dim(length) - form - Affine(1), self.box)
        known = last is not None and last >= 0
        if first is None or first < 0 or not (known or self.was_read(stmt)):
            return None
        end = high if along > 0 else low
        around = {n: bounds for n, bounds in self.box.items() if n != name}
        stop = least(form.replaced(name, end) + Affine(1), around)
        return stop is not None and stop >= 0

    def was_read(self, stmt: Apply) -> bool:
        """Whether the user's statement, which has run before, uses what this one does."""
        return stmt.span is not None and (stmt.args[0].type.shape, stmt.span) in self.read

    def are_independent(self, loop: Loop, accesses: dict[str, Access]) -> bool:
        """Whether no iteration reads or overwrites what another one writes."""
        for param in loop.body.params:
            if not param.type.is_array:
                continue
            names = versions(loop, {param.name})
            mine = [a for a in accesses.values() if name_of(a.stmt.args[0]) in names]
            for a in mine:
                if a.stmt.op == "store" and a.axis is None:
                    return False
            if not all(self.may_pass(loop, a, b) for a, b in combinations(mine, 2)):
                return False
        return True

    def decides(self, stmt: Apply) -> bool:
        """Whether something is decided by a sum, which has to be rounded as it was."""
        return stmt.result.name in self.steers

    def may_pass(self, loop: Loop, one: Access, other: Access) -> bool:
        """Whether two accesses to one array may change places in different iterations."""
        ops = {one.stmt.op, other.stmt.op}
        if ops == {"load"} or (ops == {"accumulate"} and not self.decides(one.stmt)):
            return True
        mine, theirs = extents(one.stmt, self.forms), extents(other.stmt, self.forms)
        if mine == theirs and one.axis is not None:
            return True
        index = loop.index.name
        by = {index: variable(f"{index}'")}
        box = {**self.box, f"{index}'": self.box[index]}
        others = [Extent(moved(e.low, by), moved(e.high, by)) for e in theirs]
        return apart(mine, others, box)


def _is_access(stmt: Apply) -> bool:
    return stmt.op == "load" or stmt.op in STORES


def _items(stmt: Apply) -> list[Operand] | None:
    """The indices of an access, one number for each axis; None for anything else."""
    found = axis_by_axis(str(stmt.option("index")), numbers_of(stmt))
    if found is None or any(not o.type.is_scalar or o.type.dtype == "bool" for o in found):
        return None
    return found


def _places(stmt: object) -> Iterator[tuple[Dim | None, str]]:
    """The lengths of axes with what they are indexed by."""
    if not isinstance(stmt, Apply) or not _is_access(stmt):
        return
    items, shape = _items(stmt), stmt.args[0].type.shape
    if items is not None and shape is not None and len(items) == len(shape):
        for item, length in zip(items, shape, strict=True):
            if length is not None and name_of(item):
                yield length, name_of(item)
