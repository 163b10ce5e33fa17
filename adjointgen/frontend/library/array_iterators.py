"""`np.nditer`: an instance of the class in `frontend/source/numpy_nditer.py`.

    for v in np.nditer(a): S       for index in np.ndindex(a.shape):  v = a[(*index, ...)];  S

A call with options that the class does not have stands as it is, and so does one in a program that
stands for the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Ref, Seq
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.functions.numpy_definitions import holds_floats
from adjointgen.frontend.source.numpy_nditer import NdIter
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.storage_cells import content, hold, lies_in_order, read
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

FLAGS: Final = {"multi_index", "c_index", "f_index", "refs_ok", "zerosize_ok"}
WRITING: Final = {"readonly": False, "readwrite": True, "writeonly": True, "allocate": True}
NAMES: Final = ("op", "flags", "op_flags", "op_dtypes", "order")
WHY: Final = "np.nditer of an array that is not contiguous has no derivative (AG104)"


def _nditer(call: Call) -> Abstract | None:
    ctx = call.ctx
    given = dict(zip(NAMES, call.args, strict=False)) | call.keywords
    if ctx.outlines.primal or given.keys() - set(NAMES) or len(call.args) > len(NAMES):
        return None
    unread = [given[name] for name in ("op_dtypes", "order") if name in given]
    if any(content(ctx, value) not in (const(None), const("K")) for value in unread):
        return None
    flags, known = _texts(ctx, given.get("flags")), content(ctx, given["op"])
    several = isinstance(known, Seq)
    operands: list[Abstract] = [*known.items] if isinstance(known, Seq) else [given["op"]]
    written = _written(ctx, given.get("op_flags"), operands, several)
    if flags is None or written is None or set(flags) - FLAGS:
        return None
    if not holds_floats(ctx, operands) or not _are_arrays(ctx, operands):
        return None
    for operand in operands:
        _check_order(ctx, operand)
    operands = _as_arrays(ctx, operands)
    head: list[Abstract] = [
        const(several),
        Seq(tuple(map(const, written))),
        Seq(tuple(map(const, flags))),
    ]
    return construct(ctx, Class(NdIter, "nditer"), [*head, *operands], {}, call.node)


def _texts(ctx: Context, value: Abstract | None) -> list[str] | None:
    """A list of constant texts; None where it is none."""
    if value is None:
        return []
    known = content(ctx, value)
    if not isinstance(known, Seq):
        return None
    found = [content(ctx, one) for one in known.items]
    texts = [one.value for one in found if isinstance(one, Const) and isinstance(one.value, str)]
    return texts if len(texts) == len(found) else None


def _written(
    ctx: Context, value: Abstract | None, operands: Sequence[Abstract], several: bool
) -> list[bool] | None:
    """Which operands may be written to; None where it is not known, or more is asked for."""
    if value is None:
        return [content(ctx, one) == const(None) for one in operands]
    known = content(ctx, value)
    if not isinstance(known, Seq):
        return None
    one_list = _texts(ctx, value)
    each = [_texts(ctx, v) for v in known.items]
    lists = [one_list] * len(operands) if one_list else each
    if len(lists) != len(operands):
        return None
    found = []
    for texts in lists:
        if not texts or set(texts) - WRITING.keys():
            return None
        found.append(any(WRITING[text] for text in texts))
    return found


def _are_arrays(ctx: Context, operands: Sequence[Abstract]) -> bool:
    """Whether each is an array of a known number of axes, or one is None and is to be made."""
    asked = [one for one in operands if content(ctx, one) != const(None)]
    types = [read(ctx, one).type for one in asked if not isinstance(content(ctx, one), Seq)]
    arrays = len(types) == len(asked) and all(
        t.kind in ("scalar", "array") and t.shape is not None for t in types
    )
    missing = len(operands) > len(asked)
    return arrays and (not missing or {t.dtype for t in types} == {"float64"})


def _as_arrays(ctx: Context, operands: Sequence[Abstract]) -> list[Abstract]:
    """The operands, arrays in the place of numbers."""

    def made(one: Abstract) -> Abstract:
        number = None if content(ctx, one) == const(None) else read(ctx, one)
        if number is None or not number.type.is_scalar:
            return one
        return hold(ctx, ctx.apply("asarray", number), "")

    return [made(one) for one in operands]


def _check_order(ctx: Context, operand: Abstract) -> None:
    """The order of the entries is tested where it is not known."""
    if content(ctx, operand) == const(None):
        return
    if isinstance(operand, Ref) and lies_in_order(ctx, operand):
        return
    array = read(ctx, operand)
    if array.type.rank:
        code = f'if not _0_.flags.c_contiguous: raise NotImplementedError("{WHY}")'
        constant = ctx.apply("stop_gradient", array)
        statement(ctx, code, (constant,), raises="NotImplementedError")


SPECIAL: dict[str, Special] = {"numpy.nditer": _nditer}
