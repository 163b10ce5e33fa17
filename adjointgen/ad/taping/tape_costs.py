"""What a tape weighs against computing values again, and what directives say of it."""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.costs import (
    AGAIN_AT_LEAST,
    AGAIN_PRODUCT,
    NEVER,
    RECORDED_ARRAY,
    RECORDED_FROM,
    RECORDED_NUMBER,
)
from adjointgen.ir.directives import Directive
from adjointgen.ir.nodes import LOOPS, WRITES, Apply, Block, Value, results_of
from adjointgen.rules.framework.table import TABLE

IMPURE = WRITES | {"verbatim", "statement", "comment", "empty", "empty_like"}


def named_by(kind: str, directives: Iterable[Directive], block: Block) -> frozenset[str]:
    """The values of a block that directives of a kind are about, those that it is given as well."""
    asked = [d for d in directives if d.kind == kind]
    found = set[str]()
    for d in asked:
        covered = [s for s in block.stmts if d.covers(s.span)]
        values = [r for s in covered for r in results_of(s)]
        values += block.params if covered and len(covered) == len(block.stmts) else ()
        found |= {v.name for v in values if v.root == d.name}
    return frozenset(found)


def consumed_at(reverse: Block) -> dict[str, int]:
    """Where the versions of arrays in a reverse block are overwritten."""
    found: dict[str, int] = {}
    for position, stmt in enumerate(reverse.stmts):
        if isinstance(stmt, Apply):
            taken = stmt.args[:1] if stmt.op in WRITES else ()
        else:
            taken = stmt.inits if isinstance(stmt, LOOPS) else ()
        for operand in taken:
            if isinstance(operand, Value):
                found.setdefault(operand.name, position)
    return found


def is_repeatable(stmt: Apply) -> bool:
    """Whether running the statement again gives the same value."""
    row = TABLE[stmt.op]
    if stmt.option("pure"):
        # What an operation raises depends on `np.errstate` and on filters of warnings, too.
        return not stmt.option("once")
    return stmt.op not in IMPURE and not row.effect


def is_costly(stmt: Apply) -> bool:
    """Whether an operation takes longer than in proportion to what it gives: a decomposition, a
    product of matrices."""
    if TABLE[stmt.op].cost >= RECORDED_FROM:
        return True
    ranks = [a.type.rank or 0 for a in stmt.args]
    # Of stacks of matrices these are small.
    product = TABLE.get(stmt.op).loop == "contraction" and min(ranks) > 1
    return product and (stmt.op != "matmul" or max(ranks) == 2)


def is_reduction(stmt: Apply) -> bool:
    """Whether an array is read for a smaller one, which is sooner kept than made again."""
    if not TABLE.get(stmt.op).reduces or stmt.result.type.is_scalar:
        return False
    return stmt.option("axis") is not None


def is_lengthy(stmt: Apply) -> bool:
    """Whether an operation takes so long that what it gives is kept: a decomposition, a product of
    a matrix and a vector, which gives one entry for each row that it reads."""
    if TABLE[stmt.op].cost >= RECORDED_FROM:
        return True
    if TABLE.get(stmt.op).loop != "contraction" or stmt.result.type.is_scalar:
        return False
    most = max((a.type.rank or 0 for a in stmt.args), default=0)
    return most > 2 or (stmt.result.type.rank or 0) < most


def again_cost(stmt: Apply) -> float:
    """Flops per entry of computing a value again in each iteration."""
    return AGAIN_PRODUCT if is_costly(stmt) else max(TABLE[stmt.op].cost, AGAIN_AT_LEAST)


def record_cost(value: Value, made: Apply | None, anyway: bool) -> float:
    """Flops per entry that a record is worth, with the three statements that it takes.

    An array that an iteration is handed, or changes in place, is recorded if it is `anyway` only:
    its copy may take longer than the iteration, which may look at one entry.
    """
    if value.type.is_scalar:
        return RECORDED_NUMBER
    fresh = made is not None and made.option("index") is None and not TABLE[made.op].alias
    return RECORDED_ARRAY if fresh or anyway else NEVER


def weight(recorded: list[Value]) -> float:
    """The cost of a tape: arrays weigh more than scalars."""
    return sum(1.0 if v.type.is_scalar else 3.0 for v in recorded)
