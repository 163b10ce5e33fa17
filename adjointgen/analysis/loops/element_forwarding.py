"""What an element can be read from later in its block, when the array has been written elsewhere.

    t = p[:, j - 1]          t is p[:, j - 1] still, once p[:, j] is written,
    p[:, j] = a / (b - t)    and what was written is p[:, j]

A reverse sweep that restores `p` comes by its later version first, and can read both from it: it
records neither. Proved within one block, for indices and slices that are affine (the forwarding of
array elements in scalar replacement: Callahan, Carr and Kennedy 1990).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from adjointgen.analysis.loops.access_extents import apart, extents
from adjointgen.costs import FORWARDED_READS
from adjointgen.ir.affine import Box, Forms
from adjointgen.ir.nodes import Apply, Block, Function, Loop, Value, blocks_of, walk
from adjointgen.records import replace
from adjointgen.rules.arrays.indexing import is_basic
from adjointgen.rules.framework.table import TABLE

Rereads = dict[str, tuple[Apply, ...]]


def passing(function: Function) -> Rereads:
    """For values read from or written to an array: the same read of its later versions."""
    made = {r.name: s for s in walk(function.body) if isinstance(s, Apply) for r in s.results}
    indices = frozenset(s.index.name for s in walk(function.body) if isinstance(s, Loop))
    forms = Forms(made, indices, frozenset())
    found: dict[str, list[Apply]] = defaultdict(list)
    for block, box in _blocks(function.body, {}, forms):
        for name, stmt in _in_block(block, box, forms):
            found[name].append(stmt)
    return {name: tuple(many) for name, many in found.items()}


def _blocks(block: Block, box: Box, forms: Forms) -> Iterator[tuple[Block, Box]]:
    """Every block, with the bounds of the loops around it."""
    yield block, box
    for stmt in block.stmts:
        around = dict(box)
        if isinstance(stmt, Loop):
            bounds = forms.bounds(stmt)
            around[stmt.index.name] = bounds.low, bounds.high
        for inner in blocks_of(stmt):
            yield from _blocks(inner, around, forms)


def _in_block(block: Block, box: Box, forms: Forms) -> Iterator[tuple[str, Apply]]:
    """Each read that a later version of its array answers, too."""
    reads: dict[str, list[tuple[Value, Apply]]] = defaultdict(list)
    for stmt in block.stmts:
        if not isinstance(stmt, Apply) or stmt.op not in ("load", "store", "accumulate"):
            continue
        array = stmt.args[0]
        if not isinstance(array, Value) or not array.type.is_array or not is_basic(stmt):
            continue
        if stmt.op == "load":
            reads[array.name].append((stmt.result, stmt))
            continue
        for value, load in reads[array.name][-FORWARDED_READS:]:
            if apart(extents(load, forms), extents(stmt, forms), box):
                again = replace(load, args=(stmt.result, *load.args[1:]))
                reads[stmt.result.name].append((value, again))
                yield value.name, again
        written = _written(stmt)
        if written is not None:
            reads[stmt.result.name].append((written.result, written))
            yield written.result.name, written


def _written(stmt: Apply) -> Apply | None:
    """A store as a read of what it wrote; None where an element may not be the value as it is."""
    value = stmt.args[1]
    if stmt.op != "store" or not isinstance(value, Value):
        return None
    options = (("index", stmt.option("index")),)
    args = stmt.result, *stmt.args[2:]
    (read,) = TABLE["load"].infer(tuple(a.type for a in args), dict(options))
    known = read.shape is not None and None not in read.shape
    same = known and (read.dtype, read.shape) == (value.type.dtype, value.type.shape)
    return Apply((value,), "load", args, options, stmt.span) if same else None
