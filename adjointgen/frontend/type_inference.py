"""The types of arguments: of live values, or from source alone.

From source, in this order: what the caller declares, the annotation, the default, and how the
parameter is used: subscripted, measured or looped over it is an array of float64, in a range or an
index an integer, else a float64 scalar. How many axes an array has, `rank_inference.py` says, and
also where an annotation leaves it open.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.domain.qualified_names import is_array
from adjointgen.frontend.domain.structures import Argument, parts_of
from adjointgen.frontend.functions.inlining import defaults, parameters
from adjointgen.frontend.rank_inference import Ranks, ranks_of
from adjointgen.frontend.source.source import Source
from adjointgen.ir.types import BOOL, DTYPES, FLOAT, INT, Dim, Type, dtype_of

SCALARS = {"float": FLOAT, "int": INT, "complex": Type("complex128")}


def type_of(name: str, value: Any, whole: bool = False) -> Argument:
    """The type of a live argument. An axis of length 1 is known; any other is a symbol.

    Of an instance, all attributes are open if it is wanted as a `whole`.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return Fixed(value)
    if isinstance(value, float | int | complex) and type(value) in (float, int, complex):
        return SCALARS[type(value).__name__]
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if shape and not is_array(value):
        return Fixed(value)
    if str(dtype) in DTYPES and isinstance(shape, tuple):
        if not shape and not hasattr(value, "__setitem__"):
            return Fixed(bool(value)) if str(dtype) == "bool" else Type(str(dtype))
        dims = tuple(Dim("", 1) if n == 1 else Dim(f"{name}.{k}") for k, n in enumerate(shape))
        return Type(str(dtype), dims, "array")
    if type(value) is list and value:
        found = _list_type(name, value)
        if found is not None:
            return found
    return parts_of(name, value, partial(type_of, whole=whole), whole) or Fixed(value)


def opened_list(name: str, value: list[Any], type: Type) -> Argument:
    """A list of this type as its entries, of which there are as many as now."""
    if type.rank != 1:
        return parts_of(name, value, type_of) or Fixed(value)
    count = len(value)
    return Parts("list", tuple(range(count)), (Type(type.dtype),) * count, value)


def _list_type(name: str, value: list[Any]) -> Type | None:
    """The type of a list of numbers, or of arrays of one shape."""
    if len({np.shape(v) if hasattr(v, "dtype") else () for v in value}) > 1:
        return None
    if not all(type(v) in (int, float, complex) or hasattr(v, "dtype") for v in value):
        return None
    entries = [type_of(f"{name}.0", v) for v in value]
    types = [e for e in entries if isinstance(e, Type)]
    if len(types) < len(value) or len({(t.kind, t.shape) for t in types}) > 1:
        return None
    known = ("int64", "float64", "complex128")
    if {t.dtype for t in types} - {*known}:
        return None
    dtype = max((t.dtype for t in types), key=known.index)
    first = types[0].shape or ()
    length = Dim("", 1) if len(value) == 1 else Dim(f"{name}.0")
    return Type(dtype, (length, *(None for _ in first)), "list")


def infer_arguments(source: Source, declared: Mapping[str, Argument]) -> dict[str, Argument]:
    """The types of all parameters from source."""
    given = defaults(source.arguments)
    ranks = ranks_of(source)
    found: dict[str, Argument] = {}
    rest = (source.arguments.vararg, source.arguments.kwarg)
    for parameter in parameters(source.arguments):
        if parameter in rest:
            continue
        name = parameter.arg
        if name in declared:
            found[name] = declared[name]
            continue
        if name == "self" and "." in source.qualname:
            # An instance has no type that is seen in the text of a method.
            continue
        annotated = None if parameter.annotation is None else _annotated(name, parameter.annotation)
        default = _from_default(given[name]) if name in given else None
        used = _used(name, ranks)
        if isinstance(annotated, Type) and annotated.is_array and annotated.shape is None:
            annotated = _completed(annotated, name, ranks)
        found[name] = annotated or default or used
    return found


def _annotated(name: str, node: ast.expr) -> Argument | None:
    """`float`, `np.ndarray`, `NDArray[np.float64]`, `list[float]`, and these as strings."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _annotated(name, ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return None
    text = ast.unparse(node)
    match node:
        case ast.Name(id=kind) if kind in SCALARS:
            return SCALARS[kind]
        case ast.Name(id="bool"):
            return BOOL
        case ast.Attribute(attr=kind) if dtype := _spelled(node):
            return Type(dtype)
        case ast.Subscript(value=ast.Name(id="list" | "List"), slice=ast.Name(id=kind)) if (
            kind in SCALARS
        ):
            return Type(SCALARS[kind].dtype, (Dim(f"{name}.0"),), "list")
        case ast.Subscript(value=base, slice=inner) if ast.unparse(base).endswith("NDArray"):
            return Type(_spelled(inner) or "float64", None, "array")
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _annotated(name, left)
    return Type("float64", None, "array") if text.endswith("ndarray") else None


def _spelled(node: ast.expr) -> str | None:
    """The dtype that `np.double` or `float` names."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in np.sctypeDict:
            return dtype_of(name)
    return None


def _from_default(node: ast.expr) -> Argument | None:
    match node:
        case ast.Constant(value=bool() | str() | None as value):
            return Fixed(value)
        case ast.Constant(value=float() | int() | complex() as value):
            return SCALARS[type(value).__name__]
        case ast.UnaryOp(operand=operand):
            return _from_default(operand)
        case ast.Name(id="float" | "int" | "complex" | "bool") | ast.Attribute(
            value=ast.Name(id="np" | "numpy")
        ) if dtype := _spelled(node):
            return Fixed(np.dtype(dtype).type)
    return None


def _completed(annotated: Type, name: str, ranks: Ranks) -> Type:
    """An array of open rank, with that of its use where it is subscripted; else it stays open."""
    rank = ranks.least.get(name, 0)
    if rank < 2 and name not in ranks.subscripted:
        return annotated
    return annotated.with_shape(tuple(Dim(f"{name}.{k}") for k in range(rank)))


def _used(name: str, ranks: Ranks) -> Argument:
    rank = ranks.rank(name)
    if rank:
        return Type("float64", tuple(Dim(f"{name}.{k}") for k in range(rank)), "array")
    return INT if name in ranks.integers else FLOAT
