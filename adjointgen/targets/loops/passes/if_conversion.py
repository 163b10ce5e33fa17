"""If-conversion: small branches of innermost loops that write one entry choose what is written.

    old = a[i, j]                         old = a[i, j]
    if t:                          ->     a[i, j] = v if t else old
        a[i, j] = v

A compiler makes a choice between two numbers in one instruction, and may take several iterations at
once. The entry has been read on every path, so there is a place for it, and what is written back is
what was there, bit by bit. What the arms compute beside is cheap, cannot fail, and reads no other
entries than those that are read anyway. (Allen, Kennedy, Porterfield and Warren 1983,
"Conversion of control dependence to data dependence".)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjointgen.costs import IN_VAIN
from adjointgen.ir.affine import Forms
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    LOOPS,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Operand,
    Stmt,
    Undefined,
    Value,
    walk,
)
from adjointgen.records import dataclass, replace
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of
from adjointgen.rules.framework.builder import Builder, Names

CHEAP = frozenset(("add", "sub", "mul", "neg", "lt", "le", "gt", "ge", "eq", "ne", "select"))

Place = tuple[object, ...]
"""An entry of a version of an array."""


def chosen(function: Function) -> Function:
    """The function with such branches as choices."""
    work = _Choosing(Builder(Names.of(function)))
    return replace(function, body=work.block(function.body, False))


class _Choosing:
    """One walk, inner blocks with what the blocks around them have computed."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.makers: dict[str, Apply] = {}
        self.forms = Forms(self.makers, frozenset(), frozenset())

    def block(self, block: Block, innermost: bool) -> Block:
        """A block, which may be the body of an innermost loop."""
        read: dict[Place, Value] = {}
        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                choice = self.choice(stmt, read) if innermost else None
                if choice is not None:
                    choice.write(self.builder)
                else:
                    self.builder.add(self.rebuilt(stmt, innermost))
                place = self.noted(stmt)
                if place is not None and isinstance(stmt, Apply) and stmt.op == "load":
                    read.setdefault(place, stmt.result)
        return replace(block, stmts=tuple(made))

    def rebuilt(self, stmt: Stmt, innermost: bool) -> Stmt:
        if isinstance(stmt, Apply):
            return stmt
        inner = innermost or (isinstance(stmt, LOOPS) and not _has_loops(stmt.body))
        return rebuild(stmt, lambda operand: operand, lambda b: self.block(b, inner))

    def noted(self, stmt: Stmt) -> Place | None:
        """The entry that a statement reads or writes, which others may name by its indices."""
        if not isinstance(stmt, Apply) or len(stmt.results) != 1:
            return None
        self.makers[stmt.result.name] = stmt
        if stmt.op not in ("load", "store"):
            return None
        array, numbers = stmt.args[0], numbers_of(stmt)
        at = axis_by_axis(str(stmt.option("index")), numbers)
        if at is None or not array.type.is_array or len(at) != array.type.rank:
            return None
        if any(not i.type.is_scalar or i.type.dtype != "int64" for i in at):
            return None
        return (array, *(self.forms.of(i) or i for i in at))

    def choice(self, stmt: Stmt, read: Mapping[Place, Value]) -> _Choice | None:
        """The choice that a branch is; None where it is none."""
        if not isinstance(stmt, Branch):
            return None
        inside = [*stmt.then.stmts, *stmt.orelse.stmts]
        places = list(map(self.noted, inside))
        stores = [k for k, s in enumerate(inside) if isinstance(s, Apply) and s.op == "store"]
        if len(stores) != 1 or len(inside) > IN_VAIN + 1:
            return None
        store, old = inside[stores[0]], None
        for k, (other, place) in enumerate(zip(inside, places, strict=True)):
            if k != stores[0] and not (
                _is_cheap(other) or (place in read and _gives_number(other))
            ):
                return None
        if (place := places[stores[0]]) is not None:
            old = read.get(place)
        if old is None or not isinstance(store, Apply) or not _is_one(old, store.args[1]):
            return None
        found = _Choice(stmt, store, old)
        return found if all(map(found.fits, found.ends())) else None


def _has_loops(block: Block) -> bool:
    return any(isinstance(stmt, LOOPS) for stmt in walk(block))


@dataclass(frozen=True, slots=True)
class _Choice:
    """A branch, the one store in it, and what its place holds before."""

    branch: Branch
    store: Apply
    old: Value

    def ends(self) -> Iterator[tuple[Value, Operand, Operand]]:
        arms = self.branch.then.yields, self.branch.orelse.yields
        yield from zip(self.branch.results, *arms, strict=True)

    def fits(self, end: tuple[Value, Operand, Operand]) -> bool:
        """Whether a result is the array that is written to, or a number on both paths."""
        result, a, b = end
        written, before = self.store.result, self.store.args[0]
        if (a, b) in ((written, before), (before, written)):
            return True
        return _is_one(a, b) and result.type.is_scalar

    def write(self, builder: Builder) -> None:
        """The statements that stand for the branch."""
        for stmt in (*self.branch.then.stmts, *self.branch.orelse.stmts):
            if stmt is not self.store:
                builder.add(stmt)
        test, (array, value, *at) = self.branch.test, self.store.args
        for result, a, b in self.ends():
            if result.type.is_scalar:
                builder.add(Apply((result,), "select", (test, a, b)))
                continue
            ends = (value, self.old) if a == self.store.result else (self.old, value)
            new = builder.apply("select", test, *ends)
            args = (array, new, *at)
            builder.add(replace(self.store, results=(result,), args=args))


def _is_cheap(stmt: Stmt) -> bool:
    """Whether a statement computes a number from numbers, at once and whatever they are."""
    if not isinstance(stmt, Apply) or stmt.op not in CHEAP or len(stmt.results) != 1:
        return False
    return all(_is_number(operand) for operand in (*stmt.args, *stmt.results))


def _gives_number(stmt: Stmt) -> bool:
    """Whether a read gives a number."""
    return isinstance(stmt, Apply) and stmt.op == "load" and _is_number(stmt.result)


def _is_number(operand: Operand) -> bool:
    if isinstance(operand, Const) and isinstance(operand.value, Undefined):
        return False
    return operand.type.is_scalar and operand.type.dtype in ("float64", "int64", "bool")


def _is_one(a: Operand, b: Operand) -> bool:
    """Whether two operands are numbers of one kind."""
    return _is_number(a) and _is_number(b) and a.type.dtype == b.type.dtype
