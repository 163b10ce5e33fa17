"""Loops over the items of arrays and lists: `for v in x`, `for i, v in enumerate(x)`, `zip`.

A loop over `range(len(x))` whose body begins with `v = x[i]` can be written so if the body does
not write to `x`. With several such loads all lengths must be known to be equal, since `zip` ends
with the shortest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from adjointgen.emit.decide.coalescing_classes import Union, written
from adjointgen.emit.decide.positions import Layer, Place
from adjointgen.emit.syntax.expression_trees import call, name, tuple_
from adjointgen.emit.syntax.tree import Expression
from adjointgen.emit.write.expressions import Printer
from adjointgen.emit.write.ranges import number
from adjointgen.ir.nodes import Apply, Loop, Operand, Value, walk
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Each:
    """The head of such a loop, and the positions of the loads that it replaces."""

    target: Expression
    iterable: Expression
    replaced: frozenset[int]


def each(
    loop: Loop, layer: Layer, printer: Printer, reads: Counter[str], storage: Union
) -> Each | None:
    """The loop as one over items, if it is one."""
    over = None if loop.parallel else _length_of(loop, printer)
    if over is None:
        return None
    changed = {
        storage.find(old.name)
        for stmt in walk(loop.body)
        if isinstance(stmt, Apply)
        for _, old in written(stmt)
    }
    loads = list(_loads(loop, layer, printer, over))
    if not loads or any(storage.find(array.name) in changed for _, array, _ in loads):
        return None
    items = [printer.name(item) for item, _, _ in loads]
    arrays = [printer.name(array) for _, array, _ in loads]
    target, iterable = items[0], arrays[0]
    if len(loads) > 1:
        target, iterable = tuple_(items), call(name("zip"), arrays)
    if reads[loop.index.name] > len(loads):
        target = tuple_([printer.name(loop.index), target])
        iterable = call(name("enumerate"), [iterable])
    return Each(target, iterable, frozenset(at for _, _, at in loads))


def _length_of(loop: Loop, printer: Printer) -> Value | None:
    """The array whose length a loop counts up to."""
    start, stop, step = loop.bounds
    length = printer.operation(stop)
    if loop.backwards or number(start) != 0 or number(step) != 1 or length is None:
        return None
    if length.op != "dim" or length.option("axis", 0) != 0:
        return None
    return _named(length.args[0], printer)


def _named(operand: Operand, printer: Printer) -> Value | None:
    is_name = isinstance(operand, Value) and printer.statement_of(operand) is None
    return operand if is_name and isinstance(operand, Value) else None


def _loads(
    loop: Loop, layer: Layer, printer: Printer, over: Value
) -> Iterator[tuple[Value, Value, int]]:
    """The user's variables that are items, at the start of the body: item, array, position.

    They follow one another, and the first is an item of the array that is counted.
    """
    inside = {p.name for p in loop.body.params}
    for place in layer.places:
        array = _item_of(place, loop, printer)
        if array is None or array.name in inside:
            return
        assert isinstance(place.stmt, Apply)
        item = place.stmt.result
        if not item.root or (array != over and not _equally_long(array, over)):
            return
        yield item, array, place.at


def _item_of(place: Place, loop: Loop, printer: Printer) -> Value | None:
    """The array that a statement reads the item of the current index of."""
    stmt = place.stmt
    if not isinstance(stmt, Apply) or stmt.op != "load" or stmt.args[1:] != (loop.index,):
        return None
    if stmt.option("index", "_") != "_" or printer.folds.is_folded(stmt):
        return None
    return _named(stmt.args[0], printer)


def _equally_long(a: Value, b: Value) -> bool:
    """Whether lengths are known to be equal: those of arrays that met in nothing may differ."""
    one, other = a.type.shape, b.type.shape
    return bool(one) and bool(other) and one[0] is not None and one[0] == other[0]  # type: ignore[index]
