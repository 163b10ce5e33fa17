"""Which numbers may be Python's where they were NumPy's: none of their readers tells them apart.

    result = np.mean(r)     →  result = float(np.mean(r))     it is returned
    s = x @ x;  y = a / s   →  s = np.float64(x @ x)          a / 0.0 raises for one of Python's

Sums and products of the two are equal, so for these it is asked who reads the result. A checker
takes the sum of an array for another type than `float`; a conversion says what it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    walk,
)
from adjointgen.rules.framework.table import TABLE, Row

_PASSED_ON = frozenset({"+", "-", "*"})


def told_apart(body: Block, returned: Collection[str]) -> set[str]:
    """The values whose readers see whether they are NumPy's numbers.

    Of what the body yields, those of `returned` are handed to somebody who does not.
    """
    found = {y.name for y in body.yields if isinstance(y, Value) and y.name not in returned}
    stmts = [*walk(body)][::-1]
    records = {s.slot: s.value for s in stmts if isinstance(s, Record)}
    size = -1
    while size < len(found):
        size = len(found)
        for stmt in stmts:
            found |= {o.name for o in _seen(stmt, found, records) if isinstance(o, Value)}
    return found


def _seen(stmt: Stmt, found: Collection[str], records: dict[str, Operand]) -> Iterator[Operand]:
    """The operands of a statement that are told apart, if these values are."""
    match stmt:
        case Apply():
            row = TABLE.rows.get(stmt.op)
            yield from _operands(stmt, row, any(r.name in found for r in stmt.results))
        case Call(args=args):
            yield from args
        case Replay(result=result, slot=slot):
            yield from [records[slot]] if result.name in found and slot in records else []
        case Branch(results=results):
            for arm in (stmt.then, stmt.orelse):
                pairs = zip(results, arm.yields, strict=True)
                yield from (end for result, end in pairs if result.name in found)
        case Loop() | While():
            for each in carried(stmt):
                if any(isinstance(v, Value) and v.name in found for v in each):
                    yield from each


def _operands(stmt: Apply, row: Row | None, seen: bool) -> Iterator[Operand]:
    if row is None:
        yield from stmt.args
    elif row.symbol in _PASSED_ON or row.noun in ("same", "choice"):
        yield from stmt.args if seen else ()
    elif row.symbol == "/":
        value, divisor = stmt.args
        yield from (value,) if seen else ()
        yield from () if isinstance(divisor, Const) else (divisor,)
    elif not _converts(stmt, row):
        yield from stmt.args


def _converts(stmt: Apply, row: Row) -> bool:
    """Whether a number of either class gives the same: functions of NumPy, writes to arrays."""
    if row.loop == "write":
        return stmt.args[0].type.is_array
    own = str(stmt.option("spelling", row.spellings[0] if row.spellings else ""))
    return not row.symbol and own.partition(".")[0] in ("numpy", "math")
