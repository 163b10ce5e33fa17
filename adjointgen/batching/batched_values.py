"""Which values are another for each sample of a batch, when some arguments are.

    x many   ->   y = x * w many,   n = len(x) not

What is computed of such a value is one for each sample, and so is an array that one is stored into,
and what a loop carries or a branch gives where one of the values that it may be is. A new array of
zeros is made for all samples where they are stored into it. (A forward data-flow analysis to its
least fixpoint, like activity: Hascoët and Pascual 2013.)
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.ir.edit import is_among, merged
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Branch,
    Call,
    Function,
    Record,
    Replay,
    Stmt,
    Value,
    results_of,
    walk,
)
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE


@dataclass(frozen=True, slots=True)
class Many:
    """The names of the values that are one for each sample, and the tapes that hold such."""

    values: frozenset[str]
    slots: frozenset[str]


def many_values(function: Function, params: Iterable[str]) -> Many:
    """What is one for each sample when these parameters are."""
    found, slots = set(params), set[str]()
    stmts = list(walk(function.body))
    made = _made(stmts)
    size = -1
    while size != len(found) + len(slots):
        size = len(found) + len(slots)
        for stmt in stmts:
            _follow(stmt, found, slots, made)
    return Many(frozenset(found), frozenset(slots))


def is_made(stmt: Apply) -> bool:
    """Whether a statement makes an array that its operands say the shape of, and nothing else."""
    row = TABLE.get(stmt.op)
    return row.kind == "constant" and row.fresh and (row.sized or row.shape_only)


def _follow(stmt: Stmt, found: set[str], slots: set[str], made: set[str]) -> None:
    """Add what one statement makes one for each sample."""
    match stmt:
        case Apply(results=results, op=op, args=args):
            if not TABLE.get(op).measures and any(is_among(a, found) for a in args):
                found |= {r.name for r in results}
            if op in STORES and results[0].name in found:
                _ask(args[0], found, made)
        case Record(slot=slot, value=value):
            if is_among(value, found):
                slots.add(slot)
        case Replay(result=result, slot=slot):
            if slot in slots:
                found.add(result.name)
        case Call(results=results, args=args):
            if any(is_among(a, found) for a in args):
                found |= {r.name for r in results}
        case _:
            _follow_merged(stmt, found, made)


def _follow_merged(stmt: Stmt, found: set[str], made: set[str]) -> None:
    """What a loop carries, and what a branch gives."""
    if isinstance(stmt, Branch) and is_among(stmt.test, found):
        found |= {r.name for r in results_of(stmt)}
    for value, source in merged(stmt):
        if is_among(source, found):
            found.add(value.name)
        elif value.name in found:
            _ask(source, found, made)


def _ask(source: object, found: set[str], made: set[str]) -> None:
    """An array that is only made to be written to is made for all samples."""
    if isinstance(source, Value) and source.name in made:
        found.add(source.name)


def _made(stmts: Iterable[Stmt]) -> set[str]:
    """The arrays that are only made, and their versions."""
    found = set[str]()
    for stmt in stmts:
        if isinstance(stmt, Apply) and stmt.results:
            version = stmt.op in STORES and is_among(stmt.args[0], found)
            if version or is_made(stmt):
                found.add(stmt.results[0].name)
    return found
