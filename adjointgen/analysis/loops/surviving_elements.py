"""Which elements read or written in a loop nest still stand when the nest is done.

`y[i] = a * y[i - 1]`: the reverse sweep needs `y[i - 1]`, and need not record it: nothing that runs
after the read writes it again, so it can be read from the final `y`. So can a value that was
stored and not overwritten, and a slice of which no element is. Proved for indices and bounds of
slices that are affine in the loop indices, one case per way in which a store can run after the
read: in a later iteration of a common loop, or later in the same iteration. In every case some
index of the store must differ from the read's in the whole nest. (Feautrier 1991, dataflow of array
references.)

The same shows that a store is the first at its place. Then nothing that is differentiated is lost
by it, and its adjoint need not be cleared. The other way round, with the stores that run before a
read, it shows what can be read before the nest begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from adjointgen.analysis.loops.access_extents import Extent, apart, extents
from adjointgen.analysis.values.storage_classes import Storage, storage
from adjointgen.ir.affine import Affine, Forms, moved, variable
from adjointgen.ir.edit import is_one_array, versions
from adjointgen.ir.nodes import (
    LOOPS,
    WRITES,
    Apply,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    blocks_of,
    defined_in,
    results_of,
    walk,
)
from adjointgen.records import dataclass
from adjointgen.rules.arrays.indexing import numbers_of

Path = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Access:
    """A load or store of elements or slices: its loops from the outside in, and its place in each.

    `block` are the statements that it stands among.
    """

    stmt: Apply
    block: tuple[Stmt, ...]
    loops: tuple[Loop | While, ...]
    path: Path
    index: tuple[Extent, ...]


def standing(function: Function) -> dict[str, Apply]:
    """For each value that stands as an element of a final array: the load of that element."""
    classes = storage(function)
    found: dict[str, Apply] = {}
    for stmt in function.body.stmts:
        if isinstance(stmt, Loop):
            found.update(_in_nest(stmt, classes))
    return found


def first_writes(function: Function, active: Callable[[Operand], bool]) -> frozenset[str]:
    """The stores of loop nests that overwrite nothing active: what stood there came with the array,
    which is passive, and no store of the nest had written it. By the names of their results."""
    classes = storage(function)
    found: set[str] = set()
    for stmt in function.body.stmts:
        if not isinstance(stmt, Loop):
            continue
        passive = [r for r, i in zip(stmt.results, stmt.inits, strict=True) if not active(i)]
        for _, accesses, forms in _written_in(stmt, passive, classes):
            stores = [a for a in accesses if a.stmt.op in WRITES]
            for one in stores:
                if one.stmt.op == "store" and all(_apart(other, one, forms) for other in stores):
                    found.add(one.stmt.result.name)
    return frozenset(found)


def unchanged(nest: Loop, classes: Storage) -> dict[str, Operand]:
    """For each value that a nest reads of an array before writing there: the array before it."""
    found = {}
    for array, accesses, forms in _written_in(nest, nest.results, classes):
        stores = [a for a in accesses if a.stmt.op in WRITES]
        first = nest.inits[nest.results.index(array)]
        for one in accesses:
            if one.stmt.op == "load" and all(_apart(one, s, forms, before=True) for s in stores):
                found[one.stmt.result.name] = first
    return found


def _in_nest(nest: Loop, classes: Storage) -> Iterator[tuple[str, Apply]]:
    for array, accesses, forms in _written_in(nest, nest.results, classes):
        stores = [a for a in accesses if a.stmt.op in WRITES]
        for access in accesses:
            value = _element(access)
            if value is not None and all(_apart(access, s, forms) for s in stores):
                index = numbers_of(access.stmt)
                options = (("index", access.stmt.option("index")),)
                span = access.stmt.span
                yield value.name, Apply((value,), "load", (array, *index), options, span)


def _written_in(
    nest: Loop, results: Iterable[Value], classes: Storage
) -> Iterator[tuple[Value, list[_Access], Forms]]:
    """The arrays among some results of a nest that it writes to, with all accesses to each."""
    arrays = [r for r in results if r.type.is_array and classes.written(r)]
    if not arrays:
        return
    makers = {r.name: s for s in walk(nest.body) if isinstance(s, Apply) for r in s.results}
    inner = frozenset(v.name for v in defined_in(nest.body))
    loops = [nest, *(s for s in walk(nest.body) if isinstance(s, Loop))]
    forms = Forms(makers, frozenset(s.index.name for s in loops), inner)
    for array in arrays:
        accesses = _accesses(nest, array, classes, forms)
        if accesses is not None:
            yield array, accesses, forms


def _element(access: _Access) -> Value | None:
    """The value that an access reads from an element, or writes to it as it is.

    A value written must be defined beside the store, so that where there is one there is the other.
    """
    stmt = access.stmt
    if stmt.op == "load":
        return stmt.result
    value = stmt.args[1]
    if stmt.op != "store" or not isinstance(value, Value) or not value.type.is_scalar:
        return None
    if value.type.dtype != stmt.result.type.dtype:
        return None
    return value if any(value in results_of(s) for s in access.block) else None


def _accesses(nest: Loop, array: Value, classes: Storage, forms: Forms) -> list[_Access] | None:
    """All accesses to an array in the nest; None if it is not one array throughout.

    Another array may have the same storage class: two that a loop before has swapped.
    """
    kind = classes.of(array)
    names = versions(nest, {nest.body.params[nest.results.index(array)].name})
    found: list[_Access] = []
    for stmt, block, loops, path in _places((nest,), (), ()):
        if isinstance(stmt, LOOPS):
            mine = [k for k, r in enumerate(stmt.results) if classes.of(r) == kind]
            if len(mine) > 1 or not all(is_one_array(stmt, k) for k in mine):
                return None
        elif isinstance(stmt, Apply):
            if stmt.option("writes") and any(classes.of(r) == kind for r in stmt.results):
                return None
            touched = stmt.args[0] if stmt.op in (*WRITES, "load") else None
            if isinstance(touched, Value) and touched.name in names:
                found.append(_Access(stmt, block, loops, path, extents(stmt, forms)))
    return found


def _places(
    stmts: tuple[Stmt, ...], loops: tuple[Loop | While, ...], path: Path
) -> Iterator[tuple[Stmt, tuple[Stmt, ...], tuple[Loop | While, ...], Path]]:
    """Every statement with its block, its loops, and its path: (position, block) at each level."""
    for position, stmt in enumerate(stmts):
        yield stmt, stmts, loops, (*path, (position, 0))
        around = (*loops, stmt) if isinstance(stmt, LOOPS) else loops
        for number, block in enumerate(blocks_of(stmt)):
            yield from _places(block.stmts, around, (*path, (position, number)))


def _apart(read: _Access, store: _Access, forms: Forms, before: bool = False) -> bool:
    """Whether no run of the store after the read, or before it, writes the element read."""
    common = 0
    for a, b in zip(read.loops, store.loops, strict=False):
        if a is not b:
            break
        common += 1
    cases = list(range(common))
    if _later(store.path, read.path) if before else _later(read.path, store.path):
        cases.append(common)
    return all(_never_meets(read, store, level, common, forms, before) for level in cases)


def _later(first: Path, second: Path) -> bool:
    """Whether the second can run after the first in the same iteration of the common loops."""
    for (p, b), (q, c) in zip(first, second, strict=False):
        if p != q:
            return q > p
        if b != c:
            return False
    return False


def _never_meets(
    read: _Access, store: _Access, level: int, common: int, forms: Forms, before: bool
) -> bool:
    """The case in which loops outside `level` are in one iteration and loop `level` is later, or
    earlier if the store comes `before` the read."""
    box: dict[str, tuple[Affine | None, Affine | None]] = {}
    for loop in read.loops:
        if isinstance(loop, Loop):
            bounds = forms.bounds(loop)
            box[loop.index.name] = (bounds.low, bounds.high)
    others: dict[str, Affine] = {}
    for depth, loop in enumerate(store.loops):
        if depth < level or not isinstance(loop, Loop):
            continue
        name, bounds = loop.index.name, forms.bounds(loop)
        other = f"{name}'"
        others[name] = variable(other)
        low, high = (moved(b, others) for b in (bounds.low, bounds.high))
        if depth == level and level < common:
            forwards = -bounds.direction if before else bounds.direction
            low, high = _beyond(forwards, name, low, high)
        box[other] = (low, high)
    theirs = [Extent(moved(e.low, others), moved(e.high, others)) for e in store.index]
    return apart(read.index, theirs, box)


def _beyond(
    direction: int, name: str, low: Affine | None, high: Affine | None
) -> tuple[Affine | None, Affine | None]:
    """Another index of the same loop lies beyond the present one, in a direction."""
    if direction > 0:
        return variable(name) + Affine(1), high
    if direction < 0:
        return low, variable(name) + Affine(-1)
    return None, None
