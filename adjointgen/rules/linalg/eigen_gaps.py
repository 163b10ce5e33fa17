"""What stands between values that may coincide: gaps, quotients, divided differences, rotations.

Vectors of equal values have no derivative. What reads such vectors may have one: where numerators
and gaps vanish together (`turning`), or as a function of the matrix that needs no gap (`polar`,
`spectral`, which `ad/prepare/recognize_matrix_functions.py` recognises).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from adjointgen.ir.nodes import Value
from adjointgen.ir.types import COMPLEX, Shape
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.complex_convention import conjugated
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.contributions import is_zero
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, op
from adjointgen.rules.framework.table import TABLE
from adjointgen.rules.framework.type_rules import Types, float_dtype, fresh, result_dtype
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_POSITIVE = [[4.0, 0.6, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 2.5]]
_STACK = [[[2.0, 1.0], [0.5, 3.0]], [[1.0, -0.4], [0.3, 2.0]]]


def _dtype(types: Types) -> str:
    return float_dtype(result_dtype(types))


def turned(a: Any) -> Any:
    """The conjugate transpose."""
    return conjugated(swapped(a))


def identity(a: Any) -> Any:
    """The identity for the last axis of an array, in its dtype."""
    number = a.builder.handle(a.builder.lower(length(a, -1)))
    return number.apply("eye", number, dtype=a.type.dtype)


def differences(values: Any) -> Any:
    """`v_j - v_i`."""
    return values[..., None, :] - values[..., :, None]


def sums(values: Any) -> Any:
    """`v_i + v_j`."""
    return values[..., None, :] + values[..., :, None]


def turning(a: Any, below: Any, size: Any, values: Any, cancels: Any) -> Any:
    """`a / below` for differences of numbers as large as `size`, 0 on the diagonal.

    Where values coincide, a function of the vectors alone has a derivative if it is the same for
    all vectors that the values have; then `a` is zero there and `cancels`, and so does the
    quotient, since `a` does not depend on the values. So it is for vectors that are not read. Of a
    function that reads the values as well, the quotient has a limit that these numbers do not tell,
    and it is NaN. (`runtime/gaps.py` says when numbers are rounding.)
    """
    return op("quotients", a, below, size, values, cancels)


def cancelling(seeds: Sequence[tuple[Any, int]], vectors: Sequence[Any], values_bar: Any) -> Any:
    """Whether such numerators cancel, for pairs of vectors where single ones are read.

    `seeds` are adjoints, each with the axis along which an entry of a vector is found. They do not
    cancel where an adjoint is made of anything that varies but the `vectors` themselves: values
    that were computed by another call, for instance.
    """
    own = {v.operand.name for v in vectors}
    rows = [_read(bar, axis) for bar, axis in seeds]
    alone = values_bar is None and all(_varies_by(bar, own) for bar, _ in seeds)
    if any(row is None for row in rows):
        return alone
    read = reduce(or_, rows)
    across, down = read[..., None, :], read[..., :, None]
    return across == down if alone else ~(across | down)


def _varies_by(bar: Any, own: Container[str]) -> bool:
    """Whether an adjoint varies only as these values do."""
    builder, seen, rest = bar.builder, set[str](), [bar.operand]
    while rest:
        operand = rest.pop()
        if not isinstance(operand, Value) or operand.name in seen or operand.name in own:
            continue
        seen.add(operand.name)
        made = builder.made(operand) or builder.makers.get(operand.name)
        if operand.name in builder.unvaried or not operand.type.is_differentiable:
            continue
        if made is None:
            return False
        row = TABLE[made.op]
        rest += () if row.kind == "constant" or row.shape_only else made.args
    return True


def _read(bar: Any, axis: int) -> Any:
    """Which vectors are read, where parts of the adjoint are added to zeros."""
    builder, parts = bar.builder, []
    made = builder.made(bar.operand)
    while made is not None and made.op in ("store", "accumulate"):
        parts.append(made)
        made = None if is_zero(made.args[0]) else builder.made(made.args[0])
    if made is None or made.op not in ("zeros", "zeros_like"):
        return None
    mask = builder.handle(made.result)
    for part in reversed(parts):
        if not is_zero(part.args[1]):
            index = part.option("index")
            mask = mask.apply("accumulate", mask, 1.0, *part.args[2:], index=index)
    return mask.apply("any", mask != 0.0, axis=axis)


def symmetric(a: Any, lower: bool) -> Any:
    """The symmetric matrix of a triangle, which is all that is read of it."""
    half = op("tril", a, k=-1) if lower else op("triu", a, k=1)
    if a.type.dtype in COMPLEX:
        # Of the diagonal only the real part is read.
        return half + turned(half) + op("real", a) * identity(a)
    return (op("tril", a) if lower else op("triu", a)) + swapped(half)


def in_triangle(a_bar: Any, lower: bool) -> Any:
    """The transpose of `symmetric`: an adjoint is moved into the triangle that is read."""
    name, k = ("tril", -1) if lower else ("triu", 1)
    if a_bar.type.dtype in COMPLEX:
        return op(name, a_bar + turned(a_bar), k=k) + op("real", a_bar) * identity(a_bar)
    return op(name, a_bar) + op(name, swapped(a_bar), k=k)


_SPREAD = [1.0, 2.5, 4.0]
composed(
    "gaps",
    "values",
    [],
    lambda values: (1.0 - identity(values)) / (differences(values) + identity(values)),
    infer=lambda types, options: (fresh(types[0].dtype, _squared(types[0].shape)),),
    domain=[(_SPREAD,)],
    edge="NaN where values coincide",
    runtime="gaps.py",
)
composed(
    "quotients",
    "a, below, size, values, cancels",
    [],
    lambda a, below, size, values, cancels: (1.0 - identity(a)) * a / (below + identity(a)),
    infer=lambda types, options: (fresh(types[0].dtype, types[0].shape),),
    domain=[(_POSITIVE, "float64[3,3]", (1.0,), (1.0,), False)],
    edge="NaN where nothing is divided by nothing, but for what cancels",
    source="Townsend 2016",
    runtime="gaps.py",
)


def _squared(shape: Shape | None) -> Shape | None:
    return None if shape is None else (*shape, shape[-1])


composed(
    "divided",
    "g, slope, values",
    [],
    lambda g, slope, values: differences(g) * op("gaps", values)
    + slope[..., None, :] * identity(values),
    infer=lambda types, options: (fresh(types[0].dtype, _squared(types[0].shape)),),
    domain=[("float64[3]", "float64[3]", _SPREAD)],
    edge="the second derivative is NaN where values coincide",
    source="Higham 2008, theorem 3.11",
    runtime="gaps.py",
)


def _between(args: Args, inner: Any) -> Any:
    """`V (D o V^T E V) V^T` with the divided differences D."""
    _, values, vectors, g, slope = args
    back = swapped(vectors)
    return vectors @ (op("divided", g, slope, values) * (back @ inner @ vectors)) @ back


def _spectral_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`f(A) = V f(w) V^T` has the derivative `V (D o V^T A_dot V) V^T` along `A_dot`, where
    `D_ij = (f(w_i) - f(w_j)) / (w_i - w_j)`, and the slope of f where values are equal.
    """
    return _between(args, symmetric(dots[0], bool(options["lower"])))


def _spectral_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    made = in_triangle(_between(args, y_bar), bool(options["lower"]))
    return [made, None, None, None, None]


general(
    "spectral",
    "a, values, vectors, g, slope, lower=True",
    [],
    _spectral_tangent,
    _spectral_adjoint,
    infer=lambda types, options: (fresh(_dtype(types), types[0].shape),),
    cost=600,
    # The square of this diagonal matrix.
    domain=[
        (
            [[1.0, 0.0, 0.0], [0.0, 2.5, 0.0], [0.0, 0.0, 4.0]],
            (1.0, 2.5, 4.0),
            ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            (1.0, 6.25, 16.0),
            (2.0, 5.0, 8.0),
        )
    ],
    source="Higham 2008, theorem 3.11",
)


def _turned_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`X_dot H + H X_dot = C_dot - X H_dot - H_dot X`."""
    h_dot, change = dots
    if h_dot is not None:
        half = 0.5 * (h_dot + swapped(h_dot))
        term = y @ half + half @ y
        change = -term if change is None else change - term
    return op("turned", args[0], change)


def _turned_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`C_bar` solves the same equation for `X_bar`, and `H_bar = X C_bar + C_bar X`."""
    c_bar = op("turned", args[0], y_bar)
    return [y @ c_bar + c_bar @ y, c_bar]


general(
    "turned",
    "h, c",
    [],
    _turned_tangent,
    _turned_adjoint,
    infer=lambda types, options: (fresh(_dtype(types), types[1].shape),),
    cost=400,
    domain=[(_POSITIVE, "float64[3,3]")],
    source="Higham 2008, section 8.1",
    runtime="gaps.py",
)


def _polar_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`A = Q H` gives `Q_dot = Q X` with `X H + H X = Q^T A_dot - A_dot^T Q`."""
    inner = swapped(y) @ dots[1]
    return y @ op("turned", swapped(y) @ args[1], inner - swapped(inner))


def _polar_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    inner = swapped(y) @ y_bar
    return [None, y @ op("turned", swapped(y) @ args[1], inner - swapped(inner))]


general(
    "polar",
    "q, a",
    [],
    _polar_tangent,
    _polar_adjoint,
    infer=lambda types, options: (fresh(_dtype(types[1:]), types[1].shape),),
    cost=600,
    code="_0_",
    domain=[((1.0,), _POSITIVE), ((1.0,), _STACK)],
    source="Higham 2008, section 8.1",
)
