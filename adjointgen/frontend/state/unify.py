"""The type that two values have in common, and their conversion to it.

A literal number takes the shape of the array that it meets; what a path does not define takes any
type.
"""

from __future__ import annotations

from typing import NoReturn

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.domain.maybe_scalar import is_number
from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import UNDEFINED, Const, Operand, Value
from adjointgen.ir.types import OBJECT, REAL, Dim, Shape, Type, castable, note_join, promote


def join_types(a: Operand, b: Operand) -> Type | None:
    """The type that holds both; None where there is none.

    A literal number takes the shape of the array that it meets, as in `s = 0.0` before a sum of
    rows.
    """
    s, t = a.type, b.type
    if s == t or is_undefined(b):
        return s
    if is_undefined(a):
        return t
    if s.kind == t.kind == "scalar":
        return Type(promote(s.dtype, t.dtype), value=s.value if s.value == t.value else None)
    if s.kind == t.kind and s.kind != "object":
        if s.rank is not None and t.rank is not None and s.rank != t.rank:
            return None
        return Type(promote(s.dtype, t.dtype), join_shapes(s.shape, t.shape), s.kind)
    if is_number(a) and t.kind == "array":
        return Type(promote(s.dtype, t.dtype), t.shape, "array")
    if is_number(b) and s.kind == "array":
        return Type(promote(s.dtype, t.dtype), s.shape, "array")
    return None if s.is_differentiable or t.is_differentiable else OBJECT


def agreed(a: Operand, b: Operand) -> Type | None:
    """The same, with an array of unknown shape for numbers and arrays that are unlike."""
    found = join_types(a, b)
    plain = all(o.type.is_differentiable and o.type.kind in ("scalar", "array") for o in (a, b))
    if found is not None or not plain:
        return found
    return Type(promote(a.type.dtype, b.type.dtype), None, "array")


def join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape that holds both, of one rank where both are known."""
    if a is None or b is None:
        return None
    return tuple(_joined(d, e) for d, e in zip(a, b, strict=True))


def _joined(a: Dim | None, b: Dim | None) -> Dim | None:
    if a is not None and b is not None and a != b:
        note_join(a, b)
    return a if a == b else None


def is_undefined(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is UNDEFINED


def undefined(type: Type) -> Const:
    return Const(UNDEFINED, type)


def convert(ctx: Context, operand: Operand, type: Type) -> Operand:
    """The operand with the dtype and kind of a type that holds it."""
    if is_undefined(operand):
        return undefined(type)
    if operand.type.kind == "object" or operand.type == type:
        return operand
    if type.kind == "array" and type.shape is None and operand.type.shape is not None:
        same = operand.type.dtype == type.dtype
        operand = operand if same else ctx.apply("cast", operand, dtype=type.dtype)
        return ctx.apply("unshaped", operand)
    if type.kind == "array" and operand.type.is_scalar and not isinstance(operand, Const):
        mismatch(ctx, operand.root, operand, Value("", type))
    if isinstance(operand, Const) and is_number(operand):
        value = operand.value
        assert isinstance(value, int | float | complex)
        # A program leaves a Python int as it is where another path has a float.
        kept = type.is_scalar and not isinstance(value, bool)
        if type.dtype.startswith("float") and not isinstance(value, complex) and not kept:
            value = float(value)
        return Const(value, type)
    if operand.type.dtype == type.dtype:
        return operand
    if operand.type.kind == "list":
        return ctx.actions.widened_list(ctx, operand, type.dtype)
    if type.kind == "object":
        return operand
    return ctx.apply(_conversion(operand.type, type), operand, dtype=type.dtype)


def _conversion(own: Type, wanted: Type) -> str:
    """The operation that gives an operand another dtype.

    A program leaves an int or a number of float32 as it is where another path has a float64.
    """
    real = wanted.is_scalar and wanted.dtype in REAL and own.dtype in (*REAL, "int64")
    exact = own.dtype == "int64" or castable(own.dtype, wanted.dtype, "safe")
    return "counted_as" if real and exact else "cast"


def widened(ctx: Context, operand: Operand, type: Type) -> Operand:
    """The operand with a type that holds it, where the program leaves it as it is."""
    made = convert(ctx, operand, type)
    if made.type.dtype != operand.type.dtype:
        ctx.narrow.note(made, ctx.narrow.of(operand))
    return made


def mismatch(ctx: Context, root: str, a: Operand, b: Operand) -> NoReturn:
    """Refuse two values that have no type in common."""
    name = root or "the value"
    if (
        a.type.is_differentiable
        and b.type.is_differentiable
        and a.type.kind != "list" != b.type.kind
    ):
        ctx.unlike(
            "AG401",
            f"{name} changes rank: {a.type} on one path, {b.type} on another",
            "start with an array of the final shape, such as np.zeros(shape)",
            kind=TypeMismatch,
        )
    ctx.absent(
        "AG411",
        f"{name} is {_said(a)} on one path and {_said(b)} on another",
        "give it a number or array on every path",
        kind=TypeMismatch,
    )


def _said(operand: Operand) -> str:
    if isinstance(operand, Const) and not is_number(operand):
        return repr(operand.value)
    return str(operand.type)
