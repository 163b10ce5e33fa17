"""Values that a choice of the program may have made zero, and those that it may have left out.

    y = x if c else 0.0,  z = 2.0 * y,  a = zeros(n); a[i] = x        zero by a choice
    s = 0.5 / r,  t = s * x,  y = t if c else 0.0                     infinite where it is left out

What multiplies the first may be infinite, and what multiplies the second zero. In a derivative,
adjoints are of the first kind and slopes of the second, and its own derivative multiplies both with
other adjoints. One walk each, in the order of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.analysis.differentiation.discrete_influence import ancestors
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Loop,
    Operand,
    Value,
    While,
    walk,
)
from adjointgen.rules.framework.contributions import is_zero
from adjointgen.rules.framework.table import TABLE


def is_steep(stmt: Apply) -> bool:
    """Whether a slope of this operation may be infinite where its value is not."""
    steep = TABLE.get(stmt.op).steep
    return steep is not None and steep(*stmt.args)


def omits(stmt: Apply) -> bool:
    """Whether an operation leaves out entries that are NaN."""
    return TABLE.get(stmt.op).omits


def omitted(block: Block) -> frozenset[str]:
    """The names of what may be NaN since it is left out, with all that it is computed from."""
    found = (a for s in walk(block) if isinstance(s, Apply) and omits(s) for a in s.args)
    return ancestors(block, [a.name for a in found if isinstance(a, Value)])


def leaves_out(stmt: Apply, value: Value) -> bool:
    """Whether an operation may leave out an argument, or entries of it."""
    if stmt.op in ("load", "store"):
        if value != stmt.args[0]:
            return False
        # In a loop, single entries are mostly read one after the other.
        return stmt.op == "store" or not (stmt.result.type.is_scalar and len(stmt.args) > 1)
    return TABLE.get(stmt.op).entries in ("chosen", "among zeros", "picked") or omits(stmt)


def zeros_by_choice(block: Block) -> frozenset[str]:
    """The names of these values."""
    found: set[str] = set()

    def rests(operand: Operand) -> bool:
        return is_zero(operand) or (isinstance(operand, Value) and operand.name in found)

    for stmt in walk(block):
        match stmt:
            case Apply() if stmt.results and _may_be_zero(stmt, [rests(a) for a in stmt.args]):
                found.add(stmt.result.name)
            case Loop() | While():
                for param, init, _, result in carried(stmt):
                    if rests(init):
                        found.update((param.name, result.name))
            case Branch():
                arms = zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True)
                found.update(r.name for r, *ends in arms if any(map(rests, ends)))
    return frozenset(found)


def infinite_by_choice(block: Block) -> frozenset[str]:
    """The names of the values that may be infinite, and still are not in the result."""
    return infinite(block, lambda stmt: is_steep(stmt) or TABLE.get(stmt.op).poles)


def infinite(block: Block, begins: Callable[[Apply], bool]) -> frozenset[str]:
    """The names of what is computed from an operation that may be infinite."""
    found: set[str] = set()

    def wild(operand: Operand) -> bool:
        return isinstance(operand, Value) and operand.name in found

    for stmt in walk(block):
        match stmt:
            case Apply(op=op, args=args) if stmt.results and op not in ("select", "scaled"):
                if begins(stmt) or any(map(wild, args)):
                    found.update(r.name for r in stmt.results)
            case Loop() | While():
                for param, init, _, result in carried(stmt):
                    if wild(init):
                        found.update((param.name, result.name))
    return frozenset(found)


def _may_be_zero(stmt: Apply, rests: list[bool]) -> bool:
    """Whether the result of an operation is zero by a choice where some arguments are."""
    row = TABLE.get(stmt.op)
    if row.gives_zero:
        return True
    if stmt.op == "mul":
        return any(rests) or any(a.type.dtype == "bool" for a in stmt.args)
    if stmt.op == "select":
        return any(rests[1:])
    if stmt.op in ("add", "sub"):
        return all(rests)
    return bool(rests) and rests[0] and (row.keeps_zero or bool(row.alias))
