"""Which arguments must have the rank that a program was made for.

    np.sum(x * x)             the adjoint 2 * x is right for an array of any rank
    np.mean(x * x)            the adjoint divides by len(x), which of a matrix is another number
    np.sum(a * x)             the adjoint of a number a is a sum, that of an array a would be none

NumPy broadcasts, so a program that is called with arrays of another rank often computes something,
and what it computes is another derivative. A program is rank-polymorphic (Slepak and others 2014)
where all of its statements act entry by entry on arrays of one shape, or add up all entries.
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.ir.edit import is_check, merged
from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    Apply,
    Call,
    Function,
    Operand,
    Stmt,
    Value,
    operands_of,
    results_of,
    walk,
    walk_all,
)
from adjointgen.rules.framework.table import TABLE


def arrays_of_fixed_rank(made: Function) -> tuple[Value, ...]:
    """The parameters that must be arrays of the rank which they were declared with."""
    if not decided(made) and all(map(_is_polymorphic, walk_all(made))):
        return ()
    return tuple(p for p in made.body.params if p.type.is_array and p.type.rank is not None)


def decided(function: Function) -> bool:
    """Whether the rank of something has decided what the program is, or one that it calls."""
    return any(one.ranks for one in (function, *function.callees))


def spread_numbers(primal: Function) -> tuple[Value, ...]:
    """The differentiated numbers that meet arrays: their adjoints are sums over the entries."""
    numbers = [p for p in primal.body.params if p.type.is_scalar and p.type.is_differentiable]
    return tuple(p for p in numbers if meets_arrays(primal, p))


def _is_polymorphic(stmt: Stmt) -> bool:
    """Whether a statement means the same for arrays of any rank."""
    if isinstance(stmt, NESTED):
        return True
    arrays = [v.type for v in (*operands_of(stmt), *results_of(stmt)) if _is_array(v)]
    if not arrays:
        return True
    if not isinstance(stmt, Apply):
        return False
    row = TABLE[stmt.op]
    if is_check(stmt) or ((row.reduces or row.measures) and not stmt.settings):
        return True
    whole = stmt.op in STORES and stmt.option("index") in ("...", ":")
    shapes = {type.shape for type in arrays if type.is_array}
    alike = len(shapes) == 1 and _is_known(*shapes)
    return alike and (whole or row.loop in ("entries", "same", "filled"))


def _is_known(shape: Collection[object] | None) -> bool:
    return shape is not None and None not in shape


def meets_arrays(function: Function, number: Value) -> bool:
    """Whether a number, or a number that is computed from it, is spread over an array."""
    found: set[str] = set()
    reached = {number.name}
    while found != reached:
        found = set(reached)
        for stmt in walk(function.body):
            if isinstance(stmt, Apply | Call):
                if not any(_is_in(a, reached) for a in stmt.args):
                    continue
                if _spreads(stmt):
                    return True
                reached |= {r.name for r in stmt.results if r.type.is_scalar}
            else:
                reached |= {value.name for value, source in merged(stmt) if _is_in(source, reached)}
    return False


def _is_in(operand: Operand, names: Collection[str]) -> bool:
    return isinstance(operand, Value) and operand.name in names


def _spreads(stmt: Apply | Call) -> bool:
    """Whether a statement with a number among its operands has arrays, too.

    To set one entry of an array to an array is refused by NumPy.
    """
    if isinstance(stmt, Apply) and (is_check(stmt) or _sets_an_entry(stmt)):
        return False
    return any(map(_is_array, (*stmt.args, *stmt.results)))


def _is_array(value: Operand) -> bool:
    return value.type.kind in ("array", "list")


def _sets_an_entry(stmt: Apply) -> bool:
    if stmt.op not in STORES or not all(place.type.is_scalar for place in stmt.args[2:]):
        return False
    axes = str(stmt.option("index", "_")).split(",")
    single = not any(word in axis for axis in axes for word in (":", "...", "None"))
    return single and len(axes) == stmt.args[0].type.rank
