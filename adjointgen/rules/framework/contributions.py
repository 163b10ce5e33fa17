"""The fit of a derivative to its value: zeros, sums, and the type that a contribution must have.

A derivative has exactly the type of what it belongs to, but for the adjoint of a list, which is an
array until it is returned. `fit_tangent` spreads a tangent over the
shape of its result; `fit_adjoint` is the transpose: it sums a contribution over the axes along
which the argument was broadcast, and casts it back to the argument's dtype.
"""

from __future__ import annotations

from adjointgen.ir.nodes import UNDEFINED, Const, Operand
from adjointgen.ir.types import COMPLEX, Type, same_length
from adjointgen.rules.framework.builder import Builder, const


def zero(builder: Builder, like: Operand, root: str = "") -> Operand:
    """The zero of a value's type: `0.0`, or `np.zeros_like(like)`; undefined for undefined."""
    if isinstance(like, Const) and like.value == UNDEFINED:
        return like
    if like.type.is_scalar or isinstance(like, Const):
        # A literal that stands for an array, as in `total = 0.0` before `total += x`, has no shape.
        return Const(0j if like.type.dtype in COMPLEX else 0.0, like.type)
    return builder.apply("zeros_like", like, root=root)


def is_zero(operand: Operand | None) -> bool:
    """Whether a derivative is absent or a literal zero."""
    return operand is None or (
        isinstance(operand, Const)
        and isinstance(operand.value, int | float | complex)
        and operand.value == 0
    )


def add(builder: Builder, a: Operand | None, b: Operand, root: str = "") -> Operand:
    """`a + b`, where an absent or literal zero `a` gives `b`."""
    if a is None or is_zero(a):
        return b
    return _boxed(builder, builder.apply("add", a, b, root=root), a)


def _boxed(builder: Builder, derivative: Operand, like: Operand) -> Operand:
    """Arithmetic makes numbers of arrays without axes, which can be indexed where `like` can."""
    if like.type.kind == "array" and like.type.rank == 0 and derivative.type.is_scalar:
        return builder.apply("array", derivative)
    return derivative


def fit_tangent(builder: Builder, dot: Operand, result: Operand, root: str) -> Operand:
    """A tangent with the type of `result`: broadcast where the operation broadcast, and cast."""
    dot = real_for(builder, dot, result)
    if result.type.dtype in COMPLEX and dot.type.dtype not in COMPLEX:
        dot = builder.apply("cast", dot, dtype=result.type.dtype)
    if _same_shape(dot.type, result.type):
        return dot
    return builder.apply("expand", dot, result, root=root, axis=None, keepdims=False)


def real_for(builder: Builder, derivative: Operand, value: Operand) -> Operand:
    """The real part of a derivative where the value is real."""
    parts = derivative.type.dtype in COMPLEX and value.type.dtype not in COMPLEX
    return builder.apply("real", derivative) if parts else derivative


def fit_adjoint(builder: Builder, bar: Operand, arg: Operand, fits: bool = False) -> Operand:
    """A contribution with the type of `arg`: summed where `arg` was broadcast, and cast.

    One that `fits` has the shape of `arg`, if it has as many axes.
    """
    if not fits or bar.type.rank != arg.type.rank:
        bar = _sum_down(builder, bar, arg)
    if bar.type.dtype != arg.type.dtype and isinstance(bar, Const):
        return const(bar.value, arg.type)
    bar = real_for(builder, bar, arg)
    to_complex = arg.type.dtype in COMPLEX and bar.type.dtype not in COMPLEX
    if bar.type.dtype != arg.type.dtype and (to_complex or not arg.type.is_scalar):
        bar = builder.apply("cast", bar, dtype=arg.type.dtype)
    return _boxed(builder, bar, arg)


def _same_shape(a: Type, b: Type) -> bool:
    """Whether two types certainly have equal shapes."""
    if a.shape is None or b.shape is None:
        return False
    return len(a.shape) == len(b.shape) and all(
        same_length(p, q) for p, q in zip(a.shape, b.shape, strict=True)
    )


def _sum_down(builder: Builder, bar: Operand, arg: Operand) -> Operand:
    have, want = bar.type.shape, arg.type.shape
    if have is None or want is None or len(have) < len(want):
        return builder.apply("unbroadcast", bar, arg)
    lead = len(have) - len(want)
    axes = list(range(lead))
    kept: list[int] = []
    for axis, wanted in enumerate(want):
        got = have[lead + axis]
        if same_length(got, wanted):
            continue
        if wanted is None or wanted.known != 1:
            return builder.apply("unbroadcast", bar, arg)
        kept.append(lead + axis)
    if kept:
        bar = builder.apply("sum", bar, axis=tuple(kept), keepdims=True)
    if axes and len(axes) == len(have):
        return builder.apply("sum", bar)
    if axes:
        bar = builder.apply("sum", bar, axis=axes[0] if lead == 1 else tuple(axes))
    return bar
