"""Which values have one number per direction, when a derivative is taken along several at once.

    x_dot wide,  y_dot = a * x_dot   ->   y_dot wide;   y = a * x   stays as it is

Derivatives are linear in their seeds, and nothing else of a program depends on these: neither what
is tested nor what is an index. So what follows from the seeds is wide, and so is an array that a
wide value goes into. All else is computed once for all directions.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.errors import NotSeveral
from adjointgen.ir.edit import merged
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Branch,
    Call,
    Function,
    Loop,
    Operand,
    Record,
    Stmt,
    Value,
    While,
    operands_of,
    walk,
)
from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace


def not_several() -> NotSeveral:
    """What is raised where directions can be followed one by one only."""
    return NotSeveral(
        "the program cannot follow several directions at once",
        code="AG141",
        help="leave out directions and call it once for each, or write it as loops over numbers",
    )


def wide_values(function: Function, seeds: Iterable[str], ends: Iterable[str]) -> frozenset[str]:
    """The names of the wide values, when the seeds and these results are.

    Raises NotSeveral where a test, a bound, an index, a tape or another argument would be wide.
    """
    seeds = frozenset(seeds)
    found = {*seeds, *ends}
    stmts = list(walk(function.body))
    size = 0
    while size != len(found):
        size = len(found)
        for stmt in stmts:
            _follow(stmt, found)
    if any(p.name in found and p.name not in seeds for p in function.body.params):
        raise not_several()
    if any(_steers(stmt, found) for stmt in stmts):
        raise not_several()
    return frozenset(found)


def _follow(stmt: Stmt, found: set[str]) -> None:
    """Add what one statement makes wide."""
    match stmt:
        case Apply(op="dim"):
            return
        case Apply(results=(result,), op="load", args=args):
            # An array that is part of a wide one is wide, and the other way round.
            if _in(args[0], found):
                found.add(result.name)
            elif result.name in found and isinstance(args[0], Value):
                found.add(args[0].name)
        case Apply(results=(result,), op=op, args=args):
            if any(_in(a, found) for a in args):
                found.add(result.name)
            if result.name in found and op in (*STORES, "copy") and isinstance(args[0], Value):
                found.add(args[0].name)
        case _:
            for result, source in merged(stmt):
                if _in(source, found):
                    found.add(result.name)
                elif result.name in found and isinstance(source, Value) and source.type.is_array:
                    found.add(source.name)


def _in(operand: Operand, names: Iterable[str]) -> bool:
    return isinstance(operand, Value) and operand.name in names


def _steers(stmt: Stmt, found: set[str]) -> bool:
    """Whether a wide value decides what is done, or leaves the program's own statements."""
    match stmt:
        case Apply(op="load", args=args):
            asked: Iterable[Operand] = args[1:]
        case Apply(op=op, args=args) if op in STORES:
            asked = args[2:]
        case Apply(results=results) if len(results) != 1:
            asked = (*stmt.args, *results)
        case Apply():
            return False
        case Call():
            asked = (*stmt.args, *stmt.results)
        case Loop():
            asked = stmt.bounds if stmt.trips is None else (*stmt.bounds, stmt.body.yields[0])
        case While():
            asked = (*stmt.test.yields, *(stmt.body.yields[:1] if stmt.breaks else ()))
        case Branch():
            asked = (stmt.test,)
        case Record():
            asked = (stmt.value,)
        case _:
            asked = ()
    return any(_in(a, found) for a in asked)


def widened(value: Value, count: int) -> Value:
    """A value with one number more per direction, in its last axis."""
    return replace(value, type=wide_type(value.type, count))


def wide_type(type: Type, count: int) -> Type:
    """The type of as many as there are directions.

    Raises NotSeveral where nothing is known of the axes, and for a list.
    """
    if type.shape is None or type.kind not in ("scalar", "array"):
        raise not_several()
    return type.with_shape((*type.shape, Dim("", count)))


def touches(stmt: Stmt, names: Iterable[str]) -> bool:
    """Whether a statement, or one inside it, reads or defines one of these."""
    inner = Block((), (stmt,), ())
    for one in walk(inner):
        if any(_in(o, names) for o in operands_of(one)):
            return True
        if isinstance(one, Apply) and any(r.name in names for r in one.results):
            return True
        if any(r.name in names or _in(o, names) for r, o in merged(one)):
            return True
    return False
