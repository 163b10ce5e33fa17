"""Products, cumulative operations, differences and trapezoids: the entries depend on each other.

Products never divide by an entry, or only where it is not zero, so that zeros among the entries
give exact derivatives (Griewank and Walther 2008, section 3.3: Speelpenning's product).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim
from adjointgen.rules.framework.batching import along, reduction
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import general, linear, with_options
from adjointgen.rules.framework.shape_helpers import (
    expand,
    is_given,
    length,
    op,
    rank_of,
    reduce_sum,
    reshape_like,
    zero_like,
)
from adjointgen.rules.framework.table import parse_signature
from adjointgen.rules.framework.type_rules import (
    Types,
    axes_of,
    float_dtype,
    fresh,
    may_be_equal,
    result_dtype,
    scan_type,
    shaped,
    sum_reduction,
)

Options = Mapping[str, Any]
Args = Sequence[Any]


def _at(axis: int, part: str) -> str:
    """The index pattern that takes a part of one axis."""
    return ":, " * axis + part


def _flip(a: Any, axis: Any) -> Any:
    return a.apply("flip", a) if axis is None else a.apply("flip", a, axis=axis)


def _before(a: Any, axis: int) -> Any:
    """The product of the entries before each one along an axis."""
    running = a.apply("cumprod", a, axis=axis)
    earlier = running.apply("load", running, index=_at(axis, ":-1"))
    return a.apply("store", a.apply("ones_like", a), earlier, index=_at(axis, "1:"))


def _others_along(a: Any, axis: int) -> Any:
    after = _flip(_before(_flip(a, axis), axis), axis)
    return _before(a, axis) * after


def _others(a: Any, axis: Any) -> Any:
    """The product of all other entries of the same group, in the shape of `a`."""
    if a.type.is_scalar:
        return 1.0
    if axis is None:
        flat = a if a.type.rank == 1 else a.apply("ravel", a)
        return reshape_like(_others_along(flat, 0), a)
    first, *rest = axes_of(axis, rank_of(a, "prod"))
    others = _others_along(a, first)
    if not rest:
        return others
    product = a.apply("prod", a, axis=first, keepdims=True)
    return others * _others(product, tuple(rest))


def _product_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    weighted = _others(args[0], options["axis"]) * dots[0]
    return reduce_sum(weighted, options["axis"], options["keepdims"])


def _product_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    spread = expand(y_bar, args[0], options["axis"], options["keepdims"])
    return [spread * _others(args[0], options["axis"])]


general(
    "prod",
    "a, axis=None, keepdims=False, dtype=None",
    ["numpy.prod", ".prod", "math.prod"],
    _product_tangent,
    _product_adjoint,
    infer=sum_reduction,
    domain=[
        ("float64",),
        ("float64[4]",),
        ([2.0, 0.0, 3.0],),
        ([0.0, 2.0, 0.0],),
        ("float64[2,3]",),
        ("float64[2,3]", {"axis": 0}),
        ("float64[2,3]", {"axis": -1, "keepdims": True}),
        ("float64[2,3,2]", {"axis": (0, 2)}),
    ],
    loop="fold",
    reduces=True,
    checked="foreign",
    batch=reduction,
)


def _cumulative_sum_transpose(y_bar: Any, a: Any, axis: Any) -> Any:
    """Entry i went into every sum from i on."""
    back = _flip(y_bar.apply("cumsum", _flip(y_bar, axis), axis=0 if axis is None else axis), axis)
    return reshape_like(back, a) if axis is None else back


_SCANS: list[tuple[Any, ...]] = [
    ("float64[4]",),
    ("float64[2,3]",),
    ("float64[2,3]", {"axis": 0}),
    ("float64[2,3]", {"axis": -1}),
]
linear(
    "cumsum",
    "a, axis=None, dtype=None",
    ["numpy.cumsum", ".cumsum"],
    {0: _cumulative_sum_transpose},
    infer=scan_type,
    domain=_SCANS,
    shape_of=0,
    batch=along,
)


def _split_at_zero(a: Any, axis: int) -> tuple[Any, Any, Any, Any]:
    """Where zeros are, where the first one is, the entries without zeros, and the products that
    leave out the first zero."""
    zero = a == 0
    first = zero & (zero.apply("cumsum", zero, axis=axis) == 1)
    without_first = a.apply("cumprod", np.where(first, 1.0, a), axis=axis)
    return zero, first, np.where(zero, 1.0, a), without_first


def _products(a: Any, axis: int) -> Any:
    """As the user's call has them, where that names no axis."""
    return a.apply("cumprod", a) if a.type.rank == 1 else a.apply("cumprod", a, axis=axis)


def _spread_in_full(a: Any, v: Any, *, axis: int) -> Any:
    """Up to the first zero `y * cumsum(v / a)`; from there on only the term of that zero is left,
    its `v` times the product without it.
    """
    zero, first, safe, without_first = _split_at_zero(a, axis)
    regular = v.apply("cumsum", np.where(zero, 0.0, v / safe), axis=axis)
    singular = v.apply("cumsum", np.where(first, v, 0.0), axis=axis)
    return _products(a, axis) * regular + without_first * singular


def _gathered_in_full(a: Any, v: Any, *, axis: int) -> Any:
    """The transpose, in the same way."""
    zero, first, safe, without_first = _split_at_zero(a, axis)
    regular = _cumulative_sum_transpose(v * _products(a, axis), a, axis) / safe
    singular = _cumulative_sum_transpose(v * without_first, a, axis)
    return np.where(first, singular, np.where(zero, 0.0, regular))


def _spread_along(a: Any, v: Any, *, axis: int) -> Any:
    """`z_j = a_j z_j-1 + y_j-1 v_j`, which divides by nothing; y are the products."""
    return op("recurrence", a, _before(a, axis) * v, axis)


def _gathered_along(a: Any, v: Any, *, axis: int) -> Any:
    return _before(a, axis) * _backwards(a, v, axis)


def _later(z: Any, axis: int) -> Any:
    """Entries moved on by one place along an axis, behind a zero."""
    moved = z.apply("load", z, index=_at(axis, ":-1"))
    return z.apply("store", z.apply("zeros_like", z), moved, index=_at(axis, "1:"))


def _backwards(a: Any, v: Any, axis: int) -> Any:
    """The transpose of a recurrence by its terms: `w_k = a_k+1 w_k+1 + v_k`."""
    return _flip(op("recurrence", _later(_flip(a, axis), axis), _flip(v, axis), axis), axis)


def _recurrence_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`z_dot` is the recurrence of `a_dot_k z_k-1 + u_dot_k`."""
    (a, _, along), axis = args, args[2].operand.value
    a_dot, change = dots[0], dots[1]
    if a_dot is not None:
        term = _later(y, axis) * a_dot
        change = term if change is None else term + change
    return op("recurrence", a, change, along)


def _recurrence_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    axis = args[2].operand.value
    u_bar = _backwards(args[0], y_bar, axis)
    return [_later(y, axis) * u_bar, u_bar]


def _recurrence_series(terms: Any) -> Any:
    a, axis = terms.args[0], terms.args[2]
    return terms.op("series_recurrence", terms.y, a, terms.each(0), terms.each(1), axis)


general(
    "recurrence",
    "a, u, axis",
    [],
    _recurrence_tangent,
    _recurrence_adjoint,
    infer=lambda types, options: (fresh(types[1].dtype, types[0].shape),),
    cost=20,
    domain=[
        ("float64[4]", "float64[4]", 0),
        ("float64[2,3]", "float64[2,3]", 1),
        ([2.0, 0.0, 0.0, 0.5], "float64[4]", 0),
    ],
    source="Blelloch 1990, section 1.4",
    runtime="recurrence.py",
    series=_recurrence_series,
)
_FACTORS: list[tuple[Any, ...]] = [
    ("float64[4]", "float64[4]", {"axis": 0}),
    ("float64[2,3]", "float64[2,3]", {"axis": 1}),
    ([0.0, 2.0, 0.0, 0.5, 0.0], "float64[5]", {"axis": 0}),
]
for _name, _definition, _written in (
    ("cumprod_spread", _spread_along, _spread_in_full),
    ("cumprod_gathered", _gathered_along, _gathered_in_full),
):
    composed(
        _name,
        "a, v, axis=0",
        [],
        _definition,
        infer=lambda types, options: (fresh(types[1].dtype, types[0].shape),),
        written=with_options(_written, parse_signature("a, v, axis=0")),
        cost=10,
        domain=_FACTORS,
    )


def _place(a: Any, options: Options) -> int:
    """The axis, counted from the first."""
    (axis,) = axes_of(options["axis"] or 0, rank_of(a, "cumprod"))
    return axis


def _cumulative_product_tangent(
    b: Builder, y: Any, args: Args, dots: Args, options: Options
) -> Any:
    """`y_dot_j = sum_i a_dot_i * (product of the other entries up to j)`."""
    a, dot = (_flat(v, options["axis"]) for v in (args[0], dots[0]))
    return op("cumprod_spread", a, dot, axis=_place(a, options))


def _cumulative_product_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Args, options: Options
) -> Args:
    a = _flat(args[0], options["axis"])
    return [reshape_like(op("cumprod_gathered", a, y_bar, axis=_place(a, options)), args[0])]


def _flat(a: Any, axis: Any) -> Any:
    return a.apply("ravel", a) if axis is None and a.type.rank != 1 else a


def _cumulative_product_series(terms: Any) -> Any:
    a, axis = terms.args[0], terms.options["axis"]
    if axis is None and a.type.rank != 1:
        return terms.through(lambda: _flat(a, None).apply("cumprod", _flat(a, None)))
    return terms.op("series_products", terms.y, a, terms.each(0), axis or 0)


general(
    "cumprod",
    "a, axis=None, dtype=None",
    ["numpy.cumprod", ".cumprod"],
    _cumulative_product_tangent,
    _cumulative_product_adjoint,
    infer=scan_type,
    domain=[
        *_SCANS,
        ([2.0, 0.0, 3.0, 0.5],),
        ([0.0, 2.0, 0.0, 0.0, 3.0],),
        ([[1.5, 0.0], [0.0, 2.0]], {"axis": 1}),
    ],
    edge="exact at zeros",
    batch=along,
    series=_cumulative_product_series,
)


def _difference_type(types: Types, options: Options) -> Types:
    (a,) = types
    n, axis = options.get("n", 1), options.get("axis", -1)
    if a.shape is None:
        return (fresh(a.dtype, None),)
    dims = list(a.shape)
    dim = dims[axis]
    if dim is not None:
        dims[axis] = dim + -n if dim.symbol else Dim("", max(0, dim.offset - n))
    return (fresh(a.dtype, tuple(dims)),)


def _difference_transpose(y_bar: Any, a: Any, n: int, axis: int) -> Any:
    """The transpose of a difference is minus the difference of `y_bar` with zeros at both ends."""
    rank = rank_of(a, "diff")
    widths = tuple((n, n) if k == axis % rank else (0, 0) for k in range(rank))
    padded = y_bar.apply("pad", y_bar, pad_width=widths if rank > 1 else n)
    back = padded.apply("diff", padded, n=n, axis=axis)
    count = length(a, axis % rank)
    if n > 1 and not (isinstance(count, int) and count >= n):
        # Of fewer entries than differences are taken there is none: what comes back is too long.
        whole = [slice(None)] * rank
        whole[axis % rank] = slice(None, count)
        back = back[tuple(whole)]
    return -back if n % 2 else back


linear(
    "diff",
    "a, n=1, axis=-1",
    ["numpy.diff"],
    {0: _difference_transpose},
    infer=_difference_type,
    view="type",
    shares=lambda types, options: options.get("n") == 0,
    domain=[("float64[4]",), ("float64[3,4]", {"axis": 0}), ("float64[2,5]", {"n": 2})],
    batch=along,
)


def _trapezoids_type(types: Types, options: Options) -> Types:
    heights, *places = types
    if heights.shape == ():
        raise ValueError("a trapezoid has at least one axis")
    if (axis := options.get("axis", -1)) != -1 and axis != (heights.rank or 0) - 1:
        raise NoRule("no derivative rule for trapezoids along another axis", code="AG201")
    if any((t.rank or 0) > 1 and not may_be_equal(t, heights) for t in places):
        raise NoRule("no derivative rule for trapezoids that are broadcast", code="AG201")
    shape = None if heights.shape is None else heights.shape[:-1]
    return (shaped(float_dtype(result_dtype(types)), shape),)


def _at_both_ends(a: Any, share: Any, sign: float) -> Any:
    """A share of each interval, given to its right end, and with a sign to its left end."""
    right = a.apply("accumulate", zero_like(a), share, index="..., 1:")
    left = share if sign > 0 else -share
    return a.apply("accumulate", right, left, index="..., :-1")


def _per_interval(y_bar: Any) -> Any:
    """The adjoint of a row, to be multiplied with what its intervals have."""
    return y_bar if y_bar.type.is_scalar else y_bar.apply("expand_dims", y_bar, axis=-1)


def _heights_back(
    y_bar: Any, heights: Any, places: Any = None, *, dx: float, axis: int = -1
) -> Any:
    """`y = sum(diff(places) * (heights[1:] + heights[:-1])) / 2` along the last axis."""
    if is_given(places):
        widths = places.apply("diff", places)
    else:
        part = heights.apply("load", heights, index="..., 1:")
        widths = dx * part.apply("ones_like", part)
    return _at_both_ends(heights, _per_interval(y_bar) * widths * 0.5, 1.0)


def _places_back(y_bar: Any, heights: Any, places: Any, dx: float, axis: int = -1) -> Any:
    right, left = (heights.apply("load", heights, index=f"..., {part}") for part in ("1:", ":-1"))
    share = _per_interval(y_bar) * 0.5 * (right + left)
    extra = rank_of(heights, "trapezoid") - rank_of(places, "trapezoid")
    if extra:
        share = reduce_sum(share, tuple(range(extra)))
    return _at_both_ends(places, share, -1.0)


linear(
    "trapezoid",
    "y, x=, dx=1.0, axis=-1",
    ["numpy.trapezoid", "scipy.integrate.trapezoid"],
    {0: _heights_back, 1: _places_back},
    infer=_trapezoids_type,
    cost=4,
    domain=[
        ("float64[4]",),
        ("float64[4]", {"dx": 0.5}),
        ("float64[4]", "float64[4]"),
        ("float64[2,4]", [0.0, 1.0, 2.5, 3.0]),
        ("float64[2,4]", "float64[2,4]"),
        ("float64[2,4]", {"axis": -1}),
    ],
)
