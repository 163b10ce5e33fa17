"""Conversions of numbers: `float(x)`, `int(x)`, `bool(x)`, `complex(x)`, `np.float32(x)`."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import Abstract, Seq, Struct
from adjointgen.frontend.state.assignment_shapes import fails_as_called
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import as_held
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import FLOAT, PYTHON, Type, never_one
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.type_rules import category


def converted(dtype: str) -> Special:
    """`float(x)`, `int(x)`, `bool(x)`, `complex(x)`, `np.float64(x)`."""

    def convert(call: Call) -> Abstract | None:
        if len(call.args) != 1 or call.keywords:
            if call.args or call.keywords:
                return _folded_parts(call) if dtype == "complex128" else None
            return _literal(const(0), dtype) or call.ctx.apply("cast", const(0), dtype=dtype)
        ctx, value = call.ctx, as_held(call.ctx, call.args[0])
        spelling = getattr(call.function, "spelling", "")
        numpys, pythons = (spelling.startswith(home) for home in ("numpy.", "builtins."))
        if isinstance(value, Const):
            return _of_literal(call, value, dtype, numpys)
        if pythons and dtype == "bool" and isinstance(content(ctx, value), Seq | Struct):
            return None if (known := truth(ctx, value)) is None else const(known)
        operand = read(ctx, value)
        if pythons and dtype != "bool" and operand.type.is_array and _refuses(operand.type):
            return fails_as_called(ctx, call.function, call.args, {})
        same = operand.type.is_scalar and operand.type.dtype == dtype
        if same:
            # Python's number or NumPy's: these divide by zero, and are not `True` itself.
            kept = pythons or operand.type == FLOAT
            return ctx.apply("cast", operand, dtype=dtype) if kept else operand
        if operand.type.kind == "list" or (dtype == "bool" and operand.type.kind == "object"):
            return None
        if operand.type.kind == "object" and numpys:
            # NumPy makes an array of a list.
            return unknown(ctx, call.whole())
        if operand.type.rank and numpys:
            return value if operand.type.dtype == dtype else _cast_array(ctx, operand, dtype)
        if operand.type.is_array:
            return _only_entry(ctx, operand, dtype, pythons)
        return ctx.apply("cast", operand, dtype=dtype)

    return convert


def pythons(ctx: Context, operand: Operand) -> Operand:
    """A number of NumPy's as one of Python's: of 64 bits, and not divided by zero."""
    dtype = operand.type.dtype
    plain = next((p for p in PYTHON if category(p) == category(dtype)), "complex128")
    return ctx.apply("cast", operand, dtype=plain)


def _folded_parts(call: Call) -> Abstract | None:
    """`complex(a, b)` of numbers that are known; of others it is a row."""
    parts = [a.value if isinstance(a, Const) else None for a in call.args]
    if call.keywords or not all(isinstance(part, int | float | complex) for part in parts):
        return None
    return const(complex(*parts))  # type: ignore[arg-type]


def _of_literal(call: Call, value: Const, dtype: str, numpys: bool) -> Abstract | None:
    if numpys and call.ctx.outlines.primal:
        # A number of NumPy's divides by zero, overflows and prints in a way of its own.
        return unknown(call.ctx, call.whole())
    found = _literal(value, dtype)
    if found is None and numpys and isinstance(value.value, bool | int | float):
        return call.ctx.apply("cast", value, dtype=dtype)
    if found is None and isinstance(value.value, str) and dtype in ("float64", "int64"):
        # It is no number, and fails; whatever would come of it is one.
        kind = "float" if dtype == "float64" else "int"
        return verbatim(call.ctx, f"{kind}({value.value!r})", (), Type(dtype))
    return found or unknown(call.ctx, call.whole())


def _refuses(array: Type) -> bool:
    """Whether an array is no number to Python: one that has axes, in recent versions of NumPy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            float(np.ones(1))
        except TypeError:
            return bool(array.rank)
    return False


def _cast_array(ctx: Context, operand: Operand, dtype: str) -> Abstract | None:
    """`np.float64(x)` of an array is one; older versions of NumPy make a number of one entry."""
    reduces = np.ndim(np.float64(np.ones(1))) == 0
    if reduces and not any(dim is not None and never_one(dim) for dim in operand.type.shape or ()):
        return None
    return ctx.apply("cast", operand, dtype=dtype)


def _only_entry(ctx: Context, operand: Operand, dtype: str, pythons: bool) -> Abstract:
    """The one entry of an array of length 1, or of one without axes, as a number.

    That an array of unknown rank is one number is for Python to see.
    """
    if pythons and operand.type.rank is None and dtype == "float64":
        return ctx.apply("number", operand)
    whole = ctx.apply("reshape", operand) if operand.type.rank else operand
    entry = ctx.apply("load", whole, index="()")
    return entry if dtype == entry.type.dtype else ctx.apply("cast", entry, dtype=dtype)


def _literal(value: Const, dtype: str) -> Const | None:
    kinds: dict[str, Callable[..., int | float | complex]]
    kinds = {"float64": float, "int64": int, "bool": bool, "complex128": complex}
    try:
        return const(kinds[dtype](value.value)) if dtype in kinds else None
    except (TypeError, ValueError):
        return None
