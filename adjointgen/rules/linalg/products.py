"""Products of vectors, matrices and tensors.

Each adjoint follows from the tangent by `<y_bar, y_dot> = sum <x_bar, x_dot>` and the identity
`<A, B C> = <B^T A, C> = <A C^T, B>`. (Giles 2008, An extended collection of matrix derivative
results for forward and reverse mode algorithmic differentiation.) Leading axes are a stack of
matrices; a contribution that broadcasting widened is summed down by the transform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Operand
from adjointgen.ir.types import Shape, Type, broadcast
from adjointgen.rules.framework.complex_convention import conjugated
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.shape_helpers import op, rank_of, reshape_like
from adjointgen.rules.framework.type_rules import (
    Types,
    fresh,
    result_dtype,
    shaped,
    size_dim,
)
from adjointgen.rules.linalg.batched_products import crossed, dotted, inner, outer, product, vdotted

Options = Mapping[str, Any]
Args = Sequence[Any]


def swapped(a: Any) -> Any:
    """Each matrix of a stack transposed."""
    if rank_of(a, "a matrix product") == 2:
        return a.apply("transpose", a)
    return a.apply("swapaxes", a, axis1=-1, axis2=-2)


def by_columns(b: Any, y: Any) -> Any:
    """`b y^T` of two vectors, or of two matrices."""
    return op("outer", b, y) if rank_of(b, "a solver") == 1 else b @ swapped(y)


def _column(a: Any) -> Any:
    return a.apply("expand_dims", a, axis=-1)


def _row(a: Any) -> Any:
    return a.apply("expand_dims", a, axis=-2)


def _ranks(a: Any, b: Any) -> tuple[int, int]:
    return rank_of(a, "a matrix product"), rank_of(b, "a matrix product")


def _without_stacks(a: Operand, b: Operand) -> bool:
    """Whether a product is one of vectors and matrices, which never broadcasts."""
    return all(x.type.rank in (1, 2) for x in (a, b))


def _without_numbers(a: Operand, b: Operand) -> bool:
    """Whether a product sums over an axis of both, which then have one length."""
    return bool(a.type.rank) and bool(b.type.rank)


def _product_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of `a @ b`."""
    if a == () or b == ():
        raise ValueError("a product of matrices takes no numbers")
    if a is None or b is None:
        return None
    if len(b) == 1:
        return a[:-1]
    if len(a) == 1:
        return b[:-2] + b[-1:]
    lead = broadcast(a[:-2], b[:-2])
    return None if lead is None else (*lead, a[-2], b[-1])


def _matmul_type(types: Types, options: Options) -> Types:
    shape = _product_shape(types[0].shape, types[1].shape)
    return (shaped(result_dtype(types), shape),)


def _matmul_left(y_bar: Any, a: Any, b: Any) -> Any:
    """`<y_bar, a_dot b> = <y_bar b^T, a_dot>`, vectors being rows on the left, columns on the
    right."""
    match _ranks(a, b):
        case 1, 1:
            return y_bar * b
        case 1, 2:
            return b @ y_bar
        case 1, _:
            # Each matrix of the stack times its own row of y_bar.
            product = b @ _column(y_bar)
            return product.apply("load", product, index="..., 0")
        case 2, 1:
            return y_bar.apply("outer", y_bar, b)
        case _, 1:
            return _column(y_bar) * b
        case _:
            return y_bar @ swapped(b)


def _matmul_right(y_bar: Any, a: Any, b: Any) -> Any:
    """`<y_bar, a b_dot> = <a^T y_bar, b_dot>`."""
    match _ranks(a, b):
        case 1, 1:
            return y_bar * a
        case 1, 2:
            return a.apply("outer", a, y_bar)
        case 1, _:
            return _column(a) * _row(y_bar)
        case 2, 1:
            return swapped(a) @ y_bar
        case _, 1:
            product = swapped(a) @ _column(y_bar)
            return product.apply("load", product, index="..., 0")
        case p, 2 if p > 2:
            # The sum over a stack is one product.
            shared = tuple(range(p - 1))
            return a.apply("tensordot", a, y_bar, axes=(shared, shared))
        case _:
            return swapped(a) @ y_bar


linear(
    "matmul",
    "a, b",
    ["numpy.matmul", "operator.matmul"],
    {0: _matmul_left, 1: _matmul_right},
    infer=_matmul_type,
    symbol="@",
    noun="product",
    cost=10,
    fits=_without_stacks,
    domain=[
        ("float64[3]", "float64[3]"),
        ("float64[2,3]", "float64[3]"),
        ("float64[2]", "float64[2,3]"),
        ("float64[2,3]", "float64[3,4]"),
        ("float64[5,2,3]", "float64[3,4]"),
        ("float64[2,3]", "float64[5,3,4]"),
        ("float64[5,1,2,3]", "float64[4,3,2]"),
        ("float64[5,2,3]", "float64[3]"),
        ("float64[2]", "float64[5,2,3]"),
        ("float64[0,3]", "float64[3]"),
    ],
    loop="contraction",
    contracts=True,
    checked="foreign",
    batch=product,
)


def _dot_type(types: Types, options: Options) -> Types:
    a, b = (t.shape for t in types)
    dtype = result_dtype(types)
    if a is None or b is None:
        return (shaped(dtype, None),)
    if not a or not b:
        return (shaped(dtype, a or b),)
    rest = b[:-2] + b[-1:] if len(b) > 1 else ()
    return (shaped(dtype, a[:-1] + rest),)


def _dot_left(y_bar: Any, a: Any, b: Any) -> Any:
    """As for the matrix product; above rank 2, `b`'s other axes are summed out."""
    p, q = _ranks(a, b)
    if p == 0 or q == 0:
        return y_bar * b
    if max(p, q) <= 2:
        return _matmul_left(y_bar, a, b)
    if q == 1:
        return _column(y_bar) * b
    axes = (tuple(range(p - 1, p + q - 2)), (*range(q - 2), q - 1))
    return y_bar.apply("tensordot", y_bar, b, axes=axes)


def _dot_right(y_bar: Any, a: Any, b: Any) -> Any:
    p, q = _ranks(a, b)
    if p == 0 or q == 0:
        return y_bar * a
    if max(p, q) <= 2:
        return _matmul_right(y_bar, a, b)
    others = tuple(range(p - 1))
    product = y_bar.apply("tensordot", a, y_bar, axes=(others, others))
    return product if q <= 2 else product.apply("moveaxis", product, source=0, destination=-2)


linear(
    "dot",
    "a, b",
    ["numpy.dot", ".dot"],
    {0: _dot_left, 1: _dot_right},
    infer=_dot_type,
    cost=10,
    fits=_without_numbers,
    domain=[
        ("float64", "float64[3]"),
        ("float64[3]", "float64"),
        ("float64[3]", "float64[3]"),
        ("float64[2,3]", "float64[3]"),
        ("float64[2]", "float64[2,3]"),
        ("float64[2,3]", "float64[3,4]"),
        ("float64[2,4,3]", "float64[3]"),
        ("float64[2,4,3]", "float64[3,2]"),
        ("float64[2,3]", "float64[4,3,2]"),
        ("float64[3]", "float64[4,3,2]"),
    ],
    loop="contraction",
    contracts=True,
    exact_out=True,
    checked="open",
    batch=dotted,
)


def _scalar_type(types: Types, options: Options) -> Types:
    return (Type(result_dtype(types)),)


linear(
    "vdot",
    "a, b",
    ["numpy.vdot"],
    {
        0: lambda y_bar, a, b: conjugated(y_bar * reshape_like(b, a)),
        1: lambda y_bar, a, b: y_bar * conjugated(reshape_like(a, b)),
    },
    infer=_scalar_type,
    cost=10,
    domain=[("float64[3]", "float64[3]"), ("float64[2,3]", "float64[6]")],
    checked="foreign",
    batch=vdotted,
)


def _inner_type(types: Types, options: Options) -> Types:
    a, b = (t.shape for t in types)
    dtype = result_dtype(types)
    if a is None or b is None:
        return (shaped(dtype, None),)
    return (shaped(dtype, a[:-1] + b[:-1] if a and b else a or b),)


def _inner_left(y_bar: Any, a: Any, b: Any) -> Any:
    """`y = sum_k a[..., k] b[..., k]` over the last axes."""
    p, q = _ranks(a, b)
    if p == 0 or q == 0 or p == q == 1:
        return y_bar * b
    axes = (tuple(range(p - 1, p + q - 2)), tuple(range(q - 1)))
    return y_bar.apply("tensordot", y_bar, b, axes=axes)


def _inner_right(y_bar: Any, a: Any, b: Any) -> Any:
    p, q = _ranks(a, b)
    if p == 0 or q == 0 or p == q == 1:
        return y_bar * a
    others = tuple(range(p - 1))
    return y_bar.apply("tensordot", y_bar, a, axes=(others, others))


linear(
    "inner",
    "a, b",
    ["numpy.inner"],
    {0: _inner_left, 1: _inner_right},
    infer=_inner_type,
    cost=10,
    fits=_without_numbers,
    domain=[
        ("float64[3]", "float64[3]"),
        ("float64[2,3]", "float64[3]"),
        ("float64[3]", "float64[2,3]"),
        ("float64[2,3]", "float64[4,3]"),
        ("float64", "float64[3]"),
    ],
    loop="contraction",
    checked="open",
    batch=inner,
)


def _outer_type(types: Types, options: Options) -> Types:
    dims = tuple(size_dim(t.shape) for t in types)
    return (fresh(result_dtype(types), dims),)


def _raveled(a: Any) -> Any:
    return a if a.type.rank == 1 else a.apply("ravel", a)


linear(
    "outer",
    "a, b",
    ["numpy.outer"],
    {
        0: lambda y_bar, a, b: reshape_like(y_bar @ _raveled(b), a),
        1: lambda y_bar, a, b: reshape_like(_raveled(a) @ y_bar, b),
    },
    infer=_outer_type,
    cost=2,
    domain=[
        ("float64[3]", "float64[2]"),
        ("float64[2,2]", "float64[3]"),
        ("float64", "float64[3]"),
    ],
    loop="spread",
    batch=outer,
)


def _crossed_type(types: Types, options: Options) -> Types:
    """Vectors in a plane have a number for a product, or are refused, as NumPy's version is."""
    for t in types:
        last = t.shape[-1] if t.shape else None
        if last is not None and last.known not in (None, 3):
            raise NoRule(
                "no derivative rule for np.cross of vectors that have not three components",
                code="AG201",
                help="write a[0] * b[1] - a[1] * b[0]",
            )
    return (fresh(result_dtype(types), broadcast(*(t.shape for t in types))),)


# For vectors of three components along the last axis: <y_bar, a_dot x b> = <b x y_bar, a_dot>.
linear(
    "cross",
    "a, b",
    ["numpy.cross"],
    {
        0: lambda y_bar, a, b: y_bar.apply("cross", b, y_bar),
        1: lambda y_bar, a, b: y_bar.apply("cross", y_bar, a),
    },
    infer=_crossed_type,
    cost=9,
    domain=[("float64[3]", "float64[3]"), ("float64[2,3]", "float64[3]")],
    batch=crossed,
)
