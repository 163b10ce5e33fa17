"""Operations that split, mesh and block arrays, and differences on grids.

Each is declared by slices of what it is given, along which the chain rule goes (`composed.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import length, op, rank_of
from adjointgen.rules.framework.type_rules import (
    Types,
    float_dtype,
    fresh,
    of_ranks,
    result_dtype,
    shaped,
)

Options = Mapping[str, Any]
_ONE = Dim("", 1)


def _parts(sections: Any) -> int:
    """How many parts there are."""
    return sections if isinstance(sections, int) else len(sections) + 1


def _ends(a: Any, sections: Any, axis: int) -> list[Any]:
    """Where the parts begin and end: the first have one entry more where it does not come out."""
    if not isinstance(sections, int):
        return [None, *sections, None]
    number = length(a, axis)
    if isinstance(number, int):
        each, extra = divmod(number, sections)
        return [k * each + min(k, extra) for k in range(sections + 1)]
    each, extra = number // sections, number % sections
    inner = [k * each + op("min", extra, k) for k in range(1, sections)]
    return [None, *inner, None]


def _split(a: Any, indices_or_sections: Any, axis: int) -> tuple[Any, ...]:
    along = axis % rank_of(a, "split")
    ends = _ends(a, indices_or_sections, along)
    lead = (slice(None),) * along
    return tuple(a[(*lead, slice(first, last))] for first, last in pairwise(ends))


def _split_type(types: Types, options: Options) -> Types:
    return _cut(types, options["indices_or_sections"], options.get("axis", 0))


def _cut(types: Types, sections: Any, axis: int) -> Types:
    (a,) = types
    if a.shape is None:
        return (fresh(a.dtype, None),) * _parts(sections)
    dims = [None if k == axis % len(a.shape) else d for k, d in enumerate(a.shape)]
    return (fresh(a.dtype, tuple(dims)),) * _parts(sections)


_SPLITS: list[tuple[Any, ...]] = [
    ("float64[4]", {"indices_or_sections": 2}),
    ("float64[5]", {"indices_or_sections": (1, 3)}),
    ("float64[2,4]", {"indices_or_sections": (1, 3), "axis": 1}),
]
for _name, _domain in (
    ("split", _SPLITS),
    ("array_split", [*_SPLITS, ("float64[5]", {"indices_or_sections": 3})]),
):
    composed(
        _name,
        "a, indices_or_sections=None, axis=0",
        [f"numpy.{_name}"],
        _split,
        infer=_split_type,
        view="each",
        domain=_domain,
    )


def _split_along(axis: int, a: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    return _split(a, indices_or_sections, 0 if rank_of(a, "split") == 1 else axis)


def _cut_along(axis: int, types: Types, options: Options) -> Types:
    return _cut(types, options["indices_or_sections"], 0 if types[0].rank == 1 else axis)


for _name, _axis in (("vsplit", 0), ("hsplit", 1), ("dsplit", 2)):
    composed(
        _name,
        "a, indices_or_sections=None",
        [f"numpy.{_name}"],
        partial(_split_along, _axis),
        infer=partial(_cut_along, _axis),
        view="each",
        domain=[("float64[2,4,2]", {"indices_or_sections": 2})],
    )


def _is_swapped(options: Options, count: int) -> bool:
    return options.get("indexing", "xy") == "xy" and count > 1


def _place(k: int, options: Options, count: int) -> int:
    """The axis that an operand runs along: the first two change places for `xy`."""
    return 1 - k if k < 2 and _is_swapped(options, count) else k


def _mesh(*xi: Any, **options: Any) -> tuple[Any, ...]:
    count = len(xi)
    lengths = [1] * count
    for k, x in enumerate(xi):
        lengths[_place(k, options, count)] = 1 if x.type.rank == 0 else length(x, 0)
    made = []
    for k, x in enumerate(xi):
        shape = [1] * count
        shape[_place(k, options, count)] = -1
        column = op("reshape", x if x.type.is_array else op("atleast_1d", x), *shape)
        made.append(column if options["sparse"] else op("broadcast_to", column, *lengths))
    return tuple(made)


def _mesh_type(types: Types, options: Options) -> Types:
    count = len(types)
    dims: list[Dim | None] = [None] * count
    for k, t in enumerate(types):
        dims[_place(k, options, count)] = _ONE if t.rank == 0 else t.shape[0] if t.shape else None
    found = []
    for k, t in enumerate(types):
        own = _place(k, options, count)
        sparse = tuple(d if axis == own else _ONE for axis, d in enumerate(dims))
        found.append(fresh(t.dtype, sparse if options.get("sparse") else tuple(dims)))
    return tuple(found)


composed(
    "meshgrid",
    "*xi..., indexing='xy', sparse=False",
    ["numpy.meshgrid"],
    lambda *xi, indexing, sparse: _mesh(*xi, indexing=indexing, sparse=sparse),
    infer=of_ranks(_mesh_type, (0, 1)),
    domain=[
        ("float64[2]", "float64[3]"),
        ("float64[2]", "float64[3]", {"indexing": "ij"}),
        ("float64[2]", "float64[3]", "float64[4]", {"sparse": True}),
    ],
)


def _at(a: Any, axis: int, part: slice) -> Any:
    return a[(*(slice(None),) * axis, part)]


def _uniform(f: Any, h: Any, axis: int, order: int) -> Any:
    """Central differences, and one-sided ones of this order at both ends."""
    inner = (_at(f, axis, slice(2, None)) - _at(f, axis, slice(None, -2))) / (2.0 * h)
    first, second, third = (_at(f, axis, slice(k, k + 1)) for k in range(3))
    last, before, earlier = (_at(f, axis, slice(-k - 1, -k or None)) for k in range(3))
    if order == 1:
        left, right = (second - first) / h, (last - before) / h
    else:
        left = (-1.5 * first + 2.0 * second - 0.5 * third) / h
        right = (1.5 * last - 2.0 * before + 0.5 * earlier) / h
    return op("concatenate", left, inner, right, axis=axis)


def _along(weights: Any, rank: int, axis: int) -> Any:
    """A vector along one axis of an array."""
    return weights[(*(None,) * axis, slice(None), *(None,) * (rank - axis - 1))]


def _uneven(f: Any, x: Any, axis: int, order: int) -> Any:
    """The same on places that are not evenly spaced, of second order inside."""
    if order != 1:
        raise NoRule(
            "no derivative rule for np.gradient of edge order 2 on uneven places",
            code="AG201",
            help="use edge_order=1",
        )
    rank = rank_of(f, "gradient")
    steps = op("diff", x)
    steps = _along(steps, rank, axis)
    left, right = _at(steps, axis, slice(None, -1)), _at(steps, axis, slice(1, None))
    before, here, after = (
        _at(f, axis, part) for part in (slice(None, -2), slice(1, -1), slice(2, None))
    )
    total = left + right
    inner = (
        -right / (left * total) * before
        + (right - left) / (left * right) * here
        + left / (right * total) * after
    )
    ends = [
        (_at(f, axis, b) - _at(f, axis, a)) / _at(steps, axis, s)
        for a, b, s in (
            (slice(0, 1), slice(1, 2), slice(0, 1)),
            (slice(-2, -1), slice(-1, None), slice(-1, None)),
        )
    ]
    return op("concatenate", ends[0], inner, ends[1], axis=axis)


def _axes(rank: int, axis: Any) -> list[int]:
    named = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return [k % rank for k in named]


def _gradient(f: Any, *varargs: Any, axis: Any, edge_order: int) -> Any:
    axes = _axes(rank_of(f, "gradient"), axis)
    steps = list(varargs) or [1.0]
    steps = steps * len(axes) if len(steps) == 1 else steps
    made = []
    for k, h in zip(axes, steps, strict=True):
        even = not hasattr(h, "type") or h.type.is_scalar
        made.append((_uniform if even else _uneven)(f, h, k, edge_order))
    return tuple(made)


def _gradient_type(types: Types, options: Options) -> Types:
    f = types[0]
    dtype = float_dtype(f.dtype)
    count = 1 if f.shape is None else len(_axes(len(f.shape), options.get("axis")))
    return (fresh(dtype, f.shape),) * count


composed(
    "gradient",
    "f, *varargs..., axis=None, edge_order=1",
    ["numpy.gradient"],
    _gradient,
    infer=of_ranks(_gradient_type, tuple(range(1, 32)), (0, 1)),
    domain=[
        ("float64[5]",),
        ("float64[5]", "float64"),
        ("float64[5]", [0.0, 0.4, 0.9, 1.7, 2.0]),
        ("float64[4,5]", {"axis": 1, "edge_order": 2}),
        ("float64[4,5]", "float64", {"axis": 0}),
        ("float64[4,5]",),
        ("float64[4,5]", 0.5, [0.0, 0.4, 0.9, 1.7, 2.0]),
    ],
    cost=4,
)


def _kron(a: Any, b: Any) -> Any:
    """`a_i b_j` with the axes of both side by side, which become one."""
    rank = max(rank_of(a, "kron"), rank_of(b, "kron"))
    if rank == 0:
        return a * b
    first, second = (_lifted(v, rank) for v in (a, b))
    spread = first[(slice(None), None) * rank] * second[(None, slice(None)) * rank]
    lengths = [_product(length(first, k), length(second, k)) for k in range(rank)]
    return op("reshape", spread, *lengths)


def _product(m: Any, n: Any) -> Any:
    return m * n


def _lifted(v: Any, rank: int) -> Any:
    missing = rank - rank_of(v, "kron")
    array = op("asarray", v) if v.type.is_scalar else v
    return array[(*(None,) * missing, ...)] if missing else array


def _kron_type(types: Types, options: Options) -> Types:
    ranks = [t.rank for t in types]
    if None in ranks:
        return (fresh(result_dtype(types), None),)
    return (shaped(result_dtype(types), (None,) * max(r or 0 for r in ranks)),)


composed(
    "kron",
    "a, b",
    ["numpy.kron", "scipy.linalg.kron"],
    _kron,
    infer=_kron_type,
    cost=4,
    domain=[
        ("float64[2,3]", "float64[3,2]"),
        ("float64[2]", "float64[3]"),
        ("float64[2]", "float64[2,2]"),
    ],
)


def _blocks(*matrices: Any) -> Any:
    """Each matrix at its place among zeros; a vector is a matrix of one row."""
    matrices = tuple(a if a.type.rank == 2 else op("atleast_2d", a) for a in matrices)
    rows: list[Any] = [0]
    columns: list[Any] = [0]
    for a in matrices:
        rows.append(_sum(rows[-1], length(a, 0)))
        columns.append(_sum(columns[-1], length(a, 1)))
    total = matrices[0].apply(
        "zeros", rows[-1], columns[-1], dtype=result_dtype(tuple(m.type for m in matrices))
    )
    for k, a in enumerate(matrices):
        ends = [rows[k], rows[k + 1], columns[k], columns[k + 1]]
        total = total.apply("store", total, a, *ends, index="_:_, _:_")
    return total


def _sum(m: Any, n: Any) -> Any:
    return n if isinstance(m, int) and m == 0 else m + n


composed(
    "block_diag",
    "*arrs...",
    ["scipy.linalg.block_diag"],
    _blocks,
    infer=of_ranks(lambda types, options: (fresh(result_dtype(types), (None, None)),), (0, 1, 2)),
    domain=[("float64[2,2]", "float64[1,3]"), ("float64[2,2]",), ("float64[2,2]", "float64[3]")],
    entries="among zeros",
)
composed(
    "dstack",
    "*arrays",
    ["numpy.dstack"],
    lambda *arrays: op("concatenate", *(op("atleast_3d", a) for a in arrays), axis=2),
    infer=lambda types, options: (fresh(result_dtype(types), (None, None, None)),),
    domain=[("float64[3]", "float64[3]"), ("float64[2,3]", "float64[2,3,2]")],
    entries="assembled",
)
