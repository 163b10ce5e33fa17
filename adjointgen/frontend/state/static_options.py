"""Options of operations: what must be known when the program is generated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import Abstract, Named, Outside, Seq
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Apply, Const, Dtype, Value, operands_of, results_of
from adjointgen.ir.types import INTEGER
from adjointgen.ir.types import dtype_of as native
from adjointgen.rules.framework.builder import const
from adjointgen.watch import MISSING, Held, look


def static(ctx: Context, value: Abstract, name: str) -> Any:
    """The value of an option, which must be known when the program is generated."""
    value = content(ctx, value)
    if name == "dtype":
        return dtype_of(ctx, value)
    match value:
        case Const(value=known):
            return known
        case Seq(items=items):
            return tuple(static(ctx, item, name) for item in items)
        case Named(text=text):
            return text
        case Outside(text=text) if text.endswith(".inf"):
            return math.inf
        case Outside(table=Table(live=list() as live)) if all(type(v) is int for v in live):
            return _listed(live)
        case Value() if (number := _infinity(ctx, value)) is not None:
            return number
    try:
        ctx.unlike(
            "AG104",
            f"`{name}` must be known when the program is generated",
            "write it as a literal, or pass it as a constant of the specialisation",
        )
    except AdjointgenError as error:
        error.wanted = _argument(ctx, value) if isinstance(value, Value) else ""
        raise


def _listed(live: list[int]) -> tuple[int, ...]:
    """The integers of a list of the module; the program stands as long as they are the same."""
    found = tuple(live)
    look(Held(live, lambda now: found if tuple(now) == found else MISSING), "entries")
    return found


def _argument(ctx: Context, value: Value) -> str:
    """An integer argument that a value follows from: what it is in a call decides."""
    made = {r.name: s for block in ctx.blocks for s in block for r in results_of(s)}
    waiting, seen = [value], {value.name}
    while waiting:
        one = waiting.pop()
        if one.name not in made and one.name == one.root and one.type.dtype in INTEGER:
            return one.name
        before = operands_of(made[one.name]) if one.name in made else ()
        waiting += [v for v in before if isinstance(v, Value) and v.name not in seen]
        seen.update(v.name for v in waiting)
    return ""


def _infinity(ctx: Context, value: Value) -> float | None:
    """The number that `np.inf` stands for."""
    for stmt in reversed(ctx.blocks[-1]):
        if isinstance(stmt, Apply) and value in stmt.results and stmt.op == "verbatim":
            return math.inf if str(stmt.option("code")).endswith(".inf") else None
        if isinstance(stmt, Apply) and value in stmt.results and stmt.op == "neg":
            (inner,) = stmt.args
            found = _infinity(ctx, inner) if isinstance(inner, Value) else None
            return None if found is None else -found
    return None


def dtype_of(ctx: Context, value: Abstract) -> str | None:
    """The dtype that `float`, `np.float64`, `"d"` or `x.dtype` names; None for None.

    Empty where it is not known, or none of numbers that a program computes with.
    """
    known = content(ctx, value)
    if known == const(None):
        return None
    found = known_dtype(known)
    return "" if found is None else found.name


def known_dtype(value: Abstract) -> np.dtype[Any] | None:
    """The dtype that NumPy takes a value for, of those that numbers have."""
    named: object = None
    match value:
        case Const(value=Dtype(name=named)) | Const(value=str(named)):
            pass
        case Named(spelling=spelling):
            named = live(spelling)[1]
            if not (isinstance(named, type) and _is_concrete(named)):
                return None
    found = None if named is None else native(named)
    return None if found is None else np.dtype(found)


def _is_concrete(named: type) -> bool:
    """Whether a class has a dtype of its own: `np.floating` has none."""
    return named in (bool, int, float, complex) or named in np.sctypeDict.values()


def number_class(value: object) -> Named | None:
    """A class of numbers by its name: `float`, `np.float32`."""
    if not isinstance(value, type) or not _is_concrete(value):
        return None
    if value.__module__ == "builtins":
        return Named(f"builtins.{value.__name__}", value.__name__)
    return Named(f"numpy.{value.__name__}", f"np.{value.__name__}", "import numpy as np")


def harmless(ctx: Context, name: str, value: Abstract) -> bool:
    """Keywords that say what is so anyway; what may be overwritten need not be."""
    usual = {"order": ("C", "K", "A"), "copy": (True, None), "subok": (True, False)}
    overwritten = (False,) if ctx.outlines.primal else (True, False)
    names = ("overwrite_a", "overwrite_b", "overwrite_input", "overwrite_x")
    usual |= dict.fromkeys(names, overwritten)
    usual |= {
        "check_finite": (True, False),
        "allow_singular": (False,),
        "where": (True,),
        "casting": ("same_kind",),
        "like": (None,),
        "weights": (None,),
        "nan_policy": ("propagate",),
        "dtype": (None,),
    }
    return isinstance(value, Const) and value.value in usual.get(name, ())
