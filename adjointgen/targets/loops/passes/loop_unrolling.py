"""Loop unrolling: short loops over what was just stored entry by entry, iteration by iteration.

    t[i, 0] = p                             t[i, 0] = p
    t[i, 1] = q                             t[i, 1] = q
    for j in range(2):            ->        a[i, 0] += p
        a[i, j] += t[i, j]                  a[i, 1] += q

What was stored is used as it is, and where nothing else reads the array there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod

from adjointgen.analysis.loops.outer_product_sums import range_of
from adjointgen.costs import UNROLLED, UNROLLED_IN_ALL
from adjointgen.ir.edit import clone, name_of, reads_by, substitute, substitute_stmt
from adjointgen.ir.nodes import Apply, Block, Const, Loop, Operand, Stmt, Value, results_of
from adjointgen.records import replace
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of
from adjointgen.rules.framework.builder import const

Places = Mapping[tuple[Operand, ...], Operand]
"""What an array holds at some of its places, which differ in literal numbers."""
Iterations = tuple[tuple[Value, range], ...]
"""The indices of loops, and what they run over."""


def unrolled(block: Block, fresh: Callable[[str], str]) -> Block:
    """The block with such loops, of those that stand in it, written out, and such reads."""
    held: dict[str, Places] = {}
    by: dict[str, Operand] = {}
    stmts: list[Stmt] = []
    for stmt in block.stmts:
        stmt = substitute_stmt(stmt, by) if by else stmt
        if isinstance(stmt, Apply) and stmt.op == "store":
            _note(stmt, held)
        if isinstance(stmt, Loop) and held and _is_short(stmt, held):
            _written_out(stmt, held, by, stmts, fresh)
        elif held and isinstance(stmt, Apply) and (found := _found(stmt, held)) is not None:
            by[stmt.result.name] = found
        else:
            stmts.append(stmt)
    if not by:
        return block
    yields = tuple(substitute(y, by) for y in block.yields)
    return Block(block.params, tuple(stmts), yields)


def _note(store: Apply, held: dict[str, Places]) -> None:
    array, value = store.args[:2]
    place = _place(store)
    if place is None or value.type.dtype != array.type.dtype or not value.type.is_scalar:
        return  # What is stored may be rounded.
    before = {at: v for at, v in held.get(name_of(array), {}).items() if _apart(at, place)}
    held[store.result.name] = {**before, place: value}


def _place(stmt: Apply) -> tuple[Operand, ...] | None:
    at = axis_by_axis(str(stmt.option("index")), numbers_of(stmt))
    if at is None or len(at) != stmt.args[0].type.rank:
        return None
    return tuple(at)


def _apart(one: tuple[Operand, ...], other: tuple[Operand, ...]) -> bool:
    """Whether two places differ in an index that is a literal in both.

    One that counts from the end may be the same as one that does not.
    """
    literal = [
        (int(str(a.value)), int(str(b.value)))
        for a, b in zip(one, other, strict=True)
        if isinstance(a, Const) and isinstance(b, Const)
    ]
    return any(a != b and (a < 0) == (b < 0) for a, b in literal)


def _is_short(loop: Loop, held: Mapping[str, Places], around: Iterations = ()) -> bool:
    """Whether a nest of few iterations reads something of what is held, and that alone of it."""
    known = range_of(loop)
    if known is None or not 0 < len(known) <= UNROLLED or loop.trips is not None or loop.pair:
        return False
    around = (*around, (loop.index, known))
    if prod(len(each) for _, each in around) > UNROLLED_IN_ALL:
        return False
    used = [s for s in loop.body.stmts if any(name_of(o) in held for o in reads_by(s))]
    return bool(used) and all(
        (
            _is_short(s, held, around)
            if isinstance(s, Loop)
            else isinstance(s, Apply) and (s not in used or _is_held(s, around, held))
        )
        for s in loop.body.stmts
    )


def _is_held(stmt: Apply, around: Iterations, held: Mapping[str, Places]) -> bool:
    """Whether a statement loads what is held, in every iteration."""
    place = _place(stmt) if stmt.op == "load" else None
    if place is None or any(name_of(a) in held for a in stmt.args[1:]):
        return False
    places = held.get(name_of(stmt.args[0]), {})
    names = [index.name for index, _ in around]
    return all(
        tuple(substitute(i, dict(zip(names, map(const, at), strict=True))) for i in place) in places
        for at in product(*(known for _, known in around))
    )


def _written_out(
    loop: Loop,
    held: Mapping[str, Places],
    by: dict[str, Operand],
    stmts: list[Stmt],
    fresh: Callable[[str], str],
) -> None:
    """The statements of every iteration, in order, and what the loop's results are then."""
    known = range_of(loop) or range(0)
    carried = list(loop.inits)
    for index in reversed(known) if loop.backwards else known:
        given = dict(zip((p.name for p in loop.body.params), carried, strict=True))
        body = clone(replace(loop.body, params=()), fresh, {**given, loop.index.name: const(index)})
        read: dict[str, Operand] = {}
        for stmt in body.stmts:
            stmt = substitute_stmt(stmt, read)
            if isinstance(stmt, Loop):
                _written_out(stmt, held, read, stmts, fresh)
            elif (found := _found(stmt, held)) is not None:
                read |= {r.name: found for r in results_of(stmt)}
            else:
                stmts.append(stmt)
        carried = [substitute(y, read) for y in body.yields]
    by |= zip((r.name for r in loop.results), carried, strict=True)


def _found(stmt: Stmt, held: Mapping[str, Places]) -> Operand | None:
    """What a statement loads, if it is held."""
    if not isinstance(stmt, Apply) or stmt.op != "load":
        return None
    place = _place(stmt)
    return None if place is None else held.get(name_of(stmt.args[0]), {}).get(place)
