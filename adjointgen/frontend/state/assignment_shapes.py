"""What NumPy's assignments make of shapes and dtypes, and which of them fail.

    a[i] = v        leading axes of length 1 are dropped from `v`, and its dtype becomes that of `a`
    a op= v         neither is: the result has the shape of `a`, and a dtype that may be cast to it

What fails for certain is left to NumPy, which raises its own exception; the program ends there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named, Ref
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, statement
from adjointgen.frontend.state.static_options import dtype_of
from adjointgen.frontend.state.storage_cells import lies_in_order, read, write
from adjointgen.frontend.state.unify import convert
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.ir.types import COMPLEX, REAL, Dim, Shape, Type, castable, never_one, same_length
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import Row

NEAR = 64
"""How many statements before an assignment are looked at."""


def fitted(ctx: Context, value: Operand, part: Type, index: Sequence[Operand]) -> Operand:
    """A value without the leading axes of length 1 that the part it is assigned to does not have.

    A mask takes no more axes than one, and an element none.
    """
    have, want = value.type.rank, part.rank
    sized = value.type.kind in ("array", "list") and not is_loose(ctx.loose, value)
    masked = len(index) == 1 and index[0].type.dtype == "bool" and not index[0].type.is_scalar
    if not sized or have is None or want is None or have <= want or part.is_scalar or masked:
        return value
    if value.type.kind == "list":
        value = ctx.apply("asarray", value)
    lead = (value.type.shape or ())[: have - want]
    if all(d == Dim("", 1) for d in lead):
        return ctx.apply("load", value, index=", ".join("0" for _ in lead))
    if any(d is not None and never_one(d) for d in lead):
        return value
    return ctx.apply("reshape", value, *(length(ctx, value, k) for k in range(have - want, have)))


def in_place_result(
    ctx: Context, symbol: str, old: Operand, value: Operand, new: Operand
) -> Operand | None:
    """`old op= value` of an array, where the operation gives `new`; None where it fails."""
    if old.type.kind != "array" or is_loose(ctx.loose, old):
        return new
    ctx.check_dtype(old, new.type.dtype)
    if not castable(new.type.dtype, old.type.dtype):
        return _fails(ctx, symbol, old, value, new)
    fits = _fits(old.type.shape, new.type.shape)
    if fits is False:
        return _fails(ctx, symbol, old, value, new)
    if fits is None and symbol != "@" and not _picked_alike(ctx, old, value):
        _checked(ctx, old, value)
    if old.type.rank == 0 and new.type.is_scalar:
        # What is computed from arrays without axes are numbers, which go into the array.
        return ctx.apply("asarray", new)
    return new


def into(
    ctx: Context, out: Ref, result: Operand, broadcasts: bool, exact: bool = False
) -> Ref | None:
    """A result written into the array given as `out`, to which a ufunc broadcasts it.

    It is `exact` if nothing but an array in C order is taken.

    None where NumPy refuses to, or computes in another dtype: a reduction in that of its output.
    """
    before = read(ctx, out)
    if exact and not _is_taken(ctx, out, before, result):
        return out
    ctx.check_dtype(before, result.type.dtype)
    fits = _fits(before.type.shape, result.type.shape)
    casting = "same_kind" if broadcasts else "safe"
    same = None in (before.type.rank, result.type.rank) or before.type.rank == result.type.rank
    if fits is False or not (broadcasts or same):
        return None
    if not castable(result.type.dtype, before.type.dtype, casting):
        return None
    if fits is None and broadcasts:
        _checked(ctx, before, result)
    whole = before.type.shape == result.type.shape and before.type.rank != 0
    if not whole or ctx.outlines.primal:
        value: Operand = ctx.apply("store", before, result, index="...")
    else:
        value = convert(ctx, result, result.type.with_dtype(before.type.dtype))
    write(ctx, out, value)
    return out


def own_dtype(ctx: Context, keywords: dict[str, Abstract], row: Row) -> str | None:
    """The dtype that is asked for of an operation that has no such option."""
    if "dtype" not in keywords or any(p.name == "dtype" for p in row.parameters):
        return None
    return dtype_of(ctx, keywords.pop("dtype"))


def gives(
    ctx: Context, row: Row, bound: tuple[list[Abstract], dict[str, Any]], dtype: str | None
) -> bool:
    """Whether an operation computes in a dtype anyway."""
    if dtype is None:
        return True
    operands = [read(ctx, o) for o in bound[0]]
    types = [o.type.dtype for o in operands] + [
        t.dtype for t, _ in ctx.typed(row, operands, bound[1])
    ]
    return all(t == dtype for t in types if t in (*REAL, *COMPLEX)) and types[-1] == dtype


def _fits(old: Shape | None, new: Shape | None) -> bool | None:
    """Whether a result has the shape of the array that it is written to, where that is known."""
    if old is None or new is None:
        return None
    if len(new) > len(old):
        return False
    pairs = list(zip(old, new, strict=True)) if len(new) == len(old) else []
    if any(a == Dim("", 1) and b is not None and never_one(b) for a, b in pairs):
        return False
    return True if all(same_length(a, b) for a, b in pairs) else None


def fails_as_called(
    ctx: Context,
    function: Named | Method,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
) -> Const:
    """A call that fails for certain."""
    holes = Holes(ctx)
    if isinstance(function, Named):
        callee = holes.fill(function)
    else:
        callee, args = f"{holes.fill(args[0])}.{function.name}", args[1:]
    texts = [holes.fill(a) for a in args]
    texts += [f"{name}={holes.fill(value)}" for name, value in keywords.items()]
    statement(ctx, f"{callee}({', '.join(texts)})", _passive(ctx, *holes.operands))
    ctx.state.dead = True
    return const(0.0)


def _is_taken(ctx: Context, out: Ref, array: Operand, result: Operand) -> bool:
    """Whether the array has the dtype of the result; the program asks whether it is in C order."""
    said = "must have the right datatype, number of dimensions, and be a C-Array"
    raised = f"raise ValueError('output array is not acceptable ({said})')"
    if array.type.dtype != result.type.dtype:
        statement(ctx, raised, ())
        ctx.state.dead = True
        return False
    if not lies_in_order(ctx, out):
        code = f"if not _0_.flags.c_contiguous:\n    {raised}"
        statement(ctx, code, _passive(ctx, array))
    return True


def _fails(ctx: Context, symbol: str, old: Operand, value: Operand, new: Operand) -> Operand | None:
    """The program ends in the operation in place, not in the operation that was computed for it."""
    last = ctx.blocks[-1][-1] if ctx.blocks[-1] else None
    if isinstance(last, Apply) and new in last.results:
        ctx.blocks[-1].pop()
    statement(ctx, f"_0_ {symbol}= _1_", _passive(ctx, old, value), unfit=True)
    ctx.state.dead = True
    return None


def _checked(ctx: Context, old: Operand, value: Operand) -> None:
    """The program asks when it runs whether a value broadcasts to the shape of an array."""
    if value.type.is_scalar or isinstance(value, Const):
        return
    ctx.imports["import numpy as np"] = None
    code = "np.broadcast_to(_1_, _0_.shape)"
    if old.type.rank is None:
        # It may be a number, which is bound anew.
        code = f"isinstance(_0_, np.ndarray) and {code}"
    statement(ctx, code, _passive(ctx, old, value))


def _picked_alike(ctx: Context, *operands: Operand) -> bool:
    """Whether values are computed entry by entry of what one mask picks, so of one length."""
    waiting = {o.name for o in operands if isinstance(o, Value)}
    masks: set[Operand] = set()
    for stmt in reversed(ctx.blocks[-1][-NEAR:]):
        if not waiting:
            break
        found = waiting & {r.name for r in stmt.results} if isinstance(stmt, Apply) else set()
        if not isinstance(stmt, Apply) or not found:
            continue
        waiting -= found
        row = TABLE[stmt.op]
        if stmt.op == "load" and stmt.option("index") == "_" and _is_mask(*stmt.args):
            masks.add(stmt.args[1])
        elif row.kind == "elementwise" or (row.symbol and row.symbol != "@"):
            arrays = (a for a in stmt.args if isinstance(a, Value) and not a.type.is_scalar)
            waiting |= {a.name for a in arrays}
        else:
            return False
    return not waiting and len(masks) == 1


def _is_mask(array: Operand, *index: Operand) -> bool:
    """Whether an index is a mask over all axes of an array."""
    ranks = {array.type.rank, *(i.type.rank for i in index)}
    return [i.type.dtype for i in index] == ["bool"] and len(ranks) == 1 and not ranks & {0, None}


def _passive(ctx: Context, *operands: Operand) -> list[Operand]:
    """Values that nothing is computed from."""
    return [ctx.apply("stop_gradient", o) if isinstance(o, Value) else o for o in operands]
