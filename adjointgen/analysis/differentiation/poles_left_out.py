"""Values that are infinite or NaN at a pole, and that the program leaves out there.

    y = a / b,  y[b == 0] = 0.0                            overwritten by a mask
    r = a / b,  return 0.0 if isnan(r) else r * r          read by one arm of a branch alone
    u = v / n,  w = u @ u if n > 0 else 0.0

The adjoint of such a value is zero there, and 1 / b infinite. Of a branch that is only as long as
its test asks about the value, or about what it is computed from: any other branch is no guard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from adjointgen.analysis.differentiation.chosen_zeros import infinite, leaves_out
from adjointgen.analysis.differentiation.discrete_influence import ancestors
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Branch,
    Const,
    Loop,
    Operand,
    Value,
    While,
    defined_in,
    reads_of,
    walk,
)
from adjointgen.rules.framework.table import TABLE

NEAR = 6
"""How many operations may lie between a pole and the branch or the test that is asked about it."""


def has_pole(stmt: Apply) -> bool:
    """Whether the value of an operation may be infinite; not that of `x / 2.0` or `x**2`."""
    row = TABLE.get(stmt.op)
    last = stmt.args[-1] if len(stmt.args) > 1 else None
    if row.poles and isinstance(last, Const):
        return row.inverts is not None and isinstance(last.value, int | float) and last.value < 0
    return row.poles


def omitted_poles(block: Block) -> frozenset[str]:
    """The names of what may be infinite or NaN where a mask or a branch leaves it out."""
    made = {r.name: s for s in walk(block) if isinstance(s, Apply) for r in s.results}
    if not any(has_pole(stmt) for stmt in made.values()):
        return frozenset()
    replaced = [s for s in _replaced(block, False) if not _goes_on(block, s)]
    names = ancestors(block, [s.args[0].name for s in replaced])  # type: ignore[union-attr]
    branches = (s for s in walk(block) if isinstance(s, Branch))
    unread = (name for branch in branches for name in _read_by_one_arm(branch, made))
    return infinite(block, has_pole) & names.union(unread)


def _goes_on(block: Block, store: Apply) -> bool:
    """Whether what is written is computed of the entries that it overwrites: `y[m] += 1.0`."""
    array, value, *places = store.args
    of = ancestors(block, [value.name]) if isinstance(value, Value) else frozenset()
    parts = (s for s in walk(block) if isinstance(s, Apply) and s.args == (array, *places))
    return any(r.name in of for s in parts for r in s.results)


def _replaced(block: Block, chosen: bool) -> list[Apply]:
    """The statements that overwrite entries which a test has found."""
    found: list[Apply] = []
    for stmt in block.stmts:
        match stmt:
            case Apply(op=op, args=(Value() as array, _, *places)) if op in STORES:
                by_test = chosen or any(p.type.is_array for p in places)
                if by_test and leaves_out(stmt, array):
                    found.append(stmt)
            case Loop() | While():
                found += _replaced(stmt.body, chosen)
            case Branch():
                found += _replaced(stmt.then, True) + _replaced(stmt.orelse, True)
    return found


def _read_by_one_arm(branch: Branch, made: Mapping[str, Apply]) -> Iterator[str]:
    """The names of what only one arm reads, if a pole in that is what the test asks about."""
    then, orelse = ({v.name for v in _outer(arm)} for arm in (branch.then, branch.orelse))
    read = _nearby(then ^ orelse, made)
    poles = [made[name] for name in read if name in made and has_pole(made[name])]
    asked = _nearby([o.name for o in (branch.test,) if isinstance(o, Value)], made)
    if any(o.name in asked for s in poles for o in (*s.results, *_values(s.args))):
        yield from read


def _outer(arm: Block) -> list[Value]:
    """What an arm reads that is made before the branch."""
    inside = {v.name for v in defined_in(arm)}
    return [v for v in reads_of(arm) if v.name not in inside]


def _values(operands: Iterable[Operand]) -> list[Value]:
    return [o for o in operands if isinstance(o, Value)]


def _nearby(names: Iterable[str], made: Mapping[str, Apply]) -> set[str]:
    """These names, and those that they are computed from in a few operations."""
    found, level = set(names), set(names)
    for _ in range(NEAR):
        stmts = [made[name] for name in level if name in made]
        level = {v.name for s in stmts for v in _values(s.args)} - found
        found |= level
    return found
