"""Masks as selections: entries that a mask picks out are choices between entries and nothing.

    np.sum(a[m])          np.sum(np.where(m, a, 0.0))
    len(a[m])             np.sum(m)
    a[m] = 2.0       ->   a = np.where(m, 2.0, a)
    a[m] += 2.0 * b[m]    a = a + np.where(m, 2.0 * b, 0.0)

How many entries a mask picks is known when the program runs, so that `a[m]` has to be an array.
Where all that reads it is a sum or a length, or puts it back to the same places, there is none: a
choice has the lengths of the mask, and is part of a loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from adjointgen.costs import MASKED_ANYWAY
from adjointgen.ir.edit import name_of, rebuild
from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    Apply,
    Block,
    Function,
    Operand,
    Stmt,
    Value,
    blocks_of,
    operands_of,
    walk,
)
from adjointgen.targets.loops.build.op_classes import zero_of
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.table import TABLE

SUMS = frozenset({"sum", "mean", "dim", "size"})



def without_masks(function: Function, builder: Builder) -> Function:
    """The function with choices for what masks pick, where that is enough."""
    picked = _picked(function.body)
    if not picked and not any(_mask(s) for s in walk(function.body) if isinstance(s, Apply)):
        return function
    return replace(function, body=_Masks(builder, picked).block(function.body))


class _Masks:
    """`picked` are the masks of what becomes whole arrays, which `whole` has by name."""

    def __init__(self, builder: Builder, picked: Mapping[str, Operand]) -> None:
        self.builder = builder
        self.picked = picked
        self.whole: dict[str, Operand] = {}

    def block(self, block: Block) -> Block:
        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                self.statement(stmt)
        return replace(block, stmts=tuple(made))

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, NESTED):
            self.builder.add(rebuild(stmt, lambda operand: operand, self.block))
            return
        if not isinstance(stmt, Apply):
            self.builder.add(stmt)
            return
        name = stmt.results[0].name if len(stmt.results) == 1 else ""
        if name in self.picked:
            self.whole[name] = self.all_of(stmt)
            return
        made, mask = None, _mask(stmt)
        if mask is not None and stmt.op in STORES:
            made = self.put(stmt, mask)
        elif stmt.op in SUMS and name_of(stmt.args[0]) in self.picked:
            made = self.reduced(stmt)
        if made is None:
            self.builder.add(stmt)
        else:
            self.builder.name_last(made, stmt.result)

    def all_of(self, stmt: Apply) -> Operand:
        """All entries, of which some are picked."""
        if stmt.op == "load":
            return stmt.args[0]
        if stmt.op == "unbroadcast":
            return self.whole[name_of(stmt.args[0])]
        args = (self.whole.get(name_of(a), a) for a in stmt.args)
        options: dict[str, Any] = dict(stmt.options)
        return self.builder.apply(stmt.op, *args, **options)

    def reduced(self, stmt: Apply) -> Value:
        name = name_of(stmt.args[0])
        mask, whole = self.picked[name], self.whole[name]
        if stmt.op in ("dim", "size"):
            return self.builder.apply("sum", mask)
        total = self.builder.apply("sum", self.chosen(mask, whole, whole.type.dtype))
        if stmt.op == "sum":
            return total
        return self.builder.apply("div", total, self.builder.apply("sum", mask))

    def put(self, stmt: Apply, mask: Operand) -> Value | None:
        """A write of one number, or of what the same mask picks."""
        array, value = stmt.args[:2]
        whole = self.whole.get(name_of(value))
        if whole is None and not value.type.is_scalar:
            return None
        value = value if whole is None else whole
        if value.type.dtype != array.type.dtype:
            return None
        if stmt.op == "store":
            return self.builder.apply("select", mask, value, array)
        more = self.chosen(mask, value, array.type.dtype)
        return self.builder.apply("add", array, more)

    def chosen(self, mask: Operand, value: Operand, dtype: str) -> Value:
        return self.builder.apply("select", mask, value, zero_of(dtype))


def _picked(body: Block) -> dict[str, Operand]:
    """What masks pick and is needed in sums and in the same places only, with its mask."""
    found: dict[str, Operand] = {}
    makers: dict[str, Apply] = {}
    alike = _Alike()
    for stmt in walk(body):
        if isinstance(stmt, Apply) and len(stmt.results) == 1:
            alike.note(stmt)
            mask = _mask(stmt) if stmt.op == "load" else _common(stmt, found, alike)
            if mask is not None:
                found[stmt.result.name] = mask
                makers[stmt.result.name] = stmt
    uses = _uses(body) if found else {}
    size = -1
    while size != len(found):
        size = len(found)
        for name in list(found):
            made = makers[name]
            kept = made.op == "load" or _common(made, found, alike) is not None
            if not kept or not all(_suits(s, made, found, alike) for s in uses.get(name, ())):
                del found[name]
    return found


class _Alike:
    """Masks that are computed in the same way of the same arrays."""

    def __init__(self) -> None:
        self.keys: dict[str, object] = {}

    def note(self, stmt: Apply) -> None:
        if stmt.result.type.dtype == "bool" and stmt.op in TABLE.rows:
            args = tuple(self.keys.get(name_of(a), a) for a in stmt.args)
            plain = TABLE[stmt.op].loop == "entries"
            self.keys[stmt.result.name] = (stmt.op, args) if plain else stmt.result

    def key(self, mask: Operand) -> object:
        return self.keys.get(name_of(mask), mask)


def _common(stmt: Apply, picked: Mapping[str, Operand], alike: _Alike) -> Operand | None:
    """The mask of all arrays of an operation that is done entry by entry, and soon done."""
    row = TABLE.get(stmt.op)
    entrywise = row.loop == "entries" and row.cost <= MASKED_ANYWAY
    if stmt.op != "unbroadcast" and not entrywise:
        return None
    if stmt.result.type.dtype not in ("float64", "complex128"):
        return None
    masks = [picked.get(a.name) for a in stmt.args if isinstance(a, Value) and a.type.is_array]
    first = masks[0] if masks else None
    same = all(m is not None and first and alike.key(m) == alike.key(first) for m in masks)
    return first if same else None


def _suits(stmt: Stmt | None, made: Apply, picked: Mapping[str, Operand], alike: _Alike) -> bool:
    """Whether a statement needs a sum or the number of what is picked, or puts it back."""
    if not isinstance(stmt, Apply) or len(stmt.results) != 1:
        return False
    if stmt.result.name in picked:
        return stmt.op != "load"
    if stmt.op in STORES:
        mask = _mask(stmt) if stmt.args[0] != made.result else None
        same = mask is not None and alike.key(mask) == alike.key(picked[made.result.name])
        return same and stmt.args[1] == made.result and _fits(stmt, made)
    if stmt.op == "dim":
        return True
    plain = stmt.option("axis") is None and not stmt.option("keepdims")
    return stmt.op in SUMS and plain and stmt.option("dtype") is None


def _mask(stmt: Apply) -> Operand | None:
    """The mask by which a statement reads or writes an array of its shape."""
    if stmt.op not in ("load", *STORES) or stmt.option("index") != "_":
        return None
    array, mask = stmt.args[0].type, stmt.args[-1].type
    if not array.is_array or mask.dtype != "bool" or not mask.is_array:
        return None
    if not array.rank or mask.rank != array.rank or array.dtype not in EXACT:
        return None
    # A mask of one entry picks from one entry alone; a choice would be spread.
    pairs = zip(array.shape or (), mask.shape or (), strict=True)
    alike = all(a == m or not {d.known for d in (a, m) if d is not None} & {1} for a, m in pairs)
    return stmt.args[-1] if alike else None


def _fits(store: Apply, made: Apply) -> bool:
    return store.args[0].type.dtype == made.result.type.dtype


EXACT = frozenset({"float64", "complex128", "int64"})


def _uses(body: Block) -> dict[str, list[Stmt | None]]:
    """What reads each value; None stands for the end of a block."""
    found: dict[str, list[Stmt | None]] = defaultdict(list)
    blocks = [body]
    for stmt in walk(body):
        for operand in operands_of(stmt):
            found[operand.name if isinstance(operand, Value) else ""].append(stmt)
    while blocks:
        block = blocks.pop()
        for end in block.yields:
            found[end.name if isinstance(end, Value) else ""].append(None)
        for stmt in block.stmts:
            blocks += blocks_of(stmt)
    return found
