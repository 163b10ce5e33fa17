"""The forms that rules are written in: spreading, counting and reshaping, with shapes not known.

A length that the type states as a number is written as that number; any other is read from the
array when the generated code runs.
"""

from __future__ import annotations

from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import COMPLEX, PYTHON
from adjointgen.rules.framework.type_rules import axes_of


def is_given(operand: Any) -> bool:
    """Whether an operand that may be left out, or be None, is there."""
    if operand is None:
        return False
    return not (isinstance(operand.operand, Const) and operand.operand.value is None)


def always(*operands: object) -> bool:
    """Of a row of which something holds whatever its operands are."""
    return True


def divisor(a: Any, raised: bool = False) -> Any:
    """A number that may be 0, as one to divide by: infinite, where Python's would raise.

    `raised` says that the operation itself raises at 0, where it is `math`'s or Python's.
    """
    if a.builder.module == "numpy":
        return as_numpy(a)
    return a if raised or not _may_raise(a) else a.apply("divisor", a)


def as_numpy(a: Any) -> Any:
    """A number as one of NumPy's, whose powers overflow to infinity where Python's raise."""
    return a.apply("as_numpy", a) if _may_raise(a) else a


def _may_raise(a: Any) -> bool:
    """Whether this may be a number of Python's, in a rule that is run for a program."""
    python = a.type.is_scalar and a.type.dtype in PYTHON
    return bool(a.builder.module) and python and not isinstance(a.operand, Const)


def rank_of(a: Any, what: str) -> int:
    """The rank that a rule depends on.

    Raises NoRule (AG201) where it is not known.
    """
    if a.type.rank is None:
        raise NoRule(
            f"no derivative rule for {what} of an array of unknown rank",
            code="AG201",
            help="annotate the argument that it comes from, as in `x: float64[:, :]`",
        )
    return int(a.type.rank)


def length(a: Any, axis: int) -> Any:
    """The length of an axis: a number where it is known."""
    shape = a.type.shape
    dim = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    if dim is not None and dim.known is not None:
        return dim.known
    return a.apply("dim", a, axis=axis)


def size(a: Any, axis: Any = None) -> Any:
    """The number of entries along some axes, or all: a number where it is known."""
    shape = a.type.shape
    if shape is None and axis is None:
        return a.apply("size", a)
    axes = axes_of(axis, len(shape)) if shape is not None else _listed(axis)
    known, rest = 1, []
    for one in (length(a, k) for k in axes):
        if isinstance(one, int):
            known *= one
        else:
            rest.append(one)
    if len(rest) > 1 and axis is None:
        return a.apply("size", a)
    product: Any = known
    for one in rest:
        product = one if isinstance(product, int) and product == 1 else product * one
    return product


def _listed(axis: Any) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, tuple | list) else (axis,)


def expand(y: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The result of a reduction spread over what was reduced."""
    if like.type.is_scalar:
        return y
    return y.apply("expand", y, like, axis=axis, keepdims=bool(keepdims))


def reduce_sum(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.sum`, with only those options written that are not the default."""
    if a.type.is_scalar:
        return a
    options: dict[str, Any] = {} if axis is None else {"axis": axis}
    if keepdims:
        options["keepdims"] = True
    return a.apply("sum", a, **options)


def reshape_like(v: Any, like: Any) -> Any:
    """`v` in the shape of `like`, which has as many entries."""
    if like.type.is_scalar and not v.type.is_scalar:
        return v.apply("sum", v)
    if v.type.shape is not None and v.type.shape == like.type.shape and None not in v.type.shape:
        return v
    shape = like.type.shape
    if shape is not None and all(d is not None and d.known is not None for d in shape):
        return v.apply("reshape", v, *(d.known for d in shape if d is not None))
    return v.apply("reshape_like", v, like)


def zero_like(a: Any) -> Any:
    """The zero of an operand."""
    return a.builder.handle(a.builder.lower(0.0)) if a.type.is_scalar else a.apply("zeros_like", a)


def in_dtype_of(y: Any, factor: Any) -> Any:
    """A factor in the dtype of a result that is narrower than float64.

    NumPy gives `np.where(test, 0.5, 1.0)` and counts in double precision, which would widen it.
    """
    if y.type.dtype not in ("float32", "float16", "complex64"):
        return factor
    fits = factor.type.dtype in ("bool", y.type.dtype) and not factor.type.is_scalar
    return factor if fits else factor.apply("cast", factor, dtype=y.type.dtype)


def narrowed(y: Any, slope: Any) -> Any:
    """An array of double precision in the dtype of a narrower result that it belongs to."""
    made = getattr(slope, "type", None)
    wide = made is not None and made.is_array and made.dtype in ("float64", "complex128")
    return in_dtype_of(y, slope) if wide else slope


def in_double(a: Any) -> Any:
    """An array of narrower numbers in double precision."""
    narrow = a.type.is_array and a.type.dtype in ("float32", "float16")
    return a.apply("cast", a, dtype="float64") if narrow else a


def squared_modulus(a: Any) -> Any:
    """`|a|^2`, of a complex number by its parts."""
    if a.type.dtype not in COMPLEX:
        return a * a
    real, imag = a.apply("real", a), a.apply("imag", a)
    return real * real + imag * imag


def op(name: str, *args: Any, **options: Any) -> Any:
    """An operation of the table by its name, one of the arguments being a handle."""
    first = next(a for a in args if hasattr(a, "builder"))
    return first.apply(name, *args, **options)
