"""Type rules: dtype, shape and kind of a result from those of the operands.

Dtypes follow NumPy's promotion (NEP 50). A scalar of a default dtype (`float64`, `int64`, ...) is
taken for a Python number, which is weak: it raises the category of an array's dtype, never its
width. Shapes follow broadcasting; entries that are all scalars give a scalar, and so does every
result of rank zero, which NumPy gives back as a scalar. Where a length or a rank is not known, the
result says so, and never guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import (
    BOOL,
    INT,
    INTEGER,
    OBJECT,
    PART_OF,
    REAL,
    Dim,
    Shape,
    Type,
    broadcast,
    promote,
)
from adjointgen.rules.framework.table import Infer

Types = tuple[Type, ...]
Options = Mapping[str, Any]

_DEFAULTS = ("bool", "int64", "float64", "complex128")
_NAMES = {"float": "float64", "int": "int64", "complex": "complex128"}


def category(dtype: str) -> int:
    """0 for bool, 1 for integers, 2 for reals, 3 for complex numbers."""
    if dtype == "bool":
        return 0
    return 1 if dtype in INTEGER else 2 if dtype in REAL else 3


def dtype_named(name: object, default: str) -> str:
    """The dtype that an option names: `float`, `"float64"`, `"np.float32"`, or None."""
    if name is None:
        return default
    text = name.__name__ if isinstance(name, type) else str(name)
    text = text.rpartition(".")[2]
    return _NAMES.get(text, text)


def result_dtype(types: Sequence[Type]) -> str:
    """The dtype of arithmetic on these operands; beside an object, no integer is certain."""
    if types and all(t.dtype == types[0].dtype for t in types):
        return types[0].dtype
    numeric = [t for t in types if t.kind != "object"]
    found = _numeric_dtype(numeric)
    return found if len(numeric) == len(types) or category(found) > 1 else "object"


def _numeric_dtype(numeric: Sequence[Type]) -> str:
    strong = [t.dtype for t in numeric if not (t.is_scalar and t.dtype in _DEFAULTS)]
    weak = [t.dtype for t in numeric if t.is_scalar and t.dtype in _DEFAULTS]
    if not numeric:
        return "object"
    if not strong:
        return promote(*weak)
    dtype = promote(*strong)
    highest = max(map(category, weak), default=0)
    if highest <= category(dtype):
        return dtype
    if highest == 3:
        return "complex64" if dtype in ("float32", "float16") else "complex128"
    return _DEFAULTS[highest]


def float_dtype(dtype: str) -> str:
    """What a function like `sin` gives: floats keep their dtype, integers become floats."""
    if category(dtype) > 1:
        return dtype
    small = {"bool": "float16", "int8": "float16", "uint8": "float16"}
    middle = {"int16": "float32", "uint16": "float32"}
    return small.get(dtype) or middle.get(dtype) or "float64"


def of_ranks(infer: Infer, *ranks: int | tuple[int, ...]) -> Infer:
    """The types of operands of these ranks, in order, the last for all that follow.

    For others that are known it raises NoRule (AG201): a call of these is as it stands, and is
    refused where a derivative goes through it.
    """

    def inferred(types: Types, options: Options) -> Types:
        for k, type in enumerate(types):
            allowed = ranks[min(k, len(ranks) - 1)]
            given = type.rank if type.kind != "object" else None
            if given is not None and given not in (
                allowed if isinstance(allowed, tuple) else (allowed,)
            ):
                raise NoRule(f"no derivative rule for arrays of rank {given} here", code="AG201")
        return infer(types, options)

    return inferred


def may_be_equal(a: Type, b: Type) -> bool:
    """Whether two arrays may have one shape, as far as their lengths are known."""
    if a.shape is None or b.shape is None:
        return True
    pairs = zip(a.shape, b.shape, strict=False)
    known = ((m.known, n.known) for m, n in pairs if m is not None and n is not None)
    return a.rank == b.rank and all(m == n for m, n in known if None not in (m, n))


def of_entries(infer: Infer) -> Infer:
    """The types of operands that have entries: of none, the function has results of its own."""

    def inferred(types: Types, options: Options) -> Types:
        if any(d is not None and d.known == 0 for t in types for d in t.shape or ()):
            raise NoRule("no derivative rule for arrays without entries here", code="AG201")
        return infer(types, options)

    return inferred


def shaped(dtype: str, shape: Shape | None) -> Type:
    """A result of NumPy's: an array, or a scalar where the rank is zero."""
    return Type(dtype, shape, "scalar" if shape == () else "array")


def fresh(dtype: str, shape: Shape | None) -> Type:
    """A new array, which stays an array at rank zero (`np.zeros(())`)."""
    return Type(dtype, shape, "array")


def entrywise(types: Sequence[Type], dtype: str) -> Type:
    """A result of the broadcast shape of the operands."""
    if all(t.kind == "scalar" for t in types):
        return Type(dtype)
    objects = [t for t in types if t.kind == "object"]
    if len(objects) == len(types) or dtype == "object":
        return OBJECT
    if objects and dtype != "bool":
        return Type(dtype, None, "array")
    return shaped(dtype, broadcast(*(t.shape for t in types if t.kind != "object")))


def elementwise_type(types: Types, options: Options) -> Types:
    """Arithmetic: the promoted dtype."""
    return (entrywise(types, dtype_named(options.get("dtype"), result_dtype(types))),)


def floating_type(types: Types, options: Options) -> Types:
    """Functions of real numbers: integers give floats, each operand by its own width."""
    if all(t.is_scalar for t in types) and category(result_dtype(types)) < 2:
        return (Type("float64"),)
    floats = [t if t.is_scalar else t.with_dtype(float_dtype(t.dtype)) for t in types]
    return (entrywise(types, float_dtype(result_dtype(floats))),)


def boxed_type(types: Types, options: Options) -> Types:
    """An array of floating-point numbers, without axes for a number."""
    return (fresh(float_dtype(types[0].dtype), types[0].shape),)


def double_type(types: Types, options: Options) -> Types:
    """What counts in double precision whatever it is given."""
    given = tuple(t for t in types if t.kind != "object")
    return (entrywise(given, "float64"),)


def weak_type(types: Types, options: Options) -> Types:
    """Floating-point numbers, where a number beside arrays counts as one of double precision."""
    if any(t.is_scalar for t in types) and not all(t.is_scalar for t in types):
        return double_type(types, options)
    return floating_type(types, options)


def division_type(types: Types, options: Options) -> Types:
    """True division: integers give float64."""
    dtype = result_dtype(types)
    return (entrywise(types, dtype if category(dtype) > 1 else "float64"),)


def boolean_type(types: Types, options: Options) -> Types:
    """Comparisons and tests."""
    result = entrywise(types, "bool")
    return (BOOL if result.kind == "object" else result,)


def same_type(types: Types, options: Options) -> Types:
    """The type of the first operand."""
    return (types[0].with_dtype(types[0].dtype),)


def real_type(types: Types, options: Options) -> Types:
    """The first operand's shape; the real dtype of the same width."""
    dtype = PART_OF.get(types[0].dtype, types[0].dtype)
    return (entrywise(types[:1], dtype),)


def object_type(types: Types, options: Options) -> Types:
    """Nothing is known of the result."""
    return (OBJECT,)


def int_type(types: Types, options: Options) -> Types:
    """An integer scalar."""
    return (INT,)


def always(*types: Type) -> Infer:
    """The type rule of an operation that gives the same types every time."""
    return lambda _types, _options: types


def as_array(type: Type) -> Type:
    """What `np.asarray` makes of an operand."""
    return type if type.kind == "object" else Type(type.dtype, type.shape, "array")


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that an option names, counted from the front; all for None."""
    if axis is None:
        return tuple(range(rank))
    named = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(a % rank for a in named) if rank else ()


def reduced_shape(shape: Shape | None, axis: Any, keepdims: bool) -> Shape | None:
    """The shape that a reduction leaves."""
    if shape is None:
        return () if axis is None and not keepdims else None
    axes = axes_of(axis, len(shape))
    if keepdims:
        return tuple(Dim("", 1) if k in axes else d for k, d in enumerate(shape))
    return tuple(d for k, d in enumerate(shape) if k not in axes)


def _reduction(of_dtype: Any) -> Infer:
    def infer(types: Types, options: Options) -> Types:
        a = types[0]
        if a.kind == "object":
            return (OBJECT,)
        shape = reduced_shape(a.shape, options.get("axis"), bool(options.get("keepdims")))
        return (shaped(dtype_named(options.get("dtype"), of_dtype(a.dtype)), shape),)

    return infer


def _sum_dtype(dtype: str) -> str:
    if category(dtype) > 1:
        return dtype
    return "uint64" if dtype.startswith("uint") else "int64"


def _mean_dtype(dtype: str) -> str:
    return dtype if category(dtype) > 1 else "float64"


keep_reduction = _reduction(lambda dtype: dtype)
sum_reduction = _reduction(_sum_dtype)
mean_reduction = _reduction(_mean_dtype)
bool_reduction = _reduction(lambda dtype: "bool")
int_reduction = _reduction(lambda dtype: "int64")


def scan_type(types: Types, options: Options) -> Types:
    """Cumulative operations: the operand's shape, or the flattened one without an axis."""
    a, *_ = types
    dtype = dtype_named(options.get("dtype"), _sum_dtype(a.dtype))
    shape = a.shape if options.get("axis") is not None else (size_dim(a.shape),)
    return (fresh(dtype, shape),)


def size_dim(shape: Shape | None) -> Dim | None:
    """The number of entries as a dimension, where it is one."""
    if shape is None:
        return None
    rest = [d for d in shape if d != Dim("", 1)]
    if len(rest) <= 1:
        return rest[0] if rest else Dim("", 1)
    product = 1
    for d in rest:
        if d is None or d.known is None:
            return None
        product *= d.known
    return Dim("", product)


def length_of(type: Type) -> Dim | None:
    """The length that an integer operand stands for in a shape."""
    return type.value


def shape_from(types: Sequence[Type]) -> Shape | None:
    """The shape that operands like those of `np.zeros` spell; None where one is itself a shape."""
    if any(not t.is_scalar for t in types):
        return None
    return tuple(t.value for t in types)


def add_lengths(dims: Sequence[Dim | None]) -> Dim | None:
    """The length of parts put together.

    Lengths are `max(0, symbol + offset)`, so a negative offset cannot be added to.
    """
    symbol, offset = "", 0
    for dim in dims:
        if dim is None or (dim.symbol and (symbol or dim.offset < 0)):
            return None
        symbol, offset = symbol or dim.symbol, offset + dim.offset
    return Dim(symbol, offset)
