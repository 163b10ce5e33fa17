"""Shapes: what broadcasting does anyway is not written, and what changes nothing is left out.

`expand(s, x) * y` is `s * y` where `y` has the shape of the product: NumPy spreads `s` itself. What
cannot be left out moves out: `2.0 * expand(s, x)` is `expand(2.0 * s, x)`, one product of scalars.
Everything here rests on types (`ir/types.py`); a shape that is not known proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.analysis.values.maybe_undefined import shape_read
from adjointgen.ir.nodes import STORES, Apply, Const, Operand, Value
from adjointgen.ir.types import Type, broadcast
from adjointgen.optimize.rewrites.rewrite_context import (
    Context,
    Rewrite,
    Term,
    identical,
    number,
    same_shape,
    same_type,
    term,
)
from adjointgen.rules.arrays.indexing import Rest, Slice, parse_index
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE

_CONSTANT = {"zeros_like": 0.0, "ones_like": 1.0, "zeros": 0.0, "ones": 1.0}
_LIKE = "zeros_like ones_like full_like expand unbroadcast reshape_like dim"
_BROADCASTING = "add sub mul div pow mod fmod floordiv lt le gt ge eq ne select"


def spread(operand: Operand, context: Context) -> Operand | None:
    """The scalar that fills an array."""
    made = context.made_by(operand, "expand", "full_like", "full", "store", *_CONSTANT)
    match made:
        case None:
            return None
        case Apply(op="expand", args=(filled, _)):
            return filled if filled.type.is_scalar else None
        case Apply(op="store", args=(_, filled, *_)):
            return filled if is_whole(made) and _holds(operand.type, filled.type) else None
        case Apply(op="full" | "full_like", args=(*_, filled)):
            return filled if _holds(operand.type, filled.type) else None
        case _:
            return const(_CONSTANT[made.op])


def _holds(array: Type, filled: Type) -> bool:
    """Whether an array holds the scalar that it is filled with; one of integers may truncate it."""
    return filled.is_scalar and (array.is_differentiable or array.dtype == filled.dtype)


def is_whole(stmt: Apply) -> bool:
    """Whether an index names the whole array: `:`, `...`, `:, :`."""
    items = parse_index(str(stmt.option("index")))
    return all(item in (Slice(None, None, None), Rest()) for item in items)


def broadcast_anyway(stmt: Apply, context: Context) -> Term | None:
    """`expand(s, x) * y` is `s * y` where `y` has the shape of the result."""
    for k, arg in enumerate(stmt.args):
        narrow = _narrow(arg, context)
        others = [a for j, a in enumerate(stmt.args) if j != k]
        if narrow is None or not _keeps_shape(stmt, arg, narrow, others, context):
            continue
        args = (*stmt.args[:k], narrow, *stmt.args[k + 1 :])
        (type,) = TABLE[stmt.op].infer(tuple(a.type for a in args), dict(stmt.options))
        if (type.kind, type.dtype) == (stmt.result.type.kind, stmt.result.type.dtype):
            return term(stmt.op, *args, **dict(stmt.options))
    return None


def _narrow(operand: Operand, context: Context) -> Operand | None:
    """What broadcasts to an operand."""
    filled = spread(operand, context)
    made = context.known(operand, "expand")
    if filled is not None or made is None:
        return filled
    inner, like = made.args
    axis, ranks = made.option("axis"), (inner.type.rank, like.type.rank)
    if axis is None or made.option("keepdims"):
        return inner
    if ranks[0] is None or ranks[1] is None:
        return None
    axes = axis if isinstance(axis, tuple) else (axis,)
    missing = ranks[1] - ranks[0]
    leading = sorted(a % ranks[1] for a in axes if isinstance(a, int)) == list(range(missing))
    return inner if leading else None


def _keeps_shape(
    stmt: Apply, wide: Operand, narrow: Operand, others: list[Operand], context: Context
) -> bool:
    """Whether the result has the same shape without the operand being spread."""
    made = context.made_by(wide, "expand", "full_like", "zeros_like", "ones_like")
    like = None if made is None else made.args[1 if made.op == "expand" else 0]
    if like is not None and any(context.lengths.same(like, other) for other in others):
        return True
    shape = broadcast(narrow.type.shape, *(o.type.shape for o in others))
    return same_shape(stmt.result.type.with_shape(shape), stmt.result.type)


def spread_last(stmt: Apply, context: Context) -> Term | None:
    """`2.0 * expand(s, x)` is `expand(2.0 * s, x)`; so for all arithmetic with scalars."""
    wide = [context.own(a, "expand") for a in stmt.args if not a.type.is_scalar]
    first = wide[0] if wide else None
    if first is None:
        return None
    for other in wide:
        same = other is not None and other.options == first.options
        if other is None or not same or not identical(other.args[1], first.args[1]):
            return None
    # Only scalars fit beside what has yet to be spread.
    if not all(w is not None and w.args[0].type.is_scalar for w in wide):
        return None
    parts = iter(wide)
    args = [a if a.type.is_scalar else _inner(next(parts)) for a in stmt.args]
    return term("expand", term(stmt.op, *args), first.args[1], **dict(first.options))


def _inner(made: Apply | None) -> Operand:
    assert made is not None
    return made.args[0]


def shape_at_hand(stmt: Apply, context: Context) -> Term | None:
    """`zeros_like(a)` is `zeros_like(x)` for an `x` of the same type, if `a` is not near."""
    at = shape_read(stmt.op) or 0
    like = context.like(stmt.args[at])
    if like is None:
        return None
    return term(stmt.op, *stmt.args[:at], like, *stmt.args[at + 1 :], **dict(stmt.options))


def spread_at_once(stmt: Apply, context: Context) -> Term | None:
    """`expand(expand(s, x), y)` is `expand(s, y)` for a scalar `s`."""
    inner = context.made_by(stmt.args[0], "expand")
    if inner is None or not inner.args[0].type.is_scalar:
        return None
    return term("expand", inner.args[0], stmt.args[1], axis=None, keepdims=False)


def no_change_of_shape(stmt: Apply, context: Context) -> Operand | None:
    """`expand` and `unbroadcast` to the shape that an operand has; `np.atleast_1d` of a vector."""
    a = stmt.args[0]
    return a if same_type(a.type, stmt.result.type) else None


def made_in_shape(stmt: Apply, context: Context) -> Operand | None:
    """`unbroadcast(v, x)` is `v` where `v` was made in the shape of `x`; so is `expand(v, x)`."""
    v, like = stmt.args
    if stmt.op == "expand" and (stmt.option("axis") is not None or stmt.option("keepdims")):
        return None
    return v if context.lengths.same(v, like) or _is_shaped_like(v, like, context) else None


def shape_of_factor(stmt: Apply, context: Context) -> Term | None:
    """`unbroadcast(v, s * x)` is `unbroadcast(v, x)` for a scalar `s`: the product is not read."""
    v, like = stmt.args
    made = context.made_by(like)
    if made is None or TABLE[made.op].kind != "elementwise" or not context.own(like, made.op):
        return None
    arrays = [a for a in made.args if not a.type.is_scalar]
    if len(arrays) != 1 or arrays[0].type.rank != like.type.rank:
        return None
    return term(stmt.op, v, arrays[0])


def _is_shaped_like(v: Operand, like: Operand, context: Context, depth: int = 6) -> bool:
    """Whether one has the shape of the other, as far as can be told from how it was computed."""
    made = context.made_by(v)
    if identical(v, like) or made is None or not depth:
        return identical(v, like)
    if made.op in ("expand", "unbroadcast"):
        return identical(made.args[1], like)
    row = TABLE.rows.get(made.op)
    if (at := shape_read(made.op)) is not None:
        parts = [made.args[at]]
    elif made.op in STORES:
        parts = [made.args[0]]
    elif row is not None and (row.kind == "elementwise" or row.symbol) and len(made.results) == 1:
        parts = [a for a in made.args if not a.type.is_scalar]
    else:
        return False
    return bool(parts) and all(_is_shaped_like(a, like, context, depth - 1) for a in parts)


def reshape_to_itself(stmt: Apply, context: Context) -> Operand | None:
    """`reshape(x, 2, 3)` is `x`, where the lengths are the same and not only compatible."""
    a, shape = stmt.args[0], stmt.result.type.shape
    if a.type.is_array and a.type.rank == 1 and [number(n) for n in stmt.args[1:]] == [-1]:
        return a
    known = shape is not None and None not in shape
    return a if known and a.type == stmt.result.type else None


def shape_of_lengths(stmt: Apply, context: Context) -> Term | None:
    """`zeros(n, m)` is `zeros_like(x)` where these are the lengths of `x`, in order."""
    first = stmt.args[:1] if stmt.op in ("reshape", "broadcast_to") else ()
    like = _measured(stmt.args[len(first) :], context)
    if like is None:
        return None
    match stmt.op:
        case "reshape" if stmt.option("order") in (None, "C"):
            return term("reshape_like", *first, like)
        case "broadcast_to" if first[0].type.is_scalar:
            return term("expand", *first, like, axis=None, keepdims=False)
        case "zeros" | "ones" if like.type.dtype == stmt.result.type.dtype:
            return term(f"{stmt.op}_like", like)
    return None


def _measured(lengths: Sequence[Operand], context: Context) -> Value | None:
    """The array of which these are all lengths."""
    made = [context.known(n, "dim") for n in lengths]
    like = made[0].args[0] if made and made[0] is not None else None
    if not isinstance(like, Value) or not like.type.is_array or like.type.rank != len(made):
        return None
    axes = [m.option("axis") for m in made if m is not None and m.args[0] == like]
    return like if axes == list(range(len(made))) else None


def shape_alone(stmt: Apply, context: Context) -> Term | None:
    """`unbroadcast(v, expand(0.0, x))` is `unbroadcast(v, x)`: only the shape is read."""
    at = shape_read(stmt.op) or 0
    made = context.known(stmt.args[at], "expand")
    if made is None or not made.args[0].type.is_scalar:
        return None
    like = made.args[1]
    if like.type.dtype != stmt.args[at].type.dtype and stmt.op in ("zeros_like", "ones_like"):
        return None
    if context.like(like) is not None:
        # It has been overwritten, and what was made in its shape stands for it.
        return None
    return term(stmt.op, *stmt.args[:at], like, *stmt.args[at + 1 :], **dict(stmt.options))


def length_of_made(stmt: Apply, context: Context) -> Operand | None:
    """`dim(broadcast_to(s, n, m))` is `n`."""
    made = context.made_by(stmt.args[0], "broadcast_to")
    axis = stmt.option("axis")
    if made is None or not isinstance(axis, int) or not made.args[0].type.is_scalar:
        return None
    return made.args[1 + axis]


def reshape_once(stmt: Apply, context: Context) -> Term | None:
    """`reshape(reshape(x, ...), shape)` is `reshape(x, shape)`."""
    inner = context.known(stmt.args[0], stmt.op)
    if inner is None or inner.options != stmt.options:
        return None
    return term(stmt.op, inner.args[0], *stmt.args[1:], **dict(stmt.options))


def outer_turned(stmt: Apply, context: Context) -> Term | None:
    """`transpose(outer(a, b))` is `outer(b, a)`."""
    made = context.own(stmt.args[0], "outer")
    if made is None or stmt.option("axes") is not None:
        return None
    return term("outer", *made.args[::-1])


def product_turned(stmt: Apply, context: Context) -> Term | None:
    """`transpose(a.T @ b)` is `b.T @ a`, of matrices."""
    made = context.own(stmt.args[0], "matmul")
    if made is None or stmt.option("axes") is not None:
        return None
    if any(a.type.rank != 2 for a in made.args):
        return None
    turned = [context.known(a, "transpose") for a in made.args]
    if not any(t is not None and t.option("axes") is None for t in turned):
        return None
    return term("matmul", *(term("transpose", a) for a in made.args[::-1]))


def transpose_twice(stmt: Apply, context: Context) -> Operand | None:
    """`transpose(transpose(x))` is `x`, where the axes return to their places."""
    inner = context.standing(stmt.args[0], "transpose")
    if inner is None:
        return None
    first, second = inner.option("axes"), stmt.option("axes")
    if first is None and second is None:
        return inner.args[0]
    if not isinstance(first, tuple) or not isinstance(second, tuple):
        return None
    return inner.args[0] if [first[k] for k in second] == list(range(len(first))) else None


def choice(stmt: Apply, context: Context) -> Operand | None:
    """`select(c, a, a)` is `a`, and so is `select(True, a, b)`."""
    test, a, b = stmt.args
    if isinstance(test, Const) and isinstance(test.value, bool | int | float):
        chosen = a if test.value else b
    elif identical(a, b):
        chosen = a
    else:
        return None
    return chosen if same_type(chosen.type, stmt.result.type) else None


def cast_to_itself(stmt: Apply, context: Context) -> Operand | None:
    """A cast to the dtype that a value has; a number is cast at once."""
    (a,) = stmt.args
    if (a.type.kind, a.type.dtype) == (stmt.result.type.kind, stmt.result.type.dtype):
        return a
    value = number(a)
    if isinstance(value, int) and stmt.result.type.dtype == "float64":
        return const(float(value))
    return None


def copy_of_new(stmt: Apply, context: Context) -> Operand | None:
    """A copy of what an operation has just made, and which nothing else reads."""
    (a,) = stmt.args
    made = context.own(a, *TABLE.rows)
    if made is None or TABLE[made.op].alias or not isinstance(a, Value):
        return None
    return a


SHAPES: tuple[tuple[str, Rewrite], ...] = (
    (_BROADCASTING, broadcast_anyway),
    ("add sub mul div neg", spread_last),
    ("expand unbroadcast atleast_1d atleast_2d atleast_3d", no_change_of_shape),
    ("expand unbroadcast", made_in_shape),
    ("unbroadcast", shape_of_factor),
    ("expand", spread_at_once),
    (_LIKE, shape_at_hand),
    ("zeros ones reshape broadcast_to", shape_of_lengths),
    ("zeros_like ones_like reshape_like unbroadcast", shape_alone),
    ("dim", length_of_made),
    ("reshape reshape_like", reshape_to_itself),
    ("reshape", reshape_once),
    ("transpose", transpose_twice),
    ("transpose", outer_turned),
    ("transpose", product_turned),
    ("select", choice),
    ("cast", cast_to_itself),
    ("copy", copy_of_new),
)
