"""The types of arguments: of live values, or from source alone.

From source, in this order: what the caller declares, the annotation, the default, and how the
parameter is used: subscripted, measured or looped over it is an array of float64, in a range or an
index an integer, else a float64 scalar.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from adjointgen.frontend.inline import defaults, parameters
from adjointgen.frontend.source import Source
from adjointgen.frontend.values import Fixed
from adjointgen.ir.types import BOOL, FLOAT, INT, Dim, Type
from adjointgen.rules.infer import dtype_named

Argument = Type | Fixed

SCALARS = {"float": FLOAT, "int": INT, "complex": Type("complex128")}


def type_of(name: str, value: Any) -> Argument:
    """The type of a live argument. An axis of length 1 is known; any other is a symbol."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return Fixed(value)
    if isinstance(value, float | int | complex) and type(value) in (float, int, complex):
        return SCALARS[type(value).__name__]
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is not None and isinstance(shape, tuple) and getattr(dtype, "kind", "O") in "biufc":
        if not shape and not hasattr(value, "__setitem__"):
            return Fixed(bool(value)) if dtype.kind == "b" else Type(str(dtype))
        dims = tuple(Dim("", 1) if n == 1 else Dim(f"{name}.{k}") for k, n in enumerate(shape))
        return Type(str(dtype), dims, "array")
    if type(value) is list and value:
        return _list_type(name, value)
    return Fixed(value)


def _list_type(name: str, value: list[Any]) -> Argument:
    entries = [type_of(f"{name}.0", v) for v in value]
    types = [e for e in entries if isinstance(e, Type) and e.kind != "list"]
    if len(types) < len(value) or len({(t.kind, t.shape) for t in types}) > 1:
        return Fixed(value)
    dtype = max((t.dtype for t in types), key=("int64", "float64", "complex128").index)
    first = types[0].shape or ()
    length = Dim("", 1) if len(value) == 1 else Dim(f"{name}.0")
    return Type(dtype, (length, *(None for _ in first)), "list")


def infer_arguments(source: Source, declared: Mapping[str, Argument]) -> dict[str, Argument]:
    """The types of all parameters from source."""
    given = defaults(source.arguments)
    uses = _uses(source)
    found: dict[str, Argument] = {}
    for parameter in parameters(source.arguments):
        name = parameter.arg
        if name in declared:
            found[name] = declared[name]
            continue
        annotated = None if parameter.annotation is None else _annotated(name, parameter.annotation)
        default = _from_default(given[name]) if name in given else None
        found[name] = annotated or default or _used(name, uses.get(name, set()))
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
        case ast.Attribute(attr=kind) if kind in ("float64", "float32", "int64", "complex128"):
            return Type(kind)
        case ast.Subscript(value=ast.Name(id="list" | "List"), slice=ast.Name(id=kind)) if (
            kind in SCALARS
        ):
            return Type(SCALARS[kind].dtype, (Dim(f"{name}.0"),), "list")
        case ast.Subscript(value=base, slice=inner) if ast.unparse(base).endswith("NDArray"):
            dtype = dtype_named(ast.unparse(inner), "float64")
            return Type(
                dtype if dtype[:3] in ("flo", "int", "com", "boo") else "float64", None, "array"
            )
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _annotated(name, left)
    return Type("float64", None, "array") if text.endswith("ndarray") else None


def _from_default(node: ast.expr) -> Argument | None:
    match node:
        case ast.Constant(value=bool() | str() | None as value):
            return Fixed(value)
        case ast.Constant(value=float() | int() | complex() as value):
            return SCALARS[type(value).__name__]
        case ast.UnaryOp(operand=operand):
            return _from_default(operand)
    return None


def _uses(source: Source) -> dict[str, set[str | int]]:
    """How each name is used: `"index"`, `"array"`, or the number of indices."""
    uses: dict[str, set[str | int]] = {}
    for node in ast.walk(source.node):
        for used, what in _used_in(node):
            if isinstance(used, ast.Name):
                uses.setdefault(used.id, set()).add(what)
    return uses


def _used_in(node: ast.AST) -> Iterator[tuple[ast.AST, str | int]]:
    """What one node says of the expressions in it."""
    match node:
        case ast.Subscript(value=base, slice=index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            yield base, len(parts)
            for part in parts:
                if not isinstance(part, ast.Subscript | ast.Compare | ast.Call):
                    yield from ((inner, "index") for inner in ast.walk(part))
        case ast.Call(func=ast.Name(id="range"), args=args):
            for arg in args:
                if isinstance(arg, ast.Name | ast.BinOp):
                    yield from ((inner, "index") for inner in ast.walk(arg))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _MEASURES:
            yield from ((arg, "array") for arg in args)
        case ast.Attribute(value=base, attr=name) if name in _ATTRIBUTES:
            yield base, "array"
        case ast.For(iter=iterated):
            yield iterated, "array"
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _REDUCTIONS:
            yield first, "array"
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            yield from ((left, "array"), (right, "array"))


_MEASURES = ("len", "enumerate", "zip", "reversed", "sum")
_ATTRIBUTES = ("shape", "size", "T", "sum", "copy", "mean", "dot")
_REDUCTIONS = (
    "sum", "mean", "prod", "dot", "zeros_like", "empty_like", "ones_like", "cumsum", "diff", "std",
)  # fmt: skip


def _used(name: str, uses: set[str | int]) -> Argument:
    ranks = [u for u in uses if isinstance(u, int)]
    if ranks or "array" in uses:
        rank = max(ranks, default=1)
        return Type("float64", tuple(Dim(f"{name}.{k}") for k in range(rank)), "array")
    return INT if "index" in uses else FLOAT
