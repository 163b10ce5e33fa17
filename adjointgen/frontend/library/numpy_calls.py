"""NumPy functions that are more than a row: storage, shapes, conversions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjointgen.frontend.calls.array_class_calls import SPECIAL as ARRAY_CLASSES
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.row_arguments import bind
from adjointgen.frontend.control.growing_lists import grown
from adjointgen.frontend.domain.abstract_values import Abstract, Outside, Ref, Seq, Struct
from adjointgen.frontend.domain.qualified_names import literal
from adjointgen.frontend.expressions.subscripts import assign_part
from adjointgen.frontend.library.array_conversions import CONVERSIONS
from adjointgen.frontend.library.array_iterators import SPECIAL as ARRAY_ITERATORS
from adjointgen.frontend.library.array_namespaces import SPECIAL as NAMESPACES
from adjointgen.frontend.library.array_queries import QUESTIONS
from adjointgen.frontend.library.array_splitting import PARTS
from adjointgen.frontend.library.broadcasting import SPREADING
from adjointgen.frontend.library.builtins import SPECIAL as BUILTIN
from adjointgen.frontend.library.collection_calls import COLLECTIONS
from adjointgen.frontend.library.dicts import SPECIAL as DICTS
from adjointgen.frontend.library.dicts import copy as copied_dict
from adjointgen.frontend.library.dicts import either
from adjointgen.frontend.library.dtype_queries import SPECIAL as DTYPES
from adjointgen.frontend.library.itertools_calls import WALKS
from adjointgen.frontend.library.like_objects import SPECIAL as LIKE_OBJECTS
from adjointgen.frontend.library.list_searches import SPECIAL as SEARCHES
from adjointgen.frontend.library.lists import SPECIAL as LISTS
from adjointgen.frontend.library.lists import sort
from adjointgen.frontend.library.memory_order import ORDERS
from adjointgen.frontend.library.nested_derivatives import SPECIAL as DERIVATIVES
from adjointgen.frontend.library.number_conversions import converted, pythons
from adjointgen.frontend.library.numpy_expansions import REWRITTEN
from adjointgen.frontend.library.object_calls import SPECIAL as OBJECTS
from adjointgen.frontend.library.operator_module import SPECIAL as OPERATORS
from adjointgen.frontend.library.partials import SPECIAL as PARTIALS
from adjointgen.frontend.library.periodic_tables import PERIODIC
from adjointgen.frontend.library.polynomial_classes import SPECIAL as POLYNOMIALS
from adjointgen.frontend.library.random_draws import OF_MODULE
from adjointgen.frontend.library.reflection import SPECIAL as REFLECTION
from adjointgen.frontend.library.request_calls import WAITS
from adjointgen.frontend.library.row_methods import ROWS
from adjointgen.frontend.library.scipy_classes import MODELLED
from adjointgen.frontend.library.scipy_curve_fit import FITS
from adjointgen.frontend.library.scipy_ode import FLOWS
from adjointgen.frontend.library.scipy_quadrature import INTEGRALS
from adjointgen.frontend.library.scipy_root_finding import SOLVING
from adjointgen.frontend.library.scipy_rotations import ROTATIONS
from adjointgen.frontend.library.stacking import STACKING
from adjointgen.frontend.library.type_queries import ASKED
from adjointgen.frontend.library.ufuncs import UFUNCS
from adjointgen.frontend.library.view_calls import VIEWING
from adjointgen.frontend.state.assignment_shapes import fails_as_called
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.index_pattern import index_of
from adjointgen.frontend.state.kept_views import all_of
from adjointgen.frontend.state.passthrough import statement, verbatim
from adjointgen.frontend.state.reachability import callers_cells
from adjointgen.frontend.state.set_order import SETS, spelled
from adjointgen.frontend.state.storage_cells import content, read, view, write
from adjointgen.ir.edit import name_of
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import OBJECT, Dim, Shape, Type, castable, promote
from adjointgen.ir.types import dtype_of as dtype_of_class
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE

WHOLE = Outside("...", OBJECT)


def array_of(ctx: Context, seq: Seq) -> Operand:
    """A tuple or list of numbers or of equal arrays as an array; any other, and a set, as it is."""
    if seq.kind in SETS:
        return _display(ctx, seq, [read(ctx, item) for item in seq.items])
    if not seq.items:
        ctx.imports["import numpy as np"] = None
        return verbatim(ctx, "np.array([])", (), Type("float64", (Dim("", 0),), "array"), pure=True)
    items = [read(ctx, item) for item in seq.items]
    if any(i.type.kind == "object" for i in items):
        return _display(ctx, seq, items)
    if all(isinstance(i, Const) for i in items):
        ctx.imports["import numpy as np"] = None
        dtype = promote(*(i.type.dtype for i in items))
        text = ", ".join(literal(i.value) for i in items if isinstance(i, Const))
        return verbatim(
            ctx, f"np.array([{text}])", (), Type(dtype, (Dim("", len(items)),), "array"), pure=True
        )
    if _is_ragged([i.type.shape for i in items]):
        return _display(ctx, seq, items)
    return ctx.apply("array_of", *items)


def _display(ctx: Context, seq: Seq, items: Sequence[Operand]) -> Operand:
    """What NumPy makes no array of numbers of, as it stands: who gets it may make another."""
    holes, closing = ", ".join(f"_{k}_" for k in range(len(items))), "," if len(items) == 1 else ""
    if seq.kind in SETS:
        return verbatim(ctx, spelled(holes, seq.kind), items, pure=True)
    code = f"[{holes}]" if seq.kind == "list" else f"({holes}{closing})"
    return verbatim(ctx, code, items, pure=True)


def _is_ragged(shapes: Sequence[Shape | None]) -> bool:
    """Whether entries of these shapes cannot form an array."""
    known = [s for s in shapes if s is not None]
    if len({len(s) for s in known}) > 1:
        return True
    lengths = (
        {d.known for d in column if d is not None} - {None} for column in zip(*known, strict=True)
    )
    return any(len(column) > 1 for column in lengths)


def widened_list(ctx: Context, held: Operand, dtype: str) -> Operand:
    """A list of integers as one that holds floats; the entries are what they were.

    It is a new list, so what a program that stands for the function does to it the caller would
    not see.
    """
    given = callers_cells(ctx.state) if ctx.outlines.primal else ()
    if any(ctx.state.cells[cell] == held for cell in given):
        what = "a list of integers, which is the caller's, gets a float"
        ctx.unlike("AG106", what, "give it a list of floats")
    return verbatim(ctx, "list(_0_)", (held,), held.type.with_dtype(dtype), pure=True)


def list_of(ctx: Context, seq: Seq, type: Type | None = None) -> Operand:
    """A list that is indexed at run time, as a value."""
    items = [read(ctx, item) for item in seq.items]
    if items and all(isinstance(i, Const) and i.type.is_scalar for i in items):
        dtype = promote(*(i.type.dtype for i in items))
        holes = ", ".join(f"_{k}_" for k in range(len(items)))
        return verbatim(
            ctx, f"[{holes}]", items, Type(dtype, (Dim("", len(items)),), "list"), pure=True
        )
    if items and all(i.type.is_scalar for i in items):
        return ctx.apply("list_of", *items)
    made = array_of(ctx, seq)
    if made.type.is_differentiable:
        return made
    return ctx.apply("cast", made, dtype="float64")


OWN: dict[str, str] = {
    "float64": "as_numpy",
    "int64": "as_numpy_int64",
    "bool": "as_numpy_bool_",
}
"""Dtypes of numbers that Python has, too: NumPy's divide by zero, wrap and are added otherwise."""


def as_numpy(dtype: str) -> Special:
    """`np.float64(x)`, `np.int64(k)`, `np.bool_(b)` of a number, which stays one of NumPy's."""

    def convert(call: Call) -> Abstract | None:
        ctx, value = call.ctx, call.args[0] if call.args else const(0)
        if not isinstance(value, Const):
            operand = read(ctx, value)
            if operand.type.kind == "scalar":
                return ctx.apply(OWN[dtype], operand)
        made = converted(dtype)(call)
        return ctx.apply(OWN[dtype], made) if isinstance(made, Const) else made

    return convert


def copy(call: Call) -> Abstract | None:
    known = content(call.ctx, call.args[0])
    if isinstance(known, Seq):
        return Seq(known.items, "list")
    if isinstance(known, Struct):
        return copied_dict(call)
    operand = read(call.ctx, call.args[0])
    if operand.type.is_scalar:
        return operand
    return None


def add_at(call: Call) -> Abstract | None:
    """`np.add.at(a, index, v)`: repeated indices are summed."""
    ctx = call.ctx
    target, key, value = call.args
    if not isinstance(target, Ref):
        return None
    index = index_of(ctx, key)
    added = read(ctx, value)
    new = ctx.apply("accumulate", read(ctx, target), added, *index.operands, index=index.pattern)
    write(ctx, target, new)
    return const(None)


def copyto(call: Call) -> Abstract | None:
    """`np.copyto(a, v)`: what is cast is no more than in an operation in place."""
    ctx = call.ctx
    casting, where = call.take("casting", 2, const("same_kind")), call.take("where", 3, const(True))
    if len(call.args) < 2 or not isinstance(casting, Const) or where is None:
        return None
    target, value = read(ctx, call.args[0]), read(ctx, call.args[1])
    literal = isinstance(value, Const) and value.type.dtype == "int64"
    if not literal and not castable(value.type.dtype, target.type.dtype, str(casting.value)):
        return fails_as_called(ctx, call.function, call.args, call.keywords)
    new: Abstract = call.args[1]
    if where != const(True):
        new = ctx.apply("select", read(ctx, where), value, target)
    assign_part(ctx, call.args[0], WHOLE, new, call.node)
    return const(None)


def fill(call: Call) -> Abstract | None:
    """`a.fill(v)`, of a number."""
    if len(call.args) != 2 or call.keywords:
        return None
    target, value = read(call.ctx, call.args[0]), read(call.ctx, call.args[1])
    if value.type.rank and target.type.dtype == "bool":
        return None
    if value.type.rank:
        return fails_as_called(call.ctx, call.function, call.args, call.keywords)
    assign_part(call.ctx, call.args[0], WHOLE, call.args[1], call.node)
    return const(None)


def sort_in_place(call: Call) -> Abstract | None:
    target = call.args[0]
    if isinstance(content(call.ctx, target), Seq) or grown(call.ctx, target) is not None:
        return sort(call)
    if not isinstance(target, Ref):
        return None
    bound = bind(call, TABLE["sort"], method=True)
    if bound is None:
        return None
    write(call.ctx, target, call.ctx.apply("sort", read(call.ctx, target), **bound[1]))
    return const(None)


def nan_to_num(call: Call) -> Abstract | None:
    """With `copy=False` the array itself is changed; the rest is the row."""
    call.keywords |= dict(zip(("copy", "nan", "posinf", "neginf"), call.args[1:], strict=False))
    del call.args[1:]
    copies = call.keywords.get("copy", const(True))
    if not isinstance(copies, Const):
        return None
    call.keywords.pop("copy", None)
    if not copies.value:
        call.keywords["out"] = call.args[0]
    return None


def item(call: Call) -> Abstract | None:
    """`x.item()` of a number, or of an array of one: a number of Python's own."""
    operand = read(call.ctx, call.args[0])
    if operand.type.is_scalar:
        return pythons(call.ctx, operand)
    if len(call.args) == 1 and operand.type.rank is not None:
        if any(n is None or n.known != 1 for n in operand.type.shape or ()):
            raising = 'raise ValueError("can only convert an array of size 1 to a Python scalar")'
            code = f"if _0_.size != 1: {raising}"
            statement(call.ctx, code, (operand,), raises="ValueError")
        first = ", ".join(["0"] * operand.type.rank) or "()"
        return pythons(call.ctx, call.ctx.apply("load", operand, index=first))
    return None


def transpose(call: Call) -> Abstract | None:
    """A view; of a vector it is the vector."""
    ctx, value, *axes = call.ctx, call.args[0], *call.args[1:]
    operand = read(ctx, value)
    given = call.take("axes")
    if given is not None:
        axes = [given]
    if operand.type.rank in (0, 1) and not axes:
        ctx.ranks.add(name_of(operand))
        return all_of(ctx, value)
    if len(axes) == 1 and isinstance(axes[0], Seq):
        axes = list(axes[0].items)
    numbers = tuple(a.value for a in axes if isinstance(a, Const) and isinstance(a.value, int))
    if len(numbers) < len(axes) or operand.type.rank is None:
        return None
    method = not hasattr(call.function, "spelling")
    spelling: dict[str, Any] = {"spelling": ".transpose"} if method else {}
    if numbers:
        if not all(-operand.type.rank <= k < operand.type.rank for k in numbers):
            return None
        positive = tuple(k % operand.type.rank for k in numbers)
        return view(ctx, value, "transpose", axes=positive, **spelling)
    return view(ctx, value, "transpose", **spelling)


CASTS: dict[str, Special] = {
    f"numpy.{name}": as_numpy(dtype) if dtype in OWN else converted(dtype)
    for name in (*np.sctypeDict, "bool_")
    if (cls := vars(np).get(name)) in np.sctypeDict.values()
    and (dtype := dtype_of_class(cls)) is not None
}
"""Calls of the classes of numbers: `np.float32(x)`, `np.double(x)`."""

SPECIAL: dict[str, Special] = (
    BUILTIN
    | UFUNCS
    | SPREADING
    | REWRITTEN
    | PERIODIC
    | DTYPES
    | STACKING
    | WALKS
    | FLOWS
    | MODELLED
    | POLYNOMIALS
    | ARRAY_ITERATORS
    | ROTATIONS
    | COLLECTIONS
    | ROWS
    | QUESTIONS
    | INTEGRALS
    | SOLVING
    | FITS
    | OF_MODULE
    | CONVERSIONS
    | PARTS
    | VIEWING
    | OPERATORS
    | PARTIALS
    | REFLECTION
    | NAMESPACES
    | OBJECTS
    | ARRAY_CLASSES
    | WAITS
    | DERIVATIVES
    | DICTS
    | {name: either(DICTS[name], PARTIALS[name]) for name in DICTS.keys() & PARTIALS.keys()}
    | LISTS
    | LIKE_OBJECTS
    | SEARCHES
    | ASKED
    | CASTS
    | ORDERS
    | {
        "numpy.add.at": add_at,
        "numpy.copyto": copyto,
        "numpy.copy": copy,
        "numpy.nan_to_num": nan_to_num,
        "numpy.transpose": transpose,
        ".transpose": transpose,
        ".copy": copy,
        ".fill": fill,
        ".sort": sort_in_place,
        ".item": item,
    }
)


def special(spelling: str) -> Special | None:
    """The function that handles a call, where it is more than a row."""
    return SPECIAL.get(spelling)
