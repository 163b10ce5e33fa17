"""Operations that Numba lacks, written with those that loops are made of.

Products of matrices are calls of BLAS, which wants entries in order: parts of arrays are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import LOOPS, NESTED, STORES, Apply, Block, Function, Operand, Stmt, Value
from adjointgen.targets.loops.build.einsum_letters import letters
from adjointgen.targets.loops.build.op_classes import NARROW
from adjointgen.targets.loops.build.batched_gemm import is_stack, product
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Handle
from adjointgen.rules.framework.table import TABLE
from adjointgen.rules.framework.shape_helpers import length, reduce_sum, size
from adjointgen.rules.framework.type_rules import axes_of
from adjointgen.rules.arrays.padding import inside, widths_of

Written = Callable[..., Any]


def _variance(a: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """The mean square of what is left without the mean."""
    mean = a.apply("mean", a, axis=axis, keepdims=True)
    around = a - (mean if axis is not None else a.apply("mean", a))
    number = size(a, axis)
    total = reduce_sum(around * around, axis, keepdims)
    return total / (number - ddof if ddof else number)


def _clipped(a: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(a, low), high)


def _unbroadcast(v: Any, like: Any) -> Any:
    """The axes that only `v` has are summed; what is left has those of `like`."""
    more = (v.type.rank or 0) - (like.type.rank or 0)
    return v.apply("unbroadcast", reduce_sum(v, tuple(range(more))), like)


def _flipped(a: Any, axis: Any = None) -> Any:
    """A part of the array, with axes from their ends."""
    rank = a.type.rank
    axes = range(rank) if axis is None else axes_of(axis, rank)
    return a.apply("load", a, index=", ".join("::-1" if k in axes else ":" for k in range(rank)))


def _difference(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Each entry without the one before it, so many times."""
    rank = a.type.rank
    later, earlier = (
        ", ".join(part if k == axis % rank else ":" for k in range(rank)) for part in ("1:", ":-1")
    )
    for _ in range(n):
        a = a.apply("load", a, index=later) - a.apply("load", a, index=earlier)
    return a


def _padded(a: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """The array among entries of one value."""
    widths = widths_of(pad_width, a.type.rank)
    lengths = [length(a, k) + before + after for k, (before, after) in enumerate(widths)]
    around = a.apply("full", *lengths, constant_values, dtype=a.type.dtype)
    return around.apply("store", around, a, index=inside(widths))


def _sign_of_counts(a: Any) -> Any:
    """Of unsigned numbers: Numba takes those for negative that have the highest bit."""
    return a.apply("cast", a > 0, dtype=a.type.dtype)


WRITTEN: Final[Mapping[str, Written]] = {
    "var": _variance,
    "std": lambda a, **options: np.sqrt(_variance(a, **options)),
    "clip": _clipped,
    "unbroadcast": _unbroadcast,
    "flip": _flipped,
    "sign": _sign_of_counts,
    "diff": _difference,
    "pad": _padded,
    "ptp": lambda a, **options: a.apply("amax", a, **options) - a.apply("amin", a, **options),
}


def spelled_out(function: Function, builder: Builder) -> Function:
    """The function with such operations on arrays written out."""

    def inner(block: Block, often: bool) -> Block:
        copies: dict[Operand, Value] = {}
        with builder.block() as made:
            for stmt in block.stmts:
                if isinstance(stmt, NESTED):
                    again = often or isinstance(stmt, LOOPS)
                    builder.add(rebuild(stmt, lambda o: o, partial(inner, often=again)))
                elif isinstance(stmt, Apply) and is_stack(stmt, often):
                    builder.span = stmt.span
                    _named(builder, product(builder, stmt), stmt.result)
                else:
                    _statement(builder, stmt, copies)
        return Block(block.params, tuple(made), block.yields)

    return replace(function, body=inner(function.body, False))


def _statement(builder: Builder, stmt: Stmt, copies: dict[Operand, Value]) -> None:
    if isinstance(stmt, Apply) and _is_library_call(stmt):
        builder.span = stmt.span
        stmt = replace(stmt, args=tuple(_in_order(builder, a, copies) for a in stmt.args))
    if isinstance(stmt, Apply) and stmt.op in STORES:
        stmt = _without_new_axes(builder, stmt)
    if isinstance(stmt, Apply) and _wraps(stmt) and _is_small(stmt.result.type.dtype):
        _wrapped(builder, stmt)
        return
    if not isinstance(stmt, Apply) or stmt.op not in WRITTEN or not _fits(stmt):
        builder.add(stmt)
        return
    builder.span = stmt.span
    made = WRITTEN[stmt.op](*map(builder.handle, stmt.args), **stmt.settings)
    _named(builder, made, stmt.result)


def _wraps(stmt: Apply) -> bool:
    row = TABLE.get(stmt.op)
    return row.widens and row.loop != "write"


def _without_new_axes(builder: Builder, stmt: Apply) -> Apply:
    """The write to a part that has axes more than the array: they have one entry in the value."""
    pieces = [piece.strip() for piece in str(stmt.option("index")).split(",")]
    array, value, *numbers = stmt.args
    left = [piece for piece in pieces if piece != "None"]
    whole = len(left) == array.type.rank and set(left) == {":"}
    if numbers or not whole or left == pieces or value.type.rank != len(pieces):
        return stmt
    new = [d for d, piece in zip(value.type.shape or (), pieces, strict=True) if piece == "None"]
    if any(d is None or d.known != 1 for d in new):
        return stmt
    builder.span = stmt.span
    at = ", ".join("0" if piece == "None" else ":" for piece in pieces)
    entries = builder.apply("load", value, index=at)
    return replace(stmt, args=(array, entries), options=(("index", ", ".join(left)),))


def _named(builder: Builder, made: Any, name: Value) -> None:
    assert isinstance(made, Handle) and isinstance(made.operand, Value)
    builder.name_last(made.operand, name)


def _is_library_call(stmt: Apply) -> bool:
    products = stmt.op in ("matmul", "dot") and all(a.type.rank == 2 for a in stmt.args)
    return products and letters(stmt) is None


def _in_order(builder: Builder, operand: Operand, copies: dict[Operand, Value]) -> Operand:
    """A factor, copied where it is a part whose entries are not next to each other.

    `copies` are those that there are in the block.
    """
    made = builder.made(operand)
    if made is None or operand.type.rank != 2:
        return operand
    if made.op == "transpose" and made.option("axes") is None:
        whole = _in_order(builder, made.args[0], copies)
        return operand if whole == made.args[0] else builder.apply("transpose", whole)
    *before, _ = str(made.option("index")).split(",")
    if made.op != "load" or not any(":" in piece for piece in before):
        return operand
    if operand not in copies:
        copies[operand] = builder.apply("copy", operand)
    return copies[operand]


def _is_small(dtype: str) -> bool:
    return dtype in NARROW and dtype not in ("bool", "uint64")


def _wrapped(builder: Builder, stmt: Apply) -> None:
    """The operation with 64 bits, of which those are kept that the result has."""
    builder.span = stmt.span
    type = stmt.result.type
    wide = Value(builder.names.fresh("t"), type.with_dtype("int64"))
    builder.add(replace(stmt, results=(wide,)))
    made = builder.apply("cast", wide, dtype=type.dtype)
    assert isinstance(made, Value)
    builder.name_last(made, stmt.result)


def _fits(stmt: Apply) -> bool:
    """An array of numbers, and bounds that are there."""
    first = stmt.args[0].type
    if stmt.op == "sign":
        return first.dtype.startswith("uint")
    if stmt.op in ("diff", "pad"):
        known = stmt.option("n") != 0 and stmt.option("mode", "constant") == "constant"
        value = stmt.option("constant_values", 0)
        return bool(first.rank) and first.dtype != "bool" and known and not isinstance(value, tuple)
    if stmt.op == "unbroadcast":
        like = stmt.args[1].type
        return first.is_array and like.is_array and 0 < (like.rank or 0) < (first.rank or 0)
    return first.is_array and bool(first.rank) and all(a.type.kind != "object" for a in stmt.args)
