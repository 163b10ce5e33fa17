"""Calls of NumPy and SciPy that are several operations, and are written as these.

np.sum(x, where=m, initial=c)      np.sum(np.where(m, x, 0.0)) + c
np.max(x, initial=c)               np.max(np.concatenate(([c], x)))
np.diff(x, prepend=a)              np.diff(np.concatenate((a, x)))
np.select([p, q], [a, b], c)       np.where(p, a, np.where(q, b, c))
np.block([[a, b], [c, d]])         a concatenation of concatenations
np.einsum(a, [0, 1], [1, 0])       np.einsum("ab->ba", a)
np.cumulative_sum(x, axis=0)       np.cumsum(x, axis=0)
normalize_axis_index(-1, 2)        1
scipy.linalg.cho_factor(a)         (scipy.linalg.cholesky(a), False)
scipy.linalg.cho_solve((c, l), b)  two triangular systems
"""

from __future__ import annotations

import math
from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Named, Outside, Ref, Seq
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Operand
from adjointgen.rules.framework.builder import const


def _given(call: Call, name: str) -> Operand | None:
    """An argument by keyword that is not None."""
    found = call.keywords.get(name)
    if found is None or (isinstance(found, Const) and found.value is None):
        return None
    return read(call.ctx, found)


def _reduced(op: str, neutral: float, together: str) -> Special:
    """A reduction of the entries where a mask holds, together with an initial value."""

    def rewrite(call: Call) -> Abstract | None:
        where, initial = _given(call, "where"), _given(call, "initial")
        plain = where is None or (isinstance(where, Const) and where.value is True)
        if (plain and initial is None) or not set(call.keywords) <= _KNOWN or not call.args:
            return None
        options = _axes(call)
        operand = numeric(call.ctx, read(call.ctx, call.args[0]))
        if options is None or not operand.type.is_array:
            return None
        if not plain and where is not None:
            operand = call.ctx.apply("select", where, operand, const(neutral))
        whole = options.get("axis") is None and "keepdims" in options
        if initial is not None and math.isinf(neutral) and not (whole or _has_entries(operand)):
            operand, initial = _beginning(call.ctx, operand, initial, options.get("axis")), None
        result = call.ctx.apply(op, operand, **options)
        return result if initial is None else call.ctx.apply(together, result, initial)

    return rewrite


def _has_entries(array: Operand) -> bool:
    """Whether every axis is known to be longer than 0."""
    shape = array.type.shape
    return shape is not None and all(axis is not None and axis.known for axis in shape)


def _beginning(ctx: Context, array: Operand, initial: Operand, axis: Any) -> Operand:
    """An array with the initial value before its entries: without entries, that is the greatest."""
    if array.type.rank == 1 or not isinstance(axis, int):
        array = array if array.type.rank == 1 else ctx.apply("ravel", array)
        return ctx.apply("concatenate", ctx.apply("atleast_1d", initial), array)
    one = ctx.apply("zeros_like", ctx.apply("sum", array, axis=axis, keepdims=True))
    return ctx.apply("concatenate", ctx.apply("add", one, initial), array, axis=axis)


_KNOWN = {"axis", "keepdims", "where", "initial"}


def _axes(call: Call) -> dict[str, Any] | None:
    """The axis and `keepdims` of a reduction, where nothing else is given by position."""
    if len(call.args) > 2:
        return None
    options: dict[str, Any] = {}
    axis = call.take("axis", 1)
    if axis is not None and (found := static(call.ctx, axis, "axis")) is not None:
        options["axis"] = found
    if "keepdims" in call.keywords and static(call.ctx, call.keywords["keepdims"], "keepdims"):
        options["keepdims"] = True
    return options


def _mean(call: Call) -> Abstract | None:
    """The sum where the mask holds over the number of entries where it does."""
    where = _given(call, "where")
    if where is None or isinstance(where, Const) or not set(call.keywords) <= _KNOWN:
        return None
    ctx, options = call.ctx, _axes(call)
    operand = numeric(ctx, read(ctx, call.args[0]))
    if options is None or not operand.type.is_array:
        return None
    total = ctx.apply("sum", ctx.apply("select", where, operand, const(0.0)), **options)
    ones = ctx.apply("ones_like", operand)
    number = ctx.apply("sum", ctx.apply("select", where, ones, const(0.0)), **options)
    return ctx.apply("div", total, number)


def _difference(call: Call) -> Abstract | None:
    """With something put before or after, joined with it first."""
    before, after = _given(call, "prepend"), _given(call, "append")
    if before is None and after is None:
        return None
    ctx = call.ctx
    array = read(ctx, call.args[0])
    axis = static(ctx, call.take("axis", 2, const(-1)) or const(-1), "axis")
    if array.type.rank != 1 or axis not in (-1, 0):
        return None
    parts = [p for p in (before, array, after) if p is not None]
    parts = [ctx.apply("atleast_1d", p) if p.type.is_scalar else p for p in parts]
    times = call.take("n", 1)
    options = {} if times is None else {"n": static(ctx, times, "n")}
    return ctx.apply("diff", ctx.apply("concatenate", *parts), **options)


def _select(call: Call) -> Abstract | None:
    """The first choice whose condition holds."""
    ctx = call.ctx
    lists = [content(ctx, call.take(n, k) or const(None)) for k, n in enumerate(_LISTS)]
    default = call.take("default", 2, const(0.0)) or const(0.0)
    conditions, choices = lists
    if not isinstance(conditions, Seq) or not conditions.items:
        return None
    if isinstance(choices, Ref) and read(ctx, choices).type.kind == "list":
        count = range(len(conditions.items))
        choices = Seq(tuple(ctx.actions.part(ctx, choices, const(k)) for k in count))
    if not isinstance(choices, Seq):
        return None
    result = read(ctx, default)
    tests = [numeric(ctx, read(ctx, condition)) for condition in conditions.items]
    values = [numeric(ctx, read(ctx, choice)) for choice in choices.items]
    if any(t.type.dtype != "bool" for t in tests) or any(_is_object(v) for v in (*values, result)):
        return None
    for test, value in reversed(list(zip(tests, values, strict=True))):
        result = ctx.apply("select", test, value, result)
    return result


def _is_object(operand: Operand) -> bool:
    return operand.type.dtype == "object"


_LISTS = ("condlist", "choicelist")


def _block(call: Call) -> Abstract | None:
    """The innermost lists are joined along the last axis, those around them along another."""
    if len(call.args) != 1 or call.keywords:
        return None
    rows = content(call.ctx, call.args[0])
    known = isinstance(rows, Seq) and rows.items and not _has_lists(call.ctx, rows)
    return _joined(call, rows) if known and isinstance(rows, Seq) else None


def _has_lists(ctx: Context, whole: Seq) -> bool:
    """Whether a list that is no display is among the entries, or a tuple, which NumPy refuses."""
    for item in (whole, *whole.items):
        known = content(ctx, item)
        if isinstance(known, Seq) and known.kind != "list":
            return True
        parts = known.items if isinstance(known, Seq) else (item,)
        kinds = (read(ctx, p).type.kind for p in parts if not isinstance(content(ctx, p), Seq))
        if "list" in kinds:
            return True
    return False


def _joined(call: Call, whole: Seq) -> Operand | None:
    ctx = call.ctx
    items = [content(ctx, item) for item in whole.items]
    if not all(isinstance(item, Seq) and item.kind == "list" for item in items):
        return _row(call, whole.items, 1)
    rows = [_row(call, item.items, 2) for item in items if isinstance(item, Seq)]
    found = [row for row in rows if row is not None]
    return ctx.apply("concatenate", *found) if len(found) == len(rows) else None


def _row(call: Call, items: tuple[Abstract, ...], rank: int) -> Operand | None:
    ctx = call.ctx
    if any(isinstance(content(ctx, item), Seq) for item in items):
        return None
    operands = [numeric(ctx, read(ctx, item)) for item in items]
    if any(o.type.rank is None or o.type.rank > 2 for o in operands):
        return None
    rank = max(rank, *(o.type.rank or 0 for o in operands))
    parts = [
        o if o.type.is_array and o.type.rank == rank else ctx.apply(f"atleast_{rank}d", o)
        for o in operands
    ]
    return ctx.apply("concatenate", *parts, axis=-1)


def _factor(call: Call) -> Abstract | None:
    """What is not of the factor is not defined, and here 0."""
    lower = static(call.ctx, call.take("lower", 1, const(False)) or const(False), "lower")
    matrix = numeric(call.ctx, read(call.ctx, call.args[0]))
    options = {"lower": True} if lower else {}
    made = call.ctx.apply("upper_cholesky", matrix, **options)
    return Seq((made, const(bool(lower))))


def _factor_solve(call: Call) -> Abstract | None:
    ctx = call.ctx
    pair = content(ctx, call.args[0])
    right = call.take("b", 1)
    if not isinstance(pair, Seq) or len(pair.items) != 2 or right is None:
        return None
    factor, lower = numeric(ctx, read(ctx, pair.items[0])), static(ctx, pair.items[1], "lower")
    first: dict[str, Any] = {"lower": True} if lower else {"trans": 1}
    second: dict[str, Any] = {"lower": True, "trans": 1} if lower else {}
    inner = ctx.apply("solve_triangular", factor, numeric(ctx, read(ctx, right)), **first)
    return ctx.apply("solve_triangular", factor, inner, **second)


def _solve_factored(call: Call) -> Abstract | None:
    """`lu_solve((lu, piv), b)`; None for a pair that is not known, or a conjugate."""
    ctx, right = call.ctx, call.take("b", 1)
    pair = ctx.actions.entries(ctx, call.args[0])
    trans = static(ctx, call.take("trans", 2, const(0)) or const(0), "trans")
    if pair is None or len(pair) != 2 or right is None or trans not in (0, 1):
        return None
    factor, swaps = (numeric(ctx, read(ctx, item)) for item in pair)
    name = "lu_solve_transposed" if trans else "lu_solve"
    return ctx.apply(name, factor, swaps, numeric(ctx, read(ctx, right)))


_SUM = _reduced("sum", 0.0, "add")
_PRODUCT = _reduced("prod", 1.0, "mul")
_MAXIMUM = _reduced("amax", -math.inf, "maximum")
_MINIMUM = _reduced("amin", math.inf, "minimum")


def letters_of(call: Call) -> tuple[str, list[Abstract]] | None:
    """The subscripts of `np.einsum`, where they are known, and the arrays.

    In `np.einsum(a, [0, 1], b, [1, 2], [0, 2])` letters stand for the numbers.
    """
    ctx, args = call.ctx, call.args
    if not args:
        return None
    first = content(ctx, args[0])
    if isinstance(first, Const):
        return (first.value, args[1:]) if isinstance(first.value, str) else None
    pairs = len(args) // 2
    texts = [_letters(call, a) for a in (*args[1 : 2 * pairs : 2], *args[2 * pairs :])]
    if None in texts:
        return None
    subscripts = ",".join(t for t in texts[:pairs] if t is not None)
    if len(texts) > pairs:
        subscripts += f"->{texts[-1]}"
    return subscripts, args[: 2 * pairs : 2]


def contracted(call: Call) -> Abstract | None:
    """`np.einsum` of numbered axes as the row."""
    found = None if call.keywords else letters_of(call)
    if found is None or isinstance(content(call.ctx, call.args[0]), Const):
        return None
    operands = [numeric(call.ctx, read(call.ctx, a)) for a in found[1]]
    return call.ctx.apply("einsum", *operands, subscripts=found[0])


def _letters(call: Call, numbers: Abstract) -> str | None:
    known = content(call.ctx, numbers)
    if not isinstance(known, Seq):
        return None
    found = []
    for item in known.items:
        match item:
            case Const(value=int(number)):
                found.append(_ALPHABET[number])
            case Outside(text="...") | Named(spelling="builtins.Ellipsis"):
                found.append("...")
            case _:
                return None
    return "".join(found)


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def _running(op: str, like: str) -> Special:
    """Sums or products of the entries so far, with those of none before them if that is asked."""

    def rewrite(call: Call) -> Abstract | None:
        if len(call.args) != 1 or not set(call.keywords) <= {"axis", "include_initial"}:
            return None
        ctx = call.ctx
        operand = numeric(ctx, read(ctx, call.args[0]))
        options = {name: static(ctx, value, name) for name, value in call.keywords.items()}
        rank, axis = operand.type.rank, options.get("axis")
        if not operand.type.is_array or (axis is None and rank != 1):
            return None
        along = 0 if axis is None else axis
        found = ctx.apply(op, operand, axis=along)
        if not options.get("include_initial"):
            return found
        first = ctx.apply(like, ctx.apply("sum", found, axis=along, keepdims=True))
        return ctx.apply("concatenate", first, found, axis=along)

    return rewrite


def _axis_index(call: Call) -> Abstract | None:
    """`normalize_axis_index(axis, ndim)` of what is known; NumPy raises for another axis."""
    known = [content(call.ctx, value) for value in call.args]
    match known:
        case [Const(value=int(axis)), Const(value=int(rank))] if -rank <= axis < rank:
            return const(axis % rank)
    return None


REWRITTEN: dict[str, Special] = {
    "numpy.cumulative_sum": _running("cumsum", "zeros_like"),
    "numpy.cumulative_prod": _running("cumprod", "ones_like"),
    "numpy.lib.array_utils.normalize_axis_index": _axis_index,
    "numpy._core.multiarray.normalize_axis_index": _axis_index,
    "numpy.sum": _SUM,
    ".sum": _SUM,
    "numpy.prod": _PRODUCT,
    ".prod": _PRODUCT,
    "numpy.max": _MAXIMUM,
    "numpy.amax": _MAXIMUM,
    ".max": _MAXIMUM,
    "numpy.min": _MINIMUM,
    "numpy.amin": _MINIMUM,
    ".min": _MINIMUM,
    "numpy.mean": _mean,
    ".mean": _mean,
    "numpy.diff": _difference,
    "numpy.select": _select,
    "numpy.block": _block,
    "scipy.linalg.cho_factor": _factor,
    "scipy.linalg.cho_solve": _factor_solve,
    "scipy.linalg.lu_solve": _solve_factored,
}
